//! Assessor, policy and pending requests together: what runs in the balancer.

use arrayvec::ArrayVec;
use testbed_definitions::load::Part;

use crate::assess::Assessor;
use crate::policy::{Ask, Costs, Policy, View, PENDING};
use crate::request::{Answer, Request, EXPIRY_INTERRUPTS};
use crate::summary::Summary;

/// A request that was sent, by a number that its answer repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    pub number: u16,
    pub time: u64,
    pub request: Request,
}

/// What a balancer has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub rounds: u32,
    pub requests: u32,
    pub moved: u32,
    /// Standing requests that hold, or have held.
    pub standing: u32,
    pub expired: u32,
    pub refused: u32,
    /// Requests to which no answer came.
    pub unanswered: u32,
    /// Requests of the policy that could not be made.
    pub faults: u32,
}

impl Counts {
    /// Nothing yet.
    pub const NONE: Counts =
        Counts { rounds: 0, requests: 0, moved: 0, standing: 0, expired: 0, refused: 0, unanswered: 0, faults: 0 };
}

/// Runs a policy. It is large: it belongs into static memory.
#[derive(Debug)]
pub struct Balancer<P> {
    assessor: Assessor,
    policy: P,
    pub costs: Costs,
    pub counts: Counts,
    pending: ArrayVec<Sent, PENDING>,
    /// Requests that were given up and not told yet.
    given_up: ArrayVec<Sent, PENDING>,
    /// The number of the last request.
    last: u16,
    round: u32,
    /// When the policy was last asked because of samples.
    asked: u64,
    answered: bool,
    /// The policy has made its first requests, of which it needs to know nothing.
    begun: bool,
}

/// A slave expires a request by itself; after so many times as long it counts as lost.
const PATIENCE: u64 = 3;
/// A round of samples is not waited for longer than so many periods.
const LATE_PERIODS: u64 = 2;

impl<P: Policy> Balancer<P> {
    /// One that has to [`Balancer::begin`]. But for the policy its bytes are 0, so that a program that
    /// has it as a static does not have to be loaded with it.
    pub const fn idle(policy: P) -> Self {
        Balancer {
            assessor: Assessor::new(0),
            policy,
            costs: Costs::UNKNOWN,
            counts: Counts::NONE,
            pending: ArrayVec::new_const(),
            given_up: ArrayVec::new_const(),
            last: 0,
            round: 0,
            asked: 0,
            answered: false,
            begun: false,
        }
    }

    /// For a machine with slaves 1 to `slaves`.
    pub fn new(slaves: u8, policy: P) -> Self {
        let mut balancer = Balancer { costs: Costs::DEFAULT, ..Balancer::idle(policy) };
        balancer.assessor.begin(slaves);
        balancer
    }

    /// Slaves are 1 to `slaves` from now on; and what a policy is to be.
    pub fn begin(&mut self, slaves: u8, policy: P) {
        self.assessor.begin(slaves);
        self.policy = policy;
        self.costs = Costs::DEFAULT;
    }

    pub fn policy(&self) -> &P {
        &self.policy
    }

    pub fn summary(&self) -> &Summary {
        self.assessor.summary()
    }

    /// Requests that are not answered yet.
    pub fn pending(&self) -> &[Sent] {
        &self.pending
    }

    /// Takes a part of a slave's sample. Returns whether it completes one.
    pub fn take(&mut self, slave: u8, time: u64, part: Part) -> bool {
        self.assessor.take(slave, time, part)
    }

    /// Events of the slave were lost here.
    pub fn lost(&mut self, slave: u8) {
        self.assessor.lost(slave);
    }

    /// Takes the answer to the request of this number. Returns the request, or `None` if it is not
    /// pending (any more).
    pub fn answer(&mut self, now: u64, number: u16, answer: Answer) -> Option<Request> {
        let at = self.pending.iter().position(|sent| sent.number == number)?;
        let sent = self.pending.remove(at);
        match answer {
            Answer::Moved(thread) => {
                self.counts.moved += 1;
                self.assessor.moved(thread, sent.request.to, now);
            }
            Answer::Stands => self.counts.standing += 1,
            Answer::Expired => self.counts.expired += 1,
            Answer::Refused => {
                self.counts.refused += 1;
                self.assessor.refused(&sent.request);
            }
        }
        self.answered = true;
        self.policy.answered(now, &sent.request, answer);
        Some(sent.request)
    }

    /// Asks the policy if it is time to. Returns the requests that have to be sent.
    pub fn step(&mut self, now: u64) -> ArrayVec<Sent, PENDING> {
        self.drop_lost(now);
        let round = self.is_round(now);
        let begins = !core::mem::replace(&mut self.begun, true);
        let is_wanted = round || self.answered && self.policy.pace().on_answers;
        if !is_wanted && !begins {
            return ArrayVec::new();
        }
        if round {
            self.asked = now;
            self.round += 1;
            self.counts.rounds += 1;
        }
        let pending: ArrayVec<Request, PENDING> = self.pending.iter().map(|sent| sent.request).collect();
        let view =
            View { now, summary: self.assessor.summary(), costs: &self.costs, round: self.round, pending: &pending };
        let mut ask = Ask::new(view, self.policy.pace());
        if begins {
            self.policy.begin(&view, &mut ask);
        }
        if is_wanted {
            self.answered = false;
            self.policy.decide(&view, &mut ask);
        }
        self.counts.faults += ask.faults;
        let requests: ArrayVec<Request, PENDING> = ask.requests().iter().copied().collect();
        requests.into_iter().map(|request| self.sent(now, request)).collect()
    }

    fn sent(&mut self, time: u64, request: Request) -> Sent {
        self.last = self.last.wrapping_add(1).max(1);
        let sent = Sent { number: self.last, time, request };
        self.counts.requests += 1;
        self.pending.push(sent);
        sent
    }

    /// Every slave has sent a sample since the policy was last asked, or some are late.
    fn is_round(&self, now: u64) -> bool {
        let summary = self.assessor.summary();
        let mut newest = None;
        let mut all = true;
        for slave in summary.processors().map(|slave| summary.slave(slave)) {
            match slave.sampled {
                Some(sampled) if sampled > self.asked => newest = newest.max(Some((sampled, slave.period))),
                _ => all = false,
            }
        }
        newest.is_some_and(|(_, period)| all || now > self.asked + LATE_PERIODS * u64::from(period))
    }

    /// Cycles from sample to sample that the policy wants for now, if not the period that was told.
    pub fn hurry(&self) -> Option<u32> {
        self.policy.hurry()
    }

    /// Gives up requests to which no answer came, so that none stays for ever.
    fn drop_lost(&mut self, now: u64) {
        let patience = PATIENCE * u64::from(EXPIRY_INTERRUPTS * self.costs.slice);
        while let Some(number) = self.pending.iter().find(|sent| now > sent.time + patience).map(|sent| sent.number) {
            self.give_up(now, number);
        }
    }

    /// Gives up the pending request of this number: no answer to it will come, or it could not be
    /// sent.
    pub fn give_up(&mut self, now: u64, number: u16) {
        let Some(at) = self.pending.iter().position(|sent| sent.number == number) else { return };
        let sent = self.pending.remove(at);
        self.counts.unanswered += 1;
        self.answered = true;
        self.policy.answered(now, &sent.request, Answer::Expired);
        // Who does not take them knows how many there are by the counts.
        let _ = self.given_up.try_push(sent);
    }

    /// Takes the requests that were given up since the last call.
    pub fn take_given_up(&mut self) -> ArrayVec<Sent, PENDING> {
        core::mem::take(&mut self.given_up)
    }
}
