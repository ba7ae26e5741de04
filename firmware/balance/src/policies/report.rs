//! `report` and `acknowledged`: the report's own strategy (sections 4.2.2 and 4.3).
//!
//! If a link or a processor carries much more than the average, one request is made, and the effect
//! is waited for. The report found its thresholds by experiment and prints none; these are inferred
//! from its Figures 41 to 52: a link comes first (at 60,258 ms of Figure 41 links of 144 messages,
//! at an average of 81, are chosen and not a queue of 5 at an average of 2), its thread goes from
//! the lower number to the higher, of equal links the first is chosen; queues are levelled one thread
//! a second until they differ by one (Figure 42); `adder`'s queues, a tenth of those of the other
//! programs, are below the threshold.
//!
//! `acknowledged` makes the next request as soon as the last one has been answered, which the report
//! names as a possibility. Between samples it counts what it has moved itself.

use testbed_definitions::load::ONE_READY;

use crate::policy::{Ask, Pace, Policy, View};
use crate::request::{Answer, Link, Reason, Request};
use crate::PROCESSORS;

/// What counts as a great deal more than the average.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// A link is overloaded if it carries more than the average and so many per cent of it.
    pub link_percent: u32,
    /// And at least so many messages a period more.
    pub link_least: u32,
    /// A queue is overloaded if it is longer than the average by more than this, in
    /// `load::ONE_READY`ths.
    pub queue_over: u32,
    /// Least milliseconds between two requests: the migration period.
    pub period_ms: u32,
}

impl Thresholds {
    /// Those that fit the report's figures.
    pub const DEFAULT: Thresholds =
        Thresholds { link_percent: 50, link_least: 20, queue_over: ONE_READY as u32 / 2, period_ms: 0 };
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds::DEFAULT
    }
}

/// The report's strategy.
#[derive(Clone, Debug)]
pub struct Report {
    thresholds: Thresholds,
    is_acknowledged: bool,
    /// The round of the last request for a link: links show an effect in the next samples only.
    link_round: Option<u32>,
    /// Threads that have come or gone since the samples of this round.
    moved: [i32; PROCESSORS],
    round: u32,
    last: Option<u64>,
}

impl Report {
    /// One request a period.
    pub const fn new(thresholds: Thresholds) -> Self {
        Report { thresholds, is_acknowledged: false, link_round: None, moved: [0; PROCESSORS], round: 0, last: None }
    }

    /// The next request as soon as the last is answered.
    pub const fn acknowledged(thresholds: Thresholds) -> Self {
        let mut report = Self::new(thresholds);
        report.is_acknowledged = true;
        report
    }

    /// The most loaded link, if it is overloaded.
    fn link(&self, view: &View<'_>) -> Option<Link> {
        let summary = view.summary;
        let average = summary.average_link();
        let least = average.saturating_mul(self.thresholds.link_percent) / 100;
        let threshold = average.saturating_add(least.max(self.thresholds.link_least));
        let mut best: Option<(Link, u32)> = None;
        for link in Link::all(summary.slaves) {
            let sends = summary.link(link).sends;
            let (low, high) = link.numbers();
            let sound = summary.has_threads(low) && high != low;
            if sound && sends > best.map_or(threshold, |best| best.1) {
                best = Some((link, sends));
            }
        }
        best.map(|best| best.0)
    }

    /// The processors with the longest and the shortest queue, if the longest is overloaded.
    fn queue(&self, view: &View<'_>) -> Option<(u8, u8)> {
        let summary = view.summary;
        let length = |slave: u8| {
            let ready = i32::from(summary.slave(slave).ready) + self.moved[usize::from(slave)];
            ready.max(0) as u32 * u32::from(ONE_READY)
        };
        let sum: u32 = summary.processors().map(length).sum();
        let average = sum / u32::from(summary.slaves).max(1);
        // Of equal ones the first.
        let longest = summary.processors().min_by_key(|&slave| core::cmp::Reverse(length(slave)))?;
        let shortest = summary.processors().min_by_key(|&slave| length(slave))?;
        let over = length(longest) > average + self.thresholds.queue_over;
        let helps = length(longest) > length(shortest) + u32::from(ONE_READY);
        (over && helps && summary.has_threads(longest)).then_some((longest, shortest))
    }
}

impl Policy for Report {
    fn name(&self) -> &'static str {
        match self.is_acknowledged {
            true => "acknowledged",
            false => "report",
        }
    }

    fn pace(&self) -> Pace {
        Pace { pending: 1, at_once: 1, on_answers: self.is_acknowledged }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        if self.round != view.round {
            (self.round, self.moved) = (view.round, [0; PROCESSORS]);
        }
        let period = u64::from(self.thresholds.period_ms) * u64::from(view.costs.millisecond);
        let early = self.last.is_some_and(|last| view.now < last + period);
        if ask.left() == 0 || early {
            return;
        }
        if self.link_round != Some(view.round) {
            if let Some(link) = self.link(view) {
                let (low, high) = link.numbers();
                let _ = ask.request(Reason::Link(link), low, high);
                (self.link_round, self.last) = (Some(view.round), Some(view.now));
                return;
            }
        }
        if let Some((from, to)) = self.queue(view) {
            let _ = ask.request(Reason::Compute, from, to);
            self.last = Some(view.now);
        }
    }

    fn answered(&mut self, _: u64, request: &Request, answer: Answer) {
        if let Answer::Moved(_) = answer {
            self.moved[usize::from(request.from) % PROCESSORS] -= 1;
            self.moved[usize::from(request.to) % PROCESSORS] += 1;
        }
    }
}
