//! Alternatives that end: somebody has come, or nobody in time, or the process ends.

use testbed_definitions::ids::Channel;
use testbed_definitions::syscall::Error;
use testbed_protocol::channel;

use crate::state::kernel::{Index, Kernel};

impl Kernel {
    /// The alternative has become a communication on the channel at this place of its list: the
    /// call's second result.
    pub fn choose(&mut self, index: Index, position: usize) {
        let tcb = self.tcb_of(index);
        tcb.choose(tcb.list().channel(position), position);
        tcb.list().release(&mut self.pages);
    }

    /// A sender has come to this channel of a thread's alternative; the channel's own control block
    /// is the protocol's to change.
    pub fn chosen(&mut self, index: Index, channel: Channel) {
        self.stop_timer(index);
        let position = self.disable_all(index, Some(channel));
        self.choose(index, position);
    }

    /// Nobody came in time.
    pub fn alt_timeout(&mut self, index: Index) {
        self.disable_all(index, None);
        self.fail_alternative(index, Error::Timeout);
    }

    /// Disables the channels of the list but one; returns the place of that.
    fn disable_all(&mut self, index: Index, but: Option<Channel>) -> usize {
        let tcb = self.tcb_of(index);
        let mut found = 0;
        for (position, channel) in tcb.list().channels().iter().enumerate() {
            if Some(channel.get()) == but {
                found = position;
            } else {
                channel::disable(tcb.process().ccb(channel.get()), tcb.number());
            }
        }
        found
    }

    pub fn fail_alternative(&mut self, index: Index, error: Error) {
        self.tcb_of(index).list().release(&mut self.pages);
        self.finish(index, Err(error));
    }

    /// Its process ends: the thread waits no more.
    pub fn end_alternative(&mut self, index: Index) {
        self.stop_timer(index);
        self.tcb_of(index).list().release(&mut self.pages);
    }
}
