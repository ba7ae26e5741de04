//! Messages that came while a page of their receiver was elsewhere: they are kept in kernel pages until it is back. The receiver
//! had all its pages when it called; other threads of its process may take them before the message is here. What belongs to a page is put there as
//! soon as that page has come, so that no two pages have to be here at the same time.

use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};
use testbed_definitions::syscall::status::counter;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{rest_of_page, WRITE};

use crate::centrenet::Packet;
use crate::fragments::each_run;
use crate::kernel::{Index, Kernel};
use crate::memory;
use crate::paging::{Access, Resume};
use crate::process::{Process, PROCESSES_KNOWN};
use crate::thread::A0;

/// What stands ahead of a fragment's bytes in its pages.
#[repr(C)]
struct Staged {
    /// Address of the next one, 0 if there is none.
    next: u32,
    /// Where it belongs in user memory, its bytes, and how many of them are there.
    to: u32,
    bytes: u32,
    done: u32,
}

const HEADER: u32 = size_of::<Staged>() as u32;

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
        let tcb = &mut self.tcbs[index as usize];
        // SAFETY: the row was just taken and has room for the header.
        unsafe { (address as *mut Staged).write(Staged { next: tcb.staged, to, bytes, done: 0 }) };
        tcb.staged = address;
        let mut end = address + HEADER;
        for (from, part) in packet.pieces(first_word, bytes) {
            // SAFETY: the piece is in the receive ring, and the row has room.
            unsafe { memory::copy(from, end, part) };
            end += part;
        }
        self.counters[counter::STAGED] += 1;
        true
    }

    /// Ends a communication: the thread is ready, as soon as it has what is staged for it.
    #[inline]
    pub fn finish_staged(&mut self, index: Index, result: Result<u32, Error>) {
        if self.tcbs[index as usize].staged == 0 {
            return self.finish(index, result);
        }
        self.tcbs[index as usize].context.set(A0, result.unwrap_or_else(|error| error.code() as u32));
        self.unstage(index);
    }

    /// There is no page left to keep a message in: the process can't go on. It ends when what is being done has been done.
    #[cold]
    pub fn out_of_memory(&mut self, mut process: Process) {
        (process.doomed, self.doomed) = (true, true);
    }

    /// Ends the processes that are out of memory. One step may have found several.
    #[cold]
    pub fn end_doomed(&mut self) {
        self.doomed = false;
        for slot in 0..PROCESSES_KNOWN {
            let Some(mut process) = self.processes.at(slot).filter(|process| process.doomed) else { continue };
            // If its home is elsewhere, it stays until it has been told.
            process.doomed = false;
            if !self.net.has_room() {
                self.await_room();
            }
            self.end_for_memory(process.id);
        }
    }

    /// Gives a thread what is staged for it, as far as its pages are here. When all is given the thread is ready.
    pub fn unstage(&mut self, index: Index) {
        loop {
            let tcb = &mut self.tcbs[index as usize];
            let address = tcb.staged;
            if address == 0 {
                return self.make_ready(index);
            }
            // SAFETY: `stage` made it, and nobody names it but for one statement.
            let Staged { next, to, bytes, mut done } = unsafe { (address as *const Staged).read() };
            let from = address + HEADER + done;
            done += each_run(tcb.process.map(), to + done, bytes - done, WRITE, |before, run| {
                // SAFETY: the bytes are in the staged row, and the run is the thread's.
                unsafe { memory::copy(from + before, run.start, run.bytes) }
            });
            // SAFETY: as above.
            unsafe { (&raw mut (*(address as *mut Staged)).done).write(done) };
            if done < bytes {
                let at = to + done;
                // Its answer may come at once, and then calls this function again.
                match self.want_page(index, at >> PAGE_SHIFT, true, Resume::Staged, at) {
                    Access::Coming => return,
                    Access::Refused(Error::NoMemory) => return self.out_of_memory(self.tcbs[index as usize].process),
                    _ => {}
                }
                // The page has gone for ever: so has what belongs there.
                done = (done + rest_of_page(at)).min(bytes);
                // SAFETY: as above.
                unsafe { (&raw mut (*(address as *mut Staged)).done).write(done) };
                continue;
            }
            self.tcbs[index as usize].staged = next;
            self.free_staged(address, bytes);
        }
    }

    fn free_staged(&mut self, address: u32, bytes: u32) {
        let row = memory::page_of(address);
        self.pages.release(row, row + pages_for(bytes));
    }

    /// Drops what is staged for a thread that ends.
    pub fn drop_staged(&mut self, index: Index) {
        let mut address = core::mem::take(&mut self.tcbs[index as usize].staged);
        while address != 0 {
            // SAFETY: as in `unstage`.
            let Staged { next, bytes, .. } = unsafe { (address as *const Staged).read() };
            self.free_staged(address, bytes);
            address = next;
        }
    }
}
