//! The machine as a model for the checker: what can happen next, and what must hold.

use stateright::{Model, Property};
use testbed_protocol::requests::{Choice, RequestsIn};
use testbed_protocol::{Processor, ThreadNumber};

use crate::exploration::{self, Report};
use crate::ledger::ALL_WRONG;
use crate::setup::{processor, thread, Bug, Setup};
use crate::state::{Answer, Content, Ledger, Local, Run, Slave, State, MASTER, PLACES};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Deliver {
        from: Processor,
        to: Processor,
    },
    /// The first ready thread gets the processor.
    Run(Processor),
    /// The running thread goes to the end of the ready queue, waits for something, ends, or moves.
    Yield(Processor),
    Block(Processor),
    Exit(Processor),
    Leave(Processor),
    /// What a thread has waited for has come.
    Wake(Processor, ThreadNumber),
    /// A thread's child has ended.
    ChildEnds(Processor, ThreadNumber),
    /// A buffer is free for a thread that leaves.
    Pack(Processor),
    /// A timer interrupt.
    Tick(Processor),
    /// The time of requests is over.
    Due(Processor),
    /// A thread of the balancer makes a request.
    Ask(u8),
    /// The next order to a thread to move.
    Order,
    Kill,
    KillBalancer,
    SuspendOrResume,
    Begin,
    Create(ThreadNumber),
}

/// Expected when nothing is under way.
pub const ANSWERED: &str = "every request is answered";
pub const EMPTY: &str = "no place is kept by a request that has been answered";
/// Always.
pub const SERVED: &str = "no request waits while a thread is ready for it";

