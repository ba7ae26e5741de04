//! A packet that has been received, and its words in the ring.

use testbed_definitions::ids::Processor;
use testbed_definitions::packet::Header;
use testbed_definitions::page::PAGE_BYTES;

use crate::arch::memory;

/// A packet in the receive ring.
#[derive(Clone, Copy)]
pub struct Packet {
    ring: u32,
    mask: u32,
    head: u32,
    pub header: Header,
}

impl Packet {
    /// The packet whose header is word `head` of a ring that begins at `ring` and has `mask` + 1 words.
    pub(super) fn received(ring: u32, mask: u32, head: u32) -> Packet {
        let start = ring + (head & mask) * 4;
        // SAFETY: the address is in the ring. Volatile, since the station wrote it.
        let header = unsafe { (start as *const u32).read_volatile() };
        Packet { ring, mask, head, header: Header::unpack(header) }
    }
    /// A packet that is kept in a page: the payload from the second word on.
    pub fn kept(page: u32, header: Header) -> Packet {
        Packet { ring: memory::page_address(page), mask: PAGE_BYTES / 4 - 1, head: 0, header }
    }
    /// The processor that has sent it.
    pub fn source(&self) -> Processor {
        Processor::new(self.header.source)
    }
    fn address(&self, index: u32) -> u32 {
        self.ring + ((self.head + 1 + index) & self.mask) * 4
    }
    /// Word `index` of the payload.
    pub fn word(&self, index: usize) -> u32 {
        // SAFETY: the address is in the ring. Volatile, since the station wrote it.
        unsafe { (self.address(index as u32) as *const u32).read_volatile() }
    }
    /// The payload's first words; those after its end mean nothing.
    #[inline(always)]
    pub fn words<const N: usize>(&self) -> [u32; N] {
        let first = (self.head + 1) & self.mask;
        if first + N as u32 > self.mask {
            return core::array::from_fn(|index| self.word(index));
        }
        let start = (self.ring + first * 4) as *const u32;
        // SAFETY: as above; none of them is behind the ring's end.
        core::array::from_fn(|index| unsafe { start.add(index).read_volatile() })
    }
    /// The payload from word `index` on, `bytes` bytes, as one or two pieces of memory: address and
    /// bytes.
    pub fn pieces(&self, index: usize, bytes: u32) -> [(u32, u32); 2] {
        let start = self.address(index as u32);
        let first = bytes.min(self.ring + (self.mask + 1) * 4 - start);
        [(start, first), (self.ring, bytes - first)]
    }
    /// Copies so many bytes of the payload from word `index` on.
    ///
    /// # Safety
    /// The packet has them; `to` is RAM with room for them that nothing the compiler knows of lies in.
    #[inline(always)]
    pub unsafe fn copy<const BYTES: u32>(&self, index: usize, to: u32) {
        let [(from, first), (ring, rest)] = self.pieces(index, BYTES);
        // SAFETY: the caller's; the pieces are in the receive ring.
        unsafe {
            if rest == 0 {
                return memory::copy_long(from, to, BYTES);
            }
            memory::copy(from, to, first);
            memory::copy(ring, to + first, rest);
        }
    }
}
