//! Which of a processor's physical pages are free: one bit a page.

use testbed_definitions::map::RAM_BYTES_MAX;
use testbed_definitions::page::PAGE_BYTES;

const PAGES_MAX: usize = (RAM_BYTES_MAX / PAGE_BYTES) as usize;
const WORDS: usize = PAGES_MAX / 32;

/// The allocator. Pages are counted from the start of RAM. Everything starts as taken.
pub struct Pages {
    /// 1: free.
    free: [u32; WORDS],
    count: u32,
    /// No word below this one has a free page.
    lowest: usize,
}

impl Default for Pages {
    fn default() -> Self {
        Pages::new()
    }
}

impl Pages {
    pub const fn new() -> Self {
        Pages { free: [0; WORDS], count: 0, lowest: WORDS }
    }

    /// Free pages.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Makes pages `first` to `end - 1` free. Pages beyond the largest RAM are ignored.
    pub fn release(&mut self, first: u32, end: u32) {
        for_words(first, end, |word, bits| {
            self.count += (bits & !self.free[word]).count_ones();
            self.free[word] |= bits;
            self.lowest = self.lowest.min(word);
        });
    }

    /// Takes pages `first` to `end - 1` if they are free, and leaves those that are not.
    pub fn reserve(&mut self, first: u32, end: u32) {
        for_words(first, end, |word, bits| {
            self.count -= (bits & self.free[word]).count_ones();
            self.free[word] &= !bits;
        });
    }

    /// Takes one page; `None` if there is none.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        while let Some(bits) = self.free.get_mut(self.lowest) {
            if *bits != 0 {
                let page = self.lowest as u32 * 32 + bits.trailing_zeros();
                *bits &= *bits - 1;
                self.count -= 1;
                return Some(page);
            }
            self.lowest += 1;
        }
        None
    }

    /// Takes `count` pages in a row, the first a multiple of `align`; `None` if there are none.
    pub fn take_row(&mut self, count: u32, align: u32) -> Option<u32> {
        while self.free.get(self.lowest) == Some(&0) {
            self.lowest += 1;
        }
        let mut first = (self.lowest as u32 * 32).next_multiple_of(align);
        while first + count <= PAGES_MAX as u32 {
            if (first..first + count).all(|page| self.free[page as usize / 32] & 1 << (page % 32) != 0) {
                self.reserve(first, first + count);
                return Some(first);
            }
            first += align;
        }
        None
    }
}

/// Calls `each` with every word that pages `first` to `end - 1` have bits in, and those bits.
fn for_words(first: u32, end: u32, mut each: impl FnMut(usize, u32)) {
    let end = end.min(PAGES_MAX as u32);
    let mut page = first;
    while page < end {
        let next = (page / 32 * 32 + 32).min(end);
        let bits = (u32::MAX >> (32 - (next - page))) << (page % 32);
        each(page as usize / 32, bits);
        page = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_every_page_once() {
        let mut pages = Pages::new();
        assert_eq!(pages.take(), None);
        pages.release(30, 70);
        pages.reserve(40, 50);
        assert_eq!(pages.count(), 30);
        for expected in (30..40).chain(50..70) {
            assert_eq!(pages.take(), Some(expected));
        }
        assert_eq!((pages.take(), pages.count()), (None, 0));
        pages.release(33, 34);
        assert_eq!(pages.take(), Some(33));
    }

    #[test]
    fn rows_are_aligned_and_whole() {
        let mut pages = Pages::new();
        pages.release(5, 64);
        pages.reserve(9, 10);
        assert_eq!(pages.take_row(4, 4), Some(12));
        assert_eq!(pages.take_row(2, 1), Some(5));
        assert_eq!(pages.take_row(60, 4), None);
        pages.release(PAGES_MAX as u32 - 1, PAGES_MAX as u32 + 9);
        assert_eq!(pages.take_row(1, PAGES_MAX as u32 - 1), Some(PAGES_MAX as u32 - 1));
    }
}
