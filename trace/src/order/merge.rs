//! One ordered trace from the streams of all SMIs.

use std::cmp::Ordering;

use itertools::Itertools;

use super::{Convention, Event, Events, Proof, Unwrap};
use crate::capture::{Capture, CaptureError, Integrity};

/// Why a trace stops early.
pub type OrderError = CaptureError;

/// Position in the merged order: never falls within a stream, also where a damaged stream's bounds do.
type Key = (u64, u16, u8);

/// Merges streams, each in its own order, by epoch (or its lower bound), time and SMI.
///
/// An error comes out as soon as its stream is reached, and ends that stream.
pub fn merge<'a, E: 'a>(
    streams: impl IntoIterator<Item = Box<dyn Iterator<Item = Result<Event, E>> + 'a>>,
) -> impl Iterator<Item = Result<Event, E>> + 'a {
    let keyed = streams.into_iter().map(|stream| {
        let mut last: Key = (0, 0, 0);
        stream.map(move |event| {
            if let Ok(event) = &event {
                last = last.max((event.epoch.low(), event.time, event.smi));
            }
            (last, event)
        })
    });
    let streams: Vec<_> = keyed.collect();
    streams
        .into_iter()
        .kmerge_by(|(a, one): &(Key, Result<Event, E>), (b, _)| one.is_err() || a.cmp(b) != Ordering::Greater)
        .map(|(_, event)| event)
}

/// The ordered trace of a capture. `integrity` says which pairs are proven to be without holes; see [`crate::capture::verify`].
///
/// # Errors
/// A stream file can't be opened; reading errors come as items.
pub fn events(
    capture: &Capture,
    integrity: &Integrity,
) -> Result<impl Iterator<Item = Result<Event, OrderError>>, OrderError> {
    let convention = Convention::of(capture.record.dgl);
    let last_epoch = capture.record.last_epoch();
    let mut streams: Vec<Box<dyn Iterator<Item = Result<Event, OrderError>>>> = Vec::new();
    for smi in capture.smis() {
        let intact = integrity.proven.get(smi).copied().unwrap_or(0);
        let words = Unwrap::new(capture.pairs(smi)?, Proof { intact, last_epoch });
        streams.push(Box::new(Events::new(words, smi as u8, convention)));
    }
    Ok(merge(streams))
}
