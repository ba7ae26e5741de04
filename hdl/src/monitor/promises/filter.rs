//! What the filter promises.

use super::{gap, proven, Bench};
use crate::monitor::Filter;
use crate::step;
use crate::support::random::Random;
use rust_hdl::prelude::*;
use testbed_definitions::filter::{action, register, total_fields, INTERVAL_MAX, TOTAL_MAX};
use testbed_definitions::map::smi;
use testbed_definitions::monitor::{is_reserved, Pair, GAP_COUNT_MAX, GAP_MARKER};
use testbed_definitions::timing::LOOKAHEAD;

impl Bench {
    /// The MMI sends a command from the next window's start on; over when it has taken effect.
    fn program(&mut self, number: u8, value: u16) {
        self.idle((LOOKAHEAD - self.cycle % LOOKAHEAD) % LOOKAHEAD);
        self.command = Some((number, value));
        self.idle(LOOKAHEAD);
        self.command = None;
    }

    fn rule(&mut self, rule: u8, does: u16, pattern: u16, mask: u16) {
        let settings = [(register::MASK, mask), (register::MATCH, pattern), (register::ACTION, does)];
        for (number, value) in settings {
            self.program(4 * rule + number, value);
        }
    }

    fn emit_all(&mut self, data: &[u16]) {
        for &datum in data {
            self.emit(datum);
            self.idle(1);
        }
    }

    fn filtered(&mut self) -> u32 {
        self.read(smi::FILTERED)
    }
}

/// Time, rule and count of the totals in `pairs`, all of whose halves have to be there.
fn totals(pairs: &[Pair]) -> Vec<(u16, u8, u32)> {
    let mut totals = vec![];
    let mut pairs = pairs.iter();
    while let Some(first) = pairs.next() {
        let [high, low] = first.datum.to_be_bytes();
        if high != GAP_MARKER {
            continue;
        }
        let second = pairs.next().expect("second half");
        assert_eq!(first.time, second.time, "both halves have one time");
        if let Some((rule, top)) = total_fields(low) {
            totals.push((first.time, rule, top | u32::from(second.datum)));
        }
    }
    totals
}

fn data(pairs: &[Pair]) -> Vec<u16> {
    pairs.iter().map(|pair| pair.datum).collect()
}

#[test]
fn the_first_rule_that_fits_decides() {
    let mut bench = Bench::new(16, 0, 1000);
    bench.rule(3, action::DROP, 0x0300, 0xff00);
    bench.rule(2, action::DROP, 0x0000, 0x8000);
    bench.rule(1, action::PASS, 0x0020, 0x00f0);
    bench.rule(0, action::DROP, 0x0025, 0xffff);
    bench.emit_all(&[0x0024, 0x0025, 0x0026, 0x0030, 0x8030, 0x0322, 0x0332]);
    // An action of 0 switches a rule off.
    bench.program(8 + register::ACTION, action::OFF);
    bench.emit_all(&[0x0030, 0x0333]);
    assert_eq!((bench.filtered(), bench.read(smi::EMITTED)), (4, 9));
    bench.assert_ledger(0, 0);
    assert_eq!(data(&bench.drain()), [0x0024, 0x0026, 0x8030, 0x0322, 0x0030]);
}

#[test]
fn a_command_takes_effect_in_the_first_cycle_of_the_window_after_it_was_sent() {
    let mut bench = Bench::new(64, 0, 1000);
    bench.command = Some((register::ACTION, action::DROP));
    // A mask of 0 and a match of 0 fit everything.
    for _ in 0..2 * LOOKAHEAD {
        bench.emit(1);
    }
    // The first one to be dropped is that of the first cycle after the window.
    assert_eq!(u64::from(bench.filtered()), LOOKAHEAD);
}

