//! The MMI's poller, its queue and the monitoring bus by arithmetic.

use super::clock::Clock;
use super::late::{seen_from, Late};
use super::port::Port;
use super::smi::{Smi, HISTORY};
use crate::engine::TraceWord;
use std::collections::VecDeque;
use testbed_definitions::map::mmi;
use testbed_definitions::monitor::{MmiWord, EXTENDED_TIME_BITS};
use testbed_definitions::timing::LOOKAHEAD;
use testbed_machine::Machine;

/// Extended times are compared modulo this and one.
const EXTENDED: u32 = (1 << EXTENDED_TIME_BITS) - 1;

/// A slot that has begun.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Its first cycle.
    began: u64,
    /// In order of time.
    by_time: bool,
}

#[derive(Clone, Debug)]
pub struct Poller {
    depth: u32,
    /// All slots that begin before this cycle are done, or are known to take nothing.
    now: u64,
    /// The last slot that is done; none before the first. When it ends is not settled while POLL_CYCLES may still be
    /// seen to change.
    last: Option<Slot>,
    /// Index of the SMI whose turn it is.
    current: usize,
    control: Late,
    poll: Late,
    wanted: Late,
    wanted_datum: Late,
    /// Words in the master's queue and the cycles they were (or will be) written in.
    queue: VecDeque<(u64, u32)>,
    /// Words ever queued, and words that the poller knows to be read.
    queued: u64,
    read_late: u64,
    /// Cycles of the reads that the poller does not know of yet.
    reads: VecDeque<u64>,
    port: Port,
    /// Pairs that found no room in the master's queue, and the cycles of the recent ones.
    missed: u32,
    missed_at: VecDeque<u64>,
}

impl Poller {
    pub fn new(machine: &Machine) -> Self {
        Poller {
            depth: machine.mmi_queue,
            now: 0,
            last: None,
            current: 0,
            control: Late::new(machine.control()),
            poll: Late::new(machine.poll_cycles),
            wanted: Late::new(mmi::WANTED_RESET),
            wanted_datum: Late::new(0),
            queue: VecDeque::new(),
            queued: 0,
            read_late: 0,
            reads: VecDeque::new(),
            port: Port::new(machine.port_queue, machine.port_cycles),
            missed: 0,
            missed_at: VecDeque::new(),
        }
    }

    pub fn now(&self) -> u64 {
        self.now
    }

    /// Whether what an SMI shows it is no more than the oldest pair, also of what is to come.
    pub fn takes_in_turn(&self) -> bool {
        !self.has(mmi::CONTROL_ORDERED) && self.control.next_change().is_none()
    }

