//! Task graphs: threads, what each computes, and who sends what to whom, in phases. `docs/programs.md`
//! has the format of the file that the program `taskgraph` obeys; [`parse`] reads it, a [`line`](mod@line) at a
//! time, [`Graph`]'s [`Display`](core::fmt::Display) writes it, [`generate`] makes one at random.
//! [`placement`] reads a file that says where threads start.
//!
//! No graph can deadlock. Its messages have one order for all: by phase, round, number within the
//! round, and line of the file. Each thread sends and receives those that concern it in this
//! order. So the first message of all that has not been passed on has a sender and a receiver that
//! have nothing before it left, and is passed on.

pub mod generate;
pub mod line;
pub mod parse;
pub mod placement;
mod write;

use crate::work::{mixed, skipped};

/// The first line of every file.
pub const HEADER: &str = "taskgraph 1";
/// Thread ids of a graph: the first thread of the program has 1, and the last id is left to a
/// helper.
pub const FIRST: u8 = 2;
pub const LAST: u8 = 62;
pub const THREADS: usize = (LAST - FIRST + 1) as usize;
pub const PHASES: usize = 16;
/// Links of all phases together, and of one thread in one phase.
pub const LINKS: usize = 512;
pub const LINKS_A_THREAD: usize = 24;
/// Pairs of threads that are linked in some phase: each has a channel of its own.
pub const PAIRS: usize = testbed_definitions::limits::CHANNELS;
/// Bytes of a message at most.
pub const MESSAGE_BYTES: u32 = 4096;
pub const ROUNDS: u32 = 1_000_000;
/// Units of work of a thread in a round, and messages of a link in a round.
pub const WORK: u32 = 1_000_000;
pub const MESSAGES: u32 = 10_000;
/// Units of all threads and phases, or messages of all links, at most.
pub const TOTAL: u64 = u32::MAX as u64;

/// In every round of its phase, `from` sends `to` so many messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub from: u8,
    pub to: u8,
    /// The channel of this pair of threads, in all phases.
    pub channel: u8,
    pub messages: u16,
    /// The bytes of each message.
    pub bytes: u16,
}

/// A time in which the same is done again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    pub rounds: u32,
    /// Where its links begin, and how many it has.
    first: u16,
    links: u16,
    /// By thread: units of a round.
    work: [u32; THREADS],
}

/// A whole graph, in memory of fixed size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    threads: u8,
    /// By thread: the processor, or none if the file says none.
    places: [Option<u8>; THREADS],
    phases: [Phase; PHASES],
    phases_used: u8,
    links: [Link; LINKS],
    links_used: u16,
    channels: u8,
}

/// What a thread must have in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The last number of its chain of work.
    pub number: u32,
    pub units: u32,
    /// Messages that it has received, their bytes modulo 2^32, and the sum of their keys.
    pub messages: u32,
    pub bytes: u32,
    pub sum: u32,
}

impl Graph {
    /// Neither threads nor phases.
    pub const EMPTY: Graph = Graph {
        threads: 0,
        places: [None; THREADS],
        phases: [Phase { rounds: 0, first: 0, links: 0, work: [0; THREADS] }; PHASES],
        phases_used: 0,
        links: [Link { from: 0, to: 0, channel: 0, messages: 0, bytes: 0 }; LINKS],
        links_used: 0,
        channels: 0,
    };

    /// The threads' ids.
    pub fn threads(&self) -> impl Iterator<Item = u8> {
        FIRST..FIRST + self.threads
    }

    fn has(&self, thread: u8) -> bool {
        thread >= FIRST && thread - FIRST < self.threads
    }

    /// Where a thread is to start, if the file says so.
    pub fn place(&self, thread: u8) -> Option<u8> {
        self.places[usize::from(thread - FIRST)]
    }

    /// The phases, in order.
    pub fn phases(&self) -> &[Phase] {
        &self.phases[..usize::from(self.phases_used)]
    }

    /// The links of a phase with the numbers of their lines, counted over all phases.
    pub fn links(&self, phase: &Phase) -> impl Iterator<Item = (u16, &Link)> {
        let range = usize::from(phase.first)..usize::from(phase.first + phase.links);
        (phase.first..).zip(&self.links[range])
    }

    /// The links of all phases.
    pub fn all_links(&self) -> &[Link] {
        &self.links[..usize::from(self.links_used)]
    }

    /// Bytes of the longest message.
    pub fn longest(&self) -> u32 {
        self.all_links().iter().map(|link| link.bytes.into()).max().unwrap_or(0)
    }

    /// The channel of a pair of threads, if it has one.
    fn channel(&self, from: u8, to: u8) -> Option<u8> {
        self.all_links().iter().find(|link| (link.from, link.to) == (from, to)).map(|link| link.channel)
    }

    /// What a thread must have in the end.
    pub fn outcome(&self, thread: u8, seed: u32) -> Outcome {
        let mut outcome = Outcome::default();
        for phase in self.phases() {
            outcome.units += phase.rounds * phase.work(thread);
            for (line, link) in self.links(phase).filter(|(_, link)| link.to == thread) {
                let messages = phase.rounds * u32::from(link.messages);
                outcome.messages += messages;
                outcome.bytes = outcome.bytes.wrapping_add(messages.wrapping_mul(link.bytes.into()));
                outcome.sum = (0..messages).fold(outcome.sum, |sum, number| sum.wrapping_add(key(seed, line, number)));
            }
        }
        outcome.number = skipped(begin(seed, thread), outcome.units.into());
        outcome
    }
}

impl Phase {
    /// The units that a thread computes in a round.
    pub fn work(&self, thread: u8) -> u32 {
        self.work[usize::from(thread - FIRST)]
    }
}

/// Where a thread's chain of work begins.
pub fn begin(seed: u32, thread: u8) -> u32 {
    mixed(seed, thread.into(), 0x9a94)
}

/// What message `number` of a link is made of.
pub fn key(seed: u32, line: u16, number: u32) -> u32 {
    mixed(seed, u32::from(line) + 1, number)
}

/// The words of a message.
fn words(key: u32) -> impl Iterator<Item = u32> {
    (0u32..).map(move |index| key.wrapping_add(index.wrapping_mul(0x9e37_79b1)))
}

/// Makes a message of its key.
pub fn fill(message: &mut [u8], key: u32) {
    for (place, word) in message.chunks_mut(4).zip(words(key)) {
        place.copy_from_slice(&word.to_le_bytes()[..place.len()]);
    }
}

/// Whether every byte of a message is that of its key.
pub fn is_made_of(message: &[u8], key: u32) -> bool {
    message.chunks(4).zip(words(key)).all(|(bytes, word)| bytes == &word.to_le_bytes()[..bytes.len()])
}

#[cfg(test)]
mod tests;
