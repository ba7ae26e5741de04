//! Page maps: the entries that the hardware walks, written and read by the kernel.

use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::{
    PAGE_BYTES, PAGE_SHIFT, PTE_EXECUTE, PTE_PAGE_MASK, PTE_PAGE_SHIFT, PTE_READ, PTE_VALID, PTE_WRITE, VIRTUAL_BYTES,
    VIRTUAL_PAGES,
};

/// A page map as the hardware reads it.
pub type PageMap = [u32; VIRTUAL_PAGES as usize];

/// Permissions of a page.
pub const READ: u32 = PTE_READ;
pub const WRITE: u32 = PTE_WRITE;
pub const EXECUTE: u32 = PTE_EXECUTE;

/// The entry that maps physical page `page` with `permissions`.
pub const fn entry(page: u32, permissions: u32) -> u32 {
    PTE_VALID | permissions | (page & PTE_PAGE_MASK) << PTE_PAGE_SHIFT
}

/// The physical page that a valid entry maps.
pub const fn mapped_page(entry: u32) -> Option<u32> {
    if entry & PTE_VALID != 0 {
        Some(entry >> PTE_PAGE_SHIFT & PTE_PAGE_MASK)
    } else {
        None
    }
}

/// The physical address of `address`, if its page is mapped with all of `permissions`.
#[inline]
pub fn translate(map: &PageMap, address: u32, permissions: u32) -> Option<u32> {
    let frame = frame(*map.get((address >> PAGE_SHIFT) as usize)?, permissions)?;
    Some(frame + (address & (PAGE_BYTES - 1)))
}

/// The physical address of an entry's page, if it is mapped with all of `permissions`.
#[inline(always)]
pub fn frame(entry: u32, permissions: u32) -> Option<u32> {
    let needed = PTE_VALID | permissions;
    // An entry has nothing above the page, so one mask that fits an instruction takes the rest
    // away.
    (entry & needed == needed).then_some(RAM_BASE + (entry & !(PAGE_BYTES - 1)))
}

/// Whether `bytes` bytes from `address` are all mapped with `permissions`. No bytes are always
/// allowed.
#[inline]
pub fn allows(map: &PageMap, address: u32, bytes: u32, permissions: u32) -> bool {
    if bytes == 0 {
        return true;
    }
    if bytes > VIRTUAL_BYTES || address > VIRTUAL_BYTES - bytes {
        return false;
    }
    let needed = PTE_VALID | permissions;
    let (first, last) = (address >> PAGE_SHIFT, (address + bytes - 1) >> PAGE_SHIFT);
    map[first as usize..=last as usize].iter().all(|entry| entry & needed == needed)
}

/// The physical address of `address`, if `bytes` bytes from there lie in one page that is mapped
/// with all of `permissions`. No bytes lie in any page, whose address then means nothing.
#[inline(always)]
pub fn in_one_page(map: &PageMap, address: u32, bytes: u32, permissions: u32) -> Option<u32> {
    let page = address >> PAGE_SHIFT;
    if bytes == 0 {
        return Some(RAM_BASE);
    }
    if page >= VIRTUAL_PAGES || bytes > rest_of_page(address) {
        return None;
    }
    frame(map[page as usize], permissions).map(|frame| frame + (address & (PAGE_BYTES - 1)))
}

/// Mapped pages that lie side by side in RAM: the physical address, and how many bytes of those
/// asked for; 0 if the first page is not mapped with the permissions, and then the address means
/// nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Run {
    pub start: u32,
    pub bytes: u32,
}

/// The run that `bytes` bytes from `address`, at least one, begin with. A call with its result in
/// two registers, for callers that are short of them.
#[inline(never)]
pub fn run(map: &PageMap, address: u32, bytes: u32, permissions: u32) -> Run {
    const NONE: Run = Run { start: 0, bytes: 0 };
    let page = address >> PAGE_SHIFT;
    if page >= VIRTUAL_PAGES {
        return NONE;
    }
    let mut entries = map[page as usize..].iter();
    let mut expected = *entries.next().unwrap_or(&0);
    let Some(start) = frame(expected, permissions) else { return NONE };
    let mut found = rest_of_page(address);
    while found < bytes {
        let Some(&entry) = entries.next() else { break };
        expected = expected.wrapping_add(1 << PTE_PAGE_SHIFT);
        // As a rule nothing but the page is another.
        if entry != expected && frame(entry, permissions) != frame(expected, permissions) {
            break;
        }
        found += PAGE_BYTES;
    }
    Run { start: start + (address & (PAGE_BYTES - 1)), bytes: found.min(bytes) }
}

