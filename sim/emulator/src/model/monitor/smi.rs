//! One slave monitoring interface by arithmetic. States and conditions have the names of `docs/monitor.md`.

use super::clock::Clock;
use super::filter::Filter;
use super::floor::{extended, Floor, Floors};
use super::late::seen_from;
use super::parts::{Entry, Goes, Latch};
use super::user::UserStores;
use crate::engine::SmiCounters;
use std::collections::VecDeque;
use testbed_definitions::filter::{total_marker, Command, RULES};
use testbed_definitions::map::smi;
use testbed_definitions::monitor::{is_reserved, Pair, GAP_COUNT_MAX, GAP_MARKER, WRAP_MARKER};
use testbed_definitions::timing::LOOKAHEAD;

/// How long before the furthest `advance` a load or a look at counters may be dated.
pub const HISTORY: u64 = 4 * LOOKAHEAD;

/// What became of a store to EVENT or USER_EVENT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreOutcome {
    /// Taken, filtered, dropped or refused.
    Done,
    Stalled,
    /// It goes on in this cycle, and stalls before it.
    GoesOn(u64),
}

#[derive(Clone, Debug)]
pub struct Smi {
    depth: u32,
    /// The state below is that at the start of this cycle...
    now: u64,
    /// ...but `entries` lacks what the MMI takes in this cycle or later, `pops` tells when.
    entries: VecDeque<Entry>,
    used: u32,
    /// Cycles of the pops that `used` does not know yet.
    pops: VecDeque<u64>,
    latch: Option<Latch>,
    front: bool,
    back: bool,
    gap: bool,
    gap_count: u32,
    low: Option<Pair>,
    stall_on: bool,
    /// The cycle in which a store that stalled is done, as it needs no room.
    exempt: Option<u64>,
    pub user: UserStores,
    filter: Filter,
    counters: SmiCounters,
    /// Pops so far, and the cycles of the recent ones.
    delivered: u32,
    delivered_at: VecDeque<u64>,
    /// Wraps of the last wrap marker that the MMI took, and whether the last pair was the first half of a marker.
    epoch: u8,
    half: bool,
    floors: Floors,
    /// First wrap cycle at or after `now`, and the clock's version it was computed from.
    next_wrap: (u64, u64),
}

impl Smi {
    pub fn new(depth: u32) -> Self {
        Smi {
            depth,
            now: 0,
            entries: VecDeque::new(),
            used: 0,
            pops: VecDeque::new(),
            latch: None,
            front: false,
            back: false,
            gap: false,
            gap_count: 0,
            low: None,
            stall_on: false,
            exempt: None,
            user: UserStores::default(),
            filter: Filter::default(),
            counters: SmiCounters::default(),
            delivered: 0,
            delivered_at: VecDeque::new(),
            epoch: 0,
            half: false,
            floors: Floors::default(),
            next_wrap: (0, u64::MAX),
        }
    }

    /// Does what happens by itself in cycles before `until`.
    #[inline]
    pub fn advance(&mut self, until: u64, clock: &Clock) {
        if self.now < until {
            self.go_on(until, clock);
        } else {
            self.count_pops();
        }
    }

    fn go_on(&mut self, until: u64, clock: &Clock) {
        while self.now < until {
            self.count_pops();
            self.filter.take_over(self.now);
            let alone = self.alone_from_now(clock);
            if self.now == alone || self.goes(false).is_some() {
                self.step(None, clock);
            } else {
                // Nothing changes before then or, if something waits for room, the next pop.
                let pop = if self.waits() { self.pops.front().map_or(u64::MAX, |&p| p + 1) } else { u64::MAX };
                self.now = until.min(alone).min(pop);
                self.note_floor();
            }
        }
        self.count_pops();
    }

    /// A store of `value` to the register at `offset` in cycle `now`, which is then over.
    pub fn write(&mut self, offset: u32, value: u32, clock: &Clock) -> StoreOutcome {
        match offset & !3 {
            smi::EVENT => self.step(Some(value as u16), clock),
            smi::USER_EVENT => self.write_user(value as u16, clock),
            smi::CONTROL => {
                self.step(None, clock);
                self.stall_on = value & smi::CONTROL_STALL != 0;
                self.user.switch(value & smi::CONTROL_USER != 0);
                StoreOutcome::Done
            }
            _ => StoreOutcome::Done,
        }
    }

    fn write_user(&mut self, datum: u16, clock: &Clock) -> StoreOutcome {
        let (dropped, cycle) = (self.counters.dropped, self.now);
        if self.step(self.user.word(datum, cycle), clock) == StoreOutcome::Stalled {
            return StoreOutcome::Stalled;
        }
        let is_lost = self.counters.dropped != dropped;
        self.user.go_on(datum, cycle, is_lost).map_or(StoreOutcome::Done, StoreOutcome::GoesOn)
    }

    /// Whether so many events of less than a wrap find room, whatever the MMI takes meanwhile: no
    /// pop needs to be known.
    pub fn has_room_for(&self, events: u32) -> bool {
        // Who is counted leads to no more than a total of two words. Beside them there may be a wrap's
        // marker, a gap's, totals of what was counted before, and what waits already.
        let beside = 8 + 2 * RULES as u32;
        self.used + 2 * events + beside <= self.depth
    }

