//! What a page shows of a run that goes on: the watch, the drawing of the newest part, and moves.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::{Rolling, Shown};
use crate::analysis::fact::{Fact, ThreadState};
use crate::capture::RunRecord;
use crate::order::Event;
use crate::summary::thread_text;
use crate::watch::Watch;

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

/// Takes a run's events in their order, and keeps what a page shows of them.
pub struct Picture {
    names: Vec<String>,
    watch: Watch,
    /// `None` if nobody looks at the drawing.
    rolling: Option<Rolling>,
    at: BTreeMap<u16, u8>,
    moves: VecDeque<Move>,
    moved: u64,
}

impl Picture {
    /// Of a run that begins, with a trailing window of about `window` cycles. The last `span`
    /// cycles are drawn, if any.
    pub fn new(record: &RunRecord, window: u64, span: Option<u64>) -> Self {
        Picture {
            names: record.machine.processors.clone(),
            watch: Watch::new(record, window),
            rolling: span.map(|span| Rolling::new(record, 0, span)),
            at: BTreeMap::new(),
            moves: VecDeque::new(),
            moved: 0,
        }
    }

    /// Draws the last so many cycles from now on.
    pub fn draw_last(&mut self, record: &RunRecord, span: u64) {
        self.rolling = Some(Rolling::new(record, self.watch.now(), span));
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &Event) {
        let Picture { names, watch, rolling: Some(rolling), at, moves, moved } = self else {
            return self.watch.add(event);
        };
        watch.follow(event, &mut |fact| {
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
        // However many events come at once, no more is drawn than was asked for.
        rolling.advance(watch.now());
    }

    /// The machine has come to this cycle, and whatever has happened until then has been taken.
    pub fn advance(&mut self, cycle: u64) {
        self.watch.advance(cycle);
        if let Some(rolling) = &mut self.rolling {
            rolling.advance(self.watch.now());
        }
    }

    /// What is to be drawn now; `None` if nothing is.
    pub fn shown(&self) -> Option<Shown> {
        self.rolling.as_ref().map(|rolling| rolling.show(&self.watch))
    }

    /// What the run shows at this moment.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The last moves of threads, the newest first, and how many there were. They are followed
    /// while something is drawn.
    pub fn moves(&self) -> (Vec<Move>, u64) {
        (self.moves.iter().cloned().collect(), self.moved)
    }
}