/// What should happen somewhere, and whether it does.
type Reached = (&'static str, fn(&State) -> bool);

const REACHED: [Reached; 10] = [
    ("a thread moves for a request", |state| answers(state, |answer| matches!(answer, Answer::Moved(_)))),
    ("a request expires", |state| answers(state, |answer| answer == Answer::Expired)),
    ("a request is refused", |state| answers(state, |answer| answer == Answer::Refused)),
    ("a standing request is answered", |state| answers(state, |answer| answer == Answer::Stands)),
    ("a thread starts where a standing request says", |state| state.placed),
    ("an answer finds nobody", |state| state.to_nobody),
    ("two threads leave a slave for requests", |state| state.slaves.iter().any(|slave| leaving(slave) > 1)),
    ("a thread that leaves for a request waits for buffers", |state| {
        state.slaves.iter().any(|slave| leaving(slave) != 0 && slave.buffers == 0)
    }),
    ("a request waits while another's thread leaves", |state| {
        state.slaves.iter().any(|slave| leaving(slave) != 0 && slave.requests.due().is_some())
    }),
    ("a thread that left for a request has ended before it arrived", |state| {
        let dead = |generation, process: u8| state.homes[process as usize].generation > generation;
        state.packets.iter().any(|packet| match packet.content {
            Content::Thread { generation, request: Some(_), .. } => dead(generation, 0),
            _ => false,
        })
    }),
];

fn answers(state: &State, is: fn(Answer) -> bool) -> bool {
    state.packets.iter().any(|packet| matches!(packet.content, Content::Reply { answer, .. } if is(answer)))
}

fn leaving(slave: &Slave) -> usize {
    slave.threads.iter().filter(|thread| thread.request.is_some()).count()
}

impl Setup {
    fn slave_actions(&self, at: Processor, slave: &Slave, actions: &mut Vec<Action>) {
        let running = slave.threads.iter().find(|thread| thread.run == Run::Running);
        if let Some(thread) = running {
            actions.extend([Action::Yield(at), Action::Block(at)]);
            let plan = self.plan(thread.number);
            if plan.exits {
                actions.push(Action::Exit(at));
            }
            if plan.leaves_to.is_some_and(|to| to != at) && !thread.parent {
                actions.push(Action::Leave(at));
            }
        } else if slave.ready.first().is_some_and(|first| {
            let first = |thread: &&Local| thread.number == *first;
            slave.threads.iter().find(first).is_some_and(|thread| thread.runs != 0)
        }) {
            actions.push(Action::Run(at));
        }
        for thread in &slave.threads {
            if thread.run == Run::Blocked {
                actions.push(Action::Wake(at, thread.number));
            }
            if thread.parent {
                actions.push(Action::ChildEnds(at, thread.number));
            }
        }
        if !slave.leaving.is_empty() && slave.buffers != 0 {
            actions.push(Action::Pack(at));
        }
        match slave.requests.due() {
            Some(due) if slave.now < due => actions.push(Action::Tick(at)),
            Some(_) if !self.has(Bug::NotOnTime) => actions.push(Action::Due(at)),
            _ if self.ticks_leaving(slave) || slave.stands() => actions.push(Action::Tick(at)),
            _ => {}
        }
    }

    /// Time passes while threads leave, too; that matters only to a mistake.
    fn ticks_leaving(&self, slave: &Slave) -> bool {
        self.has(Bug::ExpireLeaving) && leaving(slave) != 0
    }

    pub fn possible(&self, state: &State, actions: &mut Vec<Action>) {
        for (index, slave) in state.slaves.iter().enumerate() {
            self.slave_actions(processor(index as u8 + 1), slave, actions);
        }
        let mut last = None;
        for packet in &state.packets {
            if last.replace((packet.from, packet.to)) != Some((packet.from, packet.to)) {
                actions.push(Action::Deliver { from: packet.from, to: packet.to });
            }
        }
        for (by, balancing) in state.balancing.iter().enumerate() {
            if balancing.waits.is_none() && (balancing.next as usize) < self.asks[by].len() {
                actions.push(Action::Ask(by as u8));
            }
        }
        if (state.orders as usize) < self.orders.len() {
            actions.push(Action::Order);
        }
        if state.balancer_kills != 0 && state.balancing.iter().any(|balancing| balancing.waits.is_some()) {
            actions.push(Action::KillBalancer);
        }
        let home = &state.homes[0];
        if home.ending.is_none() && state.kills != 0 {
            actions.push(Action::Kill);
        }
        if home.ending.is_none() && (home.suspended || state.suspends != 0) {
            actions.push(Action::SuspendOrResume);
        }
        if home.ending == Some(0) && state.rebirths != 0 {
            actions.push(Action::Begin);
        }
        for (index, &(_, ended)) in state.lives.iter().enumerate() {
            if ended && state.rebirths != 0 && home.ending.is_none() {
                actions.push(Action::Create(thread(index as u16 + 1)));
            }
        }
    }

    /// The running thread, which is no longer the one that runs.
    fn running(&self, state: &mut State, at: Processor) -> Option<ThreadNumber> {
        let thread = state.slave(at).threads.iter_mut().find(|thread| thread.run == Run::Running)?;
        thread.run = Run::Blocked;
        Some(thread.number)
    }

    pub fn act(&self, state: &mut State, action: Action) -> Option<()> {
        match action {
            Action::Deliver { from, to } => {
                let packet = state.packets.remove(state.next(from, to)?);
                self.deliver(state, packet);
            }
            Action::Run(at) => {
                let first = state.slave(at).ready.remove(0);
                let thread = state.slave(at).find(first)?;
                (thread.run, thread.runs) = (Run::Running, thread.runs - 1);
            }
            Action::Yield(at) => {
                let number = self.running(state, at)?;
                self.make_ready(state, at, number);
            }
            Action::Block(at) => drop(self.running(state, at)?),
            Action::Exit(at) => {
                let number = self.running(state, at)?;
                self.exit_thread(state, at, number);
            }
            Action::Leave(at) => {
                let number = self.running(state, at)?;
                self.send_away(state, at, number, self.plan(number).leaves_to?, None);
            }
            Action::Wake(at, number) => self.make_ready(state, at, number),
            Action::ChildEnds(at, number) => {
                let thread = state.slave(at).find(number)?;
                (thread.parent, thread.freed) = (false, true);
            }
            Action::Pack(at) => self.leave_on(state, at),
            Action::Tick(at) => self.tick(state, at),
            Action::Due(at) => self.serve(state, at),
            Action::Ask(by) => self.make_request(state, by),
            Action::Order => {
                let (thread, at, to) = self.orders[state.orders as usize];
                state.orders += 1;
                state.send(MASTER, at, Content::Migrate { thread, to });
            }
            Action::Kill => self.kill(state, 0),
            Action::KillBalancer => self.kill_balancer(state),
            Action::SuspendOrResume => self.suspend_or_resume(state, 0),
            Action::Begin => self.begin(state, 0),
            Action::Create(number) => {
                state.rebirths -= 1;
                self.create(state, number);
            }
        }
        Some(())
    }

    /// Nothing is under way, and nobody's time is running.
    pub fn is_quiet(&self, state: &State) -> bool {
        let is_late = |slave: &Slave| slave.requests.due().is_some_and(|due| due <= slave.now);
        let waits = |slave: &Slave| slave.requests.due().is_some() && !(is_late(slave) && self.has(Bug::NotOnTime));
        let rests = |slave: &Slave| slave.leaving.is_empty() && !waits(slave);
        state.packets.is_empty() && state.slaves.iter().all(rests)
    }

    pub fn is_answered(&self, state: &State) -> bool {
        let is_answered = |ledger: &Ledger| matches!(ledger, Ledger::Unasked | Ledger::Answered);
        !self.is_quiet(state)
            || state.ledger.iter().all(is_answered) && state.balancing.iter().all(|balancing| balancing.waits.is_none())
    }

    pub fn is_empty(&self, state: &State) -> bool {
        !self.is_quiet(state) || state.slaves.iter().all(|slave| slave.requests.is_empty())
    }

    /// The property that is violated, if any.
    pub fn violated(&self, state: &State) -> Option<&'static str> {
        let wrong = state.wrong.and_then(|wrong| ALL_WRONG.iter().find(|(other, _)| *other == wrong));
        let checks =
            [(self.is_answered(state), ANSWERED), (self.is_empty(state), EMPTY), (self.is_served(state), SERVED)];
        wrong.map(|(_, name)| *name).or_else(|| checks.into_iter().find(|(holds, _)| !holds).map(|(_, name)| name))
    }

    /// Requests look at threads that join the ready queue. So one whose process is suspended may be
    /// missed, or one whose child ends while it is in the queue.
    pub fn is_served(&self, state: &State) -> bool {
        let waits = |slave: &Slave| slave.requests.due().is_some_and(|due| slave.now < due);
        state.slaves.iter().enumerate().filter(|(_, slave)| waits(slave)).all(|(index, slave)| {
            let wanted = RequestsIn::<PLACES>::places().filter_map(|place| slave.requests.wanted(place));
            let is_new = |number| {
                let mut threads = slave.threads.iter();
                threads.any(|thread| thread.number == number && thread.run == Run::Ready && !thread.freed)
            };
            let mut choices = wanted.map(|wanted| self.choice(state, processor(index as u8 + 1), wanted));
            !choices.any(|choice| matches!(choice, Choice::Thread(number) if is_new(number)))
        })
    }
}