    /// Whether stores wait for room.
    pub fn stalls(&self) -> bool {
        self.stall_on
    }

    /// A command to the filter, which takes effect in cycle `seen`.
    pub fn command(&mut self, command: Command, seen: u64) {
        self.filter.send(command, seen);
    }

    /// A load from the register at `offset` in cycle `now`.
    pub fn load(&mut self, offset: u32, clock: &Clock) -> u32 {
        match offset {
            smi::STATUS => {
                let wrapped = self.now == self.wrap_from_now(clock);
                self.used | if self.accepting(self.goes(wrapped)) { 0 } else { smi::STATUS_FULL }
            }
            smi::CONTROL => u32::from(self.stall_on) | if self.user.part().is_some() { smi::CONTROL_USER } else { 0 },
            smi::EMITTED => self.counters.emitted,
            smi::DROPPED => self.counters.dropped,
            smi::REFUSED => self.counters.refused,
            smi::MARKERS => self.counters.markers,
            smi::FILTERED => self.counters.filtered,
            smi::TIME => u32::from(clock.time(self.now)) | u32::from(clock.wraps(self.now)) << 16,
            _ => 0,
        }
    }

    /// Counters at the start of cycle `now`; `delivered` is not filled in.
    pub fn counters(&self) -> SmiCounters {
        SmiCounters { queued: self.used + u32::from(self.latch.is_some()), ..self.counters }
    }

    /// A lower bound of the next cycle in which an event would be accepted, or could be filtered, if none would be now.
    /// The MMI's pops are known for cycles up to `known`, and its commands as far as they take effect in that window.
    pub fn stalls_until(&self, known: u64) -> u64 {
        if self.exempt.is_some() || self.goes(false).is_some() {
            return self.now;
        }
        let pop = self.pops.front().map_or(known + 2, |&p| p + 1);
        pop.min(self.filter.next_command()).min((known / LOOKAHEAD + 1) * LOOKAHEAD)
    }

    /// Pairs that were delivered before `cycle`, which is not long ago.
    pub fn delivered(&self, cycle: u64) -> u32 {
        let later = self.delivered_at.iter().rev().take_while(|&&p| p >= cycle).count();
        self.delivered.wrapping_sub(later as u32)
    }

    /// Cycle in which the oldest entry was enqueued.
    pub fn oldest(&self) -> Option<u64> {
        self.entries.front().map(|e| e.cycle)
    }

    /// Cycle up to which everything is done.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What the MMI sees in `cycle`, in which nothing is being taken: whether an entry is ready, and the key.
    pub fn key(&self, cycle: u64, clock: &Clock) -> (bool, u32) {
        match self.entries.front().filter(|entry| seen_from(entry.cycle) <= cycle) {
            Some(Entry { pair, .. }) => {
                let [high, low] = pair.datum.to_be_bytes();
                let epoch = if high == WRAP_MARKER && !self.half { low } else { self.epoch };
                (true, extended(epoch, pair.time))
            }
            None => (false, self.floors.seen_in(cycle, clock)),
        }
    }

    /// Remembers the floor if a window begins, or some, without a change since the first.
    fn note_floor(&mut self) {
        let (front, latch) = (self.front, self.latch);
        self.floors.note(self.now, || match (front, latch) {
            (true, Some(latch)) => Floor::Latched(extended(latch.wraps, 0)),
            (false, Some(latch)) => Floor::Latched(extended(latch.wraps, latch.time)),
            (true, None) => Floor::Epoch,
            (false, None) => Floor::Now,
        });
    }

    /// Removes the oldest entry in cycle `cycle`, which may be ahead of `now`.
    pub fn take(&mut self, cycle: u64) -> Option<Pair> {
        let entry = self.entries.pop_front()?;
        let [high, low] = entry.pair.datum.to_be_bytes();
        if high == WRAP_MARKER && !self.half {
            self.epoch = low;
        }
        self.half = high == GAP_MARKER && !self.half;
        self.pops.push_back(cycle);
        while self.delivered_at.front().is_some_and(|&p| p + HISTORY < cycle) {
            self.delivered_at.pop_front();
        }
        self.delivered_at.push_back(cycle);
        self.delivered = self.delivered.wrapping_add(1);
        Some(entry.pair)
    }

    /// Whether the state can change before [`Smi::alone_from_now`] without a store or a pop that is not known yet.
    pub fn is_moving(&self) -> bool {
        self.waits() && (self.goes(false).is_some() || !self.pops.is_empty())
    }

    /// First cycle at or after `now` in which something begins by itself: a wrap, a total that
    /// becomes due, a command that arrives.
    pub fn alone_from_now(&mut self, clock: &Clock) -> u64 {
        self.wrap_from_now(clock).min(self.filter.next_change(self.now, clock))
    }

