//! What DMA has still to do.

use std::ops::Range;
use std::sync::Arc;

/// The processors' RAM as DMA sees it. `offset` is in bytes from the start of the station's RAM, a multiple of
/// four and inside RAM.
pub trait DmaMemory {
    fn read(&mut self, station: usize, offset: u32) -> u32;
    fn write(&mut self, station: usize, offset: u32, value: u32);
}

/// Byte offsets in one station's RAM that DMA may still touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hazards {
    /// Words that will be read: a store there must be preceded by `catch_up`.
    pub transmit: Range<u32>,
    /// Words that will be written: a store, load or fetch there must be preceded by `catch_up`.
    pub receive: Range<u32>,
}

impl Hazards {
    /// Whether an access to the word at `offset` must be preceded by `catch_up`.
    pub fn contains(&self, offset: u32) -> bool {
        self.transmit.contains(&offset) || self.receive.contains(&offset)
    }
    pub fn is_empty(&self) -> bool {
        self.transmit.is_empty() && self.receive.is_empty()
    }
}

/// The reads of a packet's payload. A word issued in a cycle is on port B in the next.
#[derive(Clone)]
pub struct Load {
    /// Byte address of the next word.
    pub address: u32,
    /// Words still to issue.
    pub left: u32,
    /// The cycle in which the next word is issued, unless it is blocked.
    pub cycle: u64,
}

/// The writes of a packet into a ring: the header in the first cycle, payload from the second after that on.
#[derive(Clone)]
pub struct Burst {
    first: u64,
    header: u32,
    payload: Arc<Vec<u32>>,
    /// Ring index of the header, base address and mask: filled in by the station that takes it.
    pub start: u16,
    pub base: u32,
    pub mask: u16,
    /// Words written.
    done: usize,
}

impl Burst {
    pub fn new(first: u64, header: u32, payload: Arc<Vec<u32>>) -> Self {
        Burst { first, header, payload, start: 0, base: 0, mask: 0, done: 0 }
    }
    pub fn words(&self) -> usize {
        1 + self.payload.len()
    }
    /// The cycle in which the next word is on port B.
    pub fn next_cycle(&self) -> u64 {
        self.first + self.done as u64 + u64::from(self.done > 0)
    }
    pub fn is_done(&self) -> bool {
        self.done == self.words()
    }
    /// Writes the words of cycles before `end`.
    pub fn write(&mut self, end: u64, station: usize, ram_mask: u32, memory: &mut impl DmaMemory) {
        while !self.is_done() && self.next_cycle() < end {
            let word = self.done.checked_sub(1).map_or(self.header, |index| self.payload[index]);
            let position = self.start.wrapping_add(self.done as u16) & self.mask;
            memory.write(station, self.base.wrapping_add(u32::from(position) * 4) & ram_mask, word);
            self.done += 1;
        }
    }
}
