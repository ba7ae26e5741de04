//! What the SMI promises, each promise a test on the RTL. Those of its filter are in [`filter`].

mod filter;
mod user;

use super::Smi;
use crate::step;
use crate::support::bench::settle;
use crate::support::random::Random;
use rust_hdl::prelude::*;
use testbed_definitions::map::smi;
use testbed_definitions::monitor::{Pair, GAP_MARKER, WRAP_MARKER};
use testbed_definitions::timing::LOOKAHEAD;

/// An SMI with a global clock that can start shortly before a wrap, and a bus that takes pairs when told.
struct Bench {
    smi: Smi,
    cycle: u64,
    /// Ticks in `cycle`: time in bits 15:0, wraps above.
    ticks: u64,
    tick_cycles: u64,
    /// What the MMI sends in this window: a filter register and its value.
    command: Option<(u8, u16)>,
    /// The bus has begun to take this pair.
    taking: Option<u16>,
    taken: Vec<Pair>,
}

impl Bench {
    fn new(depth: u32, ticks: u64, tick_cycles: u64) -> Self {
        let mut smi = Smi::new(depth);
        smi.connect_all();
        Bench { smi, cycle: 0, ticks, tick_cycles, command: None, taking: None, taken: vec![] }
    }

    /// Before every wrap of a clock with a tick of one cycle by so many cycles.
    fn before_wrap(depth: u32, cycles: u64) -> Self {
        Bench::new(depth, (1 << 16) - cycles, 1)
    }

    /// One cycle with an access; whether it stalls, and what a read will give.
    fn access(&mut self, access: Option<(u32, Option<u32>)>, take: bool) -> (bool, u32) {
        let wraps = self.ticks >> 16;
        let first_of_tick = self.cycle.is_multiple_of(self.tick_cycles);
        let b = &mut self.smi;
        b.clock.next = false.into();
        settle(b).unwrap();
        b.strobe.next = self.cycle % LOOKAHEAD == LOOKAHEAD - 1;
        b.stamp.next = (self.ticks & 0xffff).to_bits();
        b.wraps.next = (wraps & 0xff).to_bits();
        b.wrapped.next = wraps > 0 && self.ticks & 0xffff == 0 && first_of_tick;
        b.ticked.next = self.cycle > 0 && first_of_tick;
        let (number, value) = self.command.unwrap_or_default();
        b.bus_command.next = self.command.is_some();
        b.bus_number.next = u32::from(number).to_bits();
        b.bus_value.next = u32::from(value).to_bits();
        b.select.next = access.is_some();
        if let Some((offset, value)) = access {
            b.address.next = offset.to_bits();
            b.write.next = value.is_some();
            b.read.next = value.is_none();
            b.wdata.next = value.unwrap_or(0).to_bits();
        }
        b.bus_select.next = true;
        b.bus_datum.next = self.taking.is_some();
        b.bus_take.next = self.taking.is_some();
        settle(b).unwrap();
        let data = b.bus_data.val().to_u64() as u16;
        match self.taking.take() {
            Some(time) => self.taken.push(Pair { time, datum: data }),
            None if take && b.bus_ready.val() => self.taking = Some(data),
            None => {}
        }
        let stall = b.stall.val();
        step!(*b).unwrap();
        self.cycle += 1;
        self.ticks += u64::from(self.cycle.is_multiple_of(self.tick_cycles));
        (stall, b.rdata.val().to_u64() as u32)
    }

