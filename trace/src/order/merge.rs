//! One ordered trace from the streams of all SMIs.

use testbed_definitions::monitor::SMIS_MAX;

use super::decode::{Decoder, OrderError, CHUNK};
use super::{Convention, Event, Events, Input};
use crate::capture::{Capture, Integrity};

/// Position in the merged order: epoch (or its lower bound), time, and the stream's place in the low bits.
pub(super) type Key = u64;

/// Bits of a [`Key`] for the place, and above it for the time.
pub(super) const PLACE_BITS: u32 = 4;
const TIME_BITS: u32 = 16;
/// Behind every event.
pub(super) const END: Key = Key::MAX;
/// Streams at most.
pub(super) const STREAMS: usize = 1 << PLACE_BITS;
const _: () = assert!(SMIS_MAX < STREAMS);

/// Words of all streams that are held back at most while the markers are awaited that bound them.
pub const HELD_MAX: usize = 1 << 21;

/// The key of an event, or of what is not before it.
pub(super) fn key(epoch: u64, time: u16, place: Key) -> Key {
    // Epochs so large that they don't fit come only from damaged streams; they keep their order within the stream.
    let epoch = epoch.min(Key::MAX >> (TIME_BITS + PLACE_BITS + 1));
    epoch << (TIME_BITS + PLACE_BITS) | Key::from(time) << PLACE_BITS | place
}

/// The events of one stream, and their place in the order.
struct Stream<'a> {
    source: Box<dyn Events + 'a>,
    place: Key,
    /// Some events, and their keys.
    events: Vec<Event>,
    keys: Vec<Key>,
    next: usize,
    /// The greatest key so far: the order never falls within a stream, also where a damaged one's bounds do.
    last: Key,
    ended: bool,
    error: Option<OrderError>,
}

impl<'a> Stream<'a> {
    fn new(source: Box<dyn Events + 'a>, place: usize) -> Self {
        Stream {
            source,
            place: place as Key,
            events: Vec::with_capacity(CHUNK + 1),
            keys: Vec::with_capacity(CHUNK + 1),
            next: 0,
            last: place as Key,
            ended: false,
            error: None,
        }
    }

    /// Gets some more events. Returns the key of the first, or of the error, or [`END`].
    #[cold]
    fn refill(&mut self) -> Key {
        self.events.clear();
        self.keys.clear();
        self.next = 0;
        while self.events.is_empty() && !self.ended {
            match self.source.more(&mut self.events) {
                Ok(more) => self.ended = !more,
                Err(error) => {
                    self.ended = true;
                    self.error = Some(error);
                }
            }
        }
        for event in &self.events {
            self.last = self.last.max(key(event.epoch.low(), event.time, self.place));
            self.keys.push(self.last);
        }
        match (self.keys.first(), &self.error) {
            (Some(&key), _) => key,
            (None, Some(_)) => self.last,
            (None, None) => END,
        }
    }
}

/// One ordered trace: an iterator over the events of several streams, each in its own order, by
/// epoch (or its lower bound), time and SMI.
///
/// An error comes out as soon as its stream is reached, and ends that stream.
pub struct Ordered<'a> {
    streams: Vec<Stream<'a>>,
    /// Key of each stream's next event.
    heads: [Key; STREAMS],
    /// The least of them.
    least: Key,
}

impl<'a> Ordered<'a> {
    /// Merges `inputs`, at most 16. `last_epoch` is the last epoch that the run can have reached, if that is known.
    ///
    /// # Panics
    /// If there are more than 16 inputs; a machine has at most 15 SMIs.
    pub fn new(inputs: Vec<Input<'a>>, convention: Convention, last_epoch: Option<u64>) -> Self {
        let held = HELD_MAX / inputs.len().max(1);
        let decoder = |input| Box::new(Decoder::new(input, held, convention, last_epoch)) as Box<dyn Events>;
        Ordered::merge(inputs.into_iter().map(decoder).collect())
    }

    /// Merges streams of events, at most 16, in the order of their SMIs.
    ///
    /// # Panics
    /// If there are more than 16.
    pub fn merge(sources: Vec<Box<dyn Events + 'a>>) -> Self {
        assert!(sources.len() <= STREAMS, "{} streams: there can be {STREAMS}", sources.len());
        let streams = sources.into_iter().enumerate().map(|(place, source)| Stream::new(source, place));
        let mut streams: Vec<_> = streams.collect();
        let mut heads = [END; STREAMS];
        for (head, stream) in heads.iter_mut().zip(&mut streams) {
            *head = stream.refill();
        }
        let least = heads.into_iter().min().unwrap_or(END);
        Ordered { streams, heads, least }
    }

    /// The least of all heads. They differ in their low bits, which tell the stream.
    #[inline]
    fn least(&self) -> Key {
        // A tree of minima, without branches.
        let [a, b, c, d, e, f, g, h, ..] = self.heads;
        let low = (a.min(b)).min(c.min(d)).min((e.min(f)).min(g.min(h)));
        if self.streams.len() <= STREAMS / 2 {
            return low;
        }
        let [.., a, b, c, d, e, f, g, h] = self.heads;
        low.min((a.min(b)).min(c.min(d)).min((e.min(f)).min(g.min(h))))
    }
}

impl Iterator for Ordered<'_> {
    type Item = Result<Event, OrderError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.least == END {
            return None;
        }
        let place = self.least as usize % STREAMS;
        // The least of the others is found while the key that follows is on its way from memory.
        self.heads[place] = END;
        let others = self.least();
        let stream = &mut self.streams[place];
        let Some(event) = stream.events.get(stream.next).copied() else {
            self.least = others;
            return stream.error.take().map(Err);
        };
        stream.next += 1;
        let head = match stream.keys.get(stream.next) {
            Some(&key) => key,
            None => stream.refill(),
        };
        self.heads[place] = head;
        self.least = head.min(others);
        Some(Ok(event))
    }
}

/// The ordered trace of a capture. `integrity` says which pairs are proven to be without holes; see
/// [`crate::capture::verify`].
///
/// # Errors
/// None now: that a file can't be opened or read comes as an item.
pub fn events(capture: &Capture, integrity: &Integrity) -> Result<Ordered<'static>, OrderError> {
    let mut inputs = Vec::new();
    for smi in capture.smis() {
        inputs.push(Input { smi: smi as u8, pairs: Box::new(integrity.pairs(capture, smi)), guarded: true });
    }
    Ok(Ordered::new(inputs, Convention::of(capture.record.dgl), capture.record.last_epoch()))
}