/// A setup to explore.
#[derive(Clone)]
pub struct Machine(pub Setup);

impl Model for Machine {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(&self.0)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.0.possible(state, actions);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        self.0.act(&mut state, action)?;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        macro_rules! all {
            ($($index:literal)*; $($reached:literal)*) => {
                vec![
                    $(Property::always(ALL_WRONG[$index].1, |_: &Self, state: &State| {
                        state.wrong != Some(ALL_WRONG[$index].0)
                    }),)*
                    $(Property::sometimes(REACHED[$reached].0, |_: &Self, state: &State| REACHED[$reached].1(state)),)*
                    Property::always(ANSWERED, |machine: &Self, state: &State| machine.0.is_answered(state)),
                    Property::always(EMPTY, |machine: &Self, state: &State| machine.0.is_empty(state)),
                    Property::always(SERVED, |machine: &Self, state: &State| machine.0.is_served(state)),
                ]
            };
        }
        all!(0 1 2 3 4 5 6 7 8; 0 1 2 3 4 5 6 7 8 9)
    }
}

pub fn reached() -> impl Iterator<Item = &'static str> {
    REACHED.iter().map(|(name, _)| *name)
}

/// One that has a mistake always finds the same violation first.
pub fn explore(setup: &Setup) -> Report {
    exploration::explore(Machine(setup.clone()), setup.bug.is_some(), describe, |_| None)
}

/// An action in words; `state` is the one before it.
pub fn describe(state: &State, action: Action) -> String {
    match action {
        Action::Deliver { from, to } => {
            format!("{from} -> {to}: {:?}", state.next(from, to).map(|index| state.packets[index].content))
        }
        other => format!("{other:?}"),
    }
}
