//! Processes: a page map, channel control blocks and threads each. What this processor has of a
//! process is made when a packet or a thread first needs it.

use core::cell::{Cell, UnsafeCell};
use core::mem::offset_of;
use testbed_definitions::csr;
use testbed_definitions::ids::{Channel, ProcessId, Processor, ThreadNumber};
use testbed_definitions::limits::{PROCESS_SHARE, THREADS};
use testbed_definitions::page::{
    DATA_BASE, PAGE_BYTES, PAGE_MAP_BYTES, PAGE_SHIFT, PTE_FILE, PTE_OWNED, PTE_PAGE_MASK, PTE_PAGE_SHIFT, PTE_VALID,
    PTE_WANTED, VIRTUAL_BYTES, VIRTUAL_PAGES,
};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::page_map::{entry, PageMap, READ, WRITE};
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::channel::Ccb;
use testbed_protocol::pages::holder;

use crate::arch::{memory, words};
use crate::drivers::centrenet::Centrenet;
use crate::state::extended::estate::Estate;
use crate::state::extended::keeping::Owed;
use crate::variant;

/// Pages of a record, and of the home's, which has its estate behind it.
const RECORD_PAGES: u32 = (size_of::<Record>() as u32).div_ceil(PAGE_BYTES);
const HOME_PAGES: u32 = (size_of::<(Record, Estate)>() as u32).div_ceil(PAGE_BYTES);
const MAP_PAGES: u32 = PAGE_MAP_BYTES / PAGE_BYTES;
/// Channels of a process.
pub const CHANNELS: usize = variant::CHANNELS;

/// What this processor has of a process. All words but the control blocks are made zero.
#[repr(C)]
struct Record {
    /// `definitions::process`.
    id: ProcessId,
    map: *mut PageMap,
    /// Index of the control block of each thread, [`NONE`] if it isn't here.
    threads: [Cell<u16>; THREADS],
    /// Where the program's first thread starts.
    entry: Cell<u32>,
    /// Its threads don't run.
    suspended: Cell<bool>,
    /// There was no memory for a message to it: it ends when what is being done has been done.
    doomed: Cell<bool>,
    /// The first thread that waits for a page: the address of its control block, whose `next` leads
    /// on. 0: none.
    paging: Cell<u32>,
    /// Pages that have come, as the home has not been told yet.
    owed: Owed<Process>,
    /// On the home: thread ids in use, and what it knows of the data pages.
    ids: [Cell<u32>; THREADS / 32],
    estate: *mut Estate,
    /// Threads that are not here but have ends of channels here.
    resting: [Cell<u32>; THREADS / 32],
    ccbs: UnsafeCell<[Ccb; CHANNELS]>,
}

/// A process that this processor has something of: a pointer to its record, which lives until the
/// process has ended and nothing names it any more. Whoever has it may change it, as a thread's
/// control block.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Process(*mut Record);

