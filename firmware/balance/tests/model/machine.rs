//! Processors, threads and messages.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use testbed_balance::balancer::{Balancer, Counts, Sent};
use testbed_balance::policies::boxed::Boxed;
use testbed_balance::policy::Costs;
use testbed_balance::request::{Answer, Link};
use testbed_definitions::ids::{self, ProcessId, ThreadNumber};

use super::kernel::{Asked, Statistics};
use super::program::Program;
use super::state::{Processor, State, Thread};

/// What a message costs its sender and its receiver; a local one takes half of `Costs::local` each.
fn service(costs: &Costs, is_local: bool) -> u64 {
    u64::from(if is_local { costs.local } else { costs.remote }) / 2
}

/// What happens, and when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// The processor's thread has done what it began, or its slice is over; if it is still this
    /// turn.
    Turn(u8, u32),
    /// A remote message is there.
    Delivered(usize),
    /// A thread that moved goes on here, for this request.
    Arrived {
        thread: usize,
        to: u8,
        number: u16,
    },
    Sample(u8),
    /// The request of this number reaches its slave.
    Request(u16),
    /// It has expired unless it was served.
    Expire(u16),
    Answer(u16),
    Step,
}

pub struct Machine<'a> {
    pub program: &'a Program,
    pub costs: Costs,
    pub now: u64,
    pub processors: Vec<Processor>,
    pub threads: Vec<Thread>,
    /// Who waits at an edge.
    waiting: Vec<Option<usize>>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    count: u64,
    pub statistics: Statistics,
    pub balancer: Option<Balancer<Boxed>>,
    pub asked: Vec<Asked>,
    pub answers: Vec<(u16, Answer)>,
    /// Cycles from sample to sample, and what they are if the policy does not hurry.
    pub period: u64,
    told: u64,
    /// Moves as they were made: time, thread, from, to.
    pub moves: Vec<(u64, ThreadNumber, u8, u8)>,
    alive: usize,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub cycles: u64,
    pub moves: Vec<(u64, ThreadNumber, u8, u8)>,
    pub counts: Counts,
}

/// A run that takes longer is given up.
const LIMIT: u64 = 4_000 * super::SECOND;

/// Runs the program from a placement.
pub fn run(
    program: &Program,
    slaves: u8,
    placement: &dyn Fn(usize) -> u8,
    costs: Costs,
    policy: Option<(Boxed, u64)>,
) -> Outcome {
    let mut machine = Machine::new(program, slaves, placement, costs, policy);
    while machine.alive > 0 {
        let Reverse((time, _, event)) = machine.events.pop().expect("a program that stands still");
        assert!(time < LIMIT, "{} takes too long", program.name);
        machine.now = time;
        machine.serve(event);
    }
    let counts = machine.balancer.as_ref().map(|balancer| balancer.counts).unwrap_or_default();
    Outcome { cycles: machine.now, moves: machine.moves, counts }
}

/// The number of the thread at this place of a program.
pub fn number(thread: usize) -> ThreadNumber {
    ProcessId::new(ids::Processor::new(1), 1, 1).thread(thread as u8 + 1)
}

