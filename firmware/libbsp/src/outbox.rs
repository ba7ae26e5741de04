//! What leaves at the end of the superstep, sorted by where it goes as it is put there: for each
//! process a list of blocks, which the kernel sends as they lie.

use core::ptr::null_mut;

use testbed_definitions::exchange as record;
use testbed_definitions::limits::{GROUP_MEMBERS, SEGMENTS};

use crate::arena::{Arena, UNIT};

/// Bytes of the first block for a process; each next one is twice as large, up to the last number.
const FIRST_BYTES: usize = 128;
const LARGEST_BYTES: usize = 4_096;

/// A block of memory whose first bytes leave.
#[repr(C)]
struct Block {
    next: *mut Block,
    at: usize,
    used: usize,
    room: usize,
    /// As in a segment.
    destination: u32,
}

const BLOCK: usize = size_of::<Block>().next_multiple_of(UNIT);

/// The blocks for a process.
#[derive(Clone, Copy)]
struct Row {
    first: *mut Block,
    last: *mut Block,
    next_bytes: usize,
}

pub struct Outbox {
    rows: [Row; GROUP_MEMBERS],
    blocks: usize,
}

impl Outbox {
    const NO_ROW: Row = Row { first: null_mut(), last: null_mut(), next_bytes: FIRST_BYTES };
    pub const NEW: Outbox = Outbox { rows: [Self::NO_ROW; GROUP_MEMBERS], blocks: 0 };

    /// Nothing leaves any more.
    pub fn clear(&mut self, count: usize) {
        self.rows[..count].fill(Self::NO_ROW);
        self.blocks = 0;
    }

    /// Room for so many bytes, a multiple of eight, that leave for a process, behind all that was
    /// put there before; `None` if there is none.
    #[inline]
    pub fn append(&mut self, arena: &mut Arena, to: usize, bytes: usize) -> Option<usize> {
        let row = &mut self.rows[to];
        // SAFETY: blocks lie in the arena until the outbox is cleared.
        if let Some(last) = unsafe { row.last.as_mut() } {
            if last.room - last.used >= bytes {
                let at = last.at + last.used;
                last.used += bytes;
                return Some(at);
            }
        }
        let room = bytes.max(row.next_bytes);
        // A small block where there is no more for a large one.
        let (address, room) = match arena.take(BLOCK + room) {
            Some(address) => (address, room),
            None => (arena.take(BLOCK + bytes)?, bytes),
        };
        row.next_bytes = (2 * row.next_bytes).min(LARGEST_BYTES);
        let at = address + BLOCK;
        self.add(address, to, Block { next: null_mut(), at, used: bytes, room, destination: 0 })?;
        Some(at)
    }

    /// Memory of the program's own leaves as it will be at the end of the superstep, for a place that
    /// it has there.
    pub fn append_memory(
        &mut self,
        arena: &mut Arena,
        to: usize,
        (at, bytes): (usize, usize),
        destination: u32,
    ) -> Option<()> {
        let address = arena.take(BLOCK)?;
        // What comes behind it is likely to be another one's header.
        self.rows[to].next_bytes = FIRST_BYTES;
        self.add(address, to, Block { next: null_mut(), at, used: bytes, room: bytes, destination })
    }

    /// Whether nothing leaves.
    pub fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Whether there can be so many more blocks.
    pub fn has_blocks(&self, more: usize) -> bool {
        self.blocks + more <= SEGMENTS
    }

    fn add(&mut self, address: usize, to: usize, new: Block) -> Option<()> {
        if self.blocks == SEGMENTS {
            return None;
        }
        self.blocks += 1;
        let block = address as *mut Block;
        let row = &mut self.rows[to];
        // SAFETY: the address is a block of the arena's.
        unsafe {
            block.write(new);
            match row.last.as_mut() {
                Some(last) => last.next = block,
                None => row.first = block,
            }
        }
        row.last = block;
        Some(())
    }

    /// The table of segments that the kernel wants, and how many there are: what is for the next
    /// process comes first, so that not all send to the same one; `None` if there is no memory.
    pub fn segments(&self, arena: &mut Arena, me: usize, count: usize) -> Option<(usize, usize)> {
        const BYTES: usize = 4 * record::SEGMENT_WORDS;
        if self.blocks == 0 {
            return Some((0, 0));
        }
        let table = arena.take(self.blocks * BYTES)?;
        let mut written = 0;
        for to in (me + 1..count).chain(0..me + 1) {
            let mut next = self.rows[to].first;
            // SAFETY: as above; the table has room for all blocks.
            unsafe {
                while let Some(block) = next.as_ref() {
                    let words = (table + written * BYTES) as *mut u32;
                    words.add(record::TO).write(to as u32);
                    words.add(record::AT).write(block.at as u32);
                    words.add(record::BYTES).write(block.used as u32);
                    words.add(record::DESTINATION).write(block.destination);
                    (next, written) = (block.next, written + 1);
                }
            }
        }
        Some((table, written))
    }
}
