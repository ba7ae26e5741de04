//! The balancer's log in the format of the report's Figure 41.
//!
//! ```text
//! TIM: 60258
//! LNK: 127 106 106 36 74 74 0 0 144 144 (av 81)
//! RQL: 4 5 1 1 1 (av 2)
//! move work from 3 to 5 to quieten link 9/3-5 (mig #6)
//! mig #6: 1-00-003 arrives at 5, time 60880
//! ```
//!
//! The report shows these lines. Its requests for processors with too much to compute, and those
//! that name a thread, read `move work from 1 to 3 to shorten its queue (mig #7)` and `move work
//! from 1 to 3 as thread 1-01-004 (mig #8)`, and one for a thread that nothing is known of reads
//! `move work from 1 to 3 as it is new there (mig #9)`; what comes of a request otherwise reads
//! `mig #7: expires at 1, time 61500`, `refused by` and `unanswered by`. Machines with more slaves
//! have more links and queues, in the same order. A line that begins with `#` is a remark: what the
//! balancer has lost, or that the file is full.

pub mod blocks;
#[cfg(feature = "parse")]
pub mod parse;

use arrayvec::ArrayVec;
use core::fmt;
use testbed_definitions::ids::{Processor, ThreadNumber};

use crate::request::{Answer, Link, Reason, Request, LINKS};
use crate::summary::Summary;
use crate::PROCESSORS;

/// Begins a line that is a remark.
pub const REMARK: char = '#';
/// Bytes of a line at most, with its end.
pub const LINE_BYTES: usize = "LNK:".len() + LINKS * VALUE_BYTES + " (av 4294967295)\n".len();
/// Bytes of a number in a line of numbers, with the space before it.
const VALUE_BYTES: usize = " 4294967295".len();

/// What the balancer has lost so far, as a remark says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    /// Samples of all slaves.
    pub samples: u32,
    /// Pairs for which the master's queue had no room.
    pub pairs: u32,
    /// Threads that the summary had no room for.
    pub threads: u32,
    /// Requests of the policy that could not be made.
    pub faults: u32,
}

impl Losses {
    /// None.
    pub const NONE: Losses = Losses { samples: 0, pairs: 0, threads: 0, faults: 0 };
}

impl fmt::Display for Losses {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Losses { samples, pairs, threads, faults } = self;
        write!(text, "{REMARK} lost so far: {samples} samples, {pairs} pairs missed by the queue, ")?;
        write!(text, "{threads} threads without room, {faults} requests that make no sense")
    }
}

/// What a line says; times are in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
// There is no heap to put the larger ones on.
#[allow(clippy::large_enum_variant)]
pub enum Entry {
    /// A load summary was obtained.
    Time(u64),
    /// Messages over each link in the period.
    Links(ArrayVec<u32, LINKS>),
    /// The length of each slave's ready queue.
    Queues(ArrayVec<u32, PROCESSORS>),
    /// A request was made.
    Move { number: u32, request: Request },
    /// What came of it: `None` if no answer came. The processor is where the thread arrived, or
    /// that which was asked.
    Answer { number: u32, answer: Option<Answer>, at: u8, time: u64 },
}

/// The average of a line, rounded to the nearest: Figure 41 gives 46 for 45.7.
pub fn average(values: &[u32]) -> u64 {
    let (sum, count) = (values.iter().map(|&value| u64::from(value)).sum::<u64>(), values.len() as u64);
    (sum + count / 2) / count.max(1)
}

/// Writes a load summary: three lines.
pub fn write_summary(out: &mut impl fmt::Write, summary: &Summary, time: u64) -> fmt::Result {
    let links = Link::all(summary.slaves).map(|link| summary.link(link).sends);
    let queues = summary.processors().map(|slave| summary.slave(slave).ready.into());
    for entry in Entry::load(time, links, queues) {
        writeln!(out, "{}", entry.line(summary.slaves))?;
    }
    Ok(())
}

/// A thread as the log writes it: home, place, id.
struct Name(ThreadNumber);

impl fmt::Display for Name {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "{}-{:02}-{:03}", self.0.home(), self.0.place(), self.0.id())
    }
}

/// An entry as a line without its end.
pub struct Line<'a> {
    entry: &'a Entry,
    slaves: u8,
}

impl Entry {
    /// The three entries of a load summary.
    pub fn load(time: u64, links: impl Iterator<Item = u32>, queues: impl Iterator<Item = u32>) -> [Entry; 3] {
        [Entry::Time(time), Entry::Links(links.collect()), Entry::Queues(queues.collect())]
    }

    /// What came of a request: the processor is that where the thread arrived, or that which was asked.
    pub fn answered(number: u32, request: &Request, answer: Option<Answer>, time: u64) -> Entry {
        let at = if matches!(answer, Some(Answer::Moved(_))) { request.to } else { request.from };
        Entry::Answer { number, answer, at, time }
    }

    /// The line in the log of a machine with slaves 1 to `slaves`.
    pub fn line(&self, slaves: u8) -> Line<'_> {
        Line { entry: self, slaves }
    }
}

impl Line<'_> {
    fn values(text: &mut fmt::Formatter<'_>, head: &str, values: &[u32]) -> fmt::Result {
        text.write_str(head)?;
        for value in values {
            write!(text, " {value}")?;
        }
        write!(text, " (av {})", average(values))
    }

    fn request(&self, text: &mut fmt::Formatter<'_>, number: u32, request: &Request) -> fmt::Result {
        write!(text, "move work from {} to {} ", request.from, request.to)?;
        match request.reason {
            Reason::Compute => text.write_str("to shorten its queue")?,
            Reason::New => text.write_str("as it is new there")?,
            Reason::Created(places) => {
                text.write_str("as it is created")?;
                let mut next = places.after(Processor::new(request.to));
                while next.number() != request.to && places.has(next) {
                    write!(text, ", {next}")?;
                    next = places.after(next);
                }
            }
            Reason::Thread(thread) => write!(text, "as thread {}", Name(thread))?,
            Reason::Link(link) => {
                let (low, high) = link.ends();
                write!(text, "to quieten link {}/{low}-{high}", link.number(self.slaves))?;
            }
        }
        write!(text, " (mig #{number})")
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entry {
            Entry::Time(time) => write!(text, "TIM: {time}"),
            Entry::Links(values) => Line::values(text, "LNK:", values),
            Entry::Queues(values) => Line::values(text, "RQL:", values),
            Entry::Move { number, request } => self.request(text, *number, request),
            Entry::Answer { number, answer, at, time } => {
                write!(text, "mig #{number}: ")?;
                match answer {
                    Some(Answer::Moved(thread)) => write!(text, "{} arrives at {at}", Name(*thread))?,
                    Some(Answer::Stands) => write!(text, "stands at {at}")?,
                    Some(Answer::Expired) => write!(text, "expires at {at}")?,
                    Some(Answer::Refused) => write!(text, "refused by {at}")?,
                    None => write!(text, "unanswered by {at}")?,
                }
                write!(text, ", time {time}")
            }
        }
    }
}
