//! The grammar of events over one SMI's words.
//!
//! ```text
//! event    = gap | total | schedule | long | short      (profiling convention)
//! gap      = pair with 0xABhh, hh below 0xC0; count: a pair with the same time
//! total    = pair with 0xABhh, another hh; count: a pair with the same time
//! schedule = word with bit 14
//! long     = word with bit 15, not bit 14; argument     (argument: any word; absent if a gap, a total, a hole or the end follows)
//! short    = word with neither
//! ```
//!
//! It is regular and needs one word of look-ahead, so it is a state machine over blocks of words.

use testbed_definitions::event::{MORE, SCHEDULE, THREAD_MASK};
use testbed_definitions::filter::total_fields;
use testbed_definitions::monitor::GAP_MARKER;

use crate::event::{Convention, Event, What};
use crate::{mark, Span};

/// What takes events as they are found.
pub trait Out {
    /// Takes the next event.
    fn push(&mut self, event: Event);
    /// So many events may come.
    fn reserve(&mut self, _events: usize) {}
}

#[cfg(feature = "alloc")]
impl Out for alloc::vec::Vec<Event> {
    #[inline]
    fn push(&mut self, event: Event) {
        alloc::vec::Vec::push(self, event);
    }
    #[inline]
    fn reserve(&mut self, events: usize) {
        alloc::vec::Vec::reserve(self, events);
    }
}

/// Calls a function with each event.
pub struct Each<F>(pub F);

impl<F: FnMut(Event)> Out for Each<F> {
    #[inline]
    fn push(&mut self, event: Event) {
        self.0(event);
    }
}

/// Passes every event on as one that nothing proves.
struct Doubtful<'a, O>(&'a mut O);

impl<O: Out> Out for Doubtful<'_, O> {
    #[inline]
    fn push(&mut self, event: Event) {
        self.0.push(Event { doubtful: true, ..event });
    }
    #[inline]
    fn reserve(&mut self, events: usize) {
        self.0.reserve(events);
    }
}

/// An event whose second word is due.
struct Begun {
    event: Event,
    is_marker: bool,
}

/// Reads the words of one SMI as events.
pub struct Grammar {
    smi: u8,
    convention: Convention,
    begun: Option<Begun>,
    /// Words were lost, and where an event starts is not known for sure since then.
    doubtful: bool,
    /// The word that comes next is the first behind a hole: it may be the count of a loss, and that
    /// behind it of an event that began before the loss.
    behind_hole: bool,
}

const fn datum(word: u32) -> u16 {
    (word >> 16) as u16
}

const fn is_long(datum: u16) -> bool {
    datum & MORE != 0 && datum & SCHEDULE == 0
}

/// The same without the count, half of which did not come.
const fn uncounted(what: What) -> What {
    match what {
        What::Gap(_) => What::Gap(None),
        What::Total { rule, .. } => What::Total { rule, count: None },
        other => other,
    }
}

impl Grammar {
    /// For the words of SMI `smi`.
    pub fn new(smi: u8, convention: Convention) -> Self {
        Grammar { smi, convention, begun: None, doubtful: false, behind_hole: false }
    }

    /// Reads words, at least one. If not `guarded`, words may be missing or altered anywhere.
    pub fn feed(&mut self, span: Span, words: &[u32], guarded: bool, out: &mut impl Out) {
        if guarded {
            return self.read(span, words, out);
        }
        self.read(span, words, &mut Doubtful(out));
        if let Some(begun) = &mut self.begun {
            begun.event.doubtful = true;
        }
    }

    fn read(&mut self, span: Span, words: &[u32], out: &mut impl Out) {
        if span.behind_hole {
            self.end(out);
            self.doubtful = true;
            self.behind_hole = true;
            out.push(Event {
                epoch: span.epoch,
                time: words[0] as u16,
                smi: self.smi,
                index: span.index,
                what: What::Gap(None),
                argument: None,
                doubtful: true,
            });
        }
        out.reserve(words.len() + 1);
        let done = self.complete(words[0], out);
        let mut event = Event {
            epoch: span.epoch,
            time: 0,
            smi: self.smi,
            index: 0,
            what: What::Gap(None),
            argument: None,
            doubtful: false,
        };
        match self.convention {
            Convention::Profile => self.profile(&mut event, span.index, words, done, out),
            Convention::Ready => self.ready(&mut event, span.index, words, done, out),
        }
    }

