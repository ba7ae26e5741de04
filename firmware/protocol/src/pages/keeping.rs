//! Which pages stay where they have come, and until when.
//!
//! The home of a page does nothing else for it until it hears DONE. So a processor keeps a page
//! that has come for a thread by saying DONE only when the thread has gone on; otherwise processors
//! that want the same page could take it from each other for ever, before anybody has used it. An
//! instruction needs one page, a call as many as it names memory in. Three rules let every call get
//! on:
//!
//! 1. Whatever has come for a thread since it began its call is kept, however many pages that are.
//! 2. Who waits for a page keeps those before it only. So nobody waits in a circle: somebody who
//!    keeps a page waits for greater ones.
//! 3. Pages that were here from the start are not kept, and may be lost meanwhile. A call that has
//!    lost one asks for all its pages, also for those that are here, the lowest first.
//!
//! So a call that names `n` pages in a row waits at most `2 * n` times: until it loses a page it
//! waits for ever greater ones, and then for each once.

use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, VIRTUAL_BYTES};

/// Data pages of a process.
pub const DATA_PAGES: usize = ((VIRTUAL_BYTES - DATA_BASE) / PAGE_BYTES) as usize;

/// A set of data pages of a process, one bit each. Pages are named by their numbers in the page
/// map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PageSet([u32; DATA_PAGES / 32]);

impl PageSet {
    pub const EMPTY: PageSet = PageSet([0; DATA_PAGES / 32]);

    /// The word and the bit of a page.
    const fn place(page: u16) -> (usize, u32) {
        let index = page as usize % DATA_PAGES;
        (index / 32, 1 << (index % 32))
    }

    pub const fn has(&self, page: u16) -> bool {
        let (word, bit) = Self::place(page);
        self.0[word] & bit != 0
    }

    pub fn insert(&mut self, page: u16) {
        let (word, bit) = Self::place(page);
        self.0[word] |= bit;
    }

    pub fn remove(&mut self, page: u16) {
        let (word, bit) = Self::place(page);
        self.0[word] &= !bit;
    }

    /// Pages `first` to `end - 1`.
    pub fn insert_row(&mut self, (first, end): (u16, u16)) {
        let mut page = first;
        while page < end {
            // To the end of its word, or of the row.
            let count = (32 - page % 32).min(end - page);
            self.0[Self::place(page).0] |= u32::MAX >> (32 - count) << (page % 32);
            page += count;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The lowest page that is not in `others`; the first data page has number [`DATA_PAGES`].
    pub fn lowest_besides(&self, others: &PageSet) -> Option<u16> {
        let word = self.0.iter().zip(&others.0).position(|(&own, &other)| own & !other != 0)?;
        let bit = (self.0[word] & !others.0[word]).trailing_zeros();
        Some((DATA_PAGES + 32 * word) as u16 + bit as u16)
    }
}

/// What has come for a thread since it began the instruction or the call that it will repeat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Keeper {
    /// The lowest page, and the one after the highest. Of those between them, the thread keeps what
    /// the processor has not said DONE for.
    first: u16,
    end: u16,
    /// A page that was here has been lost.
    careful: bool,
}

impl Keeper {
    pub const NONE: Keeper = Keeper { first: u16::MAX, end: 0, careful: false };

    pub const fn is_none(&self) -> bool {
        self.end == 0
    }

    /// A page has come for the thread.
    pub fn come(&mut self, page: u16) {
        self.first = self.first.min(page);
        self.end = self.end.max(page + 1);
    }

    /// What the thread keeps, as a row of pages and the page after it: all that has come for it, or
    /// what is before the page that it waits for.
    pub fn kept(&self, waits_for: Option<u16>) -> (u16, u16) {
        (self.first, waits_for.map_or(self.end, |page| self.end.min(page)))
    }

    /// The page to ask for when `missing` is the first that is not here of a row that begins with
    /// `first`. It may be here; then it has to be asked for all the same. `owed`: what the
    /// processor has not said DONE for.
    pub fn ask(&mut self, owed: &PageSet, first: u16, missing: u16) -> u16 {
        self.careful |= missing + 1 < self.end;
        if !self.careful {
            return missing;
        }
        let is_kept = |page: u16| owed.has(page) && (self.first..self.end).contains(&page);
        // Pages of code need not be kept: they are never lost.
        (first.max(DATA_PAGES as u16)..missing).find(|&page| !is_kept(page)).unwrap_or(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_pages_one_by_one() {
        for (first, end) in [(512, 512), (512, 513), (543, 545), (544, 576), (530, 700), (1000, 1024), (512, 1024)] {
            let (mut row, mut single) = (PageSet::EMPTY, PageSet::EMPTY);
            row.insert_row((first, end));
            (first..end).for_each(|page| single.insert(page));
            assert_eq!(row, single, "{first} to {end}");
            assert_eq!(row.lowest_besides(&PageSet::EMPTY), (first < end).then_some(first));
            (first..end).for_each(|page| single.remove(page));
            assert!(single.is_empty());
        }
    }

    #[test]
    fn a_careful_call_asks_from_the_start() {
        let (mut keeper, mut owed) = (Keeper::NONE, PageSet::EMPTY);
        // Pages 600 to 603; 601 is here at first.
        assert_eq!(keeper.ask(&owed, 600, 600), 600);
        keeper.come(600);
        owed.insert(600);
        assert_eq!(keeper.ask(&owed, 600, 602), 602);
        keeper.come(602);
        // It has lost 601.
        assert_eq!(keeper.ask(&owed, 600, 601), 601);
        keeper.come(601);
        owed.insert(601);
        // 602 is here, and not kept any more.
        assert_eq!(keeper.ask(&owed, 600, 603), 602);
        let mut kept = PageSet::EMPTY;
        kept.insert_row(keeper.kept(Some(602)));
        assert_eq!(owed.lowest_besides(&kept), None);
        kept.insert_row(keeper.kept(None));
        assert!(kept.has(602) && !kept.has(603));
    }
}