    fn idle(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.access(None, false);
        }
    }

    /// Stores an event; the ticks of the cycle of the store, unless it stalled.
    fn emit(&mut self, datum: u16) -> Option<u64> {
        let ticks = self.ticks;
        let (stall, _) = self.access(Some((smi::EVENT, Some(datum.into()))), false);
        (!stall).then_some(ticks)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.access(Some((offset, Some(value))), false);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.access(Some((offset, None)), false).1
    }

    /// Takes all pairs from the queue.
    fn drain(&mut self) -> Vec<Pair> {
        let mut quiet = 0;
        while quiet < 3 * LOOKAHEAD {
            let before = self.taken.len();
            self.access(None, true);
            quiet = if self.taken.len() > before || self.taking.is_some() { 0 } else { quiet + 1 };
        }
        std::mem::take(&mut self.taken)
    }

    /// EMITTED + MARKERS = DELIVERED + held + DROPPED + REFUSED + FILTERED.
    fn assert_ledger(&mut self, delivered: u32, latched: u32) {
        let [emitted, markers, dropped, refused, filtered, status] =
            [smi::EMITTED, smi::MARKERS, smi::DROPPED, smi::REFUSED, smi::FILTERED, smi::STATUS]
                .map(|offset| self.read(offset));
        assert_eq!(emitted + markers, delivered + (status & 0xffff) + latched + dropped + refused + filtered);
    }
}

/// Ticks of each event, as the markers prove them; markers are left out.
fn proven(pairs: &[Pair]) -> Vec<(u64, u16)> {
    let mut wraps = 0;
    let mut events = vec![];
    let mut pairs = pairs.iter();
    while let Some(pair) = pairs.next() {
        match pair.datum.to_be_bytes() {
            [WRAP_MARKER, count] => {
                assert_eq!(pair.time, 0, "a wrap marker's time");
                wraps = u64::from(count);
            }
            [GAP_MARKER, _] => assert_eq!(pairs.next().expect("second half").time, pair.time),
            _ => events.push((wraps << 16 | u64::from(pair.time), pair.datum)),
        }
    }
    events
}

/// The only gap in `pairs`: its time and count.
fn gap(pairs: &[Pair]) -> (u16, u32) {
    let at = pairs.iter().position(|p| p.datum >> 8 == u16::from(GAP_MARKER)).expect("a gap marker");
    let (high, low) = (pairs[at], pairs[at + 1]);
    assert_eq!(high.time, low.time, "both halves of a gap marker have one time");
    assert!(pairs[at + 2..].iter().all(|p| p.datum >> 8 != u16::from(GAP_MARKER)), "one gap marker");
    (high.time, u32::from(high.datum & 0xff) << 16 | u32::from(low.datum))
}

#[test]
fn an_event_every_two_cycles_is_accepted_while_there_is_room() {
    for phase in 0..2 {
        let mut bench = Bench::before_wrap(1024, 500 + phase);
        let mut stored = vec![];
        for n in 0..500 {
            stored.push((bench.emit(n).unwrap(), n));
            bench.idle(1);
        }
        assert_eq!(bench.read(smi::DROPPED), 0);
        assert_eq!(bench.read(smi::EMITTED), 500);
        assert_eq!(bench.read(smi::MARKERS), 1);
        assert_eq!(proven(&bench.drain()), stored);
    }
}

#[test]
fn wraps_are_marked_in_order_for_events_before_at_and_after_the_wrap() {
    for tick_cycles in [1, 2, 3, 25] {
        for events in 0..1u32 << 7 {
            // The wrap is in cycle 4 * tick_cycles.
            let mut bench = Bench::new(16, (1 << 16) - 4, tick_cycles);
            bench.idle(4 * tick_cycles - 3);
            let mut stored = vec![];
            for n in 0..7 {
                // Three cycles before the wrap to three after it, with every subset of events.
                if events >> n & 1 == 1 {
                    stored.push((bench.emit(n).unwrap(), n));
                } else {
                    bench.idle(1);
                }
            }
            bench.idle(4);
            let dropped = bench.read(smi::DROPPED);
            let pairs = bench.drain();
            let got = proven(&pairs);
            let wraps = pairs.iter().filter(|p| p.datum == u16::from_be_bytes([WRAP_MARKER, 1])).count();
            assert_eq!(wraps, 1, "{events:b}, tick {tick_cycles}");
            // One event after another on the wrap cycle finds the latch taken: the documented exception.
            let adjacent = events >> 3 & 3 == 3;
            if adjacent {
                assert!(dropped > 0 && got.iter().all(|e| stored.contains(e)), "{events:b}");
                assert_eq!(gap(&pairs).1, dropped);
            } else {
                assert_eq!((got, dropped), (stored, 0), "{events:b}, tick {tick_cycles}");
            }
        }
    }
}

