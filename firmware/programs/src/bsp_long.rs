//! What a random bulk-synchronous program does by `bsp_hpput` and `bsp_hpget`: nobody changes what
//! is read, and nobody else writes or reads what is written, as the standard wants it. All of it
//! follows from a seed, so each process knows what its memory must be. What is read is other data in
//! each superstep: who goes on too early sends what it must not.

use libtos::random::Random;

use crate::bsp_reference::{bytes_of, PROCESSES};

/// Memory of each process from which others are sent bytes, or take them.
pub const SOURCE_BYTES: usize = 10_240;
/// Memory of each process that another one writes to: there is as much for each of them.
pub const SLOT_BYTES: usize = 2_560;

/// A process's memory, or what it must be.
pub struct Long {
    pub source: [u8; SOURCE_BYTES],
    pub slots: [[u8; SLOT_BYTES]; PROCESSES],
    pub taken: [u8; SOURCE_BYTES],
}

/// Bytes of a process's source, from a place on, and where they go.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub rank: usize,
    pub at: usize,
    pub to: usize,
    pub bytes: usize,
}

fn source_byte((seed, step): (u32, u32), rank: usize, index: usize) -> u8 {
    bytes_of(seed.wrapping_mul(77).wrapping_add(rank as u32) << 9 ^ step << 20, index)
}

impl Long {
    pub const NEW: Long =
        Long { source: [0; SOURCE_BYTES], slots: [[0; SLOT_BYTES]; PROCESSES], taken: [0; SOURCE_BYTES] };

    /// What others are sent in a superstep, or take.
    pub fn begin(&mut self, now: (u32, u32), rank: usize) {
        self.source.iter_mut().enumerate().for_each(|(index, byte)| *byte = source_byte(now, rank, index));
    }

    /// What a put has brought for the slot of its source.
    pub fn put(&mut self, now: (u32, u32), part: Part) {
        let slot = &mut self.slots[part.rank][part.to..part.to + part.bytes];
        slot.iter_mut().enumerate().for_each(|(index, byte)| *byte = source_byte(now, part.rank, part.at + index));
    }

    /// What a get has brought.
    pub fn take(&mut self, now: (u32, u32), part: Part) {
        let taken = &mut self.taken[part.to..part.to + part.bytes];
        taken.iter_mut().enumerate().for_each(|(index, byte)| *byte = source_byte(now, part.rank, part.at + index));
    }

    /// Whether the slot of a source is what it must be.
    pub fn has_slot(&self, rank: usize, wanted: &Long) -> bool {
        self.slots[rank] == wanted.slots[rank]
    }
}

/// What a process puts, and to whom, in a superstep; and what it takes.
pub fn of_superstep((seed, step): (u32, u32), rank: usize, processes: usize) -> (Option<(usize, Part)>, Option<Part>) {
    let mut random = Random::new(seed ^ step << 8 ^ (rank as u32) << 16 ^ 0x7777);
    let mut part = |rank: usize, room: usize| {
        let bytes = size(&mut random, room);
        let at = place(&mut random, SOURCE_BYTES, bytes);
        let to = place(&mut random, room, bytes);
        Part { rank, at, to, bytes }
    };
    let (put, take) = (part(rank, SLOT_BYTES), part(rank, SOURCE_BYTES));
    let mut other = || random.below(processes as u32) as usize;
    let (to, from) = (other(), other());
    let put = random.chance(40).then_some((to, put));
    let take = random.chance(40).then_some(Part { rank: from, ..take });
    (put, take)
}

fn size(random: &mut Random, most: usize) -> usize {
    match random.below(8) {
        0 => random.below(600) as usize,
        1..=4 => random.below(most as u32 / 8 + 1) as usize * 8,
        _ => random.below(most as u32 + 1) as usize,
    }
}

/// Mostly where words begin.
fn place(random: &mut Random, room: usize, bytes: usize) -> usize {
    let place = random.below((room - bytes) as u32 + 1) as usize;
    if random.chance(75) {
        place & !3
    } else {
        place
    }
}
