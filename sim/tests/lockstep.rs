//! Emulator against RTL, instruction by instruction: the same retirements in the same cycles, for
//! random programs by seed.
//!
//! `TESTBED_LONG=1` (set by `testbed test --long`) compares over 10 million retirements;
//! `TESTBED_SEED=n` starts with seed `n`; `TESTBED_PROGRAMS=n` compares `n` programs.

use testbed_machine::{Core, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::lockstep::{compare_processor, memory_difference, program, Coverage};
use testbed_sim::verilator::Compiled;

const CYCLES: u64 = 100_000;
/// Programs compared in a run that has to be short, and in a long one.
const PROGRAMS: u64 = 16;
const PROGRAMS_LONG: u64 = 340;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn emulator_and_rtl_retire_the_same_in_the_same_cycles() {
    in_lockstep(Core::Multicycle);
}

#[test]
fn so_they_do_with_the_pipelined_core() {
    in_lockstep(Core::Pipelined);
}

fn in_lockstep(core: Core) {
    let first = number("TESTBED_SEED").unwrap_or(1);
    let usual = if std::env::var_os("TESTBED_LONG").is_some() { PROGRAMS_LONG } else { PROGRAMS };
    let programs = number("TESTBED_PROGRAMS").unwrap_or(usual);
    let machine = Machine { core, ..Machine::single(program::RAM_BYTES) };
    let compiled = Compiled::new(&machine, None, &mut |_| ()).unwrap();
    let mut coverage = Coverage::default();
    let mut retirements = 0;
    for seed in first..first + programs {
        let image = program::generate(seed);
        coverage.start(&image, program::RAM_BYTES);
        let mut emulator = Emulator::new(&machine, &image).unwrap();
        let mut rtl = compiled.engine(&image).unwrap();
        let agreement = compare_processor(&mut emulator, &mut rtl, 0, CYCLES, Some(&mut coverage));
        let again =
            format!("TESTBED_SEED={seed} TESTBED_PROGRAMS=1 cargo test --release -p testbed-sim --test all lockstep");
        retirements += agreement.unwrap_or_else(|difference| panic!("{difference}\nagain: {again}")).retirements;
        let differs = memory_difference(&emulator, &rtl, 0);
        assert_eq!(differs, None, "offset of the first byte of RAM that differs\nagain: {again}");
    }
    println!("seeds {first} to {}: {retirements} retirements equal\n{coverage}", first + programs - 1);
    assert!(retirements > programs * 20_000, "the programs hardly ran: {retirements} retirements");
    assert!(programs < PROGRAMS || coverage.missing_pairs().is_empty(), "pairs: {:?}", coverage.missing_pairs());
    assert_eq!(coverage.contradictions, 0, "the page map was not followed: {coverage}");
}
