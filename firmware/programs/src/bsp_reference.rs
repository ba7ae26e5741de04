//! What a random bulk-synchronous program does, one process after the other: the standard, as
//! `libbsp` has to be it.

use libtos::random::Random;

/// Memory of each process that others use.
pub const AREAS: usize = 3;
pub const AREA_BYTES: usize = 1_536;
/// Bytes of tags at most.
pub const TAG_BYTES: usize = 24;
/// Processes at most.
pub const PROCESSES: usize = 20;
/// Registrations at a time, what processes ask for in a superstep, and the bytes that they send.
const REGISTRATIONS: usize = 8;
const PENDING: usize = 8 * PROCESSES;
const BYTES: usize = 112 * 1_024;

/// What a process does.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// It changes its memory.
    Write {
        area: usize,
        at: usize,
        bytes: usize,
        pattern: u32,
    },
    /// From this area and place here to that of another process.
    Put {
        to: usize,
        from: (usize, usize),
        area: usize,
        offset: usize,
        bytes: usize,
    },
    Get {
        from: usize,
        area: usize,
        offset: usize,
        to: (usize, usize),
        bytes: usize,
    },
    Send {
        to: usize,
        tag: u32,
        tag_bytes: usize,
        from: (usize, usize),
        bytes: usize,
    },
    /// All processes: an area of so many bytes at each.
    Push {
        area: usize,
        sizes: [u16; PROCESSES],
    },
    Pop {
        area: usize,
    },
    SetTagSize {
        bytes: usize,
    },
}

impl Op {
    /// Bytes that are kept until the superstep ends.
    fn kept_bytes(&self) -> usize {
        match *self {
            Op::Put { bytes, .. } | Op::Get { bytes, .. } | Op::Send { bytes, .. } => bytes,
            Op::Write { .. } | Op::Push { .. } | Op::Pop { .. } | Op::SetTagSize { .. } => 0,
        }
    }
}

/// Byte `index` of a pattern.
pub fn bytes_of(pattern: u32, index: usize) -> u8 {
    let mixed = pattern.wrapping_add(index as u32).wrapping_mul(0x9e37_79b1);
    (mixed >> 24) as u8
}

/// Something that is done when the superstep ends.
#[derive(Clone, Copy)]
struct Pending {
    kind: Kind,
    by: usize,
    other: usize,
    /// Area and place, of who is written to.
    area: usize,
    at: usize,
    bytes: usize,
    /// Where its bytes are kept.
    kept: usize,
    /// Where the data of a get come from.
    source: (usize, usize),
    tag: u32,
    tag_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    Get,
    Send,
}

/// A message that a process must have got.
#[derive(Clone)]
pub struct Message<'a> {
    pub tag: u32,
    pub tag_bytes: usize,
    pub bytes: &'a [u8],
}

/// All processes.
pub struct Model {
    seed: u32,
    processes: usize,
    pub memory: [[[u8; AREA_BYTES]; AREAS]; PROCESSES],
    /// Areas that are registered, with the bytes at each process.
    registered: [(usize, [u16; PROCESSES]); REGISTRATIONS],
    count: usize,
    tag_bytes: usize,
    pending: [Pending; PENDING],
    pending_count: usize,
    bytes: [u8; BYTES],
    used: usize,
}

const NOTHING: Pending = Pending {
    kind: Kind::Put,
    by: 0,
    other: 0,
    area: 0,
    at: 0,
    bytes: 0,
    kept: 0,
    source: (0, 0),
    tag: 0,
    tag_bytes: 0,
};

impl Model {
    pub const NEW: Model = Model {
        seed: 0,
        processes: 0,
        memory: [[[0; AREA_BYTES]; AREAS]; PROCESSES],
        registered: [(0, [0; PROCESSES]); REGISTRATIONS],
        count: 0,
        tag_bytes: 0,
        pending: [NOTHING; PENDING],
        pending_count: 0,
        bytes: [0; BYTES],
        used: 0,
    };

