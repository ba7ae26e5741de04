//! A processor's way through a window: fast where nobody looks, else step by step.

use super::exact::Step;
use super::state::Hart;
use crate::shared::Shared;

impl Hart {
    /// Executes everything that happens before cycle `until`: instructions whose X lies before it.
    /// If it runs ahead, it stops before an instruction that concerns others, and says the cycle of
    /// its X.
    #[inline(always)]
    pub(super) fn run_window(&mut self, shared: &mut Shared, until: u64) -> Option<u64> {
        self.memory.fetched = None;
        if self.asleep && !self.wake(shared, until) {
            return None;
        }
        self.find_interrupt(shared);
        let mut exact = self.needs_exactness(shared);
        loop {
            if !exact && self.memory.latched.is_none() && self.ahead.is_none() && self.second.is_none() {
                let limit = self.interrupt_at.min(until - 1);
                if self.arrival < limit {
                    self.interpret(limit);
                }
                if self.arrival >= until && self.stretch.index(self.pc).is_some() {
                    break;
                }
            }
            match self.step(shared, until) {
                Step::Done => {}
                Step::Changed => {
                    self.find_interrupt(shared);
                    exact = self.needs_exactness(shared);
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

    /// Whether every instruction has to be looked at by itself.
    fn needs_exactness(&self, shared: &mut Shared) -> bool {
        self.record.is_some() || shared.dma_near(self.number)
    }

    /// Notes which word a fetch before `until` has read for an instruction that comes later.
    fn keep_fetched(&mut self, shared: &mut Shared, until: u64) {
        if self.asleep || self.arrival > until || self.second.is_some() {
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
