//! A slave's part: what the kernel does around [`testbed_protocol::requests`].

use testbed_definitions::request::Wanted;
use testbed_protocol::requests::{Asker, Choice, Output, Request, RequestsIn};
use testbed_protocol::{Processor, ThreadNumber};

use crate::ledger::request_of;
use crate::setup::{processor, Bug, Setup};
use crate::state::{Answer, Content, Local, Run, Standing, State, MASTER, PLACES};

impl Setup {
    /// A thread begins on a slave.
    pub fn start(&self, state: &mut State, at: Processor, number: ThreadNumber, life: u8) {
        let plan = self.plan(number);
        state.slave(at).threads.push(Local {
            number,
            life,
            run: Run::Blocked,
            runs: plan.runs,
            parent: plan.parent,
            freed: false,
            to: MASTER,
            parts: 0,
            request: None,
        });
        if plan.ready {
            self.make_ready(state, at, number);
        }
    }

    /// A thread can run again, as soon as its process may.
    pub fn make_ready(&self, state: &mut State, at: Processor, number: ThreadNumber) {
        let suspended = state.slave(at).processes[self.plan(number).process as usize].1;
        let slave = state.slave(at);
        let Some(thread) = slave.find(number) else { return };
        thread.freed = false;
        thread.run = if suspended { Run::Held } else { Run::Ready };
        if !suspended {
            slave.ready.push(number);
            if !self.has(Bug::NotOnReady) {
                self.serve(state, at);
            }
        }
    }

    /// A thread creates another one: the home is asked for it.
    pub fn birth(&self, state: &mut State, at: Processor, thread: ThreadNumber, life: u8) {
        let asked = match self.bug {
            Some(Bug::StandElsewhere) => processor(at.number() % self.slaves + 1),
            _ => at,
        };
        let now = if self.has(Bug::StandOn) { 0 } else { state.slave(at).now };
        let to = state.slave(asked).requests.birthplace(|| now).unwrap_or(at);
        state.note_birth(at, to);
        let generation = state.slave(at).processes[self.plan(thread).process as usize].0;
        state.send(at, MASTER, Content::Create { thread, life, generation, to });
    }

    /// A request has come.
    pub fn come(&self, state: &mut State, at: Processor, request: Request) {
        let deadline = state.slave(at).now + self.patience as u64;
        state.note_come(request_of(request.asker), request.wanted, at, deadline);
        let stood = state.slave(at).stands();
        if let Wanted::Created(places) = request.wanted {
            state.slave(at).standing = Some(Standing { places, first: request.to, until: deadline });
        }
        let output = match request.wanted {
            Wanted::Created(_) if stood && self.has(Bug::KeepStanding) => Output::Accept { asker: request.asker },
            _ => state.slave(at).requests.come(request, deadline),
        };
        if !self.has(Bug::SilentlyFull) {
            self.perform(state, at, output);
        }
        if !self.has(Bug::NotOnArrival) {
            self.serve(state, at);
        }
    }

    /// Looks for threads for all requests that wait.
    pub fn serve(&self, state: &mut State, at: Processor) {
        for place in RequestsIn::<PLACES>::places() {
            let slave = state.slave(at);
            let Some(wanted) = slave.requests.wanted(place) else { continue };
            let choice = self.choice(state, at, wanted);
            let slave = state.slave(at);
            let now = slave.now + self.has(Bug::TooEarly) as u64;
            let before = slave.requests.clone();
            let output = slave.requests.choose(place, choice, now);
            if let Output::Send { thread, to } = output {
                let mut asked = before.clone();
                let Output::Refuse { asker, .. } = asked.choose(place, Choice::Never, now) else { continue };
                match self.bug {
                    Some(Bug::KeepWaiting) => state.slave(at).requests = before,
                    Some(Bug::ForgetSent) => drop(state.slave(at).requests.gone(thread)),
                    _ => {}
                }
                self.send_for(state, at, thread, to, request_of(asker));
                if self.has(Bug::FollowEarly) {
                    let output = state.slave(at).requests.gone(thread);
                    self.perform(state, at, output);
                }
            } else {
                self.perform(state, at, output);
            }
        }
    }

