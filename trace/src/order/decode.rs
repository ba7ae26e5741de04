//! The events of one SMI, a chunk at a time.

use testbed_events::grammar::Grammar;
use testbed_events::unwrap::Unwrap;

use super::{Convention, Event, Next, Pairs};
use crate::capture::CaptureError;

/// Why a trace stops early.
pub type OrderError = CaptureError;

/// Words decoded at a time: the events of all streams stay in the cache.
pub(super) const CHUNK: usize = 256;

/// Events in the order of one stream.
pub trait Events {
    /// Appends some more events, a few hundred at a time. Returns whether there may be more.
    ///
    /// # Errors
    /// The source can't be read; the stream ends there.
    fn more(&mut self, events: &mut Vec<Event>) -> Result<bool, OrderError>;
}

/// One SMI's pairs, and how far they are to be trusted.
pub struct Input<'a> {
    /// SMI number, 1 to 15.
    pub smi: u8,
    pub pairs: Box<dyn Pairs + 'a>,
    /// Whether the source announces every hole. Otherwise no event is certain, since words may be
    /// missing or altered anywhere.
    pub guarded: bool,
}

/// Events from pairs.
pub(super) struct Decoder<'a> {
    pairs: Box<dyn Pairs + 'a>,
    unwrap: Unwrap,
    grammar: Grammar,
}

impl<'a> Decoder<'a> {
    /// `held`: words held back at most while the marker is awaited that bounds them.
    pub fn new(input: Input<'a>, held: usize, convention: Convention, last_epoch: Option<u64>) -> Self {
        Decoder {
            pairs: input.pairs,
            unwrap: Unwrap::new(input.guarded, last_epoch, held),
            grammar: Grammar::new(input.smi, convention),
        }
    }
}

impl Events for Decoder<'_> {
    fn more(&mut self, events: &mut Vec<Event>) -> Result<bool, OrderError> {
        let guarded = self.unwrap.is_guarded();
        let grammar = &mut self.grammar;
        if self.unwrap.drain(CHUNK, &mut |span, words| grammar.feed(span, words, guarded, events)) {
            return Ok(true);
        }
        match self.pairs.peek(CHUNK)? {
            Next::Pairs(words) => {
                let taken = self.unwrap.feed(words, &mut |span, words| grammar.feed(span, words, true, events));
                self.pairs.consume(taken);
            }
            Next::Hole(hole) => {
                self.unwrap.hole(hole);
                self.pairs.consume(0);
            }
            Next::Unguarded => {
                self.unwrap.doubt();
                self.pairs.consume(0);
            }
            Next::End if self.unwrap.end() => {}
            Next::End => {
                grammar.end(events);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
