//! The engines agree on small programs: retirements with their cycles, console, trace words, counters, memory.

use testbed_machine::{Core, Machine};
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::{compare_machines, compare_processor, memory_difference, program, Coverage};
use testbed_sim::rust_hdl::RustHdl;
use testbed_sim::verilator::Verilator;

fn small(processors: usize) -> Machine {
    let names = (0..processors).map(|i| format!("p{i}")).collect();
    Machine { name: format!("small{processors}"), processors: names, ram_bytes: 64 * 1024, ..Machine::testbed6() }
}

/// Runs `image` on both RTL engines and compares all that they show.
fn same(machine: &Machine, image: &Image, cycles: u64) {
    let mut verilator = Verilator::new(machine, image).unwrap();
    let mut native = RustHdl::new(machine, image).unwrap();
    let agreement =
        compare_machines(&mut verilator, &mut native, cycles).unwrap_or_else(|difference| panic!("{difference}"));
    assert!(agreement.trace_words > 20 && agreement.console_bytes > 2, "too little to compare: {agreement:?}");
    assert!(verilator.station(0).rx_packets > 5, "{:?}", verilator.station(0));
    for processor in 0..machine.processors.len() {
        assert_eq!(verilator.station(processor), native.station(processor), "station {processor}");
        if processor > 0 {
            assert_eq!(verilator.smi(processor), native.smi(processor), "SMI {processor}");
        }
        assert_eq!(memory_difference(&verilator, &native, processor), None, "memory of processor {processor}");
    }
}

#[test]
fn rtl_engines_agree_on_a_random_program() {
    Core::ALL.into_iter().for_each(agree_on_a_random_program);
}

fn agree_on_a_random_program(core: Core) {
    let machine = Machine { core, ..Machine::single(program::RAM_BYTES) };
    let image = program::generate(1);
    let mut coverage = Coverage::default();
    coverage.start(&image, program::RAM_BYTES);
    let mut verilator = Verilator::new(&machine, &image).unwrap();
    let mut native = RustHdl::new(&machine, &image).unwrap();
    let agreement = compare_processor(&mut verilator, &mut native, 0, 5_000, Some(&mut coverage))
        .unwrap_or_else(|difference| panic!("{difference}"));
    assert!(agreement.retirements > 500, "{agreement:?}");
    assert_eq!(coverage.contradictions, 0, "{coverage}");
}

#[test]
fn rtl_engines_agree_on_packets_and_events() {
    let image = crate::common::chatter();
    for core in Core::ALL {
        same(&Machine { core, ..small(3) }, &image, 6_000);
    }
}