    /// The event whose second word is due.
    pub fn begun(&self) -> Option<&Event> {
        self.begun.as_ref().map(|begun| &begun.event)
    }

    /// Nothing follows: passes on an event whose second word did not come.
    pub fn end(&mut self, out: &mut impl Out) {
        if let Some(begun) = self.begun.take() {
            self.doubtful = begun.is_marker;
            out.push(Event { what: uncounted(begun.event.what), ..begun.event });
        }
    }

    /// Completes an event whose second word is due with `word`. Returns the number of words used.
    fn complete(&mut self, word: u32, out: &mut impl Out) -> usize {
        let Some(Begun { event, is_marker }) = &mut self.begun else { return 0 };
        let belongs = if *is_marker { event.time == word as u16 } else { mark(word) != GAP_MARKER };
        if belongs {
            match &mut event.what {
                What::Gap(Some(count)) | What::Total { count: Some(count), .. } => *count |= u32::from(datum(word)),
                _ => event.argument = Some(datum(word)),
            }
        } else {
            event.what = uncounted(event.what);
        }
        let event = *event;
        self.begun = None;
        self.doubtful = match event.what {
            What::Gap(_) => true,
            What::Total { .. } => self.doubtful,
            // A second word behind a marker, if it comes, can't be told from a first one.
            _ => !belongs || (event.doubtful && is_long(datum(word))),
        };
        out.push(event);
        usize::from(belongs)
    }

    /// First half of a gap marker or a total.
    fn marker(&mut self, event: &Event, word: u32) {
        // The count is due; until then the half of it. Behind a hole it may be a count itself.
        let low = datum(word) as u8;
        let what = match total_fields(low) {
            Some((rule, high)) => What::Total { rule, count: Some(high) },
            None => What::Gap(Some(u32::from(low) << 16)),
        };
        let doubtful = core::mem::take(&mut self.behind_hole);
        self.begun = Some(Begun { event: Event { what, argument: None, doubtful, ..*event }, is_marker: true });
    }

    fn profile(&mut self, event: &mut Event, index: u64, words: &[u32], mut next: usize, out: &mut impl Out) {
        while let Some(&word) = words.get(next) {
            event.time = word as u16;
            event.index = index + next as u64;
            next += 1;
            let datum = datum(word);
            if is_long(datum) {
                next += self.long(event, word, words.get(next), out);
                continue;
            }
            // Which of the two comes next nobody can foresee: chosen without a branch.
            let choice = [What::of_code(datum), What::Schedule(datum & THREAD_MASK)];
            event.what = choice[usize::from(datum & SCHEDULE != 0)];
            event.doubtful = self.doubtful;
            self.doubtful = core::mem::take(&mut self.behind_hole);
            out.push(*event);
        }
    }

    /// An event of two words, a gap or a total. Returns how many words behind `word` were used.
    fn long(&mut self, event: &Event, word: u32, second: Option<&u32>, out: &mut impl Out) -> usize {
        if mark(word) == GAP_MARKER {
            self.marker(event, word);
        } else {
            self.behind_hole = false;
            let what = What::of_code(datum(word) & !MORE);
            let begun = Event { what, argument: None, doubtful: self.doubtful, ..*event };
            match second {
                // The usual case, without a detour.
                Some(&second) if mark(second) != GAP_MARKER => {
                    self.doubtful = self.doubtful && is_long(datum(second));
                    out.push(Event { argument: Some(datum(second)), ..begun });
                    return 1;
                }
                _ => self.begun = Some(Begun { event: begun, is_marker: false }),
            }
        }
        second.map_or(0, |&second| self.complete(second, out))
    }

    fn ready(&mut self, event: &mut Event, index: u64, words: &[u32], mut next: usize, out: &mut impl Out) {
        while let Some(&word) = words.get(next) {
            event.time = word as u16;
            event.index = index + next as u64;
            next += 1;
            if mark(word) == GAP_MARKER {
                self.marker(event, word);
                next += words.get(next).map_or(0, |&second| self.complete(second, out));
                continue;
            }
            let thread = datum(word) & THREAD_MASK;
            event.what = if datum(word) & SCHEDULE != 0 { What::Joins(thread) } else { What::Leaves(thread) };
            event.doubtful = core::mem::take(&mut self.behind_hole);
            out.push(*event);
        }
    }
}