    /// A store to the register at `offset`, one of the poller's.
    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) {
        match offset {
            mmi::CONTROL => self.control.set(value & mmi::CONTROL_BITS, cycle),
            mmi::POLL_CYCLES => self.poll.set(value, cycle),
            mmi::WANTED => self.wanted.set(value & mmi::WANTED_RESET, cycle),
            mmi::WANTED_DATUM => self.wanted_datum.set(value, cycle),
            _ => {}
        }
    }

    /// A load from the register at `offset`, which changes nothing.
    pub fn load(&self, offset: u32, cycle: u64) -> u32 {
        match offset {
            mmi::STATUS => self.words(cycle),
            mmi::CONTROL => self.control.programmed(),
            mmi::POLL_CYCLES => self.poll.programmed(),
            mmi::WANTED => self.wanted.programmed(),
            mmi::WANTED_DATUM => self.wanted_datum.programmed(),
            mmi::MISSED => {
                let later = self.missed_at.iter().rev().take_while(|&&at| at >= cycle).count();
                self.missed.wrapping_sub(later as u32)
            }
            _ => 0,
        }
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

    /// Words that can be read in `cycle`.
    fn words(&self, cycle: u64) -> u32 {
        let later = self.queue.iter().rev().take_while(|&&(written, _)| written + 2 > cycle).count();
        (self.queue.len() - later) as u32
    }

    /// Words that left by the trace port before `now`, since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceWord> {
        self.port.take(self.now)
    }

    /// Words in the trace port's FIFO at the start of `cycle`, not before those given away left.
    pub fn port_queued(&self, cycle: u64) -> u32 {
        self.port.waiting(cycle)
    }

    /// A cycle before which no slot takes a pair and no SMI enqueues what a slot could take, if no processor stores
    /// anything; at least the end of this window.
    pub fn idle_until(&self, smis: &mut [Smi], clock: &Clock) -> u64 {
        let mut idle = self.next_change();
        let open = self.open_from(self.now);
        if open > self.now {
            return idle.min(open);
        }
        for smi in smis {
            if smi.is_moving() {
                return self.now;
            }
            idle = idle.min(smi.oldest().map_or(u64::MAX, seen_from));
            idle = idle.min(seen_from(smi.alone_from_now(clock)));
        }
        idle
    }

    /// The first cycle in which CONTROL, POLL_CYCLES or the read index are seen to change.
    fn next_change(&self) -> u64 {
        let read = self.reads.front().map(|&r| seen_from(r));
        [self.control.next_change(), self.poll.next_change(), read].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Whether CONTROL, as the poller knows it, has this bit.
    fn has(&self, bit: u32) -> bool {
        self.control.last() & bit != 0
    }

    /// Whether the master's queue has room for a pair, as far as the poller knows.
    fn queue_has_room(&self) -> bool {
        self.queued - self.read_late + 2 <= u64::from(self.depth)
    }

    /// The first cycle from `cycle` on in which slots are open with what the poller knows, if nothing is taken before.
    fn open_from(&self, cycle: u64) -> u64 {
        let queueing = self.has(mmi::CONTROL_QUEUE);
        let tracing = self.has(mmi::CONTROL_TRACE);
        let held_up = queueing && !self.has(mmi::CONTROL_QUEUE_MAY_MISS) && !self.queue_has_room();
        if !self.has(mmi::CONTROL_POLL) || !(queueing || tracing) || held_up {
            u64::MAX
        } else if tracing {
            self.port.room_from(cycle)
        } else {
            cycle
        }
    }

    /// Does the slots that begin before `until`. Every SMI has done all that may be seen by them.
    pub fn advance(&mut self, until: u64, smis: &mut [Smi], clock: &Clock) {
        loop {
            let slot = self.last.map_or(0, |last| self.end_of_slot(last) + 1);
            if slot >= until {
                break;
            }
            self.control.at(slot);
            while self.reads.front().is_some_and(|&r| seen_from(r) <= slot) {
                self.reads.pop_front();
                self.read_late += 1;
            }
            let by_time = self.has(mmi::CONTROL_ORDERED);
            let length = u64::from(self.poll.at(slot + 1).max(least_slot(by_time)));
            let open = self.open_from(slot);
            let stop = until.min(self.next_change());
            let done = if !by_time && open <= slot && !smis.is_empty() {
                self.slots_in_turn(slot, length, stop, smis)
            } else {
                match idle_slots(slot, length, open, stop, smis) {
                    0 if open <= slot && !smis.is_empty() => self.oldest_slot(slot, length, stop, smis, clock),
                    idle => idle.max(1),
                }
            };
            self.last = Some(Slot { began: slot + (done - 1) * length, by_time });
        }
        self.rest(until);
    }

    /// Lets the time pass until `until`; no slot before takes anything.
    pub fn rest(&mut self, until: u64) {
        self.now = self.now.max(until);
    }

    /// Moves the turn on by `slots` slots.
    fn pass(&mut self, slots: u64, smis: usize) {
        self.current = (self.current + (slots % smis as u64) as usize) % smis;
    }

    /// Open slots until one takes something, or but for the last that begins before `stop`: at least
    /// one. Returns how many.
    fn slots_in_turn(&mut self, slot: u64, length: u64, stop: u64, smis: &mut [Smi]) -> u64 {
        // Where all have something, as wraps, no other needs to be looked at.
        if smis[self.current].oldest().is_some_and(|cycle| seen_from(cycle) <= slot) {
            self.take(slot + 1, self.current, smis);
            self.pass(1, smis.len());
            return 1;
        }
        let count = smis.len() as u64;
        let comes = |(index, smi): (usize, &Smi)| {
            let unseen = seen_from(smi.oldest()?).saturating_sub(slot).div_ceil(length);
            let turn = (index + smis.len() - self.current) as u64;
            Some((unseen + (turn + count - unseen % count) % count, index))
        };
        let whole = (stop.saturating_sub(slot) / length).max(1);
        match smis.iter().enumerate().filter_map(comes).min() {
            Some((before, index)) if before < whole => {
                self.take(slot + before * length + 1, index, smis);
                self.pass(before + 1, smis.len());
                before + 1
            }
            _ => {
                self.pass(whole, smis.len());
                whole
            }
        }
    }

    /// An open slot in order of time. Returns how many slots are done with it: what is seen of the
    /// SMIs changes with the windows only.
    fn oldest_slot(&mut self, slot: u64, length: u64, stop: u64, smis: &mut [Smi], clock: &Clock) -> u64 {
        let now = clock.extended(slot);
        let age = |smi: &Smi| {
            let (ready, key) = smi.key(slot, clock);
            (now.wrapping_sub(key) & EXTENDED, ready)
        };
        let ages = smis.iter().map(age).enumerate();
        // Of equal ages the first.
        let oldest = ages.reduce(|best, next| if next.1 .0 > best.1 .0 { next } else { best });
        if let Some((index, (_, true))) = oldest {
            self.take(slot + 3, index, smis);
            return 1;
        }
        let window_end = (slot / LOOKAHEAD + 1) * LOOKAHEAD;
        ((stop.min(window_end) - slot) / length).max(1)
    }

    /// Takes a pair whose datum is on the bus in `cycle`.
    fn take(&mut self, cycle: u64, index: usize, smis: &mut [Smi]) {
        let Some(pair) = smis[index].take(cycle) else { return };
        let smi = index as u8 + 1;
        let match_mask = self.wanted_datum.at(cycle);
        let is_wanted =
            self.wanted.at(cycle) >> smi & 1 != 0 && pair.datum & match_mask as u16 == (match_mask >> 16) as u16;
        let queueing = self.has(mmi::CONTROL_QUEUE) && is_wanted;
        let has_room = self.queue_has_room();
        if queueing && !has_room {
            self.miss(cycle);
        }
        for (cycle, value) in [(cycle, pair.time), (cycle + 1, pair.datum)] {
            let word = MmiWord { smi, value }.pack();
            if queueing && has_room {
                self.queue.push_back((cycle, word));
                self.queued += 1;
            }
            if self.has(mmi::CONTROL_TRACE) {
                self.port.push(cycle, word);
            }
        }
    }

    fn miss(&mut self, cycle: u64) {
        while self.missed_at.front().is_some_and(|&at| at + HISTORY < cycle) {
            self.missed_at.pop_front();
        }
        self.missed_at.push_back(cycle);
        self.missed = self.missed.wrapping_add(1);
    }

    /// Last cycle of a slot, as far as changes of POLL_CYCLES are known.
    fn end_of_slot(&self, slot: Slot) -> u64 {
        let began = slot.began;
        let least = began + u64::from(least_slot(slot.by_time)) - 1;
        let end = |from: u64, length: u32| (began + u64::from(length)).saturating_sub(1).max(from).max(least);
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

/// Cycles of a slot at least.
fn least_slot(by_time: bool) -> u32 {
    if by_time {
        mmi::ORDERED_SLOT_CYCLES
    } else {
        2
    }
}

/// How many whole slots from `slot` on take nothing, as far as that is easily known. Slots are open
/// from `open` on, and nothing else changes before `stop`.
fn idle_slots(slot: u64, length: u64, open: u64, stop: u64, smis: &[Smi]) -> u64 {
    let until =
        if open > slot { open } else { smis.iter().filter_map(Smi::oldest).map(seen_from).min().unwrap_or(u64::MAX) };
    stop.min(until).saturating_sub(slot) / length
}
