//! `static`: a placement that was made before, from the lines of a file.
//!
//! ```text
//! # thread  processor
//! 1-00-003  2
//! ```

use arrayvec::ArrayVec;
use core::fmt;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::limits::{PROCESSES, THREADS as IDS};

use crate::policy::{Ask, Pace, Policy, View, PENDING};
use crate::request::{Answer, Reason, Request};
use crate::{PROCESSORS, THREADS};

/// Where the balancer finds it in the master's filestore, and how much of it it reads.
pub const FILE: &str = "placement";
pub const FILE_BYTES: usize = 8192;

/// What is wrong with a line of a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// The first word is no thread.
    Thread,
    /// The second word is no slave's number.
    Processor,
    /// There is something behind.
    More,
    /// There are too many lines.
    Lines,
    /// The thread has a place already, in this line.
    Twice(usize),
}

/// A line that is wrong; lines count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineError {
    pub line: usize,
    pub wrong: Wrong,
}

impl fmt::Display for LineError {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.wrong {
            Wrong::Thread => "expected a thread as 1-00-003: home, place and id",
            Wrong::Processor => "expected the number of a slave behind the thread",
            Wrong::More => "expected nothing behind thread and processor",
            Wrong::Lines => "there are too many threads",
            Wrong::Twice(first) => {
                return write!(text, "line {}: the thread has a place already, in line {first}", self.line)
            }
        };
        write!(text, "line {}: {what}", self.line)
    }
}

/// A thread as `1-00-003`: home, place and id.
pub fn thread(text: &str) -> Option<ThreadNumber> {
    let mut parts = text.split('-').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<usize>().ok()).flatten()
    });
    let (home, place, id) = (parts.next()??, parts.next()??, parts.next()??);
    let sound = home < PROCESSORS && place < PROCESSES && (1..IDS).contains(&id) && parts.next().is_none();
    sound.then(|| ProcessId::new(Processor::new(home as u8), place as u8, 0).thread(id as u8))
}

/// What a line says: nothing if it is empty or a comment.
pub fn line(text: &str, slaves: u8) -> Result<Option<(ThreadNumber, u8)>, Wrong> {
    let text = text.split('#').next().unwrap_or_default();
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    let thread = thread(first).ok_or(Wrong::Thread)?;
    let to = words.next().and_then(|word| word.parse().ok()).filter(|to| (1..=slaves).contains(to));
    let to = to.ok_or(Wrong::Processor)?;
    match words.next() {
        Some(_) => Err(Wrong::More),
        None => Ok(Some((thread, to))),
    }
}

/// A line that has been read: its number, and the place that it gives a thread.
struct Line {
    number: u16,
    place: (ThreadNumber, u8),
}

/// Moves each thread to its place, and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    places: ArrayVec<(ThreadNumber, u8), THREADS>,
    /// Threads that must not move.
    refused: ArrayVec<ThreadNumber, THREADS>,
}

impl Placement {
    /// A placement with these places; a thread beyond [`THREADS`] is left out.
    pub fn new(places: impl IntoIterator<Item = (ThreadNumber, u8)>) -> Self {
        Placement { places: places.into_iter().take(THREADS).collect(), refused: ArrayVec::new() }
    }

    /// Reads the lines of a file, for a machine with slaves 1 to `slaves`.
    ///
    /// # Errors
    /// The first line that is wrong, or names a thread again.
    pub fn parse(text: &str, slaves: u8) -> Result<Self, LineError> {
        let mut read = ArrayVec::<Line, THREADS>::new();
        for (number, text) in (1..).zip(text.lines()) {
            let wrong = |wrong| LineError { line: number, wrong };
            let Some(place) = line(text, slaves).map_err(wrong)? else { continue };
            if let Some(first) = read.iter().find(|line| line.place.0 == place.0) {
                return Err(wrong(Wrong::Twice(first.number.into())));
            }
            read.try_push(Line { number: number as u16, place }).map_err(|_| wrong(Wrong::Lines))?;
        }
        Ok(Placement::new(read.into_iter().map(|line| line.place)))
    }
}

impl Policy for Placement {
    fn name(&self) -> &'static str {
        "static"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: true }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        for &(thread, to) in &self.places {
            let Some(known) = view.summary.thread(thread) else { continue };
            let free = known.movable && !ask.is_asked(thread) && !self.refused.contains(&thread);
            if free && known.processor != to && view.summary.is_slave(to) && ask.left() > 0 {
                let _ = ask.thread(thread, to);
            }
        }
    }

    fn answered(&mut self, _: u64, request: &Request, answer: Answer) {
        if let (Reason::Thread(thread), Answer::Refused) = (request.reason, answer) {
            let _ = self.refused.try_push(thread);
        }
    }
}
