//! Processes: a page map, channel control blocks and threads each. A process is made on a processor when the first of its
//! threads starts there; its program is then loaded from the image that every processor has.

use testbed_definitions::limits::{CHANNELS, THREADS};
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_MAP_BYTES, PAGE_SHIFT, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::elf::{Elf, Segment};
use testbed_kernel_core::page_map::{entry, mapped_page, PageMap, EXECUTE, READ, WRITE};
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::channel::Ccb;

use crate::memory;

const CCB_PAGES: u32 = (CHANNELS * size_of::<Ccb>()).div_ceil(PAGE_BYTES as usize) as u32;

/// One process as this processor has it.
pub struct Process {
    map: *mut PageMap,
    ccbs: *mut Ccb,
    /// Index of the control block of each thread, [`NONE`] if it isn't here.
    pub threads: [u8; THREADS],
    /// Where the program's first thread starts.
    pub entry: u32,
}

impl Process {
    pub const fn none() -> Self {
        Process { map: core::ptr::null_mut(), ccbs: core::ptr::null_mut(), threads: [NONE; THREADS], entry: 0 }
    }

    pub fn exists(&self) -> bool {
        !self.map.is_null()
    }

    pub fn map_address(&self) -> u32 {
        self.map as u32
    }

    /// The page map, for translation. Valid for ever: maps are not given back.
    pub fn map(&self) -> &'static PageMap {
        debug_assert!(self.exists());
        // SAFETY: made by `load`, changed only by `self.map_mut()`, which the kernel's single thread never overlaps with this.
        unsafe { &*self.map }
    }
    fn map_mut(&mut self) -> &mut PageMap {
        // SAFETY: as above.
        unsafe { &mut *self.map }
    }

    /// The control block of channel `channel`, below [`CHANNELS`]. Nothing else may hold it at the same time; the kernel
    /// holds one only during one step of the protocol.
    #[allow(clippy::mut_from_ref)]
    pub fn ccb(&self, channel: u8) -> &'static mut Ccb {
        debug_assert!((channel as usize) < CHANNELS);
        // SAFETY: made by `load` with CHANNELS blocks, in memory that nobody else uses.
        unsafe { &mut *self.ccbs.add(channel as usize % CHANNELS) }
    }

    /// Makes the process from a program's image.
    pub fn load(&mut self, image: &[u8], pages: &mut Pages) -> Result<(), Error> {
        let elf = Elf::parse(image).ok_or(Error::BadProgram)?;
        let map = pages.take_row(PAGE_MAP_BYTES / PAGE_BYTES, PAGE_MAP_BYTES / PAGE_BYTES).ok_or(Error::NoMemory)?;
        let ccbs = pages.take_row(CCB_PAGES, 1).ok_or(Error::NoMemory)?;
        // SAFETY: the rows were just taken. A page map of zeros maps nothing.
        unsafe { memory::clear(memory::page_address(map), PAGE_MAP_BYTES) };
        self.ccbs = memory::page_address(ccbs) as *mut Ccb;
        for channel in 0..CHANNELS {
            // SAFETY: the row has room for CHANNELS blocks.
            unsafe { self.ccbs.add(channel).write(Ccb::default()) };
        }
        self.map = memory::page_address(map) as *mut PageMap;
        self.entry = elf.entry;
        for segment in elf.segments() {
            self.load_segment(segment.map_err(|_| Error::BadProgram)?, pages)?;
        }
        Ok(())
    }

    /// Code is what lies in the lower half: read and execute. All else is read and write.
    fn load_segment(&mut self, segment: Segment, pages: &mut Pages) -> Result<(), Error> {
        let Segment { address, bytes, content, .. } = segment;
        let end = address.checked_add(bytes).filter(|&end| end <= VIRTUAL_BYTES).ok_or(Error::BadProgram)?;
        let code = address < DATA_BASE;
        if code && end > DATA_BASE {
            return Err(Error::BadProgram);
        }
        self.add_pages(address, end, if code { READ | EXECUTE } else { READ | WRITE }, pages)?;
        let mut done = 0;
        while done < content.len() as u32 {
            let part = (content.len() as u32 - done).min(PAGE_BYTES - (address + done) % PAGE_BYTES);
            let virtual_page = ((address + done) >> PAGE_SHIFT) as usize;
            let page = mapped_page(self.map()[virtual_page]).ok_or(Error::BadProgram)?;
            let destination = memory::page_address(page) + (address + done) % PAGE_BYTES;
            // SAFETY: the source is in the image, the destination in a page of this process.
            unsafe { memory::copy(content.as_ptr() as u32 + done, destination, part) };
            done += part;
        }
        Ok(())
    }

    /// Maps zeroed pages for `start` to `end - 1`, and keeps those that are there.
    fn add_pages(&mut self, start: u32, end: u32, permissions: u32, pages: &mut Pages) -> Result<(), Error> {
        for virtual_page in start >> PAGE_SHIFT..end.div_ceil(PAGE_BYTES) {
            let place = &mut self.map_mut()[virtual_page as usize];
            if *place == 0 {
                let page = pages.take().ok_or(Error::NoMemory)?;
                // SAFETY: the page was just taken.
                unsafe { memory::clear(memory::page_address(page), PAGE_BYTES) };
                *place = entry(page, permissions);
            }
        }
        Ok(())
    }

    /// Maps `count` pages below `top` as a thread's stack. They must lie in the data half and be free.
    pub fn add_stack(&mut self, top: u32, count: u32, pages: &mut Pages) -> Result<(), Error> {
        let in_data = top % PAGE_BYTES == 0 && (DATA_BASE..=VIRTUAL_BYTES).contains(&top);
        if !in_data || count == 0 || count > (top - DATA_BASE) / PAGE_BYTES {
            return Err(Error::BadPointer);
        }
        let bottom = top - count * PAGE_BYTES;
        let range = (bottom >> PAGE_SHIFT) as usize..(top >> PAGE_SHIFT) as usize;
        if self.map()[range].iter().any(|&entry| entry != 0) {
            return Err(Error::BadPointer);
        }
        if pages.count() < count {
            return Err(Error::NoMemory);
        }
        self.add_pages(bottom, top, READ | WRITE, pages)
    }

    /// Gives a stack back.
    pub fn remove_stack(&mut self, top: u32, count: u32, pages: &mut Pages) {
        for virtual_page in (top >> PAGE_SHIFT) - count..top >> PAGE_SHIFT {
            let entry = core::mem::take(&mut self.map_mut()[virtual_page as usize]);
            if let Some(page) = mapped_page(entry) {
                pages.release(page, page + 1);
            }
        }
    }
}
