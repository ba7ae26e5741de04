//! What the monitors of a run have shown so far.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_emulator::engine::TraceWord;
use testbed_trace::analysis::fact::{Fact, ThreadState};
use testbed_trace::capture::RunRecord;
use testbed_trace::order::{Convention, Growing, HELD_MAX};
use testbed_trace::report::{Rolling, Shown};
use testbed_trace::summary::thread_text;
use testbed_trace::watch::Watch;

/// Moves that are remembered.
const MOVES_MAX: usize = 40;

/// A thread has come to another processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    pub thread: String,
    pub from: u8,
    pub to: u8,
    /// When it was first seen there.
    pub cycle: u64,
}

/// Puts words in order as they come, and keeps what a page shows of them.
pub struct Seen {
    order: Growing,
    convention: Convention,
    tick_cycles: u64,
    names: Vec<String>,
    /// A time-stamp whose datum has not come.
    stamp: Option<MmiWord>,
    /// Pairs of each SMI on their way into the order.
    pairs: Vec<Vec<u32>>,
    watch: Watch,
    rolling: Rolling,
    at: BTreeMap<u16, u8>,
    moves: VecDeque<Move>,
    moved: u64,
}

impl Seen {
    /// Of a run that begins, of which so many cycles are drawn.
    pub fn new(record: &RunRecord, span: u64) -> Self {
        let slaves = record.machine.processors.len() as u8;
        let convention = Convention::of(record.dgl);
        Seen {
            order: Growing::new(1..slaves, convention),
            convention,
            tick_cycles: u64::from(record.machine.tick_cycles),
            names: record.machine.processors.clone(),
            stamp: None,
            pairs: vec![Vec::new(); usize::from(slaves).saturating_sub(1)],
            watch: Watch::new(record, u64::from(record.machine.clock_hz)),
            rolling: Rolling::new(record, 0, span),
            at: BTreeMap::new(),
            moves: VecDeque::new(),
            moved: 0,
        }
    }

    /// Draws the last so many cycles from now on.
    pub fn draw_last(&mut self, record: &RunRecord, span: u64) {
        self.rolling = Rolling::new(record, self.watch.now(), span);
    }

    /// Takes words of the trace port.
    pub fn take(&mut self, words: &[TraceWord]) {
        for word in words {
            let half = MmiWord::unpack(word.word);
            let Some(stamp) = self.stamp.take() else {
                self.stamp = Some(half);
                continue;
            };
            if let Some(pairs) = usize::from(half.smi).checked_sub(1).and_then(|smi| self.pairs.get_mut(smi)) {
                pairs.push(Pair { time: stamp.value, datum: half.value }.pack());
            }
        }
        // What can't be ordered in bounded memory is in the capture all the same.
        if self.order.waiting() < HELD_MAX {
            for (stream, pairs) in self.pairs.iter().enumerate() {
                self.order.feed(stream, pairs);
            }
        }
        self.pairs.iter_mut().for_each(Vec::clear);
        self.drain();
    }

    /// The run is over: nothing follows.
    pub fn end(&mut self, cycle: u64) {
        self.order.end();
        self.drain();
        self.watch.advance(cycle);
    }

    fn drain(&mut self) {
        let Seen { order, watch, rolling, at, moves, moved, names, .. } = self;
        for event in order.by_ref() {
            watch.follow(&event, &mut |fact| {
                rolling.take(fact);
                let Fact::Thread { thread, processor, state, from, .. } = *fact else { return };
                let is_there = !matches!(state, ThreadState::Moving | ThreadState::Unknown);
                let before = if is_there { at.insert(thread, processor) } else { None };
                if let Some(before) = before.filter(|before| *before != processor) {
                    *moved += 1;
                    moves.truncate(MOVES_MAX - 1);
                    let thread = thread_text(thread, names);
                    moves.push_front(Move { thread, from: before, to: processor, cycle: from });
                }
            });
        }
        watch.advance(order.reached() * self.tick_cycles);
        rolling.advance(watch.now());
    }

    /// What is to be drawn now.
    pub fn shown(&self) -> Shown {
        self.rolling.show(&self.watch)
    }

    /// What the run shows at this moment.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The last moves of threads, the newest first, and how many there were.
    pub fn moves(&self) -> (Vec<Move>, u64) {
        (self.moves.iter().cloned().collect(), self.moved)
    }

    /// Whether the events tell of ready queues only.
    pub fn tells_queues_only(&self) -> bool {
        self.convention == Convention::Ready
    }
}