impl Process {
    /// What the host looks at.
    pub const LAYOUT: &'static [(Item, usize)] = &[
        (Item::RecordId, offset_of!(Record, id)),
        (Item::RecordSuspended, offset_of!(Record, suspended)),
        (Item::RecordIds, offset_of!(Record, ids)),
        (Item::RecordChannels, offset_of!(Record, ccbs)),
        (Item::ChannelCount, CHANNELS),
    ];

    #[inline(always)]
    fn record(self) -> &'static Record {
        debug_assert!(self != Process::NONE);
        // SAFETY: made by `Process::new`; it lives as long as anybody names the process, and what
        // changes in it are cells.
        unsafe { &*self.0 }
    }

    /// `definitions::process`.
    #[inline(always)]
    pub fn id(self) -> ProcessId {
        self.record().id
    }
    /// Where the program's first thread starts.
    pub fn entry(self) -> u32 {
        self.record().entry.get()
    }
    pub fn set_entry(self, entry: u32) {
        self.record().entry.set(entry);
    }
    /// Whether its threads don't run.
    #[inline(always)]
    pub fn is_suspended(self) -> bool {
        self.record().suspended.get()
    }
    pub fn set_suspended(self, suspended: bool) {
        self.record().suspended.set(suspended);
    }
    /// There was no memory for a message to it: it ends when what is being done has been done.
    pub fn doom(self) {
        self.record().doomed.set(true);
    }
    /// Whether that was so. If its home is elsewhere, the process stays until it has been told.
    pub fn take_doom(self) -> bool {
        self.record().doomed.take()
    }
    /// The list of its threads that wait for pages ([`crate::state::extended::waiting`]).
    #[inline(always)]
    pub(in crate::state) fn paging(self) -> &'static Cell<u32> {
        &self.record().paging
    }
    /// Pages that have come, as the home has not been told yet.
    #[inline(always)]
    pub fn owed(self) -> &'static Owed<Process> {
        &self.record().owed
    }
    /// The control blocks of its threads that are here, by index.
    pub fn threads(self) -> impl Iterator<Item = u16> {
        self.record().threads.iter().map(Cell::get).filter(|&index| index != NONE)
    }

    /// The process of a thread control block that is free.
    pub const NONE: Process = Process(core::ptr::null_mut());

    /// A process without threads, with nothing mapped.
    pub fn new(id: ProcessId, at_home: bool, pages: &mut Pages) -> Option<Process> {
        let map = pages.take_row(MAP_PAGES, MAP_PAGES)?;
        let Some(record) = pages.take_row(if at_home { HOME_PAGES } else { RECORD_PAGES }, 1) else {
            pages.release(map, map + MAP_PAGES);
            return None;
        };
        let (map, record) = (memory::page_address(map), memory::page_address(record) as *mut Record);
        // SAFETY: the rows were just taken, and have room. A page map of zeros maps nothing.
        unsafe {
            words::clear(map, PAGE_MAP_BYTES);
            words::clear(record as u32, (size_of::<Record>() - size_of::<[Ccb; CHANNELS]>()) as u32 & !3);
            (&raw mut (*record).id).write(id);
            (&raw mut (*record).map).write(map as *mut PageMap);
            if at_home {
                // All zero: no pages, no deaths.
                let estate = (record as u32 + size_of::<Record>() as u32).next_multiple_of(4);
                words::clear(estate, size_of::<Estate>() as u32 & !3);
                (&raw mut (*record).estate).write(estate as *mut Estate);
            }
            let threads = (&raw mut (*record).threads).cast::<u16>();
            (0..THREADS).for_each(|thread| threads.add(thread).write(NONE));
            let ccbs = (&raw mut (*record).ccbs).cast::<Ccb>();
            ccbs.write(Ccb::default());
            // Twice as many each time: words are copied faster than blocks are written.
            let mut done = 1;
            while done < CHANNELS {
                let more = done.min(CHANNELS - done);
                memory::copy(ccbs as u32, ccbs.add(done) as u32, (more * size_of::<Ccb>()) as u32);
                done += more;
            }
        }
        Some(Process(record))
    }

    /// The page map, for translation; lives as long as the process.
    #[inline(always)]
    pub fn map(self) -> &'static PageMap {
        // SAFETY: made by `new`; as for the record.
        unsafe { &*self.record().map }
    }
    /// The page map as the CSR `pmbase` has it while a thread of the process runs.
    pub fn space(self) -> u32 {
        self.record().map.addr() as u32 & csr::PMBASE_BASE | csr::PMBASE_ENABLE | csr::PMBASE_EVENT
    }
    #[inline(always)]
    pub fn map_mut(self) -> &'static mut PageMap {
        // SAFETY: as above.
        unsafe { &mut *self.record().map }
    }

    /// The control block of channel `channel`, below [`CHANNELS`]. Nothing else may hold it at the
    /// same time; the kernel holds one only during one step of the protocol.
    pub fn ccb(self, channel: Channel) -> &'static mut Ccb {
        debug_assert!(channel.index() < CHANNELS);
        // SAFETY: in the record, and the index is below CHANNELS.
        unsafe { &mut *self.record().ccbs.get().cast::<Ccb>().add(channel.index() % CHANNELS) }
    }

    /// Gives the pages of its code, its data, its map and its record back.
    pub fn release(self, pages: &mut Pages, net: &mut Centrenet) {
        for entry in self.map().iter().filter(|&entry| entry & PTE_FILE == 0) {
            // What is wanted has a frame already.
            if entry & (PTE_VALID | PTE_WANTED) != 0 {
                net.release_frame(entry >> PTE_PAGE_SHIFT & PTE_PAGE_MASK, pages);
            }
        }
        let record_pages = if self.record().estate.is_null() { RECORD_PAGES } else { HOME_PAGES };
        let (map, record) = (memory::page_of(self.record().map as u32), memory::page_of(self.0 as u32));
        pages.release(map, map + MAP_PAGES);
        pages.release(record, record + record_pages);
    }

    /// Whether ends of channels are here without the thread that they belong to.
    pub fn is_resting(self, number: ThreadNumber) -> bool {
        let id = number.id();
        self.record().resting[id / 32].get() & 1 << (id % 32) != 0
    }
    pub fn set_resting(self, number: ThreadNumber, resting: bool) {
        set_bit(&self.record().resting, number.id(), resting);
    }

    /// The home gives a thread's id out, and its stack: the pages and the address above them.
    /// It will be at `owner`.
    pub fn give(
        self,
        number: ThreadNumber,
        entry: u32,
        (top, count): (u32, u32),
        owner: Processor,
    ) -> Result<(), Error> {
        let id = number.id();
        if self.record().ids[id / 32].get() & 1 << (id % 32) != 0 {
            return Err(Error::ThreadExists);
        }
        let in_data = top % PAGE_BYTES == 0 && (DATA_BASE..=VIRTUAL_BYTES).contains(&top);
        if !is_entry(entry) || !in_data || count == 0 || count > (top - DATA_BASE) / PAGE_BYTES {
            return Err(Error::BadPointer);
        }
        let estate = self.estate().ok_or(Error::NoProcess)?;
        estate.register(top - count * PAGE_BYTES, top, owner)?;
        set_bit(&self.record().ids, id, true);
        Ok(())
    }

    /// Index of the control block of a thread that is here, or [`NONE`].
    #[inline(always)]
    pub fn thread(self, number: ThreadNumber) -> u16 {
        self.record().threads[number.id()].get()
    }

    /// The thread has this control block here, or [`NONE`].
    #[inline(always)]
    pub fn set_thread(self, number: ThreadNumber, index: u16) {
        self.record().threads[number.id()].set(index);
    }

    /// The home takes a thread's id back.
    pub fn take_back(self, number: ThreadNumber) {
        set_bit(&self.record().ids, number.id(), false);
    }

    /// What the home knows of data pages and deaths; `None` elsewhere.
    pub fn estate(self) -> Option<&'static mut Estate> {
        // SAFETY: made by `new` and living as long as the process; the kernel holds it for one
        // statement, or one step of the page protocol.
        unsafe { self.record().estate.as_mut() }
    }

    /// The frame of a page that is here or wanted.
    pub fn frame(self, page: u32) -> u32 {
        self.map()[page as usize % VIRTUAL_PAGES as usize] >> PTE_PAGE_SHIFT & PTE_PAGE_MASK
    }

    /// Whether the process may have `count` more of this processor's pages: they are there, and it
    /// does not have more than its share already ([`PROCESS_SHARE`]). The small kernel has one
    /// process only.
    fn may_take(self, count: u32, pages: &Pages) -> bool {
        let Some(left) = pages.count().checked_sub(count) else { return false };
        // No process has more pages than its map has entries.
        if !variant::PAGES_GO || left >= VIRTUAL_PAGES / PROCESS_SHARE {
            return true;
        }
        let is_own = |entry: &&u32| **entry & PTE_FILE == 0 && **entry & (PTE_VALID | PTE_WANTED) != 0;
        self.map().iter().filter(is_own).count() as u32 + count <= PROCESS_SHARE * left
    }

    /// Takes a page for the process; `None` if it may not have one more.
    pub fn take_page(self, pages: &mut Pages) -> Option<u32> {
        if self.may_take(1, pages) {
            pages.take()
        } else {
            None
        }
    }

    /// Maps zeroed pages for `start` to `end - 1`, and keeps those that are there. `NoMemory`, and
    /// nothing has changed, if the process may not have so many more.
    pub fn add_pages(self, start: u32, end: u32, permissions: u32, pages: &mut Pages) -> Result<(), Error> {
        let range = start >> PAGE_SHIFT..end.div_ceil(PAGE_BYTES);
        let is_new = |page: &u32| self.map()[*page as usize] & (PTE_VALID | PTE_WANTED) == 0;
        // In the small kernel, where pages are never wanted, who maps a stack looks, and a program
        // that does not fit has failed anyway.
        if variant::PAGES_GO && !self.may_take(range.clone().filter(is_new).count() as u32, pages) {
            return Err(Error::NoMemory);
        }
        for virtual_page in range {
            let place = &mut self.map_mut()[virtual_page as usize];
            if *place & PTE_VALID == 0 {
                // A page that was asked for before it existed has a frame, and will be answered.
                let wanted = *place & PTE_WANTED;
                let page = if wanted != 0 { self.frame(virtual_page) } else { pages.take().ok_or(Error::NoMemory)? };
                // SAFETY: the page was just taken.
                unsafe { words::clear(memory::page_address(page), PAGE_BYTES) };
                *place = entry(page, permissions | wanted);
            }
        }
        Ok(())
    }

    /// Maps `count` pages below `top` as a thread's stack; the home has given them out.
    pub fn add_stack(self, top: u32, count: u32, pages: &mut Pages) -> Result<(), Error> {
        if !variant::PAGES_GO && pages.count() < count {
            return Err(Error::NoMemory);
        }
        self.add_pages(top - count * PAGE_BYTES, top, READ | WRITE | PTE_OWNED, pages)
    }

    /// Gives back what is here of a stack; the home sees to the rest.
    pub fn remove_stack(self, top: u32, count: u32, pages: &mut Pages, net: &mut Centrenet) {
        for page in (top >> PAGE_SHIFT) - count..top >> PAGE_SHIFT {
            let frame = self.frame(page);
            if holder::end(&mut self.map_mut()[page as usize % VIRTUAL_PAGES as usize]) {
                net.release_frame(frame, pages);
            }
        }
    }
}

/// Sets a bit of a row of words, or clears it.
fn set_bit(words: &[Cell<u32>], index: usize, set: bool) {
    let (word, bit) = (&words[index / 32], 1 << (index % 32));
    word.set(if set { word.get() | bit } else { word.get() & !bit });
}

/// Whether a thread can start there.
pub fn is_entry(entry: u32) -> bool {
    entry < DATA_BASE && entry % 4 == 0
}
