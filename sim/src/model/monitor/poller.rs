//! The MMI's poller, its queue and the monitoring bus by arithmetic.

use super::clock::Clock;
use super::late::{seen_from, Late};
use super::smi::Smi;
use crate::engine::TraceWord;
use std::collections::VecDeque;
use testbed_definitions::map::mmi;
use testbed_definitions::monitor::MmiWord;
use testbed_definitions::timing::LOOKAHEAD;

#[derive(Clone, Debug)]
pub struct Poller {
    depth: u32,
    /// All slots that begin before this cycle are done.
    now: u64,
    /// First cycle of the last slot that is done; none before the first. When it ends is not settled while
    /// POLL_CYCLES may still be seen to change.
    began: Option<u64>,
    /// Index of the SMI whose turn it is.
    current: usize,
    control: Late,
    poll: Late,
    /// Words in the master's queue and the cycles they were (or will be) written in.
    queue: VecDeque<(u64, u32)>,
    /// Words ever queued, and words that the poller knows to be read.
    queued: u64,
    read_late: u64,
    /// Cycles of the reads that the poller does not know of yet.
    reads: VecDeque<u64>,
    trace: VecDeque<TraceWord>,
}

impl Poller {
    pub fn new(depth: u32, poll_cycles: u32) -> Self {
        Poller {
            depth,
            now: 0,
            began: None,
            current: 0,
            control: Late::new(mmi::CONTROL_RESET),
            poll: Late::new(poll_cycles),
            queue: VecDeque::new(),
            queued: 0,
            read_late: 0,
            reads: VecDeque::new(),
            trace: VecDeque::new(),
        }
    }

    pub fn now(&self) -> u64 {
        self.now
    }

    pub fn set_control(&mut self, value: u32, cycle: u64) {
        self.control.set(value & (mmi::CONTROL_POLL | mmi::CONTROL_QUEUE | mmi::CONTROL_TRACE), cycle);
    }

    pub fn control(&self) -> u32 {
        self.control.programmed()
    }

    pub fn set_poll(&mut self, value: u32, cycle: u64) {
        self.poll.set(value, cycle);
    }

    pub fn poll_cycles(&self) -> u32 {
        self.poll.programmed()
    }

    /// A load of DATA in `cycle`.
    pub fn pop(&mut self, cycle: u64) -> u32 {
        match self.queue.front() {
            Some(&(written, word)) if written + 2 <= cycle => {
                self.queue.pop_front();
                self.reads.push_back(cycle);
                word | mmi::DATA_VALID
            }
            _ => 0,
        }
    }

    /// STATUS in `cycle`.
    pub fn words(&self, cycle: u64) -> u32 {
        let later = self.queue.iter().rev().take_while(|&&(written, _)| written + 2 > cycle).count();
        (self.queue.len() - later) as u32
    }

    /// Words presented before `now`, since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceWord> {
        let ready = self.trace.partition_point(|w| w.cycle < self.now);
        self.trace.drain(..ready).collect()
    }

    /// A cycle before which no slot takes a pair and no SMI enqueues what a slot could take, if no processor stores
    /// anything; at least the end of this window.
    pub fn idle_until(&self, smis: &mut [Smi], clock: &Clock) -> u64 {
        let mut idle = self.next_change();
        if self.might_open() {
            for smi in smis {
                if smi.is_moving() {
                    return self.now;
                }
                idle = idle.min(smi.oldest().map_or(u64::MAX, seen_from));
                idle = idle.min(seen_from(smi.alone_from_now(clock)));
            }
        }
        idle
    }

    /// The first cycle in which CONTROL, POLL_CYCLES or the read index are seen to change.
    fn next_change(&self) -> u64 {
        let read = self.reads.front().map(|&r| seen_from(r));
        [self.control.next_change(), self.poll.next_change(), read].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Whether slots are open with what the poller knows.
    fn might_open(&self) -> bool {
        let control = self.control.last();
        control & mmi::CONTROL_POLL != 0
            && if control & mmi::CONTROL_QUEUE != 0 {
                self.queued - self.read_late + 2 <= u64::from(self.depth)
            } else {
                control & mmi::CONTROL_TRACE != 0
            }
    }

    /// Does the slots that begin before `until`. Every SMI has done all that may be seen by them.
    pub fn advance(&mut self, until: u64, smis: &mut [Smi]) {
        loop {
            let slot = self.began.map_or(0, |began| self.end_of_slot(began) + 1);
            if slot >= until {
                break;
            }
            self.control.at(slot);
            while self.reads.front().is_some_and(|&r| seen_from(r) <= slot) {
                self.reads.pop_front();
                self.read_late += 1;
            }
            let length = u64::from(self.poll.at(slot + 1)).max(2);
            let open = self.might_open();
            let skipped = self.idle_slots(slot, length, open, until, smis);
            if skipped > 0 {
                self.pass(open, skipped, smis.len());
                self.began = Some(slot + (skipped - 1) * length);
            } else {
                self.one_slot(slot, open, smis);
                self.began = Some(slot);
            }
        }
        self.now = self.now.max(until);
    }

    /// How many whole slots from `slot` on take nothing, as far as that is easily known.
    fn idle_slots(&self, slot: u64, length: u64, open: bool, until: u64, smis: &[Smi]) -> u64 {
        let mut stop = until.min(self.next_change());
        if open {
            let visible = smis.iter().filter_map(Smi::oldest).map(seen_from).min();
            stop = stop.min(visible.unwrap_or(u64::MAX));
        }
        stop.saturating_sub(slot) / length
    }

    /// Moves the turn on by `slots` slots.
    fn pass(&mut self, open: bool, slots: u64, smis: usize) {
        if open && smis > 0 {
            self.current = (self.current + (slots % smis as u64) as usize) % smis;
        }
    }

    fn one_slot(&mut self, slot: u64, open: bool, smis: &mut [Smi]) {
        if open && !smis.is_empty() {
            let smi = &mut smis[self.current];
            if smi.oldest().is_some_and(|cycle| seen_from(cycle) <= slot) {
                self.take(slot, smi);
            }
            self.pass(open, 1, smis.len());
        }
    }

    fn take(&mut self, slot: u64, smi: &mut Smi) {
        let Some(pair) = smi.take(slot + 1) else { return };
        let control = self.control.last();
        for (delay, value) in [(1, pair.time), (2, pair.datum)] {
            let cycle = slot + delay;
            let word = MmiWord { smi: self.current as u8 + 1, value }.pack();
            if control & mmi::CONTROL_QUEUE != 0 {
                self.queue.push_back((cycle, word));
                self.queued += 1;
            }
            if control & mmi::CONTROL_TRACE != 0 {
                self.trace.push_back(TraceWord { cycle, word });
            }
        }
    }

    /// Last cycle of the slot that began in `began`, as far as changes of POLL_CYCLES are known.
    fn end_of_slot(&self, began: u64) -> u64 {
        let end = |from: u64, length: u32| (began + u64::from(length)).saturating_sub(1).max(from);
        let mut last = end(began + 1, self.poll.last());
        for (change, length) in self.poll.changes() {
            if change > last {
                break;
            }
            last = end(change, length);
        }
        last
    }
}

/// Start of the window before the one of `cycle`: the poller sees there what was stored before.
pub fn horizon(cycle: u64) -> u64 {
    (cycle / LOOKAHEAD * LOOKAHEAD).saturating_sub(LOOKAHEAD)
}
