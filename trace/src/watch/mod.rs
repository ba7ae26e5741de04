//! What a run shows at a moment: ready queues, threads, supersteps, loads of links, rates of events, losses.
//!
//! [`Watch`] takes ordered events, as [`crate::analysis`] does, and keeps the recent past;
//! [`Watch::view`] says what there is to be seen. What events mean, [`Follower`] says; so figures
//! are those of `testbed analyse`, over a trailing window. Memory is bounded by threads and links.

mod recent;
mod supersteps;
mod view;

use std::collections::BTreeMap;

use crate::analysis::fact::{Fact, Met, ThreadNow, ThreadState, Times, Waited};
use crate::analysis::follow::Follower;
use crate::analysis::probe::Probe;
use crate::balance::Samples;
use crate::capture::RunRecord;
use crate::order::{Event, What};
use recent::{Piece, Recent, Scale, KEPT};
use supersteps::Supersteps;

pub use supersteps::GroupView;
pub use view::{LinkView, ProcessorView, ThreadView, View};

/// A ready queue in a piece of time.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// Threads times cycles, and the cycles in which the length is known.
    product: u64,
    known: u64,
}

impl Piece for Queue {
    fn join(&mut self, other: &Self) {
        self.product += other.product;
        self.known += other.known;
    }
}

/// What is known of one processor.
struct Processor {
    times: Recent<Times>,
    queue: Recent<Queue>,
    events: Recent<u64>,
    /// The length of its ready queue since some cycle, and threads that may be in it besides.
    length: Option<u32>,
    untold: u32,
    since: u64,
    count: u64,
    gaps: u64,
    lost: u64,
    /// Losses without a count.
    uncounted: u64,
    unproven: u64,
}

/// What is known of one direction between two processors.
struct Link {
    /// Packets and communications.
    passed: Recent<[u64; 2]>,
    totals: [u64; 2],
}

/// What is known of one living thread.
struct Thread {
    /// Cycles in which it ran.
    ran: Recent<u64>,
    communications: u64,
}

/// Watches a run.
pub struct Watch {
    clock_hz: u32,
    scale: Scale,
    /// Machine cycle that has been reached.
    now: u64,
    follower: Follower,
    processors: Vec<Processor>,
    links: BTreeMap<(u8, u8), Link>,
    threads: BTreeMap<u16, Thread>,
    samples: Samples,
    supersteps: Supersteps,
    events: u64,
}

impl Watch {
    /// For a run of which this is the record, with a trailing window of about `window` cycles.
    pub fn new(record: &RunRecord, window: u64) -> Self {
        let processor = |_: &String| Processor {
            times: Recent::default(),
            queue: Recent::default(),
            events: Recent::default(),
            length: Some(0),
            untold: 0,
            since: 0,
            count: 0,
            gaps: 0,
            lost: 0,
            uncounted: 0,
            unproven: 0,
        };
        Watch {
            clock_hz: record.machine.clock_hz,
            scale: Scale::new(window),
            now: 0,
            follower: Follower::new(record, Probe::of(record.machine.core)),
            processors: record.machine.processors.iter().map(processor).collect(),
            links: BTreeMap::new(),
            threads: BTreeMap::new(),
            samples: Samples::new(record.machine.slaves() as u8),
            supersteps: Supersteps::default(),
            events: 0,
        }
    }

    /// The machine has come to this cycle, and whatever has happened until then has been added.
    pub fn advance(&mut self, cycle: u64) {
        self.now = self.now.max(cycle);
        if self.scale.number(self.now) < KEPT as u64 {
            return;
        }
        while self.scale.grow(self.now) {
            for processor in &mut self.processors {
                processor.times.double();
                processor.queue.double();
                processor.events.double();
            }
            self.links.values_mut().for_each(|link| link.passed.double());
            self.threads.values_mut().for_each(|thread| thread.ran.double());
            self.supersteps.double();
        }
    }

    /// Cycle of an event.
    pub fn cycle(&self, event: &Event) -> u64 {
        self.follower.cycle(event)
    }

    /// The machine cycle that has been reached.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Cycles of an entry of the histories, as they are now.
    pub fn piece_cycles(&self) -> u64 {
        self.scale.piece
    }

