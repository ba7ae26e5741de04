//! The master's part: the balancer, homes of processes, and what packets do where they arrive.

use testbed_definitions::ids::ProcessId;
use testbed_protocol::requests::{Asker, Request};
use testbed_protocol::{Processor, ThreadNumber};

use crate::ledger::{asker, request_of};
use crate::setup::{index_of, Bug, Setup};
use crate::state::{Answer, Content, Ledger, Local, Packet, Run, State, Wrong, MASTER};

impl Setup {
    /// A thread of the balancer makes its next request.
    pub fn make_request(&self, state: &mut State, by: u8) {
        let balancing = &mut state.balancing[by as usize];
        let request = self.request(by, balancing.next);
        balancing.next += 1;
        balancing.waits = Some(request);
        let ask = self.ask(request);
        state.ledger[request as usize] = Ledger::Asked;
        let asker = asker(self, state, by, request);
        state.send(MASTER, ask.from, Content::Move { wanted: ask.wanted, to: ask.to, asker });
    }

    /// The balancer is killed, and started again at once: its threads go on with the requests that
    /// they have not made yet.
    pub fn kill_balancer(&self, state: &mut State) {
        state.balancer_kills -= 1;
        state.balancer = ProcessId::from_bits(state.balancer.bits() + 1);
        state.balancing.iter_mut().for_each(|balancing| balancing.waits = None);
    }

    /// Tells all slaves.
    fn tell(&self, state: &mut State, content: Content) {
        for slave in self.all_slaves() {
            state.send(MASTER, slave, content);
        }
    }

    pub fn kill(&self, state: &mut State, process: u8) {
        state.kills -= 1;
        let home = &mut state.homes[process as usize];
        (home.ending, home.suspended) = (Some(self.slaves), false);
        self.tell(state, Content::Kill { process });
    }

    pub fn suspend_or_resume(&self, state: &mut State, process: u8) {
        let home = &mut state.homes[process as usize];
        home.suspended ^= true;
        let suspended = home.suspended;
        state.suspends -= suspended as u8;
        self.tell(state, Content::Suspend { process, suspended });
    }

    /// A process that has ended begins again, with the same number and threads of the same numbers.
    pub fn begin(&self, state: &mut State, process: u8) {
        state.rebirths -= 1;
        state.homes[process as usize].ending = None;
        for number in self.all_threads() {
            if self.plan(number).process == process {
                self.create(state, number);
            }
        }
    }

    /// A thread begins with a number that another one had.
    pub fn create(&self, state: &mut State, number: ThreadNumber) {
        let life = &mut state.lives[index_of(number)];
        *life = (life.0 + 1, false);
        let (life, plan) = (life.0, self.plan(number));
        let content = match plan.created {
            true => Content::Birth { thread: number, life },
            false => Content::Start { thread: number, life },
        };
        state.send(MASTER, plan.at, content);
    }

    /// A packet arrives.
    pub fn deliver(&self, state: &mut State, packet: Packet) {
        let Packet { from, to: at, content } = packet;
        if matches!(content, Content::Part | Content::Thread { .. }) {
            state.slave(from).buffers += 1;
        }
        match content {
            Content::Part => {}
            Content::Thread { .. } => self.arrive(state, at, content),
            Content::Move { wanted, to, asker } => self.come(state, at, Request { wanted, to, asker }),
            Content::Moved { thread, asker } => {
                self.answer(state, at, asker, Answer::Moved(thread));
                if self.has(Bug::AnswerTwice) {
                    self.answer(state, at, asker, Answer::Moved(thread));
                }
            }
            Content::Reply { asker, .. } => self.serve_reply(state, asker),
            Content::Migrate { thread, to } => {
                let local = state.slave(at).find(thread).copied();
                let may = |thread: &Local| matches!(thread.run, Run::Ready | Run::Held);
                if to != at && local.is_some_and(|local| may(&local) && !local.parent) {
                    self.send_away(state, at, thread, to, None);
                }
            }
            Content::Suspend { process, suspended } => self.suspend(state, at, process, suspended),
            Content::Kill { process } => self.end_process(state, at, process),
            Content::Killed { process } => {
                let home = &mut state.homes[process as usize];
                home.ending = home.ending.map(|left| left - 1);
                home.generation += (home.ending == Some(0)) as u8;
            }
            Content::Exited { thread, generation } => {
                let home = &state.homes[self.plan(thread).process as usize];
                if (home.generation, home.ending) == (generation, None) {
                    state.lives[index_of(thread)].1 = true;
                }
            }
            Content::Start { thread, life } => self.start(state, at, thread, life),
            Content::Birth { thread, life } => self.birth(state, at, thread, life),
            Content::Create { thread, life, generation, to } => {
                let home = &state.homes[self.plan(thread).process as usize];
                // Otherwise its process has ended.
                if (home.generation, home.ending) == (generation, None) {
                    state.send(MASTER, to, Content::Start { thread, life });
                }
            }
        }
    }

    /// The last packet of a thread.
    fn arrive(&self, state: &mut State, at: Processor, content: Content) {
        let Content::Thread { number, generation, life, runs, request } = content else { return };
        if let Some(request) = request {
            state.note_arrived(self, request, at);
        }
        let plan = *self.plan(number);
        if state.slave(at).processes[plan.process as usize].0 != generation {
            return; // Its process has ended.
        }
        let slave = state.slave(at);
        let (run, parent, freed) = (Run::Blocked, false, false);
        slave.threads.push(Local { number, life, run, runs, parent, freed, to: MASTER, parts: 0, request: None });
        self.make_ready(state, at, number);
    }

    fn serve_reply(&self, state: &mut State, asker: Asker) {
        let by = asker.who as u8 as usize;
        let is_current = asker.process == state.balancer || self.has(Bug::AnyGeneration);
        match state.balancing[by].waits {
            Some(waits) if is_current => {
                if waits != request_of(asker) {
                    state.wrong(Wrong::Stranger);
                }
                state.balancing[by].waits = None;
            }
            _ if asker.process == state.balancer => state.wrong(Wrong::Stranger),
            _ => state.to_nobody = true,
        }
    }
}