impl<'a> Machine<'a> {
    fn new(
        program: &'a Program,
        slaves: u8,
        placement: &dyn Fn(usize) -> u8,
        costs: Costs,
        policy: Option<(Boxed, u64)>,
    ) -> Self {
        let processor = |_| Processor {
            queue: VecDeque::new(),
            running: None,
            turn: 0,
            began: 0,
            slice_end: 0,
            debt: 0,
            seen: false,
        };
        let thread = |at: usize| Thread {
            number: number(at),
            at: placement(at),
            state: State::Waiting,
            last: None,
            has_come: false,
            has_communicated: false,
            edges: (0..program.edges.len())
                .filter(|&e| program.edges[e].from == at || program.edges[e].to == at)
                .collect(),
            next: 0,
            round: 0,
            has_computed: false,
            left: 0,
            is_work: false,
            serving: None,
        };
        let mut machine = Machine {
            program,
            costs,
            now: 0,
            processors: (0..=slaves).map(processor).collect(),
            threads: (0..program.threads.len()).map(thread).collect(),
            waiting: vec![None; program.edges.len()],
            events: BinaryHeap::new(),
            count: 0,
            statistics: Statistics::new(slaves, program.threads.len()),
            balancer: None,
            asked: Vec::new(),
            answers: Vec::new(),
            period: 0,
            told: 0,
            moves: Vec::new(),
            alive: program.threads.len(),
        };
        if let Some((policy, period)) = policy {
            machine.told = period;
            let mut balancer = Balancer::new(slaves, policy);
            balancer.costs = costs;
            machine.balancer = Some(balancer);
            machine.step();
            let period = machine.period;
            for slave in 1..=slaves {
                machine.at(period + u64::from(slave) * 1_000, Event::Sample(slave));
            }
        }
        for thread in 0..machine.threads.len() {
            let at = machine.threads[thread].at;
            machine.processors[usize::from(at)].seen = true;
            machine.make_ready(thread);
        }
        machine
    }

