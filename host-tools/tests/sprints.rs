//! Processors that run ahead of each other leave the machine that they leave side by side: kernel
//! and programs on two emulators, one of which records what a processor retires, so that nobody
//! runs ahead there and that processor takes each instruction by itself.

use testbed_definitions::event::{DIAG_DEFAULT, DIAG_LOAD};
use testbed_machine::Machine;
use testbed_runner::firmware;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::{self, Boot, File};
use testbed_sim::lockstep::memory_difference;

use crate::common::root;

/// Cycles of each program: some 25 ms after the kernels have started.
const CYCLES: u64 = 1_600_000;

/// A machine with kernel and a program that has started.
fn image(machine: &Machine, program: &str, arguments: &[&str], dgl: u32) -> Image {
    let built = firmware::build(&root()).unwrap();
    let (_, kernel) = built.kernel(machine.ram_bytes).unwrap();
    let (_, elf) = built.read(program).unwrap();
    let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    let boot = Boot { dgl, seed: 7, start_processor: 1, arguments, ..Boot::default() };
    load::image(machine, ("kernel", &kernel), &[File::program(program, &elf)], &boot).unwrap()
}

/// All that the two show at this cycle.
fn are_equal(ahead: &mut Emulator, beside: &mut Emulator, machine: &Machine) {
    let cycle = ahead.cycle();
    assert_eq!(ahead.take_trace(), beside.take_trace(), "trace up to cycle {cycle}");
    assert_eq!(ahead.take_console(), beside.take_console(), "console up to cycle {cycle}");
    assert_eq!(ahead.exits(), beside.exits(), "exits at cycle {cycle}");
    for processor in 0..machine.processors.len() {
        assert_eq!(ahead.instructions(processor), beside.instructions(processor), "{processor} at cycle {cycle}");
        assert_eq!(ahead.station(processor), beside.station(processor), "station {processor} at cycle {cycle}");
        if processor > 0 {
            assert_eq!(ahead.smi(processor), beside.smi(processor), "SMI {processor} at cycle {cycle}");
        }
    }
}

fn same(program: &str, arguments: &[&str], dgl: u32, recorded: usize) {
    let machine = Machine::testbed6();
    let image = image(&machine, program, arguments, dgl);
    let [mut ahead, mut beside] = [0, 1].map(|_| Emulator::new(&machine, &image).unwrap());
    beside.record_retirements(Some(recorded));
    // Sprints end where the host looks: at odd places, near and far.
    let mut step = 1;
    while ahead.cycle() < CYCLES {
        step = step * 7 % 20_011 + 1;
        let until = (ahead.cycle() + step).min(CYCLES);
        ahead.run_until(until).unwrap();
        beside.run_until(until).unwrap();
        beside.take_retirements();
        are_equal(&mut ahead, &mut beside, &machine);
    }
    for processor in 0..machine.processors.len() {
        assert_eq!(memory_difference(&ahead, &beside, processor), None, "{program}: RAM of processor {processor}");
    }
    assert!(ahead.instructions(1) > 100_000, "{program} has not begun");
}

#[test]
fn threads_that_compute_and_events() {
    same("busy", &[], DIAG_DEFAULT, 2);
}

#[test]
fn threads_that_move_and_pages_that_follow() {
    same("chatter", &["1", "16", "20", "1"], DIAG_DEFAULT | DIAG_LOAD, 1);
}

#[test]
fn messages_between_processors() {
    same("remote", &["1", "100", "0"], DIAG_DEFAULT, 3);
}
