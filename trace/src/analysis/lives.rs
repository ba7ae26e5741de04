//! The states of all threads.

use std::collections::{BTreeMap, BTreeSet};

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::{event, mpc, syscall};

use super::fact::{Fact, On, ThreadNow, ThreadState};
use super::processors::{is_runners, untold_call, Able};
use crate::conform::service::Service;
use crate::conform::steps::Steps;
use crate::conform::thread::{Happening, Request};
use crate::follow::Turn;
use crate::order::{Event, What};

#[derive(Clone, Copy, Debug)]
struct Life {
    state: ThreadState,
    on: On,
    at: u8,
    since: u64,
}

/// What is known of one processor's threads.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    /// The thread whose turn began last, whether or not it has ended.
    scheduled: Option<u16>,
    /// Threads in state ready, interrupted, untold.
    ready: u32,
    interrupted: u32,
    untold: u32,
    /// Cycle of its last event.
    last: u64,
    lost: bool,
}

/// Everybody's present.
#[derive(Debug, Default)]
pub struct Lives {
    lives: BTreeMap<u16, Life>,
    here: Vec<Here>,
    /// Threads in the ready queues, by the ready-queue class.
    queues: Vec<BTreeSet<u16>>,
    facts: Vec<Fact>,
}

/// What a request says of the channel; `sends` where only the release tells.
fn on_request(request: Option<Request>) -> On {
    match request {
        None => On::SomeChannel,
        Some(Request { alternative: true, channel, .. }) => On::Alternative(channel),
        Some(Request { receive: true, channel, .. }) => On::Receive(channel),
        Some(Request { channel, .. }) => On::Send(channel),
    }
}

impl Lives {
    pub fn new(processors: usize) -> Self {
        Lives { here: vec![Here::default(); processors], queues: vec![BTreeSet::new(); processors], ..Lives::default() }
    }

    /// Who could run on a processor now.
    pub fn able(&self, processor: u8) -> Able {
        let here = &self.here[processor as usize];
        Able { ready: here.ready + here.interrupted > 0, untold: here.untold > 0, blurred: here.lost }
    }

    pub fn scheduled(&self, processor: u8) -> Option<u16> {
        self.here[processor as usize].scheduled
    }