    pub fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }

    pub fn after(&mut self, cycles: u64, event: Event) {
        self.at(self.now + cycles, event);
    }

    fn serve(&mut self, event: Event) {
        match event {
            Event::Turn(processor, turn) => self.turn(processor, turn),
            Event::Delivered(edge) => {
                let (from, to) = (self.program.edges[edge].from, self.program.edges[edge].to);
                for thread in [from, to] {
                    self.make_ready(thread);
                }
            }
            Event::Arrived { thread, to, number } => self.arrived(thread, to, number),
            Event::Sample(slave) => self.sample(slave),
            Event::Request(number) => self.requested(number),
            Event::Expire(number) => self.expire(number),
            Event::Answer(number) => self.answered(number),
            Event::Step => self.step(),
        }
    }

    /// Puts a thread into the queue of its processor, or makes it serve a request that waited for
    /// it.
    pub fn make_ready(&mut self, thread: usize) {
        let at = self.threads[thread].at;
        self.statistics.queue(at, self.now, 1);
        self.threads[thread].state = State::Ready;
        self.processors[usize::from(at)].queue.push_back(thread);
        self.serve_waiting_requests(at, thread);
        if self.processors[usize::from(at)].running.is_none() {
            self.dispatch(at);
        }
    }

    /// Gives the processor to the first thread of its queue.
    pub fn dispatch(&mut self, at: u8) {
        let slice = u64::from(self.costs.slice);
        let processor = &mut self.processors[usize::from(at)];
        processor.running = processor.queue.pop_front();
        if processor.running.is_some() {
            processor.began = self.now + std::mem::take(&mut processor.debt);
            processor.slice_end = processor.began + slice;
            self.go_on(at);
        }
    }

    /// The thread that has the processor does the next thing.
    fn go_on(&mut self, at: u8) {
        let thread = self.processors[usize::from(at)].running.expect("a thread runs");
        // One that was taken away at the end of a service has yet to meet its partner.
        let is_done = self.threads[thread].left == 0 && self.threads[thread].serving.is_none();
        if is_done && !self.begin(thread) {
            return;
        }
        let left = self.threads[thread].left;
        let processor = &mut self.processors[usize::from(at)];
        processor.turn = processor.turn.wrapping_add(1);
        let (end, turn) = ((processor.began + left).min(processor.slice_end.max(processor.began)), processor.turn);
        self.at(end, Event::Turn(at, turn));
    }

    /// Finds what a thread does next. Returns whether there is something.
    fn begin(&mut self, thread: usize) -> bool {
        let spec = &self.program.threads[thread];
        let own = &mut self.threads[thread];
        loop {
            if own.round >= spec.rounds {
                self.end(thread);
                return false;
            }
            while own.edges.get(own.next).is_some_and(|&edge| !self.program.edges[edge].is_used(own.round)) {
                own.next += 1;
            }
            let edge = own.edges.get(own.next).copied();
            let sends = !spec.depends || edge.is_none_or(|edge| self.program.edges[edge].from == thread);
            if sends && !own.has_computed {
                own.has_computed = true;
                (own.left, own.is_work) = (spec.work.cycles(own.round), true);
                if own.left > 0 {
                    return true;
                }
            }
            let Some(edge) = edge else {
                (own.next, own.has_computed) = (0, false);
                own.round += 1;
                continue;
            };
            own.next += 1;
            own.serving = Some(edge);
            own.is_work = false;
            let partner = self.partner(thread, edge);
            let is_local = self.threads[partner].at == self.threads[thread].at;
            self.threads[thread].left = service(&self.costs, is_local);
            return true;
        }
    }

    fn partner(&self, thread: usize, edge: usize) -> usize {
        let edge = &self.program.edges[edge];
        if edge.from == thread {
            edge.to
        } else {
            edge.from
        }
    }

    /// A turn is over: the slice, or what the thread did.
    fn turn(&mut self, at: u8, turn: u32) {
        let processor = &mut self.processors[usize::from(at)];
        if processor.turn != turn {
            return;
        }
        let Some(thread) = processor.running else { return };
        self.stop_clock(at);
        if self.threads[thread].left > 0 {
            let processor = &mut self.processors[usize::from(at)];
            if processor.queue.is_empty() {
                processor.slice_end = self.now + u64::from(self.costs.slice);
                self.go_on(at);
            } else {
                processor.queue.push_back(thread);
                self.dispatch(at);
            }
            return;
        }
        match self.threads[thread].serving.take() {
            Some(edge) if !self.meet(thread, edge) => {
                self.statistics.queue(at, self.now, -1);
                self.threads[thread].state = State::Waiting;
                self.dispatch(at);
            }
            _ => self.go_on(at),
        }
    }

    /// Accounts what the running thread has done up to now.
    pub fn stop_clock(&mut self, at: u8) {
        let processor = &mut self.processors[usize::from(at)];
        let Some(thread) = processor.running else { return };
        let ran = self.now.saturating_sub(processor.began);
        processor.began = processor.began.max(self.now);
        let own = &mut self.threads[thread];
        own.left = own.left.saturating_sub(ran);
        if own.is_work {
            self.statistics.worked(at, thread, ran);
        }
    }

    /// A thread is at an edge. Returns whether it goes on at once.
    fn meet(&mut self, thread: usize, edge: usize) -> bool {
        let Some(partner) = self.waiting[edge].take() else {
            self.waiting[edge] = Some(thread);
            return false;
        };
        let spec = &self.program.edges[edge];
        let (from, to) = (self.threads[spec.from].at, self.threads[spec.to].at);
        self.statistics.sent((spec.from, from), (spec.to, to), spec.bytes);
        let last = (from != to).then(|| Link::between(ids::Processor::new(from), ids::Processor::new(to)));
        self.threads[spec.from].last = last;
        self.threads[spec.to].last = last;
        for thread in [spec.from, spec.to] {
            self.threads[thread].has_communicated = true;
        }
        if from == to {
            self.make_ready(partner);
            return true;
        }
        let bytes = u64::from(spec.bytes) * u64::from(self.costs.flight_byte) / 256;
        self.after(u64::from(self.costs.flight) + bytes, Event::Delivered(edge));
        false
    }

    fn end(&mut self, thread: usize) {
        let at = self.threads[thread].at;
        self.threads[thread].state = State::Ended;
        self.statistics.queue(at, self.now, -1);
        self.alive -= 1;
        self.dispatch(at);
    }

    /// The balancer decides; its requests go to the slaves.
    fn step(&mut self) {
        let now = self.now;
        let Some(balancer) = &mut self.balancer else { return };
        let sent = balancer.step(now);
        // The slaves are told of a new period in about the time of a message.
        self.period = balancer.hurry().map_or(self.told, |cycles| self.told.min(cycles.into()));
        for sent in sent {
            let Sent { number, request, .. } = sent;
            self.asked.push(Asked { number, request, is_waiting: false });
            self.after(2_500, Event::Request(number));
        }
    }
}
