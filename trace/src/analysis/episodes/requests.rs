//! Requests to communicate, by thread.

use std::collections::BTreeMap;

use crate::analysis::fact::On;
use crate::analysis::measure::Mark;
use crate::conform::thread::Request;

/// A request that goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requested {
    /// Its first TRAP7, and the last one: a request that lacks a page is made again.
    pub first: Mark,
    pub trap7: Mark,
    pub trap70: Option<Mark>,
    faulted: bool,
}

/// All that go on.
#[derive(Debug, Default)]
pub struct Requests {
    open: BTreeMap<u16, Requested>,
}

impl Requests {
    pub fn begin(&mut self, thread: u16, mark: Mark) {
        let first = match self.open.get(&thread) {
            Some(Requested { first, faulted: true, .. }) => *first,
            _ => mark,
        };
        self.open.insert(thread, Requested { first, trap7: mark, trap70: None, faulted: false });
    }

    pub fn faults(&mut self, thread: u16) {
        if let Some(requested) = self.open.get_mut(&thread) {
            requested.faulted = true;
        }
    }

    pub fn block(&mut self, thread: u16, mark: Mark) {
        if let Some(requested) = self.open.get_mut(&thread) {
            requested.trap70 = Some(mark);
        }
    }

    pub fn get(&self, thread: u16) -> Option<Requested> {
        self.open.get(&thread).copied()
    }

    pub fn end(&mut self, thread: u16) -> Option<Requested> {
        self.open.remove(&thread)
    }

    /// The thread goes on although its request was neither blocked nor met; `false` if it makes it again.
    pub fn refused(&mut self, thread: u16) -> bool {
        match self.open.get(&thread) {
            Some(Requested { faulted: false, .. }) => self.open.remove(&thread).is_some(),
            _ => false,
        }
    }

    pub fn forget(&mut self, thread: u16) {
        self.open.remove(&thread);
    }

    pub fn retain(&mut self, wanted: impl Fn(u16) -> bool) {
        self.open.retain(|thread, _| wanted(*thread));
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }
}

/// The channel of a request, if class `detail` tells it.
pub fn on(request: Option<Request>) -> On {
    match request {
        None => On::SomeChannel,
        Some(Request { alternative: true, channel, .. }) => On::Alternative(channel),
        Some(Request { receive: true, channel, .. }) => On::Receive(channel),
        Some(Request { channel, .. }) => On::Send(channel),
    }
}