    /// First wrap cycle at or after `now`.
    fn wrap_from_now(&mut self, clock: &Clock) -> u64 {
        if self.next_wrap.1 != clock.version() || self.next_wrap.0 < self.now {
            self.next_wrap = (clock.next_wrap(self.now), clock.version());
        }
        self.next_wrap.0
    }

    /// Something is on its way to the queue.
    fn waits(&self) -> bool {
        self.latch.is_some() || self.front || self.gap || self.low.is_some() || self.filter.waits()
    }

    fn count_pops(&mut self) {
        while self.pops.front().is_some_and(|&p| p < self.now) {
            self.pops.pop_front();
            self.used -= 1;
        }
    }

    fn goes(&self, wrapped: bool) -> Option<Goes> {
        let full = self.used == self.depth;
        if let Some(pair) = self.low {
            return Some(Goes::Low(pair));
        }
        if self.front {
            return (!full).then_some(Goes::Front);
        }
        if self.latch.is_some() {
            return (!full).then_some(Goes::Latch);
        }
        if wrapped || self.used + 2 > self.depth {
            return None;
        }
        if self.gap {
            // It waits for the datum that is lost with its event's first word.
            return (!self.user.forfeits()).then_some(Goes::Gap);
        }
        self.filter.offered().map(Goes::Total)
    }

    fn accepting(&self, goes: Option<Goes>) -> bool {
        (!self.gap || goes == Some(Goes::Gap)) && (self.latch.is_none() || goes == Some(Goes::Latch))
    }

    /// One cycle, with or without a store to EVENT.
    fn step(&mut self, store: Option<u16>, clock: &Clock) -> StoreOutcome {
        self.count_pops();
        self.filter.take_over(self.now);
        let wrapped = self.now == self.wrap_from_now(clock);
        let goes = self.goes(wrapped);
        let accepting = self.accepting(goes);
        let latch_stays = self.latch.is_some() && goes != Some(Goes::Latch);
        self.enqueue(goes, clock);
        let outcome = store.map_or(StoreOutcome::Done, |datum| self.judge(datum, accepting, clock));
        if wrapped && latch_stays {
            self.back = true;
        } else if wrapped {
            self.front = true;
        }
        self.filter.end_of_cycle(self.now, clock);
        self.now += 1;
        self.note_floor();
        self.count_pops();
        outcome
    }

    fn enqueue(&mut self, goes: Option<Goes>, clock: &Clock) {
        let Some(goes) = goes else { return };
        let pair = match goes {
            Goes::Low(pair) => {
                self.low = None;
                pair
            }
            Goes::Front => {
                let wraps = self.latch.map_or_else(|| clock.wraps(self.now.saturating_sub(1)), |l| l.wraps);
                self.front = false;
                Pair { time: 0, datum: marker(WRAP_MARKER, wraps) }
            }
            Goes::Latch => {
                let latch = self.latch.take().expect("goes only if valid");
                self.front = std::mem::take(&mut self.back);
                Pair { time: latch.time, datum: latch.datum }
            }
            Goes::Gap => {
                let time = clock.time(self.now);
                let count = std::mem::take(&mut self.gap_count);
                self.gap = false;
                self.low = Some(Pair { time, datum: count as u16 });
                Pair { time, datum: marker(GAP_MARKER, (count >> 16) as u8) }
            }
            Goes::Total(rule) => {
                let time = clock.time(self.now);
                let total = self.filter.take(rule);
                self.low = Some(Pair { time, datum: total as u16 });
                Pair { time, datum: total_marker(rule, total) }
            }
        };
        if goes != Goes::Latch {
            self.counters.markers = self.counters.markers.wrapping_add(1);
        }
        self.entries.push_back(Entry { pair, cycle: self.now });
        self.used += 1;
    }

    fn judge(&mut self, datum: u16, accepting: bool, clock: &Clock) -> StoreOutcome {
        let is_exempt = self.exempt.take() == Some(self.now);
        if self.stall_on && !accepting && !is_exempt {
            // What the datum is counts from the next cycle on, if no command changes that then.
            let needs_room = !is_reserved(datum) && !self.filter.takes_out(datum);
            let next = self.now + 1;
            self.exempt = (!needs_room && self.filter.next_command() != next).then_some(next);
            return StoreOutcome::Stalled;
        }
        if is_reserved(datum) {
            self.counters.refused = self.counters.refused.wrapping_add(1);
            self.filter.refused();
        } else if self.filter.takes_out(datum) {
            self.counters.filtered = self.counters.filtered.wrapping_add(1);
            self.filter.stored(datum);
        } else if accepting {
            self.filter.stored(datum);
            let (time, wraps) = (clock.time(self.now), clock.wraps(self.now));
            self.latch = Some(Latch { time, datum, wraps });
        } else {
            self.filter.stored(datum);
            self.counters.dropped = self.counters.dropped.wrapping_add(1);
            self.gap = true;
            self.gap_count = (self.gap_count + 1).min(GAP_COUNT_MAX);
        }
        self.counters.emitted = self.counters.emitted.wrapping_add(1);
        StoreOutcome::Done
    }
}

fn marker(high: u8, low: u8) -> u16 {
    u16::from_be_bytes([high, low])
}
