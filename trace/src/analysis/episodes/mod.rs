//! Episodes: communications, migrations and pages' ways, put together from their events; and what
//! each thread waited for.
//!
//! An event of the remote protocol names a channel but no process. So an episode is followed by the
//! packets themselves, which arrive once and in order between two processors, and by the thread
//! that a release names. Where two processes use one channel's number between the same processors
//! at the same time, what can't be told apart is left out, and counted.

mod pages;
mod remote;
mod requests;
mod seen;

use std::collections::BTreeMap;

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::{event, mpc};

use super::fact::{Episode, Fact, Flight, On, Stage, Wait, Waited};
use super::measure::Mark;
use super::protocol::{Phase, Protocol};
use crate::conform::service::Service;
use crate::conform::steps::Move;
use crate::conform::thread::{Happening, Request, State};
use remote::Remotes;
use requests::{Requested, Requests};
pub use seen::Seen;
use seen::{flight_stage, stage};

/// A thread on its way to another processor.
#[derive(Clone, Copy, Debug)]
struct Moving {
    pack: Mark,
    packed: Option<Mark>,
    flight: Option<Flight>,
    sent: Option<Mark>,
}

/// A thread's page on its way.
#[derive(Clone, Copy, Debug)]
struct Paging {
    page: u16,
    fault: Mark,
    blocked: Option<Mark>,
    /// First message about a page with this low byte, and how many there were.
    asked: Option<(Mark, u64)>,
    asks: u32,
    request: Option<Flight>,
}

/// What one processor serves.
#[derive(Clone, Copy, Debug)]
struct Serving {
    since: Mark,
    from: u8,
    kind: u8,
}

/// Puts episodes together.
#[derive(Debug)]
pub struct Episodes {
    remotes: Remotes,
    requests: Requests,
    moving: BTreeMap<u16, Moving>,
    paging: BTreeMap<u16, Paging>,
    serving: Vec<Option<Serving>>,
    /// Threads that are ready after a wait, until they run.
    ready: BTreeMap<u16, (Waited, Mark, Option<Mark>)>,
    facts: Vec<Fact>,
}

impl Episodes {
    pub fn new(processors: usize) -> Self {
        Episodes {
            remotes: Remotes::new(processors),
            requests: Requests::default(),
            moving: BTreeMap::new(),
            paging: BTreeMap::new(),
            serving: vec![None; processors],
            ready: BTreeMap::new(),
            facts: Vec::new(),
        }
    }

