//! occam's ALT: a thread waits on several channels at once and receives from the first whose sender is there.

use testbed_definitions::event::{self, DIAG_DETAIL, DIAG_PROFILE, TRAP7, TRAP70};
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::{Error, FOREVER};
use testbed_kernel_core::page_map::{allows, translate, PageMap, READ, WRITE};
use testbed_kernel_core::pages::Pages;
use testbed_protocol::channel;

use crate::kernel::Kernel;
use crate::thread::{State, A0};
use crate::{events, memory};

/// Channels that a list holds itself.
pub const SHORT: usize = 16;

/// The channels of a thread's alternative, in its order. A long list is in a page of the kernel's.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct List {
    pub short: [u8; SHORT],
    pub page: u16,
    pub count: u8,
}

impl List {
    pub const NONE: List = List { short: [0; SHORT], page: 0, count: 0 };

    /// Room for so many channels, at most [`CHANNELS`].
    fn take(count: u8, pages: &mut Pages) -> Result<List, Error> {
        let page = if count as usize > SHORT { pages.take().ok_or(Error::NoMemory)? as u16 } else { 0 };
        Ok(List { count, page, ..List::NONE })
    }

    /// The list is empty and has no page.
    fn release(&mut self, pages: &mut Pages) {
        if self.page != 0 {
            pages.release(self.page as u32, self.page as u32 + 1);
        }
        (self.page, self.count) = (0, 0);
    }

    fn channels(&mut self) -> &mut [u8] {
        if self.page == 0 {
            return &mut self.short[..(self.count as usize).min(SHORT)];
        }
        let start = memory::page_address(self.page as u32) as *mut u8;
        // SAFETY: the page is the list's, which lends it as it lends itself; bytes need no value.
        unsafe { core::slice::from_raw_parts_mut(start, self.count as usize) }
    }

    /// Reads the list from a thread's memory.
    fn read(&mut self, map: &PageMap, address: u32) -> Result<(), Error> {
        let mut seen = [0_u32; CHANNELS / 32];
        for (offset, place) in self.channels().iter_mut().enumerate() {
            let physical = translate(map, address.wrapping_add(offset as u32), READ).ok_or(Error::BadPointer)?;
            // SAFETY: the byte is in a page of the thread's.
            *place = unsafe { (physical as *const u8).read_volatile() };
            let word = seen.get_mut(*place as usize / 32).ok_or(Error::BadChannel)?;
            if *word & 1 << (*place % 32) != 0 {
                return Err(Error::BadChannel);
            }
            *word |= 1 << (*place % 32);
        }
        Ok(())
    }
}

impl Kernel {
    /// `alt(channels, count, buffer, length, timeout)`.
    pub fn alt_request(&mut self, index: u16, [list, count, buffer, capacity, timeout]: [u32; 5]) {
        events::emit(DIAG_PROFILE, TRAP7);
        let tcb = &mut self.tcbs[index as usize];
        tcb.buffer = buffer;
        let result = if count == 0 || count > CHANNELS as u32 || capacity > VIRTUAL_BYTES {
            Err(Error::BadLength)
        } else if !allows(tcb.process.map(), buffer, capacity, WRITE) {
            Err(Error::BadPointer)
        } else {
            self.poll_all(index, list, count as u8)
        };
        match result {
            Ok(Some(position)) => {
                let tcb = &mut self.tcbs[index as usize];
                let channel = tcb.list.channels()[position];
                if self.ensure_partner(index, channel, capacity) {
                    self.choose(index, position);
                    let thread = (&raw const self.tcbs[index as usize]).addr() as u32;
                    self.communicate::<false>(thread, channel as u32, buffer, capacity);
                } else {
                    // It will call again.
                    self.tcbs[index as usize].list.release(&mut self.pages);
                }
            }
            Ok(None) if timeout != 0 => self.enable_all(index, capacity, timeout),
            Ok(None) => self.fail_alternative(index, Error::Timeout),
            Err(error) => self.fail_alternative(index, error),
        }
    }

    /// Reads the list and claims its channels. Returns the place of the first whose sender is there.
    fn poll_all(&mut self, index: u16, address: u32, count: u8) -> Result<Option<usize>, Error> {
        let tcb = &mut self.tcbs[index as usize];
        tcb.list = List::take(count, &mut self.pages)?;
        let process = tcb.process;
        tcb.list.read(process.map(), address)?;
        let first = tcb.list.channels().first().copied().unwrap_or(0);
        events::emit_with(DIAG_DETAIL, event::REQUEST, event::request_argument(true, true, false, first));
        let mut ready = None;
        for position in 0..count as usize {
            let channel = tcb.list.channels()[position];
            let offered = channel::poll(process.ccb(channel), self.me, tcb.number).map_err(|_| Error::ChannelInUse)?;
            tcb.own(channel);
            if offered && ready.is_none() {
                ready = Some(position);
            }
        }
        Ok(ready)
    }

    fn enable_all(&mut self, index: u16, capacity: u32, timeout: u32) {
        let tcb = &mut self.tcbs[index as usize];
        for channel in tcb.list.channels() {
            channel::enable(tcb.process.ccb(*channel), capacity);
        }
        tcb.state = State::Alternative;
        if timeout != FOREVER {
            self.start_timer(index, timeout);
        }
        events::emit(DIAG_PROFILE, TRAP70);
    }

    fn fail_alternative(&mut self, index: u16, error: Error) {
        self.tcbs[index as usize].list.release(&mut self.pages);
        self.finish(index, Err(error));
    }

    /// The alternative has become a communication on the channel at this place of its list: the call's second result.
    fn choose(&mut self, index: u16, position: usize) {
        let tcb = &mut self.tcbs[index as usize];
        tcb.channel = tcb.list.channels()[position];
        tcb.context.set(A0 + 1, position as u32);
        tcb.list.release(&mut self.pages);
        tcb.state = State::Communicating;
    }

    /// A sender has come to this channel of a thread's alternative; the channel's own control block is the protocol's to change.
    pub fn chosen(&mut self, index: u16, channel: u8) {
        self.stop_timer(index);
        let position = self.disable_all(index, Some(channel));
        self.choose(index, position);
    }

    /// Nobody came in time.
    pub fn alt_timeout(&mut self, index: u16) {
        self.disable_all(index, None);
        self.fail_alternative(index, Error::Timeout);
    }

    /// Its process ends: the thread waits no more.
    pub fn end_alternative(&mut self, index: u16) {
        self.stop_timer(index);
        self.tcbs[index as usize].list.release(&mut self.pages);
    }

    /// Disables the channels of the list but one; returns the place of that.
    fn disable_all(&mut self, index: u16, but: Option<u8>) -> usize {
        let tcb = &mut self.tcbs[index as usize];
        let mut found = 0;
        for (position, channel) in tcb.list.channels().iter().enumerate() {
            if Some(*channel) == but {
                found = position;
            } else {
                channel::disable(tcb.process.ccb(*channel), tcb.number);
            }
        }
        found
    }
}