/// Bytes from `address` to the end of its page.
#[inline]
pub const fn rest_of_page(address: u32) -> u32 {
    PAGE_BYTES - (address & (PAGE_BYTES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> PageMap {
        let mut map = [0; VIRTUAL_PAGES as usize];
        map[1] = entry(77, READ | EXECUTE);
        map[512] = entry(4095, READ | WRITE);
        map[513] = entry(3, READ | WRITE);
        map[1023] = entry(4, READ | WRITE);
        map
    }

    #[test]
    fn translation() {
        let map = map();
        assert_eq!(translate(&map, 0x404, READ), Some(RAM_BASE + 77 * 1024 + 4));
        assert_eq!(translate(&map, 0x404, WRITE), None);
        assert_eq!(translate(&map, 0x8_03ff, WRITE), Some(RAM_BASE + 4095 * 1024 + 1023));
        assert_eq!(translate(&map, 0, READ), None);
        assert_eq!(translate(&map, 0x10_0000, READ), None);
        assert_eq!(translate(&map, u32::MAX, READ), None);
        assert_eq!(frame(map[512], READ | WRITE), Some(RAM_BASE + 4095 * 1024));
        assert_eq!((frame(map[1], WRITE), frame(0, 0)), (None, None));
        assert_eq!(mapped_page(map[512]), Some(4095));
        assert_eq!(mapped_page(map[0]), None);
    }

    #[test]
    fn parts_of_a_page() {
        let map = map();
        assert_eq!(in_one_page(&map, 0x404, 1020, READ), translate(&map, 0x404, READ));
        assert_eq!(in_one_page(&map, 0x404, 1021, READ), None);
        assert_eq!(in_one_page(&map, 0x404, 4, WRITE), None);
        assert_eq!(in_one_page(&map, 0x8_0000, 1025, WRITE), None);
        assert_eq!(in_one_page(&map, 0xf_fffc, 4, WRITE), translate(&map, 0xf_fffc, WRITE));
        assert_eq!(in_one_page(&map, 0x10_0000, 4, READ), None);
        assert_eq!(in_one_page(&map, u32::MAX, u32::MAX, READ), None);
        assert!(in_one_page(&map, u32::MAX, 0, WRITE).is_some());
    }

    #[test]
    fn runs() {
        let mut map = map();
        for page in 0..4 {
            map[600 + page as usize] = entry(100 + page, READ | WRITE);
        }
        map[603] = entry(103, READ);
        map[604] = entry(90, READ);
        let found = |address, bytes, permissions| {
            let Run { start, bytes } = run(&map, address, bytes, permissions);
            (start.wrapping_sub(RAM_BASE), bytes)
        };
        let (start, frames) = (600 * PAGE_BYTES, 100 * PAGE_BYTES);
        assert_eq!(found(start, 1, WRITE), (frames, 1));
        assert_eq!(found(start + 1000, 24, READ), (frames + 1000, 24));
        assert_eq!(found(start + 1000, 25, READ), (frames + 1000, 25));
        // As far as the permission goes, and as pages lie side by side.
        assert_eq!(found(start + 4, 5000, WRITE), (frames + 4, 3 * PAGE_BYTES - 4));
        assert_eq!(found(start + 4, 5000, READ), (frames + 4, 4 * PAGE_BYTES - 4));
        assert_eq!(found(start + 4 * PAGE_BYTES, 5000, READ), (90 * PAGE_BYTES, PAGE_BYTES));
        // Nothing is there, or it ends with the map.
        for (address, permissions) in
            [(start - 1, READ), (start + 4 * PAGE_BYTES, WRITE), (VIRTUAL_BYTES, READ), (u32::MAX, READ)]
        {
            assert_eq!(run(&map, address, 8, permissions).bytes, 0);
        }
        assert_eq!(found(VIRTUAL_BYTES - 8, 16, WRITE), (4 * PAGE_BYTES + 1016, 8));
    }

    #[test]
    fn ranges() {
        let map = map();
        assert!(allows(&map, 0x8_0000, 2048, WRITE));
        assert!(!allows(&map, 0x8_0000, 2049, WRITE));
        assert!(!allows(&map, 0x7_ffff, 2, READ));
        assert!(allows(&map, 0xf_fc00, 1024, WRITE));
        assert!(!allows(&map, 0xf_fc00, 1025, WRITE));
        assert!(!allows(&map, 0xffff_fff0, 0x20, READ));
        assert!(!allows(&map, 0x8_0000, u32::MAX, READ));
        assert!(allows(&map, 0xdead_beef, 0, WRITE));
        assert_eq!((rest_of_page(0), rest_of_page(1023), rest_of_page(0x404)), (1024, 1, 1020));
    }
}