    /// A program of so many processes begins. Tags stay as they are.
    pub fn begin(&mut self, seed: u32, processes: usize) {
        assert!(processes <= PROCESSES, "there are more processes than the model has room for");
        (self.seed, self.processes) = (seed, processes);
        for (rank, areas) in self.memory.iter_mut().enumerate() {
            for (area, memory) in areas.iter_mut().enumerate() {
                let pattern = seed.wrapping_mul(31).wrapping_add((rank * AREAS + area) as u32) << 8;
                memory.iter_mut().enumerate().for_each(|(index, byte)| *byte = bytes_of(pattern, index));
            }
        }
    }

    /// A superstep of all processes: `each` is told what each of them does, in its order.
    pub fn superstep(&mut self, step: u32, is_last: bool, each: &mut impl FnMut(usize, &Op)) {
        (self.pending_count, self.used) = (0, 0);
        let mut common = Random::new(self.seed ^ step.wrapping_mul(0x1_0001));
        for rank in 0..self.processes {
            let mut random = Random::new(self.seed ^ step << 8 ^ (rank as u32) << 16 ^ 0x55);
            for _ in 0..random.below(9) {
                let op = self.choose(&mut random);
                if self.used + op.kept_bytes() <= BYTES {
                    self.note(rank, &op);
                    each(rank, &op);
                }
            }
        }
        // What all do alike counts from the next superstep on, wherever in this one it is done.
        let (mut after, mut count, mut tag_bytes) = (self.registered, self.count, self.tag_bytes);
        self.change(&mut common, is_last, (&mut after, &mut count, &mut tag_bytes), each);
        self.finish();
        (self.registered, self.count, self.tag_bytes) = (after, count, tag_bytes);
    }

    /// A size: mostly small, sometimes 0, sometimes as much as there can be.
    fn size(random: &mut Random, most: usize) -> usize {
        let limit = match random.below(8) {
            0 => 1,
            1..=4 => 24,
            5 | 6 => 200,
            _ => most as u32 + 1,
        };
        (random.below(limit) as usize).min(most)
    }

    fn place(random: &mut Random, room: usize, bytes: usize) -> usize {
        random.below((room - bytes) as u32 + 1) as usize
    }

    fn choose(&self, random: &mut Random) -> Op {
        let other = random.below(self.processes as u32) as usize;
        let mine = random.below(AREAS as u32) as usize;
        let registration = (self.count != 0).then(|| random.below(self.count as u32) as usize);
        // The newest registration of an area counts.
        let area = registration.map(|number| self.registered[number].0);
        let newest = area.and_then(|area| self.registered[..self.count].iter().rfind(|one| one.0 == area));
        match (random.below(6), newest) {
            (0, _) => {
                let bytes = Self::size(random, AREA_BYTES);
                let at = Self::place(random, AREA_BYTES, bytes);
                Op::Write { area: mine, at, bytes, pattern: random.word() }
            }
            (1 | 2, Some((area, sizes))) => {
                let bytes = Self::size(random, sizes[other] as usize);
                let from = (mine, Self::place(random, AREA_BYTES, bytes));
                let offset = Self::place(random, sizes[other] as usize, bytes);
                Op::Put { to: other, from, area: *area, offset, bytes }
            }
            (3 | 4, Some((area, sizes))) => {
                let bytes = Self::size(random, sizes[other] as usize);
                let to = (mine, Self::place(random, AREA_BYTES, bytes));
                let offset = Self::place(random, sizes[other] as usize, bytes);
                Op::Get { from: other, area: *area, offset, to, bytes }
            }
            _ => {
                let bytes = Self::size(random, AREA_BYTES);
                let from = (mine, Self::place(random, AREA_BYTES, bytes));
                Op::Send { to: other, tag: random.word(), tag_bytes: self.tag_bytes, from, bytes }
            }
        }
    }

