//! Programs' segments into a process's memory.

use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, PAGE_SHIFT, PTE_FILE, PTE_OWNED, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::elf::{Elf, Segment};
use testbed_kernel_core::page_map::{entry, mapped_page, EXECUTE, READ, WRITE};
use testbed_kernel_core::pages::Pages;

use crate::arch::memory;
use crate::state::process::Process;

/// A program's file: its size, and the physical address of each of its bytes. Pages of the file are
/// pages of memory.
pub struct Source<'a> {
    pub bytes: u32,
    pub address: &'a dyn Fn(u32) -> u32,
}

impl Source<'_> {
    /// The first page, which has the headers.
    fn head(&self) -> &[u8] {
        let bytes = self.bytes.min(PAGE_BYTES);
        if bytes == 0 {
            return &[];
        }
        // SAFETY: the file's first page, as far as the file goes; nobody writes to a file that is
        // executed.
        unsafe { core::slice::from_raw_parts((self.address)(0) as *const u8, bytes as usize) }
    }

    /// Bytes that the first thread's stack has to have, 0 if the program does not say.
    pub fn stack_bytes(&self) -> u32 {
        Elf::parse(self.head(), self.bytes).map_or(0, Elf::stack_bytes)
    }
}

impl Process {
    /// Loads a program's segments. The file must stay as it is while the process lives: its pages
    /// are the code.
    pub fn load(self, source: &Source, pages: &mut Pages) -> Result<(), Error> {
        let elf = Elf::parse(source.head(), source.bytes).ok_or(Error::BadProgram)?;
        self.set_entry(elf.entry);
        for segment in elf.segments() {
            self.load_segment(&segment.map_err(|_| Error::BadProgram)?, source, pages)?;
        }
        Ok(())
    }

    /// Code is what lies in the lower half: read and execute. All else is read and write, and
    /// copied.
    fn load_segment(self, segment: &Segment, source: &Source, pages: &mut Pages) -> Result<(), Error> {
        let &Segment { address, bytes, offset, size, .. } = segment;
        let end = address.checked_add(bytes).filter(|&end| end <= VIRTUAL_BYTES).ok_or(Error::BadProgram)?;
        let code = address < DATA_BASE;
        if code && end > DATA_BASE {
            return Err(Error::BadProgram);
        }
        if code && bytes == size && address % PAGE_BYTES == offset % PAGE_BYTES {
            return self.map_code(segment, source);
        }
        if code {
            self.add_pages(address, end, READ | EXECUTE, pages)?;
        } else {
            let estate = self.estate().ok_or(Error::NoProcess)?;
            estate.register(address & !(PAGE_BYTES - 1), end, self.id().home())?;
            self.add_pages(address, end, READ | WRITE | PTE_OWNED, pages)?;
        }
        let mut done = 0;
        while done < size {
            let (from, to) = (offset + done, address + done);
            let part = (size - done).min(PAGE_BYTES - from % PAGE_BYTES).min(PAGE_BYTES - to % PAGE_BYTES);
            let entry = self.map()[(to >> PAGE_SHIFT) as usize];
            let page = mapped_page(entry).filter(|_| entry & PTE_FILE == 0).ok_or(Error::BadProgram)?;
            // SAFETY: the source is in the file, the destination in a page of this process's own.
            unsafe { memory::copy((source.address)(from), memory::page_address(page) + to % PAGE_BYTES, part) };
            done += part;
        }
        Ok(())
    }

    /// Maps the file's own pages, which all processes that run it share.
    fn map_code(self, segment: &Segment, source: &Source) -> Result<(), Error> {
        let first = segment.address & !(PAGE_BYTES - 1);
        for address in (first..segment.address + segment.bytes).step_by(PAGE_BYTES as usize) {
            let page = memory::page_of((source.address)((segment.offset + address).saturating_sub(segment.address)));
            let mapped = entry(page, READ | EXECUTE) | PTE_FILE;
            let place = &mut self.map_mut()[(address >> PAGE_SHIFT) as usize];
            if *place != 0 && *place != mapped {
                return Err(Error::BadProgram);
            }
            *place = mapped;
        }
        Ok(())
    }
}
