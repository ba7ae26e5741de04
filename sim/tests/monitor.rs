//! The arithmetic model of the monitor against its RTL, natively and in Verilator: stall, register
//! reads and trace words, all in their cycles.

mod scenario;
mod verilated;

use proptest::prelude::*;
use rust_hdl::prelude::*;
use scenario::{scenario, Cycle, Setting, OUTPUTS, SMIS};
use testbed_definitions::map::{mmi, smi};
use testbed_definitions::monitor::{MmiWord, Pair, GAP_MARKER, WRAP_MARKER};
use testbed_definitions::timing::LOOKAHEAD;
use testbed_hdl::support::bench::settle;
use testbed_machine::{Machine, Order};
use testbed_sim::engine::TraceWord;
use testbed_sim::model::monitor::Monitor;
use verilated::Verilated;

/// Fails if `got`, the RTL's outputs in cycle `number`, is not what the model expects. The trace
/// word counts where it is valid.
fn compare(number: usize, cycle: &Cycle, mut got: [u32; OUTPUTS], what: &str) {
    if got[1] == 0 {
        got[2] = 0;
    }
    assert_eq!(
        got, cycle.outputs,
        "{what}, cycle {number}: RTL on the left, model on the right; mmi rdata, trace valid and word, then rdata and stall of each SMI"
    );
}

/// Runs the native simulation on a recorded run.
fn check_native(setting: Setting) {
    let (cycles, _) = scenario(setting);
    let mut bench = setting.bench();
    let ports = bench.ports();
    bench.connect_all();
    for (number, cycle) in cycles.iter().enumerate() {
        (ports.clock)(&mut bench).next = false.into();
        for (port, &value) in ports.inputs.iter().zip(&cycle.inputs) {
            (port.set)(&mut bench, u64::from(value));
        }
        settle(&mut bench).unwrap();
        let got = std::array::from_fn(|i| (ports.outputs[i].get)(&bench) as u32);
        compare(number, cycle, got, &format!("{setting:?}"));
        (ports.clock)(&mut bench).next = true.into();
        settle(&mut bench).unwrap();
    }
}

