//! What the home of a process knows of its data pages, and of threads whose stacks are still being
//! collected.

use testbed_definitions::ids::Processor;
use testbed_definitions::limits::THREADS;
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_SHIFT, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;
use testbed_protocol::pages::directory::{self, Entry, Phase};

use crate::state::family::Death;

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
        self.pages.get_mut(page.checked_sub(DATA_BASE >> PAGE_SHIFT)? as usize)
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

    /// A thread has ended, and nothing of its stack has been collected; returns where it is noted.
    pub fn note(&mut self, death: Death) -> usize {
        let id = death.number.id();
        self.burials[id] = Burial { death, left: death.pages as u16 + 1 };
        id
    }

    /// Where the thread is noted whose stack, which is being collected, has this page.
    pub fn stack_of(&self, page: u32) -> Option<usize> {
        let of =
            |burial: &Burial| burial.left != 0 && stack_pages(burial.death.stack, burial.death.pages).contains(&page);
        self.burials.iter().position(of)
    }

    /// A part of a stack has been collected; if it was the last one, whose stack it was.
    pub fn one_collected(&mut self, id: usize) -> Option<Death> {
        let burial = &mut self.burials[id];
        burial.left -= 1;
        (burial.left == 0).then_some(burial.death)
    }
}

/// The pages of a stack of so many below `top`.
pub fn stack_pages(top: u32, count: u32) -> core::ops::Range<u32> {
    let end = top >> PAGE_SHIFT;
    end - count..end
}
