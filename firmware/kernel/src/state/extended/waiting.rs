//! Threads that wait for pages: what their control blocks say of that, and the list of those of a
//! process.

use testbed_definitions::syscall::Error;

use crate::state::extended::keeping::Slice;
use crate::state::extended::paging::Resume;
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

/// Why those that wait for a page go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is here.
    Allowed,
    /// It has come from another processor, which may want it back.
    Arrived,
    /// There is no such page.
    Refused(Error),
}

impl Tcb {
    /// It stops, within its time-slice, until something about the page of its process's has changed.
    #[inline(always)]
    pub fn wait_for_page(&self, process: Process, page: u32, resume: Resume, address: u32) {
        self.stop();
        self.block_on_page(page as u16, resume, address);
        process.add_waiting(self);
    }

    /// The page that it waits for.
    #[inline(always)]
    pub fn awaited_page(&self) -> u16 {
        self.page.get()
    }

    /// How it goes on when the page is there, or what ends it if that never is.
    #[inline(always)]
    pub fn resume(&self) -> Resume {
        self.resume.get()
    }

    /// The address for which it waits.
    pub fn fault_address(&self) -> u32 {
        self.fault_address.get()
    }

    /// Whether it repeats, or is about to repeat, what pages have come for.
    #[inline(always)]
    pub fn repeats(&self) -> bool {
        self.keeping().is_repeated_at(self.context().saved_pc())
    }

    /// What it is to have repeated, before a page that has come for it is others' again.
    #[inline(always)]
    pub fn repeated(&self) -> Option<u32> {
        match self.resume() {
            // When the message has left, the page has been used.
            _ if self.state() == State::Transmitting => None,
            // A call is made again.
            Resume::Call => Some(self.context().pc()),
            // The bit counts: who yields just before the instruction that it has repeated will get
            // there again, but has gone on.
            _ => Some(self.context().saved_pc()),
        }
    }

    /// What its instruction has trapped with, and the address, if it waits for a page for that.
    pub fn fault(&self) -> Option<(u8, u32)> {
        match self.resume() {
            Resume::Instruction(cause) if self.state() == State::Paging => Some((cause, self.fault_address())),
            _ => None,
        }
    }

    /// The next thread in the list of those that are to end.
    pub(super) fn next_end(&self) -> u32 {
        self.next.get()
    }
    pub(super) fn link_end(&self, next: u32) {
        self.next.set(next);
    }

    /// It stops within its time-slice, and is to have the rest of it.
    #[inline(always)]
    pub fn stop(&self) {
        self.slice.set(Slice::stopped(self.start.get()));
    }

    /// It runs before its turn: in the rest of the time-slice in which it has stopped, or if it has
    /// been put first before, and that was over, in none.
    pub fn advance(&self, slice_cycles: u32) {
        self.slice.set(self.slice.get().or_used(self.start.get(), slice_cycles));
    }
}

impl Process {
    #[inline(always)]
    fn add_waiting(self, tcb: &Tcb) {
        tcb.next.set(self.paging().replace(tcb.address()));
    }

    /// Takes those that wait for the page out of the list, all before the first of them goes on,
    /// who may want the page again. Who has waited longest is the first.
    #[inline(always)]
    pub fn take_waiting(self, tcbs: &'static [Tcb], page: u32) -> impl Iterator<Item = &'static Tcb> {
        let at = |address: u32| Tcb::at(tcbs, address);
        let (mut address, mut before, mut taken) = (self.paging().get(), 0, 0);
        while address != 0 {
            let tcb = at(address);
            let next = tcb.next.get();
            if tcb.awaited_page() as u32 == page {
                match before {
                    0 => self.paging().set(next),
                    before => at(before).next.set(next),
                }
                // Who has waited longest is the last of those that wait, and the first of these.
                tcb.next.set(core::mem::replace(&mut taken, address));
            } else {
                before = address;
            }
            address = next;
        }
        core::iter::from_fn(move || {
            let tcb = (taken != 0).then(|| Tcb::at(tcbs, taken))?;
            taken = tcb.next.get();
            Some(tcb)
        })
    }
}
