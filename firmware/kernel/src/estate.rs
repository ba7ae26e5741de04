//! What the home of a process knows of its data pages, and of threads whose stacks are still being collected.

use testbed_definitions::limits::THREADS;
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_SHIFT, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;
use testbed_protocol::pages::directory::{self, Entry, Phase};
use testbed_protocol::Processor;

use crate::kernel::{Index, Kernel};
use crate::paging::FIRST_DATA_PAGE;
use crate::process::Process;
use crate::threads::Death;

const DATA_PAGES: usize = ((VIRTUAL_BYTES - DATA_BASE) / PAGE_BYTES) as usize;

/// A thread that has ended, and parts of its stack that are not free yet.
#[derive(Clone, Copy)]
struct Burial {
    death: Death,
    /// Pages, and one more while the home is still asking for them.
    left: u16,
}

/// On the home of a process. Zeros: no pages, no burials.
pub struct Estate {
    pages: [Entry; DATA_PAGES],
    burials: [Burial; THREADS],
}

impl Estate {
    /// The directory's entry of a data page.
    pub fn entry(&mut self, page: u32) -> Option<&mut Entry> {
        self.pages.get_mut(page.checked_sub(FIRST_DATA_PAGE)? as usize)
    }

    /// New pages from `start` to `end - 1`, in the data half, at `owner`: all of them or none.
    pub fn register(&mut self, start: u32, end: u32, owner: Processor) -> Result<(), Error> {
        let index = |address: u32| ((address - DATA_BASE) >> PAGE_SHIFT) as usize;
        let range = self.pages.get_mut(index(start)..index(end + PAGE_BYTES - 1)).ok_or(Error::BadPointer)?;
        if range.iter().any(|entry| entry.phase() != Phase::Absent) {
            return Err(Error::BadPointer);
        }
        range.iter_mut().all(|entry| directory::register(entry, owner));
        Ok(())
    }
}

impl Kernel {
    /// Frees pages of a thread's stack that could not be made at `owner`.
    pub fn free_unmade(&mut self, process: Process, (top, count): (u32, u32)) {
        for page in stack_pages(top, count) {
            let Some(entry) = process.estate().and_then(|estate| estate.entry(page)) else { return };
            let owner = entry.owner();
            let output = directory::free(entry, Some(owner));
            self.perform_home(process, page, output);
        }
    }

    /// A thread has ended at processor `at`, which has given up all it could of its stack. The rest is collected; then its id is free and
    /// its parent is told. Returns the parent if it has to end in turn, now.
    pub fn bury(&mut self, death: Death, at: Processor) -> Option<Index> {
        let process = self.process(death.process)?;
        let id = (death.number & 0x3f) as usize;
        process.estate()?.burials[id] = Burial { death, left: death.pages as u16 + 1 };
        for page in stack_pages(death.stack, death.pages) {
            let entry = process.estate()?.entry(page)?;
            let output = directory::free(entry, Some(at));
            self.perform_home(process, page, output);
        }
        self.one_buried(process, id)
    }

    /// A page is no more: perhaps the last one of a stack that is being collected.
    pub fn page_freed(&mut self, process: Process, page: u32) {
        let Some(estate) = process.estate() else { return };
        let of =
            |burial: &Burial| burial.left != 0 && stack_pages(burial.death.stack, burial.death.pages).contains(&page);
        if let Some(id) = estate.burials.iter().position(of) {
            if let Some(parent) = self.one_buried(process, id) {
                self.end_thread(parent);
            }
        }
    }

    fn one_buried(&mut self, mut process: Process, id: usize) -> Option<Index> {
        let burial = &mut process.estate()?.burials[id];
        burial.left -= 1;
        if burial.left != 0 {
            return None;
        }
        let death = burial.death;
        process.take_back(death.number);
        self.mourn(death)
    }
}

fn stack_pages(top: u32, count: u32) -> core::ops::Range<u32> {
    let end = top >> PAGE_SHIFT;
    end - count..end
}
