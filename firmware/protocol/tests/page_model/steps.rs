//! What processors do when a thread touches a page and when a message arrives.

use super::*;

impl World {
    /// A thread touches a page: it does what it wanted, or waits.
    pub(super) fn touch(&self, state: &mut State, thread: u8, page: u8, write: bool) {
        if !self.calls.is_empty() {
            return self.call(state, thread);
        }
        let at = self.threads[thread as usize].0;
        let held = &mut state.held[self.index(page, at)];
        let task = &mut state.threads[thread as usize];
        task.touch = Doing::Blocked { page, write };
        match holder::touch(&mut held.entry, write) {
            Touch::Allowed => {
                state.stale |= held.value != state.last[page as usize];
                if write {
                    state.last[page as usize] += 1;
                    held.value = state.last[page as usize];
                }
                *task = Thread::new(task.left - 1);
            }
            Touch::Ask(report) => {
                held.give_frame();
                state.report(at, page, report);
            }
            Touch::Wait => {}
        }
    }

    /// Threads at `processor` that wait for the page go on, or end if there is none.
    fn wake(&self, state: &mut State, page: u8, processor: Processor, refused: bool) {
        for thread in 0..self.threads.len() {
            let Doing::Blocked { page: wanted, write } = state.threads[thread].touch else { continue };
            if wanted != page || self.threads[thread].0 != processor {
                continue;
            }
            if refused {
                state.threads[thread] = Thread::new(0);
            } else if self.at_once {
                self.touch(state, thread as u8, page, write);
            } else {
                state.threads[thread].touch = Doing::Ready { page, write };
            }
        }
    }

    pub(super) fn deliver(&self, state: &mut State, message: Message) {
        let Message { from, to, page, content } = message;
        match content {
            Content::Report(report) => self.serve_report(state, page, from, report),
            Content::Order(order, value) => self.serve_order(state, page, to, order, value),
            Content::Exited => {
                let output = directory::free(&mut state.entries[page as usize], Some(from));
                self.perform(state, page, output);
            }
            Content::Begin => {
                let held = &mut state.held[self.index(page, to)];
                held.frames += (held.entry == 0) as i8;
                holder::begin(&mut held.entry);
                state.held[self.index(page, to)].value = state.last[page as usize];
            }
        }
    }

    fn serve_report(&self, state: &mut State, page: u8, from: Processor, report: Report) {
        let entry = &mut state.entries[page as usize];
        let copies = entry.copies;
        let output = directory::step(entry, from, report);
        if report == Report::Done {
            if self.has(Bug::ForgetWaiter) {
                entry.writing = Processors::NONE;
            }
            if self.has(Bug::UnknownCopy) && entry.phase() == Phase::Quiet {
                entry.copies = copies;
            }
        }
        self.perform(state, page, output);
    }

    /// Does what the directory says.
    fn perform(&self, state: &mut State, page: u8, output: directory::Output) {
        use directory::Output;
        match output {
            Output::Nothing => {}
            Output::Tell { to, order } => {
                let (to, order) = match order {
                    Order::MoveTo(subject) if self.has(Bug::GrantNothing) => (subject, Order::Grant),
                    _ => (to, order),
                };
                state.send(HOME, to, page, Content::Order(order, 0));
                if let (Order::CopyTo(subject), true) = (order, self.has(Bug::SkipDone)) {
                    self.serve_report(state, page, subject, Report::Done);
                }
            }
            Output::Invalidate { at } => {
                let ending = state.entries[page as usize].phase() == Phase::Ending;
                let owner = state.entries[page as usize].owner();
                for to in self.all_processors().filter(|&to| at.has(to)) {
                    let former =
                        self.has(Bug::GrantBoth) && !ending && state.held[self.index(page, to)].entry & PTE_OWNED != 0;
                    if former || self.has(Bug::LeakPage) && ending && to == owner {
                        self.serve_report(state, page, to, Report::Invalidated);
                        continue;
                    }
                    state.send(HOME, to, page, Content::Order(Order::Invalidate, 0));
                }
                if self.has(Bug::SkipInvalidated) {
                    for to in self.all_processors().filter(|&to| at.has(to)) {
                        self.serve_report(state, page, to, Report::Invalidated);
                    }
                }
            }
            Output::Ended { waiting, freed } => {
                state.freeing -= freed as u8;
                if !self.has(Bug::SilentEnd) {
                    for to in self.all_processors().filter(|&to| waiting.has(to)) {
                        state.send(HOME, to, page, Content::Order(Order::NoPage, 0));
                    }
                }
            }
        }
    }

    /// Does what the home or an owner orders at processor `at`.
    fn serve_order(&self, state: &mut State, page: u8, at: Processor, order: Order, value: u8) {
        use holder::Output;
        let index = self.index(page, at);
        let before = state.held[index].entry;
        let entry = &mut state.held[index].entry;
        let output = holder::step(entry, order);
        match order {
            Order::CopyTo(_) if self.has(Bug::KeepWriting) => *entry = before,
            Order::Invalidate if self.has(Bug::KeepCopy) && before & PTE_OWNED == 0 => *entry = before,
            Order::MoveTo(_) if self.has(Bug::KeepPage) => *entry = before,
            _ => {}
        }
        match output {
            Output::Report(report) => state.report(at, page, report),
            Output::Send { to, order, free } => {
                let value = state.held[index].value;
                let gone = free || matches!(order, Order::Move) && self.has(Bug::FreeWanted);
                state.held[index].frames -= gone as i8;
                state.send(at, to, page, Content::Order(order, value));
            }
            Output::Arrived { data } => {
                if data {
                    state.held[index].value = value;
                }
                let kept = self.keep(state, page, at);
                self.wake(state, page, at, false);
                if !kept {
                    state.report(at, page, Report::Done);
                }
            }
            Output::Invalidated { free } => {
                state.held[index].frames -= free as i8;
                state.report(at, page, Report::Invalidated);
            }
            Output::Refused { free } => {
                state.held[index].frames -= free as i8;
                self.wake(state, page, at, true);
            }
            Output::Ignored => {}
        }
        if state.held[index].entry == 0 {
            state.held[index].value = 0;
        }
    }
}
