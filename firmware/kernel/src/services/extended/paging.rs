//! Threads that need pages which are on other processors: faults, and memory that calls name. What
//! processors tell each other of pages is in [`crate::services::extended::pages`].
//!
//! The protocol (`testbed_protocol::pages`) is about data pages. Code pages are never written, so
//! they need none of it: a processor that lacks one asks the home and keeps the copy.

use testbed_definitions::csr::cause;
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::page::{
    DATA_BASE, PAGE_SHIFT, PTE_PAGE_SHIFT, PTE_READ, PTE_VALID, PTE_WANTED, PTE_WRITE, VIRTUAL_BYTES, VIRTUAL_PAGES,
};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::WRITE;
use testbed_protocol::pages::holder::{self, Touch};
use testbed_protocol::pages::Report;

use crate::arch::hw;
use crate::drivers::events;
use crate::state::call::{Access, Range};
use crate::state::effects::STOPPED;
use crate::state::extended::paging::Resume;
use crate::state::extended::waiting::Change;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

/// First page of the data half.
pub const FIRST_DATA_PAGE: u32 = DATA_BASE >> PAGE_SHIFT;

impl Kernel {
    /// A thread has touched what the page map does not allow. `false`: it never may.
    pub fn page_fault(&mut self, index: Index, cause: u32) -> bool {
        let address = hw::trap_value();
        let page = address >> PAGE_SHIFT;
        let write = cause == cause::STORE_PAGE;
        let possible = match cause {
            cause::FETCH_PAGE => page < FIRST_DATA_PAGE,
            cause::LOAD_PAGE | cause::STORE_PAGE => page < VIRTUAL_PAGES,
            _ => false,
        };
        if !possible {
            return false;
        }
        events::emit_with(DIAG_PROFILE, event::PAGE_FAULT, page as u16);
        // An instruction needs one data page: it has gone on from others.
        self.tcb_of(index).keeping().go_on();
        let came = self.want_page(index, page, write, Resume::Instruction(cause as u8), address);
        if came == Access::Refused(Error::NoMemory) {
            let tcb = self.tcb_of(index);
            tcb.await_end();
            self.out_of_memory(tcb.process());
            return true;
        }
        // Where the home is here, the thread may have ended for it already.
        if came == Access::Coming && self.tcb_of(index).state() == State::Paging {
            events::emit(DIAG_PROFILE, event::PAGE_BLOCKED);
        }
        !matches!(came, Access::Refused(_))
    }

    /// Memory that a call names: whether it is here, with this access. If it must be fetched first
    /// the thread is blocked, and will make its call again.
    #[inline]
    pub fn ensure(&mut self, index: Index, address: u32, bytes: u32, access: u32) -> Access {
        if bytes == 0 {
            return Access::Here;
        }
        if bytes > VIRTUAL_BYTES || address > VIRTUAL_BYTES - bytes {
            return Access::Refused(Error::BadPointer);
        }
        let map = self.tcb_of(index).process().map();
        let needed = PTE_VALID | access;
        let (first, last) = (address >> PAGE_SHIFT, (address + bytes - 1) >> PAGE_SHIFT);
        let mut page = first;
        while map[page as usize % VIRTUAL_PAGES as usize] & needed == needed {
            if page == last {
                return Access::Here;
            }
            page += 1;
        }
        self.fetch_for_call(index, first, page, access)
    }

