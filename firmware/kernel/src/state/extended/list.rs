//! The list of a thread's alternative.

use core::cell::Cell;
use core::mem::offset_of;
use testbed_definitions::ids::Channel;
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::page_map::{translate, PageMap, READ};
use testbed_kernel_core::pages::Pages;

use crate::arch::memory;

/// Channels that a list holds itself.
const SHORT: usize = 16;

/// The channels of a thread's alternative, in its order. A long list is in a page of the kernel's.
#[repr(C)]
pub struct List {
    short: [Cell<Channel>; SHORT],
    page: Cell<u16>,
    count: Cell<u8>,
}

impl List {
    /// What the host looks at, in a control block that has a list so many bytes from its start.
    pub const fn layout(at: usize) -> [(Item, usize); 4] {
        [
            (Item::TcbListShort, at + offset_of!(List, short)),
            (Item::TcbListShortBytes, SHORT),
            (Item::TcbListPage, at + offset_of!(List, page)),
            (Item::TcbListCount, at + offset_of!(List, count)),
        ]
    }

    /// The list is empty, and had no page.
    pub fn clear(&self) {
        self.page.set(0);
        self.count.set(0);
    }

    /// Room for so many channels, at most [`CHANNELS`]; the list is empty.
    pub fn take(&self, count: u8, pages: &mut Pages) -> Result<(), Error> {
        if count as usize > SHORT {
            self.page.set(pages.take().ok_or(Error::NoMemory)? as u16);
        }
        self.count.set(count);
        Ok(())
    }

    /// The list is empty and has no page.
    pub fn release(&self, pages: &mut Pages) {
        let page = self.page.get() as u32;
        if page != 0 {
            pages.release(page, page + 1);
        }
        self.clear();
    }

    /// Its channels.
    pub fn channels(&self) -> &[Cell<Channel>] {
        let (page, count) = (self.page.get(), self.count.get() as usize);
        if page == 0 {
            return &self.short[..count.min(SHORT)];
        }
        let start = memory::page_address(page as u32) as *const Cell<Channel>;
        // SAFETY: the page is the list's until it is released; bytes need no value.
        unsafe { core::slice::from_raw_parts(start, count) }
    }

    /// The channel at a place in the list.
    pub fn channel(&self, position: usize) -> Channel {
        self.channels()[position].get()
    }

    /// Reads the list from a thread's memory.
    pub fn read(&self, map: &PageMap, address: u32) -> Result<(), Error> {
        let mut seen = [0_u32; CHANNELS / 32];
        for (offset, place) in self.channels().iter().enumerate() {
            let physical = translate(map, address.wrapping_add(offset as u32), READ).ok_or(Error::BadPointer)?;
            // SAFETY: the byte is in a page of the thread's.
            let channel = Channel::new(unsafe { (physical as *const u8).read_volatile() });
            place.set(channel);
            let word = seen.get_mut(channel.index() / 32).ok_or(Error::BadChannel)?;
            if *word & 1 << (channel.number() % 32) != 0 {
                return Err(Error::BadChannel);
            }
            *word |= 1 << (channel.number() % 32);
        }
        Ok(())
    }
}
