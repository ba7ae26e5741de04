//! The emulator against the RTL on Verilator: retirements with their cycles, console, trace words, counters, memory;
//! and its two ways to execute against each other.

mod common;

use std::sync::OnceLock;
use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::{compare_machines, compare_processor, program, Coverage};
use testbed_sim::verilator::Compiled;

fn machine(processors: usize) -> Machine {
    let names = (0..processors).map(|number| format!("p{number}")).collect();
    Machine {
        name: format!("small{processors}"),
        processors: names,
        ram_bytes: program::RAM_BYTES,
        ..Machine::testbed6()
    }
}

/// One processor on Verilator, compiled once for all tests.
fn single() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| Compiled::new(&machine(1), None, &mut |_| ()).unwrap())
}

fn same_memory(first: &dyn Engine, second: &dyn Engine, processor: usize) {
    let mut memories = [vec![0; program::RAM_BYTES as usize], vec![0; program::RAM_BYTES as usize]];
    first.read_ram(processor, map::RAM_BASE, &mut memories[0]);
    second.read_ram(processor, map::RAM_BASE, &mut memories[1]);
    let differs = memories[0].iter().zip(&memories[1]).position(|(a, b)| a != b);
    assert_eq!(differs, None, "offset of the first byte of RAM that differs on processor {processor}");
}

#[test]
fn retires_what_the_rtl_retires_on_random_programs() {
    let seeds = std::env::var("TESTBED_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let cycles = std::env::var("TESTBED_CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let mut coverage = Coverage::default();
    let mut retirements = 0;
    for seed in 1..=seeds {
        let image = program::generate(seed);
        coverage.start(&image, program::RAM_BYTES);
        let mut emulator = Emulator::new(&machine(1), &image).unwrap();
        let mut rtl = single().engine(&image).unwrap();
        let agreement = compare_processor(&mut emulator, &mut rtl, 0, cycles, Some(&mut coverage))
            .unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        same_memory(&emulator, &rtl, 0);
        retirements += agreement.retirements;
    }
    println!("seeds 1 to {seeds}, {cycles} cycles each, {retirements} retirements\n{coverage}");
    assert!(retirements > seeds * cycles / 8, "{retirements} retirements");
    assert_eq!(coverage.contradictions, 0, "{coverage}");
}

#[test]
fn agrees_with_the_rtl_on_packets_and_events() {
    let machine = machine(3);
    let image = common::chatter();
    let mut emulator = Emulator::new(&machine, &image).unwrap();
    let mut rtl = Compiled::new(&machine, None, &mut |_| ()).unwrap().engine(&image).unwrap();
    let agreement =
        compare_machines(&mut emulator, &mut rtl, 200_000).unwrap_or_else(|difference| panic!("{difference}"));
    assert!(agreement.trace_words > 1000 && agreement.console_bytes > 100, "{agreement:?}");
    for processor in 0..3 {
        assert_eq!(emulator.station(processor), rtl.station(processor), "station {processor}");
        if processor > 0 {
            assert_eq!(emulator.smi(processor), rtl.smi(processor), "SMI {processor}");
        }
        same_memory(&emulator, &rtl, processor);
    }
}

/// Recording retirements makes the emulator take the exact step for every instruction; without, it takes the fast loop.
/// Stopping at odd cycles makes windows of all lengths.
#[test]
fn the_fast_loop_and_the_exact_step_leave_the_same_machine() {
    for seed in 100..140 {
        let image = program::generate(seed);
        let mut fast = Emulator::new(&machine(1), &image).unwrap();
        let mut exact = Emulator::new(&machine(1), &image).unwrap();
        exact.record_retirements(Some(0));
        let mut until = 0;
        for round in 0..200u64 {
            until += 1 + round * round % 997;
            fast.run_until(until).unwrap();
            exact.run_until(until).unwrap();
            assert_eq!(fast.instructions(0), exact.instructions(0), "seed {seed}, cycle {until}");
        }
        let counted = exact.take_retirements().iter().filter(|retirement| !retirement.trap).count() as u64;
        assert_eq!(counted, fast.instructions(0), "seed {seed}");
        assert_eq!(fast.take_console(), exact.take_console(), "seed {seed}");
        same_memory(&fast, &exact, 0);
    }
}

#[test]
fn a_machine_that_sleeps_costs_nothing() {
    use testbed_sim::lockstep::encode::*;
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.place(again).push(WFI).jal(ZERO, again);
    let image = Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE };
    let mut emulator = Emulator::new(&machine(6), &image).unwrap();
    // A second of machine time at 25 MHz would take a second and more if the processors were looked at in every window.
    let start = std::time::Instant::now();
    emulator.run_until(2_500_000_000).unwrap();
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    assert_eq!(emulator.instructions(3), 1);
}

#[test]
fn images_outside_ram_are_refused() {
    let image = Image { segments: vec![(map::RAM_BASE + program::RAM_BYTES - 2, vec![1, 2, 3])], entry: map::RAM_BASE };
    let error = Emulator::new(&machine(1), &image).err().expect("refused").to_string();
    assert!(error.contains("0x8000fffe") && error.contains("65536"), "{error}");
    let none = Machine { processors: vec![], ..machine(1) };
    assert!(Emulator::new(&none, &Image::default()).is_err());
}
