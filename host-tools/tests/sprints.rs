//! Processors that run ahead of each other leave the machine that they leave side by side: kernel
//! and programs on two emulators, one of which records what a processor retires, so that nobody
//! runs ahead there and that processor takes each instruction by itself. With each core.

use testbed_definitions::event::{DIAG_DEFAULT, DIAG_LOAD};
use testbed_machine::{Core, Machine};
use testbed_runner::firmware;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::{self, Boot, File};

use crate::common::{root, stepped};

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

fn same(program: &str, arguments: &[&str], dgl: u32, recorded: usize) {
    for core in Core::ALL {
        println!("{program}, {} core", core.name());
        let machine = Machine { core, ..Machine::testbed6() };
        let image = image(&machine, program, arguments, dgl);
        let ran = stepped::same(&machine, (&image, &[]), recorded, CYCLES);
        assert!(ran.instructions(1) > 100_000, "{program} has not begun");
    }
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
