//! occam's ALT: a thread waits on several channels at once and receives from the first whose sender
//! is there.

use core::cell::Cell;
use testbed_definitions::event::{self, DIAG_DETAIL, DIAG_PROFILE, TRAP7, TRAP70};
use testbed_definitions::ids::Channel;
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::{Error, FOREVER};
use testbed_kernel_core::page_map::{allows, READ, WRITE};
use testbed_protocol::channel;

use crate::drivers::events;
use crate::services::channels::partner;
use crate::state::kernel::{Index, Kernel};

impl Kernel {
    /// `alt(channels, count, buffer, length, timeout)`.
    pub fn alt_request(&mut self, index: u16, [list, count, buffer, capacity, timeout]: [u32; 5]) {
        events::emit(DIAG_PROFILE, TRAP7);
        let tcb = self.tcb_of(index);
        tcb.offer(buffer);
        let result = if count == 0 || count > CHANNELS as u32 || capacity > VIRTUAL_BYTES {
            Err(Error::BadLength)
        } else if !allows(tcb.process().map(), buffer, capacity, WRITE) {
            Err(Error::BadPointer)
        } else {
            self.poll_all(index, list, count as u8)
        };
        match result {
            Ok(Some(position)) => {
                let tcb = self.tcb_of(index);
                let channel = tcb.list().channel(position);
                if self.ensure_partner(index, channel, capacity) {
                    self.choose(index, position);
                    let thread = self.tcb_of(index).address();
                    self.communicate(false, thread, channel.number() as u32, buffer, capacity);
                } else {
                    // It will call again.
                    self.tcb_of(index).list().release(&mut self.pages);
                }
            }
            Ok(None) if timeout != 0 => self.enable_all(index, capacity, timeout),
            Ok(None) => self.fail_alternative(index, Error::Timeout),
            Err(error) => self.fail_alternative(index, error),
        }
    }

    /// Reads the list and claims its channels. Returns the place of the first whose sender is
    /// there.
    fn poll_all(&mut self, index: u16, address: u32, count: u8) -> Result<Option<usize>, Error> {
        let tcb = self.tcb_of(index);
        tcb.list().take(count, &mut self.pages)?;
        let process = tcb.process();
        tcb.list().read(process.map(), address)?;
        let first = tcb.list().channels().first().map_or(Channel::new(0), Cell::get);
        events::emit_with(DIAG_DETAIL, event::REQUEST, event::request_argument(true, true, false, first.number()));
        let mut ready = None;
        for position in 0..count as usize {
            let channel = tcb.list().channel(position);
            let offered =
                channel::poll(process.ccb(channel), self.me, tcb.number()).map_err(|_| Error::ChannelInUse)?;
            tcb.own(channel);
            if offered && ready.is_none() {
                ready = Some(position);
            }
        }
        Ok(ready)
    }

    fn enable_all(&mut self, index: u16, capacity: u32, timeout: u32) {
        let tcb = self.tcb_of(index);
        for channel in tcb.list().channels() {
            channel::enable(tcb.process().ccb(channel.get()), capacity);
        }
        tcb.wait_for_any();
        if timeout != FOREVER {
            self.start_timer(index, timeout);
        }
        events::emit(DIAG_PROFILE, TRAP70);
    }

    /// A thread's alternative is about to receive on this channel: whether a partner's buffer that
    /// it will copy is here, as for [`Self::communicate`].
    pub fn ensure_partner(&mut self, index: Index, channel: Channel, capacity: u32) -> bool {
        let process = self.tcb_of(index).process();
        let Some((thread, length)) = partner::<false>(process.ccb(channel)) else { return true };
        let buffer = self.tcbs[self.thread_index(process, thread) as usize].buffer();
        self.ensure_or_refuse(index, buffer, capacity.min(length), READ)
    }
}
