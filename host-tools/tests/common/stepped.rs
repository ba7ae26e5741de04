//! Two emulators side by side: one goes all its fast ways; the other records what a processor retires,
//! so that nobody runs ahead there and that processor takes each instruction by itself.

use std::fs;

use testbed_definitions::boot::is_small;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::Machine;
use testbed_runner::files::{filestore, Wanted};
use testbed_runner::firmware::{self, Firmware};
use testbed_runner::image;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::Boot;
use testbed_sim::lockstep::memory_difference;
use testbed_trace::capture::KernelKind;

use super::root;

/// What `testbed run` starts on `machine` with these words behind it, and the console input that it
/// gives at once. Other options change neither.
pub fn started(built: &Firmware, machine: &Machine, words: &[String]) -> (Image, Vec<u8>) {
    let programs = firmware::programs(&root()).unwrap();
    let path = |value: &String| match value.contains('/') {
        true => root().join(value).to_string_lossy().into_owned(),
        false => value.clone(),
    };
    let (mut plain, mut files, mut input) = (Vec::new(), Vec::new(), Vec::new());
    let mut kernel = if is_small(machine.ram_bytes) { KernelKind::Small } else { KernelKind::Default };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            plain.push(word.clone());
            continue;
        }
        let value = words.next().unwrap_or_else(|| panic!("{word} has no value"));
        match word.as_str() {
            "--file" => files.push(Wanted::new(&path(value), &programs)),
            "--input" => input = fs::read(path(value)).unwrap(),
            "--kernel" if value == KernelKind::Tos94.name() => kernel = KernelKind::Tos94,
            _ => {}
        }
    }
    let first = Wanted::new(&path(&plain.remove(0)), &programs);
    let start_processor = u32::from(machine.processors.len() > 1);
    let boot = Boot {
        options: kernel.options(),
        dgl: DIAG_DEFAULT,
        seed: 1,
        start_processor,
        arguments: plain,
        ..Boot::default()
    };
    let stored = filestore(machine, &root(), built, &first, &files).unwrap();
    (image::of_files(machine, built, &stored, &boot).unwrap(), input)
}

/// Runs both for so many cycles, or until the program is over, and compares all that they show. Gives
/// the fast one.
pub fn same(machine: &Machine, (image, input): (&Image, &[u8]), recorded: usize, cycles: u64) -> Emulator {
    let [mut fast, mut stepped] = [0, 1].map(|_| Emulator::new(machine, image).unwrap());
    stepped.record_retirements(Some(recorded));
    for engine in [&mut fast, &mut stepped] {
        engine.give_console(input).unwrap();
    }
    // Sprints end where the host looks: at odd places, near and far.
    let mut step = 1;
    while fast.cycle() < cycles && fast.exits().is_empty() {
        step = step * 7 % 20_011 + 1;
        let until = (fast.cycle() + step).min(cycles);
        fast.run_until(until).unwrap();
        stepped.run_until(until).unwrap();
        stepped.take_retirements();
        are_equal(&mut fast, &mut stepped);
    }
    for processor in 0..machine.processors.len() {
        let cycle = fast.cycle();
        let differs = memory_difference(&fast, &stepped, processor);
        assert_eq!(differs, None, "RAM of processor {processor} at cycle {cycle}, {} core", machine.core.name());
    }
    fast
}

/// All that the two show at this cycle.
fn are_equal(fast: &mut Emulator, stepped: &mut Emulator) {
    let at = format!("at cycle {}, {} core", fast.cycle(), fast.machine().core.name());
    assert_eq!(fast.take_trace(), stepped.take_trace(), "trace {at}");
    assert_eq!(fast.take_console(), stepped.take_console(), "console {at}");
    assert_eq!(fast.exits(), stepped.exits(), "exits {at}");
    for processor in 0..fast.machine().processors.len() {
        assert_eq!(fast.instructions(processor), stepped.instructions(processor), "instructions of {processor} {at}");
        assert_eq!(fast.station(processor), stepped.station(processor), "station {processor} {at}");
        if processor > 0 {
            assert_eq!(fast.smi(processor), stepped.smi(processor), "SMI {processor} {at}");
        }
    }
}