    /// Events that have been taken.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        self.follow(event, &mut |_| {});
    }

    /// Takes the next event; what it shows is told to `tell` too.
    pub fn follow(&mut self, event: &Event, tell: &mut impl FnMut(&Fact)) {
        self.events += 1;
        if event.is_certain() {
            self.advance(self.cycle(event));
        }
        self.samples.take(self.cycle(event), event);
        let (scale, now) = (self.scale, self.now);
        if let Some(processor) = self.processors.get_mut(event.smi as usize) {
            processor.count(event, scale.number(now));
        }
        let Watch { follower, processors, links, threads, supersteps, .. } = self;
        follower.add(event, &mut |fact| {
            supersteps.take(fact, scale);
            tell(fact);
            match fact {
                Fact::Processor { processor, doing, from, to } => {
                    if let Some(processor) = processors.get_mut(*processor as usize) {
                        processor.times.spread(scale, *from, *to, |times, cycles| times[*doing as usize] += cycles);
                    }
                }
                Fact::Queue { processor, cycle, length, untold } => {
                    if let Some(processor) = processors.get_mut(*processor as usize) {
                        processor.queue_until(scale, *cycle);
                        (processor.length, processor.untold) = (*length, *untold);
                    }
                }
                Fact::Sent { mark, to, .. } => pass(links, (mark.processor, *to), scale.number(mark.cycle), 0),
                Fact::Received { from, to, cycle } => pass(links, (*from, *to), scale.number(*cycle), 1),
                fact => about_thread(threads, scale, fact),
            }
        });
    }
}

impl Watch {
    /// Tells what processors and threads have been doing up to now, of which no fact tells yet.
    pub fn present(&self, tell: &mut impl FnMut(&Fact)) {
        let to = self.now;
        for processor in 1..self.processors.len() as u8 {
            let (doing, from) = self.follower.doing(processor);
            tell(&Fact::Processor { processor, doing, from, to });
        }
        for ThreadNow { thread, processor, state, on, since } in self.follower.threads() {
            tell(&Fact::Thread { thread, processor, state, on, from: since, to });
        }
    }
}

/// Counts what passes over a link.
fn pass(links: &mut BTreeMap<(u8, u8), Link>, link: (u8, u8), number: u64, what: usize) {
    let link = links.entry(link).or_insert_with(|| Link { passed: Recent::default(), totals: [0; 2] });
    link.totals[what] += 1;
    if let Some(passed) = link.passed.at(number) {
        passed[what] += 1;
    }
}

fn about_thread(threads: &mut BTreeMap<u16, Thread>, scale: Scale, fact: &Fact) {
    let new = || Thread { ran: Recent::default(), communications: 0 };
    match *fact {
        Fact::Born { thread, .. } => drop(threads.insert(thread, new())),
        Fact::Died { thread, .. } => drop(threads.remove(&thread)),
        Fact::Thread { thread, state: ThreadState::Running, from, to, .. } => {
            threads.entry(thread).or_insert_with(new).ran.spread(scale, from, to, |ran, cycles| *ran += cycles);
        }
        Fact::Wait(wait) => {
            if matches!(wait.what, Waited::Communication(met, _) if met != Met::Otherwise) {
                threads.entry(wait.thread).or_insert_with(new).communications += 1;
            }
        }
        _ => {}
    }
}

impl Processor {
    fn count(&mut self, event: &Event, number: u64) {
        self.unproven += u64::from(!event.is_certain());
        if let What::Gap(count) = event.what {
            self.gaps += 1;
            self.lost += u64::from(count.unwrap_or(0));
            self.uncounted += u64::from(count.is_none());
        }
        if matches!(event.what, What::Gap(_) | What::Total { .. }) {
            // The monitor's own.
            return;
        }
        self.count += 1;
        if let Some(events) = self.events.at(number) {
            *events += 1;
        }
    }

    /// Time passes with the queue's length unchanged.
    fn queue_until(&mut self, scale: Scale, cycle: u64) {
        let from = self.since;
        self.since = from.max(cycle);
        let Some(length) = self.length else { return };
        self.queue.spread(scale, from, cycle, |queue, cycles| {
            queue.product += u64::from(length) * cycles;
            queue.known += cycles;
        });
    }
}
