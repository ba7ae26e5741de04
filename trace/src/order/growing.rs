//! One ordered trace from streams that still grow.
//!
//! An event goes out when no stream can bring one before it any more: behind a stream's last word
//! comes nothing older than that, and behind a wrap marker nothing of an earlier epoch. Since every
//! SMI has a marker at every wrap, the order is at most a wrap and what waits in queues behind what
//! has been delivered. The order is that of [`super::Ordered`], whatever the pieces in which words
//! come.

use std::collections::VecDeque;

use testbed_events::grammar::Grammar;
use testbed_events::unwrap::Unwrap;

use super::merge::{key, Key, END, PLACE_BITS, STREAMS};
use super::{Convention, Event, Hole, HELD_MAX};

/// Words given to the grammar at a time.
const CHUNK: usize = 256;

/// One stream's part.
struct Source {
    place: Key,
    unwrap: Unwrap,
    grammar: Grammar,
    events: VecDeque<(Key, Event)>,
    /// Events on their way into `events`.
    fresh: Vec<Event>,
    /// The greatest key so far.
    last: Key,
    ended: bool,
}

impl Source {
    /// Takes over what the grammar has found.
    fn store(&mut self) {
        for event in self.fresh.drain(..) {
            self.last = self.last.max(key(event.epoch.low(), event.time, self.place));
            self.events.push_back((self.last, event));
        }
    }

    /// Passes on words whose epoch has been found.
    fn drain(&mut self) {
        let guarded = self.unwrap.is_guarded();
        let (grammar, fresh) = (&mut self.grammar, &mut self.fresh);
        while self.unwrap.drain(CHUNK, &mut |span, words| grammar.feed(span, words, guarded, fresh)) {}
    }

    fn feed(&mut self, mut words: &[u32]) {
        while !words.is_empty() {
            let (grammar, fresh) = (&mut self.grammar, &mut self.fresh);
            let taken = self.unwrap.feed(words, &mut |span, words| grammar.feed(span, words, true, fresh));
            words = &words[taken..];
            self.drain();
        }
        self.store();
    }

    fn end(&mut self) {
        if self.unwrap.end() {
            self.drain();
        }
        self.grammar.end(&mut self.fresh);
        self.store();
        self.ended = true;
    }

    /// The key of the next event, or the least that it can have.
    fn head(&self) -> Key {
        match (self.events.front(), self.grammar.begun()) {
            (Some((key, _)), _) => *key,
            (None, _) if self.ended => END,
            (None, Some(begun)) => self.last.max(key(begun.epoch.low(), begun.time, self.place)),
            (None, None) => self.last.max(key(self.unwrap.low(), 0, self.place)),
        }
    }
}

/// Puts the words of several SMIs in order as they come.
pub struct Growing {
    streams: Vec<Source>,
    waiting: usize,
}

impl Growing {
    /// For these SMIs, at most 16, in the order of their numbers. The streams have no hole but
    /// those that [`Growing::hole`] tells of; every word is as it was delivered, until
    /// [`Growing::doubt`].
    ///
    /// # Panics
    /// If there are more than 16; a machine has at most 15.
    pub fn new(smis: impl IntoIterator<Item = u8>, convention: Convention) -> Self {
        let smis: Vec<u8> = smis.into_iter().collect();
        assert!(smis.len() <= STREAMS, "{} streams: there can be {STREAMS}", smis.len());
        let held = HELD_MAX / smis.len().max(1);
        let source = |(place, smi): (usize, &u8)| Source {
            place: place as Key,
            unwrap: Unwrap::new(true, None, held),
            grammar: Grammar::new(*smi, convention),
            events: VecDeque::new(),
            fresh: Vec::new(),
            last: place as Key,
            ended: false,
        };
        Growing { streams: smis.iter().enumerate().map(source).collect(), waiting: 0 }
    }

    /// Takes the words that stream number `stream` (from 0) goes on with; nothing if there is none
    /// such, or it has ended.
    pub fn feed(&mut self, stream: usize, words: &[u32]) {
        self.change(stream, |source| source.feed(words));
    }

    /// Pairs may be missing before the next word of the stream.
    pub fn hole(&mut self, stream: usize, hole: Hole) {
        self.change(stream, |source| source.unwrap.hole(hole));
    }

    /// From here on words of the stream may be missing or altered.
    pub fn doubt(&mut self, stream: usize) {
        self.change(stream, |source| source.unwrap.doubt());
    }

    /// Nothing follows in any stream.
    pub fn end(&mut self) {
        (0..self.streams.len()).for_each(|stream| self.change(stream, Source::end));
    }

    fn change(&mut self, stream: usize, change: impl FnOnce(&mut Source)) {
        let Some(source) = self.streams.get_mut(stream).filter(|source| !source.ended) else { return };
        let before = source.events.len();
        change(source);
        self.waiting += source.events.len() - before;
    }

    /// Events that have come and not gone out.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Ticks since the start up to which all events have gone out, as far as streams have not ended.
    pub fn reached(&self) -> u64 {
        self.streams.iter().map(Source::head).filter(|head| *head != END).min().map_or(0, |head| head >> PLACE_BITS)
    }

    /// The stream (from 0) that is farthest behind: nothing can go out before it goes on.
    pub fn farthest_behind(&self) -> Option<usize> {
        let behind = self.streams.iter().filter(|source| !source.ended).min_by_key(|source| source.head())?;
        Some(behind.place as usize)
    }
}

impl Iterator for Growing {
    type Item = Event;

    /// The next event of the order; `None` if it is not known yet which that is.
    fn next(&mut self) -> Option<Event> {
        let least = self.streams.iter_mut().min_by_key(|source| source.head())?;
        let (_, event) = least.events.pop_front()?;
        self.waiting -= 1;
        Some(event)
    }
}
