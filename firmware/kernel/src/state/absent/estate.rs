//! The home knows which pages are stacks, wherever they are.

use testbed_definitions::ids::Processor;
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_SHIFT, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;

const DATA_PAGES: usize = ((VIRTUAL_BYTES - DATA_BASE) / PAGE_BYTES) as usize;

/// On the home of a process: a bit for each data page that has been given out.
pub struct Estate([u32; DATA_PAGES / 32]);

impl Estate {
    /// For each page from `start` to `end - 1`: its word and its bit.
    fn each(&mut self, start: u32, end: u32, mut what: impl FnMut(&mut u32, u32)) {
        let index = |address: u32| ((address - DATA_BASE) >> PAGE_SHIFT) as usize;
        for page in index(start)..index(end + PAGE_BYTES - 1) {
            what(&mut self.0[page / 32 % (DATA_PAGES / 32)], 1 << (page % 32));
        }
    }

    /// New pages: all of them or none.
    pub fn register(&mut self, start: u32, end: u32, _: Processor) -> Result<(), Error> {
        let mut free = true;
        self.each(start, end, |word, bit| free &= *word & bit == 0);
        if !free {
            return Err(Error::BadPointer);
        }
        self.each(start, end, |word, bit| *word |= bit);
        Ok(())
    }

    pub fn free(&mut self, (top, count): (u32, u32)) {
        self.each(top - count * PAGE_BYTES, top, |word, bit| *word &= !bit);
    }
}
