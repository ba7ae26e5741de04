//! The trace port's FIFO and link by arithmetic: when a word leaves is known as soon as it comes in.

use crate::engine::TraceWord;
use std::collections::VecDeque;

/// Cycles from a word's write to the first in which it can leave.
const DELAY: u64 = 2;

#[derive(Clone, Debug)]
pub struct Port {
    depth: usize,
    /// The link takes a word at most every so many cycles.
    cycles: u64,
    /// Words that have not been given away: cycle in which they came, and the word with the cycle in which it leaves.
    words: VecDeque<(u64, TraceWord)>,
    /// Cycles in which the last words leave, one fewer than there is room for: a pair has room when
    /// the first of them has left.
    leaving: VecDeque<u64>,
    /// First cycle in which the link can take the next word.
    ready: u64,
}

impl Port {
    pub fn new(depth: u32, cycles: u32) -> Self {
        Port {
            depth: depth as usize,
            cycles: cycles.into(),
            words: VecDeque::new(),
            leaving: VecDeque::with_capacity(depth as usize),
            ready: 0,
        }
    }

    /// A word comes in in `cycle`; cycles must increase.
    pub fn push(&mut self, cycle: u64, word: u32) {
        let leaves = self.ready.max(cycle + DELAY);
        self.ready = leaves + self.cycles;
        self.words.push_back((cycle, TraceWord { cycle: leaves, word }));
        if self.leaving.len() + 1 == self.depth {
            self.leaving.pop_front();
        }
        self.leaving.push_back(leaves);
    }

    /// The first cycle from `cycle` on in which there is room for a pair if nothing comes in.
    pub fn room_from(&self, cycle: u64) -> u64 {
        match self.leaving.front() {
            Some(leaves) if self.leaving.len() + 1 == self.depth => cycle.max(leaves + 1),
            _ => cycle,
        }
    }

    /// Words that leave before `cycle`, since the last call.
    pub fn take(&mut self, cycle: u64) -> Vec<TraceWord> {
        let gone = self.words.partition_point(|(_, word)| word.cycle < cycle);
        self.words.drain(..gone).map(|(_, word)| word).collect()
    }

    /// Words that came in before `cycle` and leave in it or later.
    pub fn waiting(&self, cycle: u64) -> u32 {
        self.words.iter().filter(|(came, word)| (*came..word.cycle).contains(&(cycle.wrapping_sub(1)))).count() as u32
    }
}
