//! Pages, the virtual layout of U-mode, page-map entries, TLB geometry.

pub const PAGE_SHIFT: u32 = 10;
/// The report's page.
pub const PAGE_BYTES: u32 = 1 << PAGE_SHIFT;
/// U-mode sees one MiB from address 0.
pub const VIRTUAL_BYTES: u32 = 1 << 20;
pub const VIRTUAL_PAGES: u32 = VIRTUAL_BYTES / PAGE_BYTES;
/// The lower half is code, the upper half data (globals, heap, stacks).
pub const CODE_BASE: u32 = 0;
pub const DATA_BASE: u32 = VIRTUAL_BYTES / 2;
/// A page map: one 32-bit entry a page, aligned to its size.
pub const PAGE_MAP_BYTES: u32 = VIRTUAL_PAGES * 4;

/// Entry bits. Bits 21:10 are the physical page, counted from the start of RAM; bits 9:4 are left to software.
pub const PTE_VALID: u32 = 1 << 0;
pub const PTE_READ: u32 = 1 << 1;
pub const PTE_WRITE: u32 = 1 << 2;
pub const PTE_EXECUTE: u32 = 1 << 3;
pub const PTE_SOFTWARE_SHIFT: u32 = 4;
/// Software's: this processor owns the page. The others of a process have copies at most.
pub const PTE_OWNED: u32 = 1 << 4;
/// Software's: the page's home has been asked for it.
pub const PTE_WANTED: u32 = 1 << 5;
/// Software's: the page belongs to a file and is not the process's to give back.
pub const PTE_FILE: u32 = 1 << 6;
pub const PTE_PAGE_SHIFT: u32 = 10;
pub const PTE_PAGE_MASK: u32 = 0xfff;

/// Direct-mapped; index is virtual page bit 9 (code or data) followed by bits 2:0.
pub const TLB_ENTRIES: usize = 16;

/// TLB entry that may hold `virtual_page` (0 to 1,023).
pub const fn tlb_index(virtual_page: u32) -> usize {
    (((virtual_page >> 9) & 1) << 3 | (virtual_page & 7)) as usize
}