    /// The thread that a request would move now.
    pub fn choice(&self, state: &State, at: Processor, wanted: Wanted) -> Choice {
        let slave = &state.slaves[at.index() - 1];
        let find = |number: ThreadNumber| slave.threads.iter().find(|thread| thread.number == number);
        let may =
            |number: &ThreadNumber| find(*number).is_some_and(|thread| !thread.parent || self.has(Bug::ChooseParent));
        let mut ready = slave.ready.iter().copied().filter(may);
        let first = match wanted {
            // Which thread of those that may move does not matter to the protocol.
            Wanted::Compute | Wanted::Printed(_) => ready.next(),
            Wanted::New => return ready.next().map_or(Choice::Never, Choice::Thread),
            Wanted::Created(_) => unreachable!("it has no place"),
            Wanted::Link(to) => {
                let link = |number: &ThreadNumber| self.plan(*number).link;
                let exact = ready.clone().find(|number| link(number) == Some(to));
                exact.or_else(|| ready.find(|number| link(number).is_some()))
            }
            Wanted::Thread(number) => match find(number) {
                None if self.has(Bug::WaitForever) => None,
                None => return Choice::Never,
                Some(_) if !may(&number) => return Choice::Never,
                Some(thread) => match thread.run {
                    Run::Ready | Run::Held => Some(number),
                    Run::Running | Run::Blocked => None,
                    Run::Moving if self.has(Bug::ChooseLeaving) => Some(number),
                    Run::Moving => return Choice::Never,
                },
            },
        };
        first.map_or(Choice::Later, Choice::Thread)
    }

    /// What a slave does for a request.
    fn perform(&self, state: &mut State, at: Processor, output: Output) {
        match output {
            Output::Nothing => {}
            Output::Send { .. } => unreachable!("only `choose` says it"),
            Output::Follow { thread, to, asker } => {
                let answer = Answer::Moved(thread);
                match self.bug {
                    Some(Bug::FollowOvertakes) => state.send_first(at, to, Content::Moved { thread, asker }),
                    Some(Bug::AnswerAtSource) => self.answer(state, at, asker, answer),
                    _ => state.send(at, to, Content::Moved { thread, asker }),
                }
            }
            Output::Accept { .. } if self.has(Bug::StandSilently) => {}
            Output::Accept { asker } => self.answer(state, at, asker, Answer::Stands),
            Output::Refuse { asker, expired } => {
                self.answer(state, at, asker, if expired { Answer::Expired } else { Answer::Refused });
            }
        }
    }

    pub fn answer(&self, state: &mut State, at: Processor, asker: Asker, answer: Answer) {
        let now = state.slave(at).now;
        state.note_answer(request_of(asker), answer, now);
        state.send(at, MASTER, Content::Reply { asker, answer });
    }

    fn send_for(&self, state: &mut State, at: Processor, number: ThreadNumber, to: Processor, request: u8) {
        let Some(thread) = state.slave(at).find(number).copied() else { return };
        state.note_send(self, request, thread, to);
        if thread.run != Run::Moving {
            self.send_away(state, at, number, to, Some(request));
        }
    }

    /// A thread leaves, now if no other waits for buffers and there are some.
    pub fn send_away(
        &self,
        state: &mut State,
        at: Processor,
        number: ThreadNumber,
        to: Processor,
        request: Option<u8>,
    ) {
        let parts = self.plan(number).parts;
        let slave = state.slave(at);
        slave.ready.retain(|&other| other != number);
        let Some(thread) = slave.find(number) else { return };
        *thread = Local { run: Run::Moving, to, parts, request, ..*thread };
        if state.slave(at).leaving.is_empty() {
            while state.slave(at).buffers != 0 {
                if self.pack(state, at, number) {
                    return self.gone(state, at, number, request.is_some(), true);
                }
            }
        }
        state.slave(at).leaving.push(number);
    }

    /// Packs the next packet of a thread into a free buffer; `true` if that was all.
    fn pack(&self, state: &mut State, at: Processor, number: ThreadNumber) -> bool {
        let generation = state.slave(at).processes[self.plan(number).process as usize].0;
        let slave = state.slave(at);
        slave.buffers -= 1;
        let thread = slave.find(number).expect("a thread that leaves");
        thread.parts -= 1;
        let Local { life, runs, request, to, parts, .. } = *thread;
        if parts != 0 {
            state.send(at, to, Content::Part);
            return false;
        }
        slave.threads.retain(|other| other.number != number);
        state.send(at, to, Content::Thread { number, generation, life, runs, request });
        true
    }

