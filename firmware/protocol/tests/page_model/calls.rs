//! Calls that need several pages at the same time, and what processors keep for them: the kernel's
//! part is here, what it does is decided by [`testbed_protocol::pages::keeping`].

use super::*;
use testbed_protocol::pages::keeping::{PageSet, DATA_PAGES};

/// A page's number in a page map.
fn number(page: u8) -> u16 {
    DATA_PAGES as u16 + page as u16
}

impl World {
    /// A thread makes its call: it writes to all its pages if they are here, or waits for one.
    pub(super) fn call(&self, state: &mut State, thread: u8) {
        let at = self.threads[thread as usize].0;
        let (first, end) = self.calls[thread as usize];
        let missing = (first..end).find(|&page| state.held[self.index(page, at)].entry & WRITABLE != WRITABLE);
        let Some(missing) = missing else {
            for page in first..end {
                let held = &mut state.held[self.index(page, at)];
                state.stale |= held.value != state.last[page as usize];
                state.last[page as usize] += 1;
                held.value = state.last[page as usize];
            }
            state.threads[thread as usize] = Thread::new(state.threads[thread as usize].left - 1);
            return self.release(state, at);
        };
        let mut owed = PageSet::EMPTY;
        (0..8).filter(|page| state.owed[at.index()] >> page & 1 != 0).for_each(|page| owed.insert(number(page)));
        let task = &mut state.threads[thread as usize];
        let asked = task.keeper.ask(&owed, number(first), number(missing));
        let page = if self.has(Bug::Careless) { missing } else { (asked - DATA_PAGES as u16) as u8 };
        task.touch = Doing::Blocked { page, write: true };
        let held = &mut state.held[self.index(page, at)];
        if let Touch::Ask(report) = holder::ask(&mut held.entry, true) {
            held.give_frame();
            state.report(at, page, report);
        }
        self.release(state, at);
    }

    /// Keeps a page that has come for the calls of all threads that wait for it; `false` if there
    /// are none.
    pub(super) fn keep(&self, state: &mut State, page: u8, at: Processor) -> bool {
        let waits = |task: &Thread| matches!(task.touch, Doing::Blocked { page: wanted, .. } if wanted == page);
        let mut users: Vec<_> =
            (0..self.calls.len()).filter(|&user| self.threads[user].0 == at && waits(&state.threads[user])).collect();
        if self.has(Bug::KeepForOne) {
            users.truncate(1);
        }
        for &user in &users {
            state.threads[user].waits += 1;
        }
        if users.is_empty() || self.has(Bug::KeepTooFew) && state.owed[at.index()] != 0 {
            return false;
        }
        for user in users {
            state.threads[user].keeper.come(number(page));
        }
        state.owed[at.index()] |= 1 << page;
        true
    }

    /// Whether every thread that has waited for a page, and for which it has come, finds it there.
    pub(super) fn finds_what_came(&self, state: &State) -> bool {
        state.threads.iter().zip(&self.threads).take(self.calls.len()).all(|(task, &(at, ..))| match task.touch {
            Doing::Ready { page, .. } => state.held[self.index(page, at)].entry & WRITABLE == WRITABLE,
            _ => true,
        })
    }

    /// Says DONE for all that is kept for nobody.
    fn release(&self, state: &mut State, at: Processor) {
        let mut kept = PageSet::EMPTY;
        for (task, _) in state.threads.iter().zip(&self.threads).filter(|(_, thread)| thread.0 == at) {
            match task.touch {
                Doing::Blocked { page, .. } if !self.has(Bug::KeepAll) => {
                    kept.insert_row(task.keeper.kept(Some(number(page))));
                }
                Doing::Nothing => {}
                _ => kept.insert_row(task.keeper.kept(None)),
            }
        }
        let owed = state.owed[at.index()];
        for page in (0..8).filter(|&page| owed >> page & 1 != 0 && !kept.has(number(page))) {
            state.owed[at.index()] &= !(1 << page);
            state.report(at, page, Report::Done);
        }
    }

    /// Whether the call of a thread has waited more often than the protocol promises: twice for
    /// each page.
    pub(super) fn waits_too_often(&self, state: &State) -> bool {
        let pages = |&(first, end): &(u8, u8)| end - first;
        self.calls.iter().zip(&state.threads).any(|(call, task)| task.waits > 2 * pages(call))
    }
}
