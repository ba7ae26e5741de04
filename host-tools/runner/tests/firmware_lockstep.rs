//! The whole machine on the real firmware, emulator against RTL: every processor's retirements with
//! their cycles (one processor at a time, in turn), all counts of instructions, every word of the
//! monitors, every byte of the consoles.

use std::path::Path;

use testbed_definitions::event;
use testbed_machine::Machine;
use testbed_runner::firmware;
use testbed_sim::emulator::Emulator;
use testbed_sim::load::{self, Boot};
use testbed_sim::lockstep::compare_machines;
use testbed_sim::verilator::Verilator;

/// Past the start, the first exchanges and time-slices of both programs.
const CYCLES: u64 = 1_000_000;

fn same(program: &str, arguments: &[&str]) {
    let machine = Machine::testbed6();
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    let (kernel, user) = (built.kernel(machine.ram_bytes).unwrap(), built.read(program).unwrap());
    let name = |path: &Path| path.display().to_string();
    let arguments = arguments.iter().map(|word| word.to_string()).collect();
    let boot = Boot { options: 0, dgl: event::DIAG_DEFAULT, seed: 1, start_processor: 1, arguments, ..Boot::default() };
    let image =
        load::image(&machine, (&name(&kernel.0), &kernel.1), &[load::File::program(program, &user.1)], &boot).unwrap();
    let mut emulator = Emulator::new(&machine, &image).unwrap();
    let mut rtl = Verilator::new(&machine, &image).unwrap();
    let agreement = compare_machines(&mut emulator, &mut rtl, CYCLES)
        .unwrap_or_else(|difference| panic!("{program}: {difference}"));
    println!("{program}: {agreement:?}");
    assert!(agreement.retirements > 50_000, "{program} hardly ran: {agreement:?}");
    assert!(agreement.trace_words > 100, "{program} showed hardly an event: {agreement:?}");
}

#[test]
fn two_threads_on_two_processors() {
    same("remote", &["5", "2", "1"]);
}

#[test]
fn every_processor_sends_and_receives() {
    same("crossing", &["40"]);
}
