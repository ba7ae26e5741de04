//! Copying between threads' memories, where addresses are alike by whole words.

use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::page_map::{frame, rest_of_page, PageMap, READ, WRITE};

use crate::arch::extended::rows::{self, Row};
use crate::arch::memory::copy_pieces;
use crate::arch::words::copy_rest;

/// Copies between two threads' memories; `None` if a page is not there with the permission needed.
#[inline(always)]
pub fn copy_between(from: (&PageMap, u32), to: (&PageMap, u32), bytes: u32) -> Option<()> {
    if (from.1 | to.1) & 3 == 0 && bytes != 0 {
        return copy_aligned(from, to, bytes);
    }
    copy_pieces(from, to, bytes)
}

/// [`copy_between`] from and to multiples of four: whole words or pairs of them, of which no page
/// boundary cuts one, and what is left at the end.
#[inline(always)]
fn copy_aligned(from: (&PageMap, u32), to: (&PageMap, u32), bytes: u32) -> Option<()> {
    let mut source = Cursor::new(from, READ)?;
    let mut destination = Cursor::new(to, WRITE)?;
    let (mut left, row) = (bytes, Row::new(from.1, to.1, bytes));
    let rest = row.unit() - 1;
    loop {
        let part = left.min(source.left).min(destination.left);
        // SAFETY: page maps only name pages that the kernel gave to threads, and the part stays
        // inside both pages.
        unsafe { row.copy(source.physical, destination.physical, part & !rest) };
        left -= part;
        source.pass(part);
        destination.pass(part);
        if left == 0 {
            // SAFETY: as above; the bytes are those of the last, unfinished unit.
            unsafe { copy_last(source.physical, destination.physical, part & rest) };
            return Some(());
        }
        source.turn(READ)?;
        destination.turn(WRITE)?;
    }
}

/// Copies up to seven bytes that end at these addresses and begin at multiples of four.
///
/// # Safety
/// As for [`copy`](crate::arch::memory::copy).
#[inline(always)]
unsafe fn copy_last(source_end: u32, destination_end: u32, bytes: u32) {
    // SAFETY: the caller's.
    unsafe {
        if bytes & 4 != 0 {
            rows::copy_word(source_end - bytes, destination_end - bytes);
        }
        copy_rest(source_end, destination_end, bytes & 3);
    }
}

/// Where in a thread's memory a copy has come to.
struct Cursor<'a> {
    /// Entries of the pages behind this one.
    pages: core::slice::Iter<'a, u32>,
    physical: u32,
    /// Bytes to the end of the page.
    left: u32,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    fn new((map, address): (&'a PageMap, u32), permission: u32) -> Option<Self> {
        let mut pages = map.get((address / PAGE_BYTES) as usize..)?.iter();
        let physical = frame(*pages.next()?, permission)? + address % PAGE_BYTES;
        Some(Cursor { pages, physical, left: rest_of_page(address) })
    }

    #[inline(always)]
    fn pass(&mut self, bytes: u32) {
        self.physical += bytes;
        self.left -= bytes;
    }

    /// Goes on to the next page at the end of one.
    #[inline(always)]
    fn turn(&mut self, permission: u32) -> Option<()> {
        if self.left == 0 {
            (self.physical, self.left) = (frame(*self.pages.next()?, permission)?, PAGE_BYTES);
        }
        Some(())
    }
}
