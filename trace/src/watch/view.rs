//! What there is to be seen of a run at a moment.

use super::recent::{Recent, KEPT};
use super::{GroupView, Watch};
use crate::analysis::fact::{Doing, On, ThreadState, Times};
use crate::analysis::follow::{ThreadNow, Uncertainty, ALL};
use crate::analysis::measure::Range;
use crate::balance::Sample;

/// A run at a moment. Shares are parts of the window, rates are per second of machine time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Machine cycle.
    pub now: u64,
    /// The trailing window over which shares and rates are taken.
    pub window: Option<Range>,
    /// Cycles of an entry of histories.
    pub piece_cycles: u64,
    /// Events so far, and per second.
    pub events: u64,
    pub event_rate: f64,
    /// Those with a monitor, by number.
    pub processors: Vec<ProcessorView>,
    /// Those over which something has passed.
    pub links: Vec<LinkView>,
    /// Those that live, by number.
    pub threads: Vec<ThreadView>,
    /// Groups of bulk-synchronous processes, that which came to the end of a superstep last in front.
    pub groups: Vec<GroupView>,
    pub uncertainty: Uncertainty,
}

/// A processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessorView {
    pub processor: u8,
    /// Threads in its ready queue, the running one not counted; `None` after a loss.
    pub ready: Option<u32>,
    /// Threads that may be in it besides.
    pub untold: u32,
    /// Mean length of the queue in pieces of the past, the newest last; `None` where it is not known.
    pub queue_history: Vec<Option<f64>>,
    /// Share of threads' time in the same pieces; `None` where nothing is told.
    pub user_history: Vec<Option<f64>>,
    pub running: Option<u16>,
    /// Its last whole sample of the load; `None` if there has been none.
    pub load: Option<Sample>,
    /// Shares of what it did, by [`Doing`]. What the trace does not tell yet is missing in their sum.
    pub shares: [f64; Doing::ALL.len()],
    pub events: u64,
    pub event_rate: f64,
    /// Places where its monitor discarded events, and how many these were.
    pub gaps: u64,
    pub lost: u64,
    /// Losses of which nobody knows how many they were.
    pub uncounted: u64,
    /// Events of which time or meaning is not proven.
    pub unproven: u64,
}

/// A direction between two processors.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkView {
    pub from: u8,
    /// `None`: all others at once.
    pub to: Option<u8>,
    /// Messages of threads received whole: so far, and per second.
    pub communications: u64,
    pub communication_rate: f64,
    /// Packets handed to Centrenet.
    pub packets: u64,
    pub packet_rate: f64,
    /// Packets not served yet.
    pub under_way: usize,
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreadView {
    pub thread: u16,
    pub processor: u8,
    pub state: ThreadState,
    pub on: On,
    /// Part of the window in which it ran.
    pub share: f64,
    /// Communications that it has completed.
    pub communications: u64,
}

impl Watch {
    /// What there is to be seen now.
    pub fn view(&self) -> View {
        let window = Range { from_cycle: self.scale.window_from(self.now), to_cycle: self.now };
        let threads: Vec<_> = self.follower.threads().collect();
        let processors: Vec<_> =
            (1..self.processors.len() as u8).map(|number| self.processor(number, window, &threads)).collect();
        View {
            now: self.now,
            window: (window.cycles() > 0).then_some(window),
            piece_cycles: self.scale.piece,
            events: self.events,
            event_rate: processors.iter().map(|processor| processor.event_rate).sum(),
            processors,
            links: self.links.keys().map(|&link| self.link(link, window)).collect(),
            threads: threads.iter().map(|thread| self.thread(thread, window)).collect(),
            groups: self.supersteps.view(self.scale.number(window.from_cycle), |count| self.rate(count, window)),
            uncertainty: self.follower.uncertainty().clone(),
        }
    }

    /// So many in the window, per second.
    fn rate(&self, count: u64, window: Range) -> f64 {
        match window.cycles() {
            0 => 0.0,
            cycles => count as f64 * f64::from(self.clock_hz) / cycles as f64,
        }
    }

    fn processor(&self, number: u8, window: Range, threads: &[ThreadNow]) -> ProcessorView {
        let processor = &self.processors[number as usize];
        let first = self.scale.number(window.from_cycle);
        let mut times = processor.times.clone();
        let (doing, since) = self.follower.doing(number);
        times.spread(self.scale, since, self.now, |times, cycles| times[doing as usize] += cycles);
        let mut queue = processor.queue.clone();
        if let Some(length) = processor.length {
            queue.spread(self.scale, processor.since, self.now, |queue, cycles| {
                queue.product += u64::from(length) * cycles;
                queue.known += cycles;
            });
        }
        let known = |times: &Times| -> u64 { times.iter().sum::<u64>() - times[Doing::Unknown as usize] };
        let user = |times: &Times| (known(times) > 0).then(|| times[Doing::User as usize] as f64 / known(times) as f64);
        let sums = times.sum_from(first);
        let running = threads.iter().find(|thread| thread.processor == number && thread.state == ThreadState::Running);
        ProcessorView {
            processor: number,
            ready: processor.length,
            untold: processor.untold,
            queue_history: self
                .history(&queue, |queue| (queue.known > 0).then(|| queue.product as f64 / queue.known as f64)),
            user_history: self.history(&times, user),
            running: running.map(|thread| thread.thread),
            load: self.samples.last(number),
            shares: sums.map(|cycles| cycles as f64 / window.cycles().max(1) as f64),
            events: processor.count,
            event_rate: self.rate(processor.events.sum_from(first), window),
            gaps: processor.gaps,
            lost: processor.lost,
            uncounted: processor.uncounted,
            unproven: processor.unproven,
        }
    }

    /// The pieces up to now, oldest first.
    fn history<T: super::Piece>(&self, recent: &Recent<T>, say: impl Fn(&T) -> Option<f64>) -> Vec<Option<f64>> {
        // The cycle that has been reached is no part of the past yet.
        let Some(last) = self.now.checked_sub(1).map(|cycle| self.scale.number(cycle)) else { return Vec::new() };
        let first = (last + 1).saturating_sub(KEPT as u64);
        (first..=last).map(|number| recent.get(number).and_then(&say)).collect()
    }

    fn link(&self, (from, to): (u8, u8), window: Range) -> LinkView {
        let link = &self.links[&(from, to)];
        let [packets, communications] = link.passed.sum_from(self.scale.number(window.from_cycle));
        let count = self.processors.len() as u8;
        let to_all = to == ALL && count <= ALL;
        let others = if to_all { 0..0 } else { to..to + 1 };
        LinkView {
            from,
            to: (!to_all).then_some(to),
            communications: link.totals[1],
            communication_rate: self.rate(communications, window),
            packets: link.totals[0],
            packet_rate: self.rate(packets, window),
            under_way: others.map(|to| self.follower.under_way(from, to)).sum(),
        }
    }

    fn thread(&self, now: &ThreadNow, window: Range) -> ThreadView {
        let known = self.threads.get(&now.thread);
        let ran = known.map_or(0, |known| known.ran.sum_from(self.scale.number(window.from_cycle)));
        let open = match now.state {
            ThreadState::Running => window.overlap(now.since, self.now),
            _ => 0,
        };
        ThreadView {
            thread: now.thread,
            processor: now.processor,
            state: now.state,
            on: now.on,
            share: (ran + open) as f64 / window.cycles().max(1) as f64,
            communications: known.map_or(0, |known| known.communications),
        }
    }
}