#[test]
fn what_is_filtered_stalls_for_one_cycle_at_most_and_is_never_queued() {
    let mut bench = Bench::new(4, 7, 1000);
    bench.rule(0, action::DROP, 0x0100, 0xff00);
    bench.write(smi::CONTROL, smi::CONTROL_STALL);
    bench.emit_all(&[1, 2, 3, 4, 5]);
    assert!(bench.emit(6).is_none(), "full");
    // Whoever finds no room stalls before it is judged, and then is over.
    (0..9).for_each(|n| assert!(bench.emit(0x0100 + n).is_none() && bench.emit(0x0100 + n).is_some()));
    assert_eq!((bench.filtered(), bench.read(smi::EMITTED)), (9, 14));
    bench.assert_ledger(0, 1);
    bench.write(smi::CONTROL, 0);
    bench.emit_all(&[0x0100, 6]);
    let pairs = bench.drain();
    assert_eq!(data(&pairs)[..5], [1, 2, 3, 4, 5]);
    assert_eq!(gap(&pairs).1, 1, "what is filtered is not lost");
}

#[test]
fn reserved_data_are_refused_before_the_filter() {
    let mut bench = Bench::new(8, 7, 1000);
    bench.program(register::ACTION, action::DROP);
    bench.emit_all(&[0xaa00, 0xab12, 1]);
    assert_eq!((bench.read(smi::REFUSED), bench.filtered()), (2, 1));
}

#[test]
fn totals_come_at_programmed_intervals_and_start_again() {
    for k in [1, 4, 6] {
        let mut bench = Bench::new(256, 0, 3);
        bench.rule(1, action::COUNT, 0x0200, 0xff00);
        bench.program(register::INTERVAL, k);
        let (mut stored, period) = ([0u32; 1 << 6], 1u64 << k);
        let start = bench.ticks.next_multiple_of(period);
        while bench.ticks < start {
            bench.idle(1);
        }
        let mut random = Random::new(k.into());
        while bench.ticks < start + 8 * period {
            // The first cycle of a tick still belongs to the total that is due in it.
            let first = bench.cycle.is_multiple_of(bench.tick_cycles);
            let at = (bench.ticks - start + period - u64::from(first)) / period;
            if random.chance(1, 3) {
                bench.emit(0x0200 + (random.below(256)) as u16);
                stored[at as usize] += 1;
            } else {
                bench.idle(1);
            }
        }
        bench.idle(8);
        let shown = totals(&bench.drain());
        let expected: Vec<u32> = stored.into_iter().filter(|&count| count > 0).collect();
        let found: Vec<u32> = shown.iter().map(|total| total.2).collect();
        assert_eq!(found[..], expected[..found.len()], "k = {k}");
        assert!(found.len() >= 5 && found.len() + 1 >= expected.len(), "{found:?} {expected:?}");
        assert!(shown.iter().all(|&(time, rule, _)| rule == 1 && u64::from(time) % period <= 1), "{shown:?}");
    }
}

#[test]
fn a_rule_that_counted_nothing_shows_no_total() {
    let mut bench = Bench::new(8, 0, 1);
    bench.rule(0, action::COUNT, 0, 0);
    bench.program(register::INTERVAL, 3);
    bench.idle(100);
    assert_eq!(bench.read(smi::MARKERS), 0);
}

#[test]
fn an_interval_of_more_than_sixteen_bits_is_one_of_sixteen() {
    let mut bench = Bench::before_wrap(8, 700);
    bench.rule(0, action::COUNT, 0, 0);
    bench.program(register::INTERVAL, INTERVAL_MAX + 16);
    bench.emit_all(&[1, 2, 3]);
    bench.idle(700);
    let pairs = bench.drain();
    assert_eq!(pairs[0].datum, 0xaa01);
    assert_eq!(totals(&pairs), [(pairs[1].time, 0, 3)]);
    assert!(pairs[1].time < 4);
}

