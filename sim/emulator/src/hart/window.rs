//! A processor's way through a window: fast where nobody looks, else step by step.

use super::exact::Step;
use super::state::Hart;
use super::translator::{installed::CYCLES_LEAST, Ran, Translator};
use crate::model::centrenet::Hazards;
use crate::shared::{Near, Shared};

impl Hart {
    /// Executes everything that happens before cycle `until`: instructions whose X lies before it.
    /// If it runs ahead, it stops before an instruction that concerns others, and says the cycle of
    /// its X; or where others could see what it has sent ([`Network::known_until`]).
    ///
    /// [`Network::known_until`]: crate::model::centrenet::Network::known_until
    #[inline(always)]
    pub(super) fn run_window(&mut self, shared: &mut Shared, mut until: u64) -> Option<u64> {
        self.memory.fetched = None;
        if self.asleep && !self.wake(shared, until) {
            return None;
        }
        self.find_interrupt(shared);
        let exact = self.record.is_some();
        let mut near = self.near(shared, until);
        loop {
            if self.arrival >= near.until {
                near = self.near(shared, until);
            }
            let Near { hazards, until: known } = &near;
            // What arrives later is not executed in this window.
            if !exact && self.arrival < until && self.is_between_instructions(hazards.as_ref()) {
                let interrupted = self.interrupt_at.saturating_sub(self.times.to_judgement());
                let limit = interrupted.min(until - 1).min(*known);
                self.interpret_pages(&mut shared.translator, limit, hazards.as_ref());
                if self.arrival >= until && self.stretch.index(self.pc).is_some() {
                    break;
                }
            }
            match self.step(shared, until) {
                Step::Done => {}
                Step::Changed => {
                    until = until.min(shared.network.known_until());
                    self.find_interrupt(shared);
                    near = self.near(shared, until);
                }
                Step::Asleep => {
                    if !self.wake(shared, until) {
                        break;
                    }
                    self.find_interrupt(shared);
                }
                Step::Later => break,
                Step::Concerns => return Some(self.arrival + 1),
            }
        }
        self.keep_fetched(shared, until);
        None
    }

    /// What DMA may touch, for the instructions that arrive from now on.
    #[inline]
    fn near(&mut self, shared: &mut Shared, until: u64) -> Near {
        shared.near(self.number, &mut self.memory, self.arrival.min(until))
    }

    /// Whether nothing of the instruction at `pc` is done or read that RAM does not show as well.
    fn is_between_instructions(&mut self, hazards: Option<&Hazards>) -> bool {
        if self.ahead.is_some() || self.second.is_some() || self.overwrites || self.stretch.lost {
            return false;
        }
        // Mostly what a load or store has read ahead is still there, and stays so in this window.
        if let Some(word) = self.memory.latched.filter(|_| self.let_past <= self.arrival) {
            if self.stretch.index(self.pc).is_none() {
                self.refetch();
            }
            let stays = |&index: &u32| hazards.is_none_or(|hazards| !hazards.receive.contains(&(index * 4)));
            let index = self.stretch.index(self.pc).filter(stays);
            if index.is_some_and(|index| self.memory.words[index as usize] == word) {
                self.memory.latched = None;
            }
        }
        self.memory.latched.is_none()
    }

    /// Interprets from page to page, or executes what is translated.
    fn interpret_pages(&mut self, translator: &mut Translator, limit: u64, hazards: Option<&Hazards>) {
        let mut before = Ran::Not;
        while self.arrival < limit {
            if self.stretch.index(self.pc).is_none() {
                self.refetch();
            }
            let Some(index) = self.stretch.index(self.pc) else { break };
            if hazards.is_none() {
                let ran = self.run_translated(translator, index, limit);
                match ran {
                    Ran::Not => {}
                    // What it could not do, the interpreter mostly can't do either.
                    Ran::On if self.arrival + CYCLES_LEAST <= limit => break,
                    ran => {
                        before = ran;
                        continue;
                    }
                }
            }
            let retired = self.retired;
            self.interpret(limit, hazards);
            let executed = self.retired - retired;
            let stopped = self.stretch.index(self.pc);
            let enters = stopped.is_some_and(|stopped| self.enters(stopped));
            self.note_interpreted(translator, index, executed, before);
            before = Ran::Not;
            // It stops within its stretch where it can't go on, or translated code can.
            if stopped.is_some() && !(enters && executed > 0 && hazards.is_none()) {
                break;
            }
        }
    }

    /// Notes which word a fetch before `until` has read for an instruction that comes later. Of the
    /// pipelined core nobody asks when that was.
    fn keep_fetched(&mut self, shared: &mut Shared, until: u64) {
        if self.times.overlaps || self.asleep || self.arrival > until || self.second.is_some() {
            return;
        }
        if self.stretch.index(self.pc).is_none() {
            self.refetch();
        }
        if let Some(index) = self.stretch.index(self.pc) {
            shared.settle(self.number, &mut self.memory, index * 4, self.arrival - 1);
            self.memory.fetched = Some(index);
        }
    }
}
