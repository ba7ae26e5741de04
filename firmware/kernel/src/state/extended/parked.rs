//! Threads that have come from other processors while no control block was free: each in a page of
//! its own, as a packet.

use testbed_definitions::packet::Header;
use testbed_kernel_core::pages::Pages;

use crate::arch::memory;
use crate::drivers::packet::Packet;

/// The pages, the last one first.
pub struct Parked {
    /// 0: none. Its first word is the next one, and the payload comes behind.
    first: u32,
}

impl Parked {
    pub const NONE: Parked = Parked { first: 0 };

    pub fn is_empty(&self) -> bool {
        self.first == 0
    }

    /// Keeps the words of a payload. `false`: there is no memory.
    pub fn put(&mut self, payload: impl Iterator<Item = u32>, pages: &mut Pages) -> bool {
        let Some(page) = pages.take() else { return false };
        let words = memory::page_address(page) as *mut u32;
        let next = core::mem::replace(&mut self.first, page);
        for (index, word) in core::iter::once(next).chain(payload).enumerate() {
            // SAFETY: the page was just taken and has room for a thread's words.
            unsafe { words.add(index).write(word) };
        }
        true
    }

    /// Takes out the last one, if there is one: its page, which is the caller's to give back, and
    /// the packet there, which has this header.
    pub fn take(&mut self, header: Header) -> Option<(u32, Packet)> {
        let page = self.first;
        if page == 0 {
            return None;
        }
        // SAFETY: `put` wrote it.
        self.first = unsafe { (memory::page_address(page) as *const u32).read() };
        Some((page, Packet::kept(page, header)))
    }
}
