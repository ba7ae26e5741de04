//! The TLB: 16 entries, direct mapped, code and data halves apart.

use testbed_definitions::page::{self, tlb_index, PAGE_BYTES, PAGE_SHIFT, TLB_ENTRIES, VIRTUAL_BYTES};

/// What an access needs: the bit of the page-map entry.
pub(in crate::hart) const READ: u32 = page::PTE_READ;
pub(in crate::hart) const WRITE: u32 = page::PTE_WRITE;
pub(in crate::hart) const EXECUTE: u32 = page::PTE_EXECUTE;

#[derive(Clone, Copy)]
#[repr(C)]
pub(in crate::hart) struct Entry {
    /// Virtual page; no page if the entry is empty.
    pub tag: u32,
    pub rights: u32,
    /// Offset into RAM of the page's first byte.
    pub base: u32,
}

const EMPTY: Entry = Entry { tag: u32::MAX, rights: 0, base: 0 };

/// What the TLB says of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::hart) enum Lookup {
    /// Offset into RAM.
    Hit(u32),
    /// Outside the virtual addresses, or the right is missing.
    Denied,
    Miss,
}

#[derive(Clone)]
pub(in crate::hart) struct Tlb {
    entries: [Entry; TLB_ENTRIES],
}

impl Tlb {
    pub const fn new() -> Self {
        Tlb { entries: [EMPTY; TLB_ENTRIES] }
    }

    /// All entries, by [`tlb_index`].
    pub fn entries(&self) -> &[Entry; TLB_ENTRIES] {
        &self.entries
    }

    pub fn flush(&mut self) {
        self.entries = [EMPTY; TLB_ENTRIES];
    }

    /// Offset into RAM of `address`, if the TLB knows it and grants `right`.
    #[inline(always)]
    pub fn hit(&self, address: u32, right: u32) -> Option<u32> {
        let virtual_page = address >> PAGE_SHIFT;
        let entry = &self.entries[tlb_index(virtual_page)];
        (entry.tag == virtual_page && entry.rights & right != 0).then_some(entry.base | address & (PAGE_BYTES - 1))
    }

    pub fn look_up(&self, address: u32, right: u32) -> Lookup {
        if address >= VIRTUAL_BYTES {
            return Lookup::Denied;
        }
        match self.hit(address, right) {
            Some(offset) => Lookup::Hit(offset),
            None if self.entries[tlb_index(address >> PAGE_SHIFT)].tag == address >> PAGE_SHIFT => Lookup::Denied,
            None => Lookup::Miss,
        }
    }

    /// Takes the page-map entry for `address` in, if it is valid and grants `right`; says whether
    /// it does.
    pub fn fill(&mut self, address: u32, entry: u32, right: u32, ram_bytes: u32) -> bool {
        if entry & page::PTE_VALID == 0 || entry & right == 0 {
            return false;
        }
        let virtual_page = address >> PAGE_SHIFT;
        let physical = entry >> page::PTE_PAGE_SHIFT & page::PTE_PAGE_MASK;
        self.entries[tlb_index(virtual_page)] =
            Entry { tag: virtual_page, rights: entry, base: physical << PAGE_SHIFT & (ram_bytes - 1) };
        true
    }
}
