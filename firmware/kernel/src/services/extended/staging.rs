//! Messages that came while a page of their receiver was elsewhere: they are kept in kernel pages
//! until it is back. The receiver had all its pages when it called; other threads of its process
//! may take them before the message is here. What belongs to a page is put there as soon as that
//! page has come, so that no two pages have to be here at the same time.

use testbed_definitions::page::PAGE_SHIFT;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{rest_of_page, WRITE};

use crate::arch::memory;
use crate::services::extended::runs::each_run;
use crate::services::extended::staged::{Staged, HEADER};
use crate::state::call::Access;
use crate::state::extended::paging::Resume;
use crate::state::kernel::{Index, Kernel};

impl Kernel {
    /// Ends a communication: the thread is ready, as soon as it has what is staged for it.
    #[inline]
    pub fn finish_staged(&mut self, index: Index, result: Result<u32, Error>) {
        if !self.tcb_of(index).has_staged() {
            return self.finish(index, result);
        }
        self.tcb_of(index).context().answer(result);
        self.unstage(index);
    }

    /// Gives a thread what is staged for it, as far as its pages are here. When all is given the
    /// thread is ready.
    pub fn unstage(&mut self, index: Index) {
        loop {
            let tcb = self.tcb_of(index);
            let address = tcb.staged().get();
            if address == 0 {
                return self.make_ready(index);
            }
            // SAFETY: `stage` made it, and nobody names it but for one statement.
            let Staged { next, to, bytes, mut done } = unsafe { (address as *const Staged).read() };
            let from = address + HEADER + done;
            done += each_run(tcb.process().map(), to + done, bytes - done, WRITE, |before, run| {
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
                    Access::Refused(Error::NoMemory) => return self.out_of_memory(self.tcb_of(index).process()),
                    Access::Here | Access::Refused(_) => {}
                }
                // The page has gone for ever: so has what belongs there.
                done = (done + rest_of_page(at)).min(bytes);
                // SAFETY: as above.
                unsafe { (&raw mut (*(address as *mut Staged)).done).write(done) };
                continue;
            }
            self.tcb_of(index).staged().set(next);
            self.free_staged(address, bytes);
        }
    }
}
