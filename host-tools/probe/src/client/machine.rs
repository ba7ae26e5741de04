//! What a client does at each time and with each datagram.

use std::time::Duration;

use super::seen::Seen;
use super::settings::{Failure, Part};
use crate::body::{cookie, Report, ASK_BYTES, COOKIE_BYTES};
use crate::key::Key;
use crate::packet::{self, Header, Kind, Packet};
use crate::tally::Tally;

/// What follows for whoever drives a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Nothing is to be done until then, unless a datagram comes.
    Wait(Duration),
    Done(Box<Tally>),
    Failed(Failure),
}

/// Sends a datagram and says when it was sent.
pub type Send<'a> = &'a mut dyn FnMut(&[u8]) -> Duration;

/// Where a client is.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Greeting,
    Opening([u8; COOKIE_BYTES]),
    Probing,
    Trains,
    /// All is sent; what is under way may still come.
    Tail {
        end: Duration,
    },
    Asking,
    Done(Box<Tally>),
    Failed(Failure),
}

/// A client.
#[derive(Debug)]
pub struct Client {
    key: Key,
    part: Part,
    /// The number that it has chosen, and the session's when that is open.
    chosen: u64,
    session: u64,
    state: State,
    /// When it next sends, and how often it has in this state.
    next: Duration,
    tries: u32,
    seen: Seen,
    /// Datagrams that were not for this client.
    ignored: u64,
    buffer: Vec<u8>,
}

impl Client {
    /// A client that has chosen a number nobody can guess.
    pub fn new(key: Key, part: Part, chosen: u64, now: Duration) -> Client {
        let seen = Seen::new(&part.series);
        let state = State::Greeting;
        Client { key, part, chosen, session: 0, state, next: now, tries: 0, seen, ignored: 0, buffer: Vec::new() }
    }

    /// Datagrams that were not for this client.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Sends what is due.
    pub fn poll(&mut self, now: Duration, send: Send) -> Step {
        loop {
            match &self.state {
                State::Done(tally) => return Step::Done(tally.clone()),
                State::Failed(failure) => return Step::Failed(*failure),
                State::Tail { end } if now < *end && !self.seen.is_whole(&self.part.series) => {
                    return Step::Wait(*end);
                }
                State::Tail { .. } => self.enter(State::Asking, now),
                _ if now < self.next => return Step::Wait(self.next),
                _ => self.due(now, send),
            }
        }
    }

    fn enter(&mut self, state: State, now: Duration) {
        (self.state, self.next, self.tries) = (state, now, 0);
    }

    /// Sends the next datagram of this state, or goes on to the next state.
    fn due(&mut self, now: Duration, send: Send) {
        let series = self.part.series;
        match self.state.clone() {
            State::Greeting => self.again(now, Failure::Silent, send, |client| {
                (Header { stamp: stamp(now), ..Header::new(Kind::Hello, client.chosen) }, Vec::new(), 0)
            }),
            State::Opening(cookie) => self.again(now, Failure::Silent, send, |client| {
                (Header::new(Kind::Open, client.chosen), [&cookie[..], &series.write()].concat(), 0)
            }),
            State::Asking => self.again(now, Failure::NoReport, send, |client| {
                (Header { number: client.tries, ..Header::new(Kind::Ask, client.session) }, Vec::new(), ASK_BYTES)
            }),
            State::Probing if self.tries < u32::from(series.probes) => {
                let number = self.tries;
                let header = Header { number, stamp: stamp(now), ..Header::new(Kind::Probe, self.session) };
                self.put(header, &[], series.bytes.into(), send);
                self.tries += 1;
                // Who is late does not catch up in a burst.
                self.next = (self.next + self.part.interval).max(now + self.part.interval / 2);
            }
            State::Probing => self.enter(State::Trains, now),
            State::Trains if self.tries < u32::from(series.trains) => {
                self.train(self.tries, send);
                self.tries += 1;
                self.next = now + self.part.train_interval;
            }
            State::Trains => {
                let (least, most) = self.part.patience.tail;
                let tail = match self.seen.longest() {
                    Duration::ZERO => most,
                    longest => (4 * longest).clamp(least, most),
                };
                self.enter(State::Tail { end: now + tail }, now);
            }
            State::Tail { .. } | State::Done(_) | State::Failed(_) => {}
        }
    }

    /// Sends something once more that has no answer yet, unless that was done often enough.
    fn again(
        &mut self,
        now: Duration,
        failure: Failure,
        send: Send,
        what: impl FnOnce(&Client) -> (Header, Vec<u8>, usize),
    ) {
        if self.tries == self.part.patience.tries {
            self.state = State::Failed(failure);
            return;
        }
        self.tries += 1;
        self.next = now + self.part.patience.pause;
        let (header, body, length) = what(self);
        self.put(header, &body, length, send);
    }

    fn train(&mut self, number: u32, send: Send) {
        let series = self.part.series;
        let (mut first, mut last) = (None, Duration::ZERO);
        for place in 0..u32::from(series.train_packets) {
            let header = Header { number, place, ..Header::new(Kind::Train, self.session) };
            last = self.put(header, &[], series.bytes.into(), send);
            first.get_or_insert(last);
        }
        let time = last.saturating_sub(first.unwrap_or(last));
        self.seen.sent(number as usize, series.train_packets.into(), time);
    }

    fn put(&mut self, header: Header, body: &[u8], length: usize, send: Send) -> Duration {
        packet::write(&mut self.buffer, &self.key, header, body, length);
        send(&self.buffer)
    }

    /// Takes a datagram that came from the server's address.
    pub fn receive(&mut self, now: Duration, datagram: &[u8]) {
        let key = self.key.clone();
        let taken = packet::parse(&key, datagram).ok().and_then(|packet| self.take(now, &packet, datagram.len()));
        self.ignored += u64::from(taken.is_none());
    }

    /// `None` if it is not for this client now.
    fn take(&mut self, now: Duration, packet: &Packet, length: usize) -> Option<()> {
        let Packet { header, body } = *packet;
        let is_open = !matches!(self.state, State::Greeting | State::Opening(_) | State::Failed(_));
        let is_mine = header.session == if is_open { self.session } else { self.chosen };
        if !is_mine {
            return None;
        }
        let is_sized = length == usize::from(self.part.series.bytes);
        match (header.kind, &self.state) {
            (Kind::Challenge, State::Greeting) => self.enter(State::Opening(*cookie(body)?), now),
            (Kind::Opened, State::Opening(_)) => {
                self.session = u64::from_be_bytes(*body.first_chunk()?);
                self.enter(State::Probing, now);
            }
            (Kind::Busy, State::Opening(_)) => self.state = State::Failed(Failure::Busy),
            (Kind::Echo, _) if is_open && is_sized => {
                self.seen.echo(header.number, header.place, Duration::from_nanos(header.stamp), now);
            }
            (Kind::TrainBack, _) if is_open && is_sized => {
                self.seen.train_back(header.number, header.place, now);
            }
            (Kind::Report, State::Asking) => {
                let report = Report::parse(body, &self.part.series)?;
                let tally = self.seen.tally(&self.part.series, &report);
                self.enter(State::Done(Box::new(tally)), now);
            }
            _ => return None,
        }
        Some(())
    }

    /// Says that the session is over, if there is one.
    pub fn close(&mut self, send: Send) {
        if self.session != 0 {
            self.put(Header::new(Kind::Close, self.session), &[], 0, send);
        }
    }
}

/// A time as datagrams have it.
fn stamp(now: Duration) -> u64 {
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}
