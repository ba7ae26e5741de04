//! What threads do, what they wait for, and what is kept for that.

use core::cell::Cell;
use testbed_definitions::ids::{Channel, Processor};
use testbed_definitions::limits::CHANNELS;

use crate::state::extended::list::List;
use crate::state::thread::{State, Tcb};

/// What it does, and what it waits for.
impl Tcb {
    /// It would run, but its process is suspended.
    #[inline(always)]
    pub fn hold(&self) {
        self.state.set(State::Held);
    }

    /// It can run: who says so puts it into the ready ring.
    #[inline(always)]
    pub fn be_ready(&self) {
        self.state.set(State::Ready);
    }

    /// It is blocked in a communication on this channel.
    #[inline(always)]
    pub fn communicate(&self, channel: Channel, buffer: u32) {
        self.state.set(State::Communicating);
        self.channel.set(channel);
        self.buffer.set(buffer);
    }

    /// The message that it sends waits to leave in fragments.
    #[inline(always)]
    pub fn transmit(&self) {
        self.state.set(State::Transmitting);
    }

    /// It has a buffer for what an alternative receives.
    pub fn offer(&self, buffer: u32) {
        self.buffer.set(buffer);
    }

    /// It waits on all channels of its list.
    pub fn wait_for_any(&self) {
        self.state.set(State::Alternative);
    }

    /// Its alternative has become a communication on this channel, which has this place in its list:
    /// the call's second result.
    pub fn choose(&self, channel: Channel, position: usize) {
        self.communicate(channel, self.buffer());
        self.context.answer_also(position as u32);
    }

    /// It waits until its time is up.
    #[inline(always)]
    pub fn delay(&self) {
        self.state.set(State::Delayed);
    }

    /// It waits for an answer.
    pub fn ask(&self) {
        self.state.set(State::Asking);
    }

    /// It has come to the end of its superstep.
    pub fn synchronize(&self) {
        self.state.set(State::Synchronizing);
    }

    /// What it has for others leaves.
    pub fn exchange(&self) {
        self.state.set(State::Exchanging);
    }

    /// It waits for console input, and then makes its call again.
    pub fn read(&self) {
        self.context.repeat_call();
        self.state.set(State::Reading);
    }

    /// It, or its ends of channels, leave for another processor; the state says which, and why.
    #[inline(always)]
    pub fn leave(&self, state: State, to: Processor) {
        self.state.set(state);
        self.buffer.set(to.number() as u32);
    }
}

/// Its ends of channels, and what it keeps for a communication.
impl Tcb {
    /// Notes that it has an end of a channel.
    #[inline]
    pub fn own(&self, channel: Channel) {
        let word = &self.ends[channel.index() / 32 % (CHANNELS / 32)];
        word.set(word.get() | 1 << (channel.number() % 32));
    }

    /// Whether it has no end.
    #[inline(always)]
    pub fn has_no_ends(&self) -> bool {
        self.ends.iter().fold(0, |all, some| all | some.get()) == 0
    }

    #[inline(always)]
    pub fn set_ends(&self, ends: [u32; CHANNELS / 32]) {
        self.ends.iter().zip(ends).for_each(|(word, bits)| word.set(bits));
    }

    /// The bits of 32 channels, from `32 * word` on, of which it has an end.
    #[inline(always)]
    pub fn ends_word(&self, word: usize) -> &Cell<u32> {
        &self.ends[word]
    }

    /// The channels of its alternative.
    #[inline(always)]
    pub fn list(&self) -> &List {
        &self.list
    }

    /// Whether messages for it wait for pages.
    #[inline(always)]
    pub fn has_staged(&self) -> bool {
        self.staged.get() != 0
    }

    /// Where the first of them is, 0: nowhere.
    #[inline(always)]
    pub fn staged(&self) -> &Cell<u32> {
        &self.staged
    }
}