    /// What everybody does.
    pub fn present(&self) -> impl Iterator<Item = ThreadNow> + '_ {
        self.lives.iter().map(|(&thread, life)| {
            let Life { state, on, at: processor, since } = *life;
            ThreadNow { thread, processor, state, on, since }
        })
    }

    /// What has been found since the last call.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Fact> {
        self.facts.drain(..)
    }

    fn count(&mut self, life: Life, by: i32) {
        let here = &mut self.here[life.at as usize];
        let place = match life.state {
            ThreadState::Ready => &mut here.ready,
            ThreadState::Interrupted => &mut here.interrupted,
            ThreadState::Untold => &mut here.untold,
            _ => return,
        };
        *place = place.saturating_add_signed(by);
    }

    fn close(&mut self, thread: u16, life: Life, state: ThreadState, to: u64) {
        if to > life.since {
            let (processor, from) = (life.at, life.since);
            self.facts.push(Fact::Thread { thread, processor, state, on: life.on, from, to });
        }
        self.count(life, -1);
    }

    /// A thread is in this state from now on.
    fn set(&mut self, thread: u16, at: u8, state: ThreadState, on: On, cycle: u64) {
        let before = self.lives.get(&thread).copied();
        let cycle = cycle.max(before.map_or(0, |life| life.since));
        match before {
            Some(life) => self.close(thread, life, life.state, cycle),
            None => self.facts.push(Fact::Born { thread, cycle }),
        }
        let life = Life { state, on, at, since: cycle };
        self.lives.insert(thread, life);
        self.count(life, 1);
    }

    fn end(&mut self, thread: u16, cycle: u64) {
        if let Some(life) = self.lives.remove(&thread) {
            self.close(thread, life, life.state, cycle);
            self.facts.push(Fact::Died { thread, cycle });
        }
    }

    /// The state until now was not what was thought when it began.
    fn correct(&mut self, thread: u16, state: ThreadState) {
        if let Some(life) = self.lives.get(&thread).copied() {
            self.count(life, -1);
            let life = Life { state, ..life };
            self.lives.insert(thread, life);
            self.count(life, 1);
        }
    }

    fn learn(&mut self, thread: u16, on: On) {
        if let Some(life) = self.lives.get_mut(&thread) {
            if matches!(life.on, On::SomeChannel | On::Alternative(_)) {
                life.on = on;
            }
        }
    }

    fn state(&self, thread: u16) -> Option<ThreadState> {
        self.lives.get(&thread).map(|life| life.state)
    }

    /// Takes an event, with what the state machines made of it. `before` is the service in which it came.
    pub fn step(
        &mut self,
        event: &Event,
        cycle: u64,
        steps: &Steps,
        before: Service,
        request: impl Fn(u16) -> Option<Request>,
    ) {
        let me = event.smi;
        let queue = self.here[me as usize];
        self.runner(event, cycle, steps);
        for step in &steps.threads {
            let number = step.number;
            let (state, on) = match step.happening {
                Happening::Scheduled => (ThreadState::Running, On::Nothing),
                Happening::Requests => (ThreadState::Serviced, On::Nothing),
                Happening::Faults => (ThreadState::Serviced, On::Page(event.argument.unwrap_or(0))),
                Happening::Blocks => (ThreadState::Channel, on_request(request(number))),
                Happening::Waits => (ThreadState::Children, On::Nothing),
                Happening::Synchronizes => (ThreadState::Call, On::Call(syscall::EXCHANGE as u16)),
                Happening::Calls => (ThreadState::Call, On::Call(event.argument.unwrap_or(0))),
                Happening::PageBlocks => (ThreadState::Page, self.page_of(number)),
                Happening::Packs | Happening::IsPacked | Happening::Leaves | Happening::Arrives => {
                    (ThreadState::Moving, On::Nothing)
                }
                Happening::Copies | Happening::PageComes | Happening::Unpacked | Happening::GetsThrough => {
                    (ThreadState::Ready, On::Nothing)
                }
                Happening::Released => {
                    self.released(event, number, before);
                    (ThreadState::Ready, On::Nothing)
                }
                Happening::Ends => {
                    self.end(number, cycle);
                    continue;
                }
            };
            self.set(number, me, state, on, cycle);
        }
        self.after(event, cycle);
        self.tell_queue(me, cycle, queue);
    }

    fn page_of(&self, thread: u16) -> On {
        self.lives.get(&thread).map_or(On::Nothing, |life| life.on)
    }

    /// The channel on which a thread was blocked, if its release tells.
    fn released(&mut self, event: &Event, thread: u16, before: Service) {
        let Service::Message { channel, .. } = before else { return };
        match event.what {
            What::Known(kind)
                if kind.code == event::COMMS && matches!(before, Service::Message { kind: mpc::RTR, .. }) =>
            {
                self.learn(thread, On::Send(channel));
            }
            What::Known(kind) if kind.code == event::COMMR => self.learn(thread, On::Receive(channel)),
            _ => {}
        }
    }

    /// What becomes of the running thread.
    fn runner(&mut self, event: &Event, cycle: u64, steps: &Steps) {
        let me = event.smi as usize;
        let code = match event.what {
            What::Known(kind) => Some(kind.code),
            _ => None,
        };
        let Some(running) = self.here[me].scheduled else { return };
        let next = steps.threads.iter().find(|step| step.happening == Happening::Scheduled).map(|step| step.number);
        match self.state(running) {
            Some(ThreadState::Running) => {
                if untold_call(event, Some(running)) && !self.able(event.smi).ready {
                    self.correct(running, ThreadState::Untold);
                }
                match (next, code) {
                    (Some(next), _) if next != running => {
                        self.set(running, event.smi, ThreadState::Untold, On::Nothing, cycle);
                    }
                    (_, Some(event::RX_MPC)) => {
                        self.set(running, event.smi, ThreadState::Interrupted, On::Nothing, cycle);
                    }
                    (_, Some(event::TIMER)) => self.set(running, event.smi, ThreadState::Ready, On::Nothing, cycle),
                    (_, Some(event::CREATE)) => {
                        let own = untold_call(event, Some(running));
                        let state = if own { ThreadState::Ready } else { ThreadState::Interrupted };
                        self.set(running, event.smi, state, On::Nothing, cycle);
                    }
                    _ => {}
                }
            }
            // Its child is there, and nobody has run meanwhile: it goes on.
            Some(ThreadState::Call) if code == Some(event::CREATE) && untold_call(event, Some(running)) => {
                self.set(running, event.smi, ThreadState::Ready, On::Nothing, cycle);
            }
            Some(ThreadState::Interrupted) => match (next, code) {
                (Some(next), _) if next != running => {
                    self.set(running, event.smi, ThreadState::Ready, On::Nothing, cycle);
                }
                // It has gone on without being scheduled again, when the last service was over.
                (_, Some(code)) if is_runners(code) => {
                    let since = self.here[me].last;
                    self.set(running, event.smi, ThreadState::Running, On::Nothing, since);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn after(&mut self, event: &Event, cycle: u64) {
        if let Turn::Begins(thread) = Turn::of(event) {
            self.here[event.smi as usize].scheduled = Some(thread);
        }
        match event.what {
            What::Known(kind) if kind.code == event::PROCESS_END => {
                let process = event.argument.unwrap_or(0) & 0xff;
                let gone: Vec<_> = self
                    .lives
                    .keys()
                    .copied()
                    .filter(|&thread| ThreadNumber::from_bits(thread).process() == process)
                    .collect();
                gone.into_iter().for_each(|thread| self.end(thread, cycle));
            }
            _ => {}
        }
        self.here[event.smi as usize].last = cycle;
    }

    fn tell_queue(&mut self, processor: u8, cycle: u64, before: Here) {
        let here = self.here[processor as usize];
        if (here.ready, here.untold, here.lost) != (before.ready, before.untold, before.lost) {
            let length = (!here.lost).then_some(here.ready);
            self.facts.push(Fact::Queue { processor, cycle, length, untold: here.untold });
        }
    }

    /// A thread joins or leaves a ready queue, in the ready-queue class.
    pub fn queue(&mut self, processor: u8, thread: u16, joins: bool, cycle: u64) {
        let place = processor as usize;
        let queue = &mut self.queues[place];
        let fits = if joins { queue.insert(thread) } else { queue.remove(&thread) };
        if !fits && !self.here[place].lost {
            let reason =
                if joins { "thread joins the queue that it is in" } else { "thread leaves a queue that it is not in" };
            self.facts.push(Fact::QueueContradiction { cycle, reason });
        }
        let length = (!self.here[place].lost).then_some(self.queues[place].len() as u32);
        self.here[place].last = cycle;
        self.facts.push(Fact::Queue { processor, cycle, length, untold: 0 });
    }

    /// Events of a processor were lost, some time after its last one. Where its threads are now nobody knows.
    pub fn lose(&mut self, processor: u8, cycle: u64) {
        let here = self.here[processor as usize];
        let there: Vec<_> =
            self.lives.iter().filter(|(_, life)| life.at == processor).map(|(thread, _)| *thread).collect();
        for thread in there {
            self.set(thread, processor, ThreadState::Unknown, On::Nothing, here.last);
        }
        let place = &mut self.here[processor as usize];
        (place.scheduled, place.last, place.lost) = (None, cycle, true);
        self.facts.push(Fact::Queue { processor, cycle: here.last, length: None, untold: 0 });
    }

    /// The trace ends.
    pub fn finish(&mut self, cycle: u64) {
        for (thread, life) in std::mem::take(&mut self.lives) {
            self.close(thread, life, life.state, cycle);
        }
    }
}