    /// Sees to it that memory that a call names is here. `false`: the thread is blocked, and will
    /// make the call again, or the call has ended because there is no page for it. What the thread
    /// may not touch the call itself refuses. Pages are fetched in ascending order: while it waits
    /// for one, a call keeps only those before it.
    pub fn ensure_for(&mut self, index: Index, [mut low, mut high]: [Range; 2]) -> bool {
        if low.0 > high.0 {
            (low, high) = (high, low);
        }
        for (address, bytes, access) in [low, high] {
            match self.ensure(index, address, bytes, access) {
                Access::Coming => return false,
                Access::Refused(Error::NoMemory) => {
                    self.finish(index, Err(Error::NoMemory));
                    return false;
                }
                Access::Here | Access::Refused(_) => {}
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn fetch_for_call(&mut self, index: Index, first: u32, missing: u32, access: u32) -> Access {
        self.tcb_of(index).context().repeat_call();
        let page = self.page_to_ask(index, first, missing);
        events::emit_with(DIAG_PROFILE, event::PAGE_FAULT, page as u16);
        let came = self.want_page(index, page, access & WRITE != 0, Resume::Call, page << PAGE_SHIFT);
        match came {
            Access::Refused(_) => self.tcb_of(index).context().pass_call(),
            Access::Here | Access::Coming if self.tcb_of(index).state() == State::Paging => {
                events::emit(DIAG_PROFILE, event::PAGE_BLOCKED);
            }
            // Answered at once, with an error: the home is here.
            Access::Here | Access::Coming => {}
        }
        came
    }

    /// A thread needs a page that is not here with the permission. It is blocked until something
    /// about the page has changed.
    #[inline(always)]
    pub fn want_page(&mut self, index: Index, page: u32, write: bool, resume: Resume, address: u32) -> Access {
        let process = self.tcb_of(index).process();
        let home = process.id().home();
        let code = page < FIRST_DATA_PAGE;
        if code && (write || process.map()[page as usize] & PTE_VALID != 0 || home == self.me) {
            return Access::Refused(Error::BadPointer);
        }
        // What a call asks for it may have here already ([`Kernel::page_to_ask`]).
        let ask = match self.touch(process, page, write, resume == Resume::Call) {
            Ok(ask) => ask,
            Err(error) => return Access::Refused(error),
        };
        let tcb = self.tcb_of(index);
        self.effects.note(STOPPED);
        tcb.wait_for_page(process, page, resume, address);
        match ask {
            // The answer may come at once.
            Some(report) => self.tell_home_of_page(process, page, report),
            None if resume != Resume::Call && self.is_allowed(process, page, write) => {
                self.page_changed(process, page, Change::Allowed);
            }
            None => {}
        }
        Access::Coming
    }

    /// Notes that a page is wanted, `anyhow` or if it is not here, with a frame for it if it has
    /// none. `Some`: the home has to be asked.
    fn touch(&mut self, process: Process, page: u32, write: bool, anyhow: bool) -> Result<Option<Report>, Error> {
        let entry = &mut process.map_mut()[page as usize % VIRTUAL_PAGES as usize];
        let touch = if anyhow { holder::ask(entry, write) } else { holder::touch(entry, write) };
        let Touch::Ask(report) = touch else { return Ok(None) };
        if *entry & PTE_VALID == 0 {
            let Some(frame) = process.take_page(&mut self.pages) else {
                *entry &= !PTE_WANTED;
                return Err(Error::NoMemory);
            };
            *entry |= frame << PTE_PAGE_SHIFT;
        }
        Ok(Some(report))
    }

    /// The kernel needs a data page of a blocked thread, and looks again when it is there.
    pub fn ask_for_page(&mut self, process: Process, page: u32, write: bool) {
        match self.touch(process, page, write, false) {
            Ok(Some(report)) => self.tell_home_of_page(process, page, report),
            Ok(None) => {}
            Err(_) => self.out_of_memory(process),
        }
    }

    fn is_allowed(&self, process: Process, page: u32, write: bool) -> bool {
        let needed = if write { PTE_VALID | PTE_WRITE } else { PTE_VALID | PTE_READ };
        process.map()[page as usize % VIRTUAL_PAGES as usize] & needed == needed
    }

    /// Those that wait for the page go on: they touch it again, or, if it is refused, have touched
    /// what they must not. Who has waited longest is ready first. A page that has come is kept for
    /// all of them, so that none has to wait for it again while others come before it each time.
    #[inline(never)]
    pub fn page_changed(&mut self, process: Process, page: u32, change: Change) {
        for tcb in process.take_waiting(self.tcbs, page) {
            self.resume_waiting(process, page, tcb, change);
        }
    }

    /// [`Self::page_changed`] for a page that has come, in line where that is found out. `true`:
    /// there are threads that it is kept for.
    #[inline(always)]
    pub fn page_came(&mut self, process: Process, page: u32) -> bool {
        let mut kept = false;
        for tcb in process.take_waiting(self.tcbs, page) {
            kept |= self.resume_waiting(process, page, tcb, Change::Arrived);
        }
        kept
    }

    /// A thread that waits for the page goes on. `true`: the page is kept for it.
    #[inline(always)]
    fn resume_waiting(&mut self, process: Process, page: u32, tcb: &Tcb, change: Change) -> bool {
        // What was staged has used the page when the thread is ready, which need not: it may come
        // back to where it received, over and over, and would have the page for ever.
        let is_used = tcb.resume() == Resume::Staged;
        match change {
            Change::Refused(error) => self.resume_otherwise(tcb.index(), Some(error)),
            _ if is_used => self.resume_otherwise(tcb.index(), None),
            _ => self.resume(tcb),
        }
        let is_kept = change == Change::Arrived && tcb.state() == State::Ready && !is_used;
        if is_kept {
            self.keep_page(process, page, tcb);
        }
        is_kept
    }

    #[inline(always)]
    fn resume(&mut self, tcb: &Tcb) {
        self.make_tcb_ready(tcb);
        events::emit_with(DIAG_PROFILE, event::PAGE_READY, tcb.number().bits());
    }

    /// The page has come for what is staged, or will never come.
    #[cold]
    #[inline(never)]
    fn resume_otherwise(&mut self, index: Index, error: Option<Error>) {
        let tcb = self.tcb_of(index);
        let number = tcb.number();
        match tcb.resume() {
            Resume::Staged => return self.unstage(index),
            Resume::Instruction(_) => return self.leave_fault(tcb),
            Resume::Call => {
                tcb.context().pass_call();
                self.finish(index, error.map_or(Ok(0), Err));
            }
        }
        events::emit_with(DIAG_PROFILE, event::PAGE_READY, number.bits());
    }
}