    /// The last packet of a thread has been queued.
    fn gone(&self, state: &mut State, at: Processor, number: ThreadNumber, for_request: bool, at_once: bool) {
        if at_once && self.has(Bug::ForgetGoneAtOnce) || !for_request && self.has(Bug::ForgetOthersGone) {
            return;
        }
        let slave = state.slave(at);
        let number = match self.bug {
            Some(Bug::GoneIsAnyone) => {
                let other = slave.threads.iter().find(|other| other.request.is_some());
                other.map_or(number, |other| other.number)
            }
            _ => number,
        };
        let output = slave.requests.gone(number);
        self.perform(state, at, output);
    }

    /// There is a buffer for the thread that has waited for one longest.
    pub fn leave_on(&self, state: &mut State, at: Processor) {
        let number = state.slave(at).leaving[0];
        let for_request = state.slave(at).find(number).is_some_and(|thread| thread.request.is_some());
        if self.pack(state, at, number) {
            state.slave(at).leaving.remove(0);
            self.gone(state, at, number, for_request, false);
        }
    }

    /// A thread ends, by itself or with its process.
    pub fn end_thread(&self, state: &mut State, at: Processor, number: ThreadNumber) {
        let slave = state.slave(at);
        slave.ready.retain(|&other| other != number);
        slave.leaving.retain(|&other| other != number);
        let Some(place) = slave.threads.iter().position(|thread| thread.number == number) else { return };
        let thread = slave.threads.remove(place);
        if let Some(request) = thread.request {
            state.note_ended(request);
        }
        let requests = &mut state.slave(at).requests;
        let output = match self.bug {
            Some(Bug::ForgetEnded) if thread.run == Run::Moving => Output::Nothing,
            Some(Bug::ForgetOthersEnded) if thread.run != Run::Moving => Output::Nothing,
            Some(Bug::EndedIsGone) => requests.gone(number),
            _ => requests.ended(number),
        };
        self.perform(state, at, output);
    }

    /// A thread ends by itself, and its home is told.
    pub fn exit_thread(&self, state: &mut State, at: Processor, number: ThreadNumber) {
        let generation = state.slave(at).processes[self.plan(number).process as usize].0;
        self.end_thread(state, at, number);
        state.send(at, MASTER, Content::Exited { thread: number, generation });
    }

    /// A process has ended: nothing of it is left here.
    pub fn end_process(&self, state: &mut State, at: Processor, process: u8) {
        let of_it = |number: &ThreadNumber| self.plan(*number).process == process;
        let threads: Vec<_> = state.slave(at).threads.iter().map(|thread| thread.number).filter(of_it).collect();
        for number in threads {
            self.end_thread(state, at, number);
        }
        let known = &mut state.slave(at).processes[process as usize];
        *known = (known.0 + 1, false);
        state.send(at, MASTER, Content::Killed { process });
    }

    /// A timer interrupt.
    pub fn tick(&self, state: &mut State, at: Processor) {
        state.slave(at).now += 1;
        let leaving = state.slave(at).threads.iter().find_map(|thread| thread.request.map(|_| thread.number));
        if let (true, Some(number)) = (self.has(Bug::ExpireLeaving), leaving) {
            let output = state.slave(at).requests.ended(number);
            self.perform(state, at, output);
        }
    }

    pub fn suspend(&self, state: &mut State, at: Processor, process: u8, suspended: bool) {
        let slave = state.slave(at);
        slave.processes[process as usize].1 = suspended;
        let of_it = |thread: &&mut Local| self.plan(thread.number).process == process;
        let mut resumed = vec![];
        for thread in slave.threads.iter_mut().filter(of_it) {
            match thread.run {
                Run::Ready | Run::Running if suspended => {
                    thread.run = Run::Held;
                    slave.ready.retain(|&other| other != thread.number);
                }
                Run::Held if !suspended => resumed.push(thread.number),
                _ => {}
            }
        }
        for number in resumed {
            // Requests may have moved it meanwhile.
            if state.slave(at).find(number).is_some_and(|thread| thread.run == Run::Held) {
                self.make_ready(state, at, number);
            }
        }
    }
}