    /// Registrations and the size of tags, which all processes change alike. Behind the last superstep
    /// nothing is registered.
    fn change(
        &self,
        random: &mut Random,
        is_last: bool,
        (registered, count, tag_bytes): (&mut [(usize, [u16; PROCESSES]); REGISTRATIONS], &mut usize, &mut usize),
        each: &mut impl FnMut(usize, &Op),
    ) {
        let mut all = |op: Op| (0..self.processes).for_each(|rank| each(rank, &op));
        if random.chance(25) {
            *tag_bytes = random.below(TAG_BYTES as u32 + 1) as usize;
            all(Op::SetTagSize { bytes: *tag_bytes });
        }
        let pushes = if is_last { 0 } else { random.below(3) };
        for _ in 0..pushes {
            if *count < REGISTRATIONS {
                let area = random.below(AREAS as u32) as usize;
                let sizes = core::array::from_fn(|_| random.below(AREA_BYTES as u32 + 1) as u16);
                registered[*count] = (area, sizes);
                *count += 1;
                all(Op::Push { area, sizes });
            }
        }
        let pops = if is_last { *count as u32 } else { random.below(2) };
        for _ in 0..pops {
            if *count != 0 {
                let area = registered[random.below(*count as u32) as usize].0;
                let newest = registered[..*count].iter().rposition(|one| one.0 == area).unwrap_or(0);
                registered.copy_within(newest + 1..*count, newest);
                *count -= 1;
                all(Op::Pop { area });
            }
        }
    }

    /// Notes what is to be done when the superstep ends, with the bytes as they are now.
    fn note(&mut self, by: usize, op: &Op) {
        let (kind, other, area, at, bytes, source, tag, tag_bytes) = match *op {
            Op::Write { area, at, bytes, pattern } => {
                let place = &mut self.memory[by][area][at..at + bytes];
                place.iter_mut().enumerate().for_each(|(index, byte)| *byte = bytes_of(pattern, index));
                return;
            }
            Op::Put { to, from, area, offset, bytes } => (Kind::Put, to, area, offset, bytes, from, 0, 0),
            Op::Get { from, area, offset, to, bytes } => (Kind::Get, from, to.0, to.1, bytes, (area, offset), 0, 0),
            Op::Send { to, tag, tag_bytes, from, bytes } => (Kind::Send, to, 0, 0, bytes, from, tag, tag_bytes),
            Op::Push { .. } | Op::Pop { .. } | Op::SetTagSize { .. } => return,
        };
        let kept = self.used;
        self.used += bytes;
        if kind != Kind::Get {
            self.bytes[kept..kept + bytes].copy_from_slice(&self.memory[by][source.0][source.1..source.1 + bytes]);
        }
        self.pending[self.pending_count] = Pending { kind, by, other, area, at, bytes, kept, source, tag, tag_bytes };
        self.pending_count += 1;
    }

    /// The superstep ends.
    fn finish(&mut self) {
        let count = self.pending_count;
        for one in self.pending[..count].iter().filter(|one| one.kind == Kind::Get) {
            let from = &self.memory[one.other][one.source.0][one.source.1..one.source.1 + one.bytes];
            self.bytes[one.kept..one.kept + one.bytes].copy_from_slice(from);
        }
        // What is read is written in order of those who have it, what is put in order of those who
        // put it, which is the order of the list.
        for other in 0..self.processes {
            for one in self.pending[..count].iter().filter(|one| one.kind == Kind::Get && one.other == other) {
                let to = &mut self.memory[one.by][one.area][one.at..one.at + one.bytes];
                to.copy_from_slice(&self.bytes[one.kept..one.kept + one.bytes]);
            }
        }
        for one in self.pending[..count].iter().filter(|one| one.kind == Kind::Put) {
            let to = &mut self.memory[one.other][one.area][one.at..one.at + one.bytes];
            to.copy_from_slice(&self.bytes[one.kept..one.kept + one.bytes]);
        }
    }

    /// What has been sent to a process, in order of those who have sent it.
    pub fn messages(&self, rank: usize) -> impl Iterator<Item = Message<'_>> + Clone {
        let sent = self.pending[..self.pending_count].iter();
        sent.filter(move |one| one.kind == Kind::Send && one.other == rank).map(|one| Message {
            tag: one.tag,
            tag_bytes: one.tag_bytes,
            bytes: &self.bytes[one.kept..one.kept + one.bytes],
        })
    }
}