    /// What has been found since the last call.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Fact> {
        self.facts.drain(..)
    }

    /// Takes an event. `request` says what a thread has asked for, if class `detail` tells it.
    pub fn step(&mut self, seen: &Seen, request: impl Fn(u16) -> Option<Request>) {
        if seen.code == Some(event::RX_MPC) {
            let (from, kind, _) = seen.message();
            self.serving[seen.me() as usize] = Some(Serving { since: seen.mark, from, kind });
        }
        for step in &seen.steps.threads {
            self.thread(seen, *step, &request);
        }
        self.remotes.step(seen, &self.requests, &request, &mut self.facts);
        self.received(seen);
        self.pages(seen);
        self.finish_requests(seen, &request);
        if seen.code == Some(event::PROCESS_END) {
            self.process_ends(seen.argument() & 0xff);
        }
        if seen.after == Service::None {
            self.serving[seen.me() as usize] = None;
        }
    }

    fn left_out(&mut self, protocol: Protocol, cycle: u64, reason: &'static str) {
        self.facts.push(Fact::LeftOut { protocol, cycle, reason });
    }

    fn episode(&mut self, protocol: Protocol, thread: u16, stages: Option<Vec<Stage>>, cycle: u64) {
        match stages {
            Some(stages) => {
                let threads = (thread, thread);
                let episode = Episode { protocol, channel: None, threads, stages, beside: Vec::new() };
                self.facts.push(Fact::Episode(episode));
            }
            None => self.left_out(protocol, cycle, "its events are not in the order of the protocol"),
        }
    }

    /// A thread has received a message from another processor, whole.
    fn received(&mut self, seen: &Seen) {
        let serving = self.serving[seen.me() as usize].filter(|serving| serving.kind == mpc::MSG);
        if let (Some(event::COMMR), Some(Serving { from, .. })) = (seen.code, serving) {
            self.facts.push(Fact::Received { from, to: seen.me(), cycle: seen.mark.cycle });
        }
    }

    /// A thread's state has moved on.
    fn thread(&mut self, seen: &Seen, step: Move, request: &impl Fn(u16) -> Option<Request>) {
        let (thread, mark) = (step.number, seen.mark);
        match step.happening {
            Happening::Requests => self.requests.begin(thread, mark),
            Happening::Blocks => self.requests.block(thread, mark),
            Happening::Scheduled => self.scheduled(thread, step.before, mark),
            Happening::Faults => {
                if step.before == State::Requesting {
                    self.requests.faults(thread);
                }
                let page = seen.argument();
                self.paging
                    .insert(thread, Paging { page, fault: mark, blocked: None, asked: None, asks: 0, request: None });
            }
            Happening::PageBlocks => {
                if let Some(paging) = self.paging.get_mut(&thread) {
                    paging.blocked = Some(mark);
                }
            }
            Happening::PageComes => self.page_comes(seen, thread),
            Happening::Packs => {
                self.requests.forget(thread);
                self.moving.insert(thread, Moving { pack: mark, packed: None, flight: None, sent: None });
            }
            Happening::IsPacked => {
                if let Some(moving) = self.moving.get_mut(&thread) {
                    moving.packed = Some(mark);
                }
            }
            Happening::Leaves => {
                if let Some(moving) = self.moving.get_mut(&thread) {
                    moving.sent = Some(mark);
                }
            }
            Happening::Arrives => {
                if let Some(moving) = self.moving.get_mut(&thread) {
                    moving.flight = seen.flight;
                }
            }
            Happening::Unpacked => self.unpacked(seen, thread),
            Happening::Ends => self.forget(thread),
            Happening::Released if seen.code.is_none() => {
                // At its SCHEDULE: when it was released nobody says.
                if let Some(requested) = self.requests.end(thread) {
                    let waited = Waited::Communication(super::fact::Met::Otherwise, requests::on(request(thread)));
                    self.ready.insert(thread, (waited, requested.first, None));
                }
            }
            Happening::Released | Happening::Copies | Happening::Waits | Happening::Calls => {}
            Happening::Synchronizes | Happening::GetsThrough => {}
        }
    }

    /// The thread runs: its wait is over.
    fn scheduled(&mut self, thread: u16, before: State, mark: Mark) {
        if let Some((what, begun, ready)) = self.ready.remove(&thread) {
            self.facts.push(Fact::Wait(Wait { thread, what, begun, ready, runs: mark }));
        }
        // Refused, or answered at once.
        if before == State::Requesting && self.requests.refused(thread) {
            self.facts.push(Fact::WaitLeftOut { cycle: mark.cycle, reason: "requests that were refused" });
        }
        if before == State::Faulting && self.paging.remove(&thread).is_some() {
            self.left_out(Protocol::Page, mark.cycle, "faults that were answered at once, or refused");
        }
    }

    /// Requests that end here: by a partner here, or by a component from another processor.
    fn finish_requests(&mut self, seen: &Seen, request: &impl Fn(u16) -> Option<Request>) {
        use super::fact::Met;
        let met = |code: Option<u16>, happening| match (code, happening) {
            (Some(event::TRAP72), Happening::Copies) => Some(Met::LocalSecond),
            (Some(event::TRAP72), Happening::Released) => Some(Met::LocalFirst),
            (_, Happening::Released) if matches!(seen.before, Service::Message { kind: mpc::REFUSE, .. }) => {
                Some(Met::Otherwise)
            }
            (Some(event::COMMS), Happening::Released) => Some(Met::RemoteSend),
            (Some(event::COMMR), Happening::Released) => Some(Met::RemoteReceive),
            _ => None,
        };
        if seen.code == Some(event::TRAP72) {
            self.local(seen, request);
        }
        for step in &seen.steps.threads {
            let Some(met) = met(seen.code, step.happening) else { continue };
            match self.requests.end(step.number) {
                Some(requested) => {
                    let on = match (seen.code, seen.before) {
                        (Some(event::COMMS), Service::Message { kind: mpc::RTR, channel }) => On::Send(channel),
                        (Some(event::COMMR), Service::Message { kind: mpc::MSG, channel }) => On::Receive(channel),
                        _ => requests::on(request(step.number)),
                    };
                    let waited = Waited::Communication(met, on);
                    self.ready.insert(step.number, (waited, requested.first, Some(seen.mark)));
                }
                None => {
                    let reason = "requests whose beginning was lost";
                    self.facts.push(Fact::WaitLeftOut { cycle: seen.mark.cycle, reason });
                }
            }
        }
    }

    /// TRAP72: both partners are here.
    fn local(&mut self, seen: &Seen, request: &impl Fn(u16) -> Option<Request>) {
        let cycle = seen.mark.cycle;
        let second = seen.moved(Happening::Copies);
        let first = seen.moved(Happening::Released);
        let (Some(second), Some(first)) = (second, first) else {
            let reason = "partner not told apart from others that wait (class detail tells)";
            return self.left_out(Protocol::Local, cycle, reason);
        };
        let marks = self.requests.get(second.number).zip(self.requests.get(first.number));
        let Some((two, Requested { trap7, trap70: Some(trap70), .. })) = marks else {
            return self.left_out(Protocol::Local, cycle, "its beginning was lost");
        };
        let stages = [
            stage(Phase::FirstRequest, trap7, trap70),
            stage(Phase::PartnerAwaited, trap70, two.trap7),
            stage(Phase::SecondRequest, two.trap7, seen.mark),
        ];
        let (own, other) = (request(second.number), request(first.number));
        let channel = [own, other].into_iter().flatten().find(|one| !one.alternative).map(|one| one.channel);
        let own_receives = own.map(|one| one.receive).or(other.map(|one| !one.receive));
        let threads = match own_receives {
            Some(true) => (first.number, second.number),
            _ => (second.number, first.number),
        };
        match stages.into_iter().collect::<Option<Vec<_>>>() {
            Some(stages) => {
                let protocol = Protocol::Local;
                self.facts.push(Fact::Episode(Episode { protocol, channel, threads, stages, beside: Vec::new() }));
            }
            None => self.left_out(Protocol::Local, cycle, "its events are not in the order of the protocol"),
        }
    }

    fn unpacked(&mut self, seen: &Seen, thread: u16) {
        let cycle = seen.mark.cycle;
        let Some(Moving { pack, packed: Some(packed), flight, sent: Some(sent) }) = self.moving.remove(&thread) else {
            return self.left_out(Protocol::Migration, cycle, "its beginning was lost");
        };
        let Some(flight) = flight else {
            return self.left_out(Protocol::Migration, cycle, "over a processor without a whole trace");
        };
        let stages = [
            stage(Phase::Packing, pack, packed),
            stage(Phase::ThreadQueue, packed, sent),
            flight_stage(Phase::ThreadFlight, &flight),
            stage(Phase::Unpacking, flight.served, seen.mark),
        ];
        self.ready.insert(thread, (Waited::Migration, pack, Some(seen.mark)));
        self.episode(Protocol::Migration, thread, stages.into_iter().collect(), cycle);
    }

    fn forget(&mut self, thread: u16) {
        self.requests.forget(thread);
        self.moving.remove(&thread);
        self.paging.remove(&thread);
        self.ready.remove(&thread);
    }

    fn process_ends(&mut self, process: u16) {
        let theirs = |thread: &u16| ThreadNumber::from_bits(*thread).process() == process;
        self.requests.retain(|thread| !theirs(&thread));
        self.moving.retain(|thread, _| !theirs(thread));
        self.paging.retain(|thread, _| !theirs(thread));
        self.ready.retain(|thread, _| !theirs(thread));
    }

    /// Events of a processor were lost: nothing that was under way there can be followed.
    pub fn lose(&mut self, processor: u8, cycle: u64, known: impl Fn(u16) -> bool) {
        let lost = "under way when events of its processor were lost";
        for _ in 0..self.remotes.lose(processor) {
            self.left_out(Protocol::Remote, cycle, lost);
        }
        let moving = self.moving.len();
        self.moving.retain(|thread, _| known(*thread));
        for _ in self.moving.len()..moving {
            self.left_out(Protocol::Migration, cycle, lost);
        }
        let paging = self.paging.len();
        self.paging.retain(|_, paging| paging.fault.processor != processor);
        for _ in self.paging.len()..paging {
            self.left_out(Protocol::Page, cycle, lost);
        }
        let waits = self.requests.len() + self.ready.len();
        self.requests.retain(&known);
        self.ready.retain(|thread, _| known(*thread));
        for _ in self.requests.len() + self.ready.len()..waits {
            self.facts.push(Fact::WaitLeftOut { cycle, reason: lost });
        }
        self.serving[processor as usize] = None;
    }

    /// The trace ends: what has not come to its end is counted.
    pub fn finish(&mut self, cycle: u64) {
        let unfinished = "not over at the end";
        for _ in 0..self.remotes.len() {
            self.left_out(Protocol::Remote, cycle, unfinished);
        }
        for _ in 0..self.moving.len() {
            self.left_out(Protocol::Migration, cycle, unfinished);
        }
        for _ in 0..self.paging.len() {
            self.left_out(Protocol::Page, cycle, unfinished);
        }
        for _ in 0..self.requests.len() + self.ready.len() {
            self.facts.push(Fact::WaitLeftOut { cycle, reason: unfinished });
        }
    }
}