#[test]
fn a_new_action_makes_the_total_due_so_that_none_is_lost() {
    let mut bench = Bench::new(8, 0, 1000);
    bench.rule(2, action::COUNT, 0, 0);
    bench.emit_all(&[1, 2, 3]);
    bench.program(8 + register::ACTION, action::OFF);
    bench.emit_all(&[4]);
    bench.idle(8);
    let pairs = bench.drain();
    assert_eq!(totals(&pairs).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(), [(2, 3)]);
    assert_eq!(proven(&pairs).last().unwrap().1, 4);
}

#[test]
fn a_total_of_more_than_sixteen_bits_is_shown_in_full() {
    let mut bench = Bench::new(8, 0, 1000);
    bench.rule(3, action::COUNT, 0, 0);
    for _ in 0..70_000 {
        bench.emit(1);
    }
    bench.program(12 + register::ACTION, action::COUNT);
    bench.idle(4);
    let shown = totals(&bench.drain());
    assert_eq!(shown.iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(), [(3, 70_000)]);
}

#[test]
fn a_total_stays_at_its_largest_count() {
    let mut filter = Filter::default();
    filter.connect_all();
    filter.strobe.next = true;
    filter.command.next = true;
    filter.number.next = u32::from(register::ACTION).to_bits();
    filter.value.next = u32::from(action::COUNT).to_bits();
    step!(filter).unwrap();
    filter.command.next = false;
    filter.completes.next = true;
    for _ in 0..TOTAL_MAX + 2 {
        step!(filter).unwrap();
    }
    filter.command.next = true;
    for _ in 0..2 {
        step!(filter).unwrap();
    }
    assert!(filter.total_due.val());
    let (high, low) = (filter.total_high.val().to_u64(), filter.total_low.val().to_u64());
    assert_eq!((high & 0xf) << 16 | low, u64::from(TOTAL_MAX));
}

#[test]
fn two_word_events_are_filtered_whole_and_counted_once() {
    let mut bench = Bench::new(32, 0, 1000);
    bench.program(register::PAIRS, 1);
    // Second words fit rules of their own, but are not asked.
    bench.rule(0, action::DROP, 0x8100, 0xffff);
    bench.rule(1, action::COUNT, 0x0020, 0x7fff);
    bench.emit_all(&[0x8100, 0x1111, 0x8111, 0x0020, 0x8020, 0x8100, 0x0020, 0xc100, 0x8001]);
    bench.program(register::PAIRS, 0);
    // The word of before is the first of an event, but now each word is for itself.
    bench.emit_all(&[0x0020, 0x8100]);
    assert_eq!(bench.filtered(), 7);
    bench.program(4 + register::ACTION, action::OFF);
    bench.idle(4);
    let pairs = bench.drain();
    assert_eq!(totals(&pairs).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(), [(1, 3)]);
    assert_eq!(data(&pairs)[..4], [0x8111, 0x0020, 0xc100, 0x8001]);
}

#[test]
fn no_total_stands_between_the_two_words_of_an_event() {
    let mut waited = 0;
    for delay in 0..8 {
        let mut bench = Bench::new(64, 0, 1);
        bench.program(register::PAIRS, 1);
        bench.rule(0, action::COUNT, 0x0001, 0xffff);
        bench.program(register::INTERVAL, 3);
        bench.idle(delay);
        bench.emit(1);
        bench.emit(0x8200);
        bench.idle(20);
        waited += u32::from(bench.read(smi::MARKERS) == 0);
        bench.emit(0x0001);
        bench.idle(20);
        let pairs = bench.drain();
        let first = pairs.iter().position(|pair| pair.datum == 0x8200).unwrap();
        assert_eq!(pairs[first + 1].datum, 0x0001);
        assert_eq!(totals(&pairs).len(), 1);
    }
    assert!(waited >= 6, "{waited}");
}

#[test]
fn while_the_queue_is_full_totals_wait_and_keep_counting() {
    let mut bench = Bench::new(4, 0, 1);
    bench.rule(0, action::COUNT, 0x0100, 0xff00);
    bench.program(register::INTERVAL, 2);
    bench.emit_all(&[1, 2, 3]);
    for n in 0..50 {
        bench.emit(0x0100 + n);
    }
    assert_eq!(bench.read(smi::STATUS) & 0xffff, 3, "one place is not enough");
    let pairs = bench.drain();
    assert_eq!(data(&pairs)[..3], [1, 2, 3]);
    assert_eq!(totals(&pairs).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(), [(0, 50)]);
}

