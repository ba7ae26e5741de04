//! What every thread did, when, and on what it was blocked.

use std::collections::BTreeMap;

use itertools::Itertools;
use serde::{Deserialize, Serialize};

use super::fact::{Fact, On, ThreadState};
use super::measure::Range;
use super::windows::Windows;

/// Columns of a time-line.
pub const COLUMNS: u64 = 64;

type States = [u64; ThreadState::ALL.len()];

/// Collects the states of threads.
#[derive(Debug)]
pub struct Threads {
    range: Range,
    threads: BTreeMap<u16, Collected>,
}

#[derive(Debug)]
struct Collected {
    born: u64,
    died: Option<u64>,
    lives: u64,
    states: States,
    on: BTreeMap<On, (u64, u64)>,
    processors: BTreeMap<u8, u64>,
    line: Windows<States>,
    elapsed: u64,
}

/// What every thread did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadsReport {
    /// Cycles of one letter of a time-line.
    pub column_cycles: u64,
    pub threads: Vec<ThreadReport>,
}

/// One thread. Threads that have had the same number one after the other are one here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadReport {
    /// Home of its process in bits 13:10, place there in 9:6, id in 5:0.
    pub thread: u16,
    /// First heard of (scheduled, as a rule), and ended; `None`: alive at the end.
    pub born_cycle: u64,
    pub died_cycle: Option<u64>,
    /// How many threads have had the number.
    pub lives: u64,
    /// Cycles of its life that lie in the observed part of the run: the sum of `states`.
    pub elapsed_cycles: u64,
    pub states: BTreeMap<ThreadState, u64>,
    /// What it was blocked on, longest first.
    pub blocked: Vec<Blocked>,
    /// Cycles by processor; while it moves those of the one that it comes from.
    pub processors: BTreeMap<u8, u64>,
    /// A letter a column ([`ThreadState::letter`]): the state that it was in longest; a space where it was not alive.
    pub line: String,
}

/// What a thread was blocked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    pub on: On,
    pub cycles: u64,
    pub times: u64,
}

impl Threads {
    pub fn new(range: Range) -> Self {
        Threads { range, threads: BTreeMap::new() }
    }

    fn column(&self) -> u64 {
        self.range.cycles().div_ceil(COLUMNS).max(1)
    }

    pub fn take(&mut self, fact: &Fact) {
        match *fact {
            Fact::Born { thread, cycle } => {
                let (range, column) = (self.range, self.column());
                let collected = self.threads.entry(thread).or_insert_with(|| Collected {
                    born: cycle,
                    died: None,
                    lives: 0,
                    states: States::default(),
                    on: BTreeMap::new(),
                    processors: BTreeMap::new(),
                    line: Windows::new(range, column),
                    elapsed: 0,
                });
                collected.lives += 1;
                collected.died = None;
            }
            Fact::Died { thread, cycle } => {
                if let Some(collected) = self.threads.get_mut(&thread) {
                    collected.died = Some(cycle);
                }
            }
            Fact::Thread { thread, processor, state, on, from, to } => {
                let cycles = self.range.overlap(from, to);
                let Some(collected) = self.threads.get_mut(&thread).filter(|_| cycles > 0) else { return };
                collected.states[state as usize] += cycles;
                collected.elapsed += cycles;
                *collected.processors.entry(processor).or_default() += cycles;
                if matches!(state, ThreadState::Channel | ThreadState::Page | ThreadState::Call) {
                    let (sum, times) = collected.on.entry(on).or_default();
                    (*sum, *times) = (*sum + cycles, *times + 1);
                }
                collected.line.spread(from, to, |states, cycles| states[state as usize] += cycles);
            }
            _ => {}
        }
    }

    pub fn finish(self) -> ThreadsReport {
        let (column_cycles, range) = (self.column(), self.range);
        let lived = |collected: &Collected| {
            collected.born < range.to_cycle && collected.died.is_none_or(|died| died >= range.from_cycle)
        };
        let threads = self.threads.into_iter().filter(|(_, collected)| lived(collected));
        let threads = threads.map(|(thread, collected)| {
            let with_time = |state: &ThreadState| collected.states[*state as usize] > 0;
            let states = ThreadState::ALL.into_iter().filter(with_time);
            let blocked = collected.on.iter();
            let blocked = blocked.map(|(&on, &(cycles, times))| Blocked { on, cycles, times });
            ThreadReport {
                thread,
                born_cycle: collected.born,
                died_cycle: collected.died,
                lives: collected.lives,
                elapsed_cycles: collected.elapsed,
                states: states.map(|state| (state, collected.states[state as usize])).collect(),
                blocked: blocked.sorted_by_key(|one| (std::cmp::Reverse(one.cycles), one.on)).collect(),
                processors: collected.processors,
                line: collected.line.finish().iter().map(letter).collect(),
            }
        });
        ThreadsReport { column_cycles, threads: threads.collect() }
    }
}

/// The letter of the state that a column shows.
fn letter(states: &States) -> char {
    let longest = ThreadState::ALL.into_iter().max_by_key(|state| (states[*state as usize], std::cmp::Reverse(*state)));
    longest.filter(|state| states[*state as usize] > 0).map_or(' ', ThreadState::letter)
}
