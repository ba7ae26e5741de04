//! The grammar of events over one SMI's words.
//!
//! ```text
//! event    = gap | schedule | long | short              (profiling convention)
//! schedule = word with bit 14
//! long     = word with bit 15, not bit 14; argument     (argument: any word; absent if a gap or the end follows)
//! short    = word with neither
//! ```

use winnow::combinator::{alt, opt};
use winnow::error::{ContextError, ErrMode};
use winnow::stream::Partial;
use winnow::token::any;
use winnow::{ModalResult, Parser};

use testbed_definitions::event::{MORE, SCHEDULE, THREAD_MASK};

use super::{Convention, Event, Stamped, What, Word};

type Input<'a> = Partial<&'a [Stamped]>;

/// An event, and whether its last word said that another follows.
type Parsed = (Stamped, What, Option<u16>, bool);

fn is_long(word: u16) -> bool {
    word & MORE != 0 && word & SCHEDULE == 0
}

fn datum(input: &mut Input) -> ModalResult<(Stamped, u16)> {
    any.verify_map(|stamped: Stamped| match stamped.word {
        Word::Datum(word) => Some((stamped, word)),
        Word::Gap(_) => None,
    })
    .parse_next(input)
}

fn gap(input: &mut Input) -> ModalResult<Parsed> {
    any.verify_map(|stamped: Stamped| match stamped.word {
        Word::Gap(count) => Some((stamped, What::Gap(count), None, false)),
        Word::Datum(_) => None,
    })
    .parse_next(input)
}

fn schedule(input: &mut Input) -> ModalResult<Parsed> {
    datum
        .verify(|(_, word)| word & SCHEDULE != 0)
        .map(|(stamped, word)| (stamped, What::Schedule(word & THREAD_MASK), None, false))
        .parse_next(input)
}

fn long(input: &mut Input) -> ModalResult<Parsed> {
    (datum.verify(|(_, word)| is_long(*word)), opt(datum))
        .map(|((stamped, word), argument)| {
            let argument = argument.map(|(_, argument)| argument);
            (stamped, What::of_code(word & !MORE), argument, argument.is_some_and(is_long))
        })
        .parse_next(input)
}

fn short(input: &mut Input) -> ModalResult<Parsed> {
    datum.map(|(stamped, word)| (stamped, What::of_code(word & !MORE), None, is_long(word))).parse_next(input)
}

fn ready(input: &mut Input) -> ModalResult<Parsed> {
    datum
        .map(|(stamped, word)| {
            let thread = word & THREAD_MASK;
            let what = if word & SCHEDULE != 0 { What::Joins(thread) } else { What::Leaves(thread) };
            (stamped, what, None, false)
        })
        .parse_next(input)
}

fn profile(input: &mut Input) -> ModalResult<Parsed> {
    alt((gap, schedule, long, short)).parse_next(input)
}

fn ready_queue(input: &mut Input) -> ModalResult<Parsed> {
    alt((gap, ready)).parse_next(input)
}

/// Words decoded at a time.
const CHUNK: usize = 1024;

/// Iterator over the events of one SMI, from its words.
pub struct Events<I> {
    words: I,
    smi: u8,
    convention: Convention,
    buffer: Vec<Stamped>,
    /// Words of `buffer` already decoded.
    done: usize,
    /// Words were lost, and where an event starts is not known for sure since then.
    doubtful: bool,
    ended: bool,
}

impl<I, E> Events<I>
where
    I: Iterator<Item = Result<Stamped, E>>,
{
    pub fn new(words: I, smi: u8, convention: Convention) -> Self {
        Events { words, smi, convention, buffer: Vec::new(), done: 0, doubtful: false, ended: false }
    }

    /// Gets more words behind those not decoded yet.
    fn fill(&mut self) -> Result<(), E> {
        self.buffer.drain(..self.done);
        self.done = 0;
        while self.buffer.len() < CHUNK && !self.ended {
            match self.words.next() {
                Some(stamped) => self.buffer.push(stamped?),
                None => self.ended = true,
            }
        }
        Ok(())
    }

    fn decode(&mut self) -> Option<Event> {
        let rest = &self.buffer[self.done..];
        let mut input = Partial::new(rest);
        if self.ended {
            let _ = winnow::stream::StreamIsPartial::complete(&mut input);
        }
        let parsed: Result<Parsed, ErrMode<ContextError>> = match self.convention {
            Convention::Profile => profile(&mut input),
            Convention::Ready => ready_queue(&mut input),
        };
        // The grammar covers every word, so what is left is only the lack of more words.
        let (first, what, argument, ends_long) = parsed.ok()?;
        self.done += rest.len() - input.len();
        let lost = matches!(what, What::Gap(_)) || !first.epoch.is_certain();
        let doubtful = self.doubtful && !matches!(what, What::Gap(_));
        self.doubtful = lost || (doubtful && ends_long);
        Some(Event {
            epoch: first.epoch,
            time: first.time,
            smi: self.smi,
            index: first.index,
            what,
            argument,
            doubtful: doubtful && self.convention == Convention::Profile,
        })
    }
}

impl<I, E> Iterator for Events<I>
where
    I: Iterator<Item = Result<Stamped, E>>,
{
    type Item = Result<Event, E>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.decode() {
                return Some(Ok(event));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.fill() {
                self.ended = true;
                self.buffer.clear();
                self.done = 0;
                return Some(Err(error));
            }
        }
    }
}