#[test]
fn totals_around_a_wrap_are_stamped_in_its_epoch() {
    for lead in 0..24 {
        let mut bench = Bench::before_wrap(8, 400);
        bench.rule(0, action::COUNT, 0x0100, 0xff00);
        bench.rule(1, action::COUNT, 0x0200, 0xff00);
        while bench.ticks < (1 << 16) - lead {
            bench.idle(1);
        }
        bench.emit_all(&[0x0100, 0x0200, 0x0300]);
        // Made due at any cycle around the wrap.
        bench.command = Some((register::ACTION, action::COUNT));
        bench.idle(LOOKAHEAD);
        bench.command = Some((4 + register::ACTION, action::COUNT));
        bench.idle(2 * LOOKAHEAD);
        let pairs = bench.drain();
        let (mut wraps, mut last) = (0, 0);
        for pair in &pairs {
            wraps += u64::from(pair.datum == 0xaa01);
            let ticks = wraps << 16 | u64::from(pair.time);
            assert!(ticks >= last, "lead {lead}: {pairs:x?}");
            last = ticks;
        }
        assert_eq!(totals(&pairs).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(), [(0, 1), (1, 1)], "lead {lead}");
        assert_eq!(proven(&pairs).len(), 1);
    }
}

#[test]
fn totals_and_losses_never_mix_and_the_ledger_balances() {
    let mut bench = Bench::before_wrap(8, 3000);
    let mut random = Random::new(9);
    bench.rule(0, action::COUNT, 0x0100, 0xff00);
    bench.rule(1, action::DROP, 0x0200, 0xff00);
    bench.rule(2, action::COUNT, 0x0300, 0xff00);
    bench.program(register::INTERVAL, 4);
    let (mut delivered, mut counted, mut shown, mut marked) = (0, [0; 4], [0; 4], 0);
    for _ in 0..60 {
        for _ in 0..random.below(60) {
            let datum = (random.below(5) << 8 | random.below(256)) as u16;
            let stores = random.chance(1, 2);
            let access = stores.then_some((smi::EVENT, Some(u32::from(datum))));
            counted[usize::from(datum >> 8 == 3) * 2] += u32::from(stores && matches!(datum >> 8, 1 | 3));
            bench.access(access, random.chance(1, 3));
        }
        let pairs = bench.drain();
        delivered += pairs.len() as u32;
        bench.assert_ledger(delivered, 0);
        totals(&pairs).iter().for_each(|total| shown[usize::from(total.1)] += total.2);
        marked += losses(&pairs);
    }
    assert_eq!(shown, counted, "every event counted is in a total");
    assert_eq!(marked, bench.read(smi::DROPPED));
    assert!(counted[0] > 100 && counted[2] > 100 && marked > 50, "{counted:?} {marked}");
}

/// Sum of the gap markers of `pairs`.
fn losses(pairs: &[Pair]) -> u32 {
    let mut sum = 0;
    let mut pairs = pairs.iter();
    while let Some(first) = pairs.next() {
        let [high, low] = first.datum.to_be_bytes();
        if high == GAP_MARKER {
            let second = pairs.next().expect("second half");
            if total_fields(low).is_none() {
                sum += u32::from(low) << 16 | u32::from(second.datum);
            }
        }
    }
    sum
}

#[test]
fn no_gap_marker_looks_like_a_total() {
    assert!(total_fields((GAP_COUNT_MAX >> 16) as u8).is_none());
    assert!(total_fields(((GAP_COUNT_MAX + 1) >> 16) as u8).is_some());
    assert!(is_reserved(testbed_definitions::filter::total_marker(3, TOTAL_MAX)));
}