#[test]
fn overflow_is_counted_and_marked() {
    for lost in [1, 11, 300] {
        let mut bench = Bench::new(8, 100, 1);
        for n in 0..9 + lost {
            bench.emit(n);
        }
        bench.idle(3);
        assert_eq!(bench.read(smi::STATUS), smi::STATUS_FULL | 8, "eight in the queue, one in the latch");
        assert_eq!(bench.read(smi::DROPPED), u32::from(lost));
        bench.assert_ledger(0, 1);
        let pairs = bench.drain();
        assert_eq!(pairs[..9].iter().map(|p| p.datum).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
        assert_eq!(pairs.len(), 11, "nine events and one gap marker");
        assert_eq!(gap(&pairs[9..]).1, u32::from(lost));
        bench.emit(77);
        bench.idle(2);
        bench.assert_ledger(11, 0);
        assert_eq!(proven(&bench.drain()).last().unwrap().1, 77, "events are accepted again");
    }
}

#[test]
fn a_gap_of_more_than_sixteen_bits_is_marked_in_full() {
    let mut bench = Bench::new(2, 0, 25);
    for _ in 0..3 + 70_000 {
        bench.emit(1);
    }
    assert_eq!(gap(&bench.drain()).1, 70_000);
}

#[test]
fn the_gap_marker_follows_a_pending_wrap_marker() {
    // The queue fills before the wrap, events are lost before and after it.
    let mut bench = Bench::before_wrap(4, 8);
    for n in 0..20 {
        bench.emit(n);
    }
    let pairs = bench.drain();
    let data: Vec<u16> = pairs.iter().map(|p| p.datum).collect();
    assert_eq!(data, [0, 1, 2, 3, 4, 0xaa01, 0xab00, 15]);
    assert!(gap(&pairs).0 > 0, "stamped in the new epoch");
}

#[test]
fn a_gap_marker_that_finds_room_around_a_wrap_is_stamped_in_its_epoch() {
    for lead in 0..24 {
        let mut bench = Bench::before_wrap(4, 200);
        for n in 0..10 {
            bench.emit(n);
        }
        // The bus begins to take pairs so many cycles before the wrap, so that room comes before, at or after it.
        while bench.ticks < (1 << 16) - lead {
            bench.idle(1);
        }
        let pairs = bench.drain();
        assert_eq!(gap(&pairs).1, 5);
        let (mut wraps, mut last) = (0, 0);
        for pair in &pairs {
            wraps += u64::from(pair.datum == 0xaa01);
            let ticks = wraps << 16 | u64::from(pair.time);
            assert!(ticks >= last, "lead {lead}: {pairs:x?}");
            last = ticks;
        }
        // Stamped before the wrap or ahead of its marker: the time itself tells.
        let at = |high: u16| pairs.iter().position(|p| p.datum >> 8 == high).unwrap();
        assert_eq!(at(0xab) < at(0xaa), gap(&pairs).0 > 0xff00, "lead {lead}: {pairs:x?}");
    }
}

#[test]
fn wraps_missed_while_full_merge_into_one_marker_with_the_newest_count() {
    let mut bench = Bench::before_wrap(4, 8);
    for n in 0..5 {
        bench.emit(n);
    }
    bench.idle(4);
    for _ in 0..2 {
        // On to just before the next wrap, without waiting for it.
        bench.ticks = (bench.ticks >> 16 << 16) + 0xfffe;
        bench.idle(5);
    }
    let data: Vec<u16> = bench.drain().iter().map(|p| p.datum).collect();
    assert_eq!(data, [0, 1, 2, 3, 4, 0xaa03]);
}

#[test]
fn an_event_between_two_missed_wraps_stands_between_their_markers() {
    let mut bench = Bench::before_wrap(4, 8);
    for n in 0..4 {
        bench.emit(n);
    }
    bench.idle(6);
    // The queue is full, the marker of wrap 1 waits, the latch is free.
    bench.emit(4);
    bench.ticks = (1 << 16) + 0xfffe;
    bench.idle(5);
    let data: Vec<u16> = bench.drain().iter().map(|p| p.datum).collect();
    assert_eq!(data, [0, 1, 2, 3, 0xaa01, 4, 0xaa02]);
}

#[test]
fn stalling_loses_nothing() {
    let mut bench = Bench::before_wrap(8, 300);
    let mut random = Random::new(4);
    bench.write(smi::CONTROL, smi::CONTROL_STALL);
    let mut stored = vec![];
    let mut stalls = 0;
    let mut datum = 0;
    while datum < 400 {
        // The core repeats the store until it is taken; the bus takes a pair now and then.
        let ticks = bench.ticks;
        let (stall, _) = bench.access(Some((smi::EVENT, Some(datum))), random.chance(1, 5));
        if stall {
            stalls += 1;
        } else {
            stored.push((ticks, datum as u16));
            datum += 1;
        }
    }
    let pairs = bench.drain();
    assert!(stalls > 100, "{stalls}");
    assert_eq!((bench.read(smi::EMITTED), bench.read(smi::DROPPED)), (400, 0));
    assert_eq!(proven(&pairs), stored);
}

#[test]
fn reserved_data_are_refused_and_counted() {
    let mut bench = Bench::new(8, 7, 1);
    for datum in [0xaa00, 0xaaff, 0xab12, 0xac00, 0xa9ff] {
        bench.emit(datum);
    }
    bench.idle(2);
    assert_eq!((bench.read(smi::REFUSED), bench.read(smi::EMITTED)), (3, 5));
    bench.assert_ledger(0, 0);
    let data: Vec<u16> = bench.drain().iter().map(|p| p.datum).collect();
    assert_eq!(data, [0xac00, 0xa9ff]);
    // They stall for one cycle at most, however full the queue is.
    bench.write(smi::CONTROL, smi::CONTROL_STALL);
    (0..9).for_each(|n| assert!(bench.emit(n).is_some()));
    assert!(bench.emit(0xaa00).is_none() && bench.emit(0xaa00).is_some());
    (0..9).for_each(|_| assert!(bench.emit(1).is_none()));
}

#[test]
fn the_ledger_balances_after_loss() {
    let mut bench = Bench::before_wrap(8, 1000);
    let mut random = Random::new(5);
    let mut delivered = 0;
    for _ in 0..40 {
        for _ in 0..random.below(60) {
            let datum = if random.chance(1, 20) { 0xaa00 } else { random.below(0x8000) as u32 };
            let access = random.chance(1, 2).then_some((smi::EVENT, Some(datum)));
            bench.access(access, random.chance(1, 3));
        }
        delivered += bench.drain().len() as u32;
        bench.assert_ledger(delivered, 0);
    }
    assert!(bench.read(smi::DROPPED) > 50);
}

#[test]
fn an_entry_is_seen_by_the_bus_in_the_second_window_after_it_and_not_before() {
    for phase in 0..LOOKAHEAD {
        let mut bench = Bench::new(8, 0, 1);
        bench.idle(LOOKAHEAD + phase);
        bench.emit(1);
        // Enqueued in the cycle after the store.
        let enqueued = LOOKAHEAD + phase + 1;
        let seen = (enqueued / LOOKAHEAD + 2) * LOOKAHEAD;
        while bench.cycle < seen {
            bench.idle(1);
            assert_eq!(bench.smi.bus_ready.val(), bench.cycle >= seen, "cycle {}", bench.cycle);
        }
    }
}
