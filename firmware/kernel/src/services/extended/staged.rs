//! Messages that are kept for threads in kernel pages ([`crate::services::extended::staging`]): put
//! there, and dropped.

use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::status::counter;

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::state::kernel::{Index, Kernel};

/// What stands ahead of a fragment's bytes in its pages.
#[repr(C)]
pub struct Staged {
    /// Address of the next one, 0 if there is none.
    pub next: u32,
    /// Where it belongs in user memory, its bytes, and how many of them are there.
    pub to: u32,
    pub bytes: u32,
    pub done: u32,
}

pub const HEADER: u32 = size_of::<Staged>() as u32;

const fn pages_for(bytes: u32) -> u32 {
    (HEADER + bytes).div_ceil(PAGE_BYTES)
}

impl Kernel {
    /// Keeps a fragment for a blocked thread. `false`: there is no memory.
    #[cold]
    #[inline(never)]
    pub fn stage(&mut self, index: Index, to: u32, bytes: u32, packet: &Packet, first_word: usize) -> bool {
        let Some(row) = self.pages.take_row(pages_for(bytes), 1) else { return false };
        let address = memory::page_address(row);
        let tcb = self.tcb_of(index);
        // SAFETY: the row was just taken and has room for the header.
        unsafe { (address as *mut Staged).write(Staged { next: tcb.staged().replace(address), to, bytes, done: 0 }) };
        let mut end = address + HEADER;
        for (from, part) in packet.pieces(first_word, bytes) {
            // SAFETY: the piece is in the receive ring, and the row has room.
            unsafe { memory::copy(from, end, part) };
            end += part;
        }
        self.counters[counter::STAGED] += 1;
        true
    }

    /// Gives a message's pages back.
    pub fn free_staged(&mut self, address: u32, bytes: u32) {
        let row = memory::page_of(address);
        self.pages.release(row, row + pages_for(bytes));
    }

    /// Drops what is staged for a thread that ends.
    pub fn drop_staged(&mut self, index: Index) {
        let mut address = self.tcb_of(index).staged().take();
        while address != 0 {
            // SAFETY: as in `unstage`.
            let Staged { next, bytes, .. } = unsafe { (address as *const Staged).read() };
            self.free_staged(address, bytes);
            address = next;
        }
    }
}