fn settings() -> impl Strategy<Value = Setting> {
    let depth = || prop::sample::select(vec![2u32, 4, 8, 16, 64]);
    let port_cycles = prop::sample::select(vec![1u32, 1, 1, 2, 3, 7, 33, 100]);
    let port = (depth(), port_cycles, prop::sample::select(Order::ALL.to_vec()));
    (any::<u64>(), depth(), depth(), 0u32..8, 0u32..5, any::<bool>(), port).prop_map(
        |(seed, smi_queue, mmi_queue, poll_cycles, tick_cycles, filter, (port_queue, port_cycles, order))| Setting {
            seed,
            windows: 40,
            smi_queue,
            mmi_queue,
            poll_cycles,
            tick_cycles,
            port_queue,
            port_cycles,
            order,
            control: true,
            retick: true,
            filter,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        rng_seed: prop::test_runner::RngSeed::Fixed(6),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Many short runs in the native simulation, over sizes and rates.
    #[test]
    fn model_equals_native_rtl(setting in settings()) {
        check_native(setting);
    }
}

/// Long runs, with many wraps, on small queues that are mostly full and on queues of the default size.
#[test]
fn model_equals_verilated_rtl() {
    let (mut wraps, mut on_wrap, mut totals, mut missed) = (0, 0, 0, 0);
    let seeds = if std::env::var_os("TESTBED_LONG").is_some() { 6 } else { 3 };
    let sizes = [(4, 8, 8, 1, Order::Turns), (1024, 512, 512, 1, Order::Time), (16, 16, 16, 5, Order::Time)];
    for (smi_queue, mmi_queue, port_queue, port_cycles, order) in sizes {
        let setting = Setting {
            seed: 0,
            windows: 12_500,
            smi_queue,
            mmi_queue,
            poll_cycles: 2,
            tick_cycles: 1,
            port_queue,
            port_cycles,
            order,
            control: true,
            retick: false,
            filter: false,
        };
        let rtl = Verilated::build(setting.bench());
        for seed in 0..seeds {
            let setting = Setting { seed, retick: seed % 3 == 2, filter: seed > 0, ..setting };
            let (cycles, coverage) = scenario(setting);
            println!("{setting:?}: {coverage:?}");
            rtl.check(&cycles, &format!("{setting:?}"));
            assert!(coverage.pairs > 1000 && coverage.dropped > 100 && coverage.refused > 10, "{coverage:?}");
            if setting.filter {
                assert!(coverage.commands > 100 && coverage.ignored > 10 && coverage.filtered > 1000, "{coverage:?}");
            }
            totals += coverage.totals;
            wraps += coverage.wrap_markers;
            on_wrap += coverage.on_wrap;
            missed += coverage.missed;
            assert!(coverage.gap_markers > 10, "{coverage:?}");
            assert!(coverage.stalls > 100 && coverage.words_read > 100, "{coverage:?}");
        }
    }
    assert!(wraps > 20 * seeds && on_wrap > 2 * seeds, "{wraps} wraps, {on_wrap} events on the very cycle of one");
    assert!(totals > 1000 && missed > 1000, "{totals} totals, {missed} pairs missed");
}

/// Words at the trace port, of a run in which the master leaves CONTROL alone, read one after the
/// other: extended times never fall, and of equal ones SMIs have the order of their numbers.
#[test]
fn in_order_of_time_the_stream_needs_no_sorting() {
    let (mut wraps, mut gaps, mut totals) = (0, 0, 0);
    for (seed, port_cycles, smi_queue) in [(1, 1, 64), (2, 3, 8), (3, 40, 1024), (4, 7, 2)] {
        let setting = Setting {
            seed,
            windows: 12_500,
            smi_queue,
            mmi_queue: 512,
            poll_cycles: 2,
            tick_cycles: 1,
            port_queue: 16,
            port_cycles,
            order: Order::Time,
            control: false,
            retick: true,
            filter: true,
        };
        let (cycles, coverage) = scenario(setting);
        let words: Vec<u32> = cycles.iter().filter(|c| c.outputs[1] == 1).map(|c| c.outputs[2]).collect();
        let pairs = words.chunks_exact(2).map(|two| {
            let [time, datum] = [two[0], two[1]].map(MmiWord::unpack);
            assert_eq!(time.smi, datum.smi);
            (time.smi, Pair { time: time.value, datum: datum.value })
        });
        let ordered = extended_times(pairs);
        let falls = ordered.windows(2).position(|two| two[0] > two[1]);
        assert_eq!(falls, None, "{setting:?}: {:x?}", falls.map(|at| &ordered[at.saturating_sub(2)..at + 3]));
        let smis = (1..=3).map(|smi| ordered.iter().filter(|(_, of)| *of == smi).count());
        println!("{setting:?}: {coverage:?}");
        assert!(smis.min() > Some(100), "{coverage:?}");
        wraps += coverage.wrap_markers;
        gaps += coverage.gap_markers;
        totals += coverage.totals;
    }
    assert!(wraps > 10 && gaps > 1000 && totals > 100, "{wraps} wraps, {gaps} gaps, {totals} totals");
}

/// Extended time (wraps never wrap here) and SMI of each pair, by the wrap markers of its SMI.
fn extended_times(pairs: impl Iterator<Item = (u8, Pair)>) -> Vec<(u64, u8)> {
    let mut wraps = [0u64; SMIS + 1];
    let mut half = [false; SMIS + 1];
    let mut extended = |(smi, pair): (u8, Pair)| {
        let (wraps, half) = (&mut wraps[usize::from(smi)], &mut half[usize::from(smi)]);
        let [high, low] = pair.datum.to_be_bytes();
        if high == WRAP_MARKER && !*half {
            *wraps += u64::from(low.wrapping_sub(*wraps as u8));
        }
        *half = high == GAP_MARKER && !*half;
        (*wraps << 16 | u64::from(pair.time), smi)
    };
    pairs.map(&mut extended).collect()
}

/// Pairs that each of `smis` delivers in 1,000 cycles, if each emits whenever it is taken.
fn delivered_per_thousand_cycles(order: Order, busy: std::ops::RangeInclusive<usize>) -> Vec<usize> {
    let mut monitor = Monitor::new(&Machine { order, ..Machine::testbed6() });
    for smi in busy.clone() {
        monitor.smi_store(smi, smi::CONTROL, smi::CONTROL_STALL, 0).unwrap();
    }
    let mut next = [1; 6];
    let (from, until): (u64, u64) = (10_000, 11_000);
    for window in 0..until.div_ceil(LOOKAHEAD) {
        for smi in busy.clone() {
            while next[smi] < (window + 1) * LOOKAHEAD {
                next[smi] = match monitor.smi_store(smi, smi::EVENT, 1, next[smi]) {
                    Ok(()) => next[smi] + 3,
                    Err(stall) => stall.retry,
                };
            }
        }
    }
    monitor.advance(until);
    let words = monitor.take_trace();
    let delivered = |smi: usize| {
        let of_smi = |word: &&TraceWord| {
            usize::from(MmiWord::unpack(word.word).smi) == smi && (from..until).contains(&word.cycle)
        };
        words.iter().filter(of_smi).count() / 2
    };
    busy.map(delivered).collect()
}

#[test]
fn rates_are_as_documented() {
    // testbed6: five SMIs, a slot of two cycles each.
    assert_eq!(Machine::testbed6().poll_cycles, 2);
    assert_eq!(delivered_per_thousand_cycles(Order::Turns, 2..=2), [100]);
    assert_eq!(delivered_per_thousand_cycles(Order::Turns, 1..=5), [100; 5]);
    // In order of time a slot of four cycles goes to whoever has the oldest pair.
    let alone = delivered_per_thousand_cycles(Order::Time, 2..=2);
    let all = delivered_per_thousand_cycles(Order::Time, 1..=5);
    println!("in order of time: {alone:?}, {all:?}");
    assert_eq!(alone, [250]);
    assert_eq!(all, [50; 5]);
}

#[test]
fn a_quiet_monitor_costs_nothing_and_says_how_long_it_stays_quiet() {
    let mut monitor = Monitor::new(&Machine::testbed6());
    let wrap = 25 * 65_536;
    assert_eq!(monitor.quiet_until(), wrap);
    monitor.advance(wrap);
    assert_eq!(monitor.take_trace(), []);
    // A minute of machine time: five markers every wrap and nothing else.
    let wraps = 1000;
    monitor.advance(wrap * wraps + 1000);
    let words = monitor.take_trace();
    assert_eq!(words.len() as u64, wraps * 5 * 2);
    assert!(words[0].cycle > wrap && words[0].cycle < wrap + 100);
    for smi in 1..=5 {
        let counters = monitor.counters(smi, wrap * wraps + 1000);
        assert_eq!((counters.markers, counters.delivered, counters.queued), (1000, 1000, 0));
    }
    // An event ends the quiet.
    let now = wrap * wraps + 2000;
    monitor.advance(now);
    assert_eq!(monitor.quiet_until(), wrap * (wraps + 1));
    monitor.smi_store(3, smi::EVENT, 7, now).unwrap();
    assert!(monitor.quiet_until() <= now + 96);
}

#[test]
fn a_stall_says_how_long_it_lasts_at_least() {
    let machine = Machine { smi_queue: 4, ..Machine::testbed6() };
    let mut monitor = Monitor::new(&machine);
    monitor.mmi_store(mmi::CONTROL, 0, 0);
    monitor.smi_store(1, smi::CONTROL, smi::CONTROL_STALL, 100).unwrap();
    for n in 0..5 {
        monitor.smi_store(1, smi::EVENT, n, 101 + 3 * u64::from(n)).unwrap();
    }
    let cycle = 101 + 3 * 5;
    let stall = monitor.smi_store(1, smi::EVENT, 5, cycle).unwrap_err();
    assert!(stall.retry > cycle);
    // The emulator has let the poller run ahead to the end of a window: nothing is taken there.
    monitor.advance(160);
    let stall = monitor.smi_store(1, smi::EVENT, 5, cycle + 1).unwrap_err();
    assert!(stall.retry > 160, "{stall:?}");
    assert_eq!(monitor.counters(1, 200).emitted, 5, "a store that stalls is not counted");
}
