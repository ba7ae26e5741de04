//! Console input: the engines agree on when each byte is there, and none is lost.

use testbed_definitions::map::{self, uart};
use testbed_machine::Machine;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::{compare_processor, memory_difference, program, random::Random};
use testbed_sim::rust_hdl::RustHdl;
use testbed_sim::verilator::Verilator;

const LB_UNSIGNED: u32 = 4;
const BNE: u32 = 1;

fn machine() -> Machine {
    Machine::single(program::RAM_BYTES)
}

fn load(code: &mut Assembly, register: u32) {
    code.push(immediate(OP_LOAD, LB_UNSIGNED, A0, T0, register as i32));
}

fn set(code: &mut Assembly, register: u32, value: u8) {
    code.li(A1, value.into()).push(store(0, T0, A1, register as i32));
}

/// For ever: looks at the status, takes bytes, writes them back, waits, and changes the divisor, as
/// `seed` has it. What it takes goes to a ring in RAM.
fn nosy(seed: u64) -> Image {
    let mut random = Random::new(seed);
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.li(T0, map::UART_BASE).li(T1, map::RAM_BASE + 0x8000).li(T2, 0x8fff | map::RAM_BASE);
    code.place(again);
    for _ in 0..200 {
        match random.below(12) {
            0..=2 => load(&mut code, uart::LSR),
            3..=7 => {
                load(&mut code, uart::RBR_THR_DLL);
                code.push(store(0, T1, A0, 0)).push(addi(T1, T1, 1));
                code.push(register(OP_REGISTER, 7, 0, T1, T1, T2));
            }
            8 => {
                code.push(store(0, T0, A0, 0));
            }
            9 => {
                set(&mut code, uart::LCR, 0x80);
                set(&mut code, uart::RBR_THR_DLL, random.below(4) as u8);
                set(&mut code, uart::LCR, 0x03);
            }
            _ => {
                let wait = code.label();
                code.li(A2, random.range(1, 90)).place(wait).push(addi(A2, A2, -1)).branch(BNE, A2, ZERO, wait);
            }
        }
    }
    code.jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

/// Gives both engines the same bytes in the same cycles, and compares all that they do.
fn same(first: &mut dyn Engine, second: &mut dyn Engine, seed: u64, cycles: u64) {
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut compared = 0;
    while first.cycle() < cycles {
        let bytes: Vec<u8> = (0..random.below(24)).map(|_| random.next_u32() as u8).collect();
        first.give_console(&bytes).unwrap();
        second.give_console(&bytes).unwrap();
        assert_eq!(first.console_waiting(), second.console_waiting());
        let stretch = u64::from(random.range(1, 4_000));
        let agreement = compare_processor(first, second, 0, stretch, None).unwrap_or_else(|error| panic!("{error}"));
        compared += agreement.retirements;
        assert_eq!(first.console_waiting(), second.console_waiting(), "cycle {}", first.cycle());
    }
    assert!(compared > cycles / 8, "{compared} retirements in {cycles} cycles");
    assert_eq!(memory_difference(first, second, 0), None);
}

#[test]
fn emulator_and_verilator_receive_alike() {
    for seed in 1..4 {
        let image = nosy(seed);
        let mut emulator = Emulator::new(&machine(), &image).unwrap();
        same(&mut emulator, &mut Verilator::new(&machine(), &image).unwrap(), seed, 400_000);
    }
}

#[test]
fn rust_hdl_receives_as_the_emulator_does() {
    let image = nosy(9);
    let mut native = RustHdl::new(&machine(), &image).unwrap();
    same(&mut Emulator::new(&machine(), &image).unwrap(), &mut native, 9, 12_000);
}

/// Takes a byte whenever there is one, never faster than every few hundred cycles, to 0x8000 on.
fn slow_reader() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, wait) = (code.label(), code.label());
    code.li(T0, map::UART_BASE).li(T1, map::RAM_BASE + 0x8000);
    code.place(again).li(A2, 200).place(wait).push(addi(A2, A2, -1)).branch(BNE, A2, ZERO, wait);
    load(&mut code, uart::LSR);
    code.push(immediate(OP_IMMEDIATE, 7, A0, A0, uart::LSR_DATA_READY.into())).branch(0, A0, ZERO, again);
    load(&mut code, uart::RBR_THR_DLL);
    code.push(store(0, T1, A0, 0)).push(addi(T1, T1, 1)).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn a_slow_reader_loses_nothing_and_what_it_has_no_room_for_waits_outside() {
    let text: Vec<u8> = (0..200).collect();
    for engine in [
        &mut Emulator::new(&machine(), &slow_reader()).unwrap() as &mut dyn Engine,
        &mut Verilator::new(&machine(), &slow_reader()).unwrap(),
    ] {
        engine.give_console(&text).unwrap();
        engine.run_until(160 * 40).unwrap();
        // One on the line at most, sixteen in the FIFO, the rest taken or outside.
        let taken = 160 * 40 / 600;
        assert!(engine.console_waiting() >= text.len() - 17 - taken, "{}", engine.console_waiting());
        engine.run_until(200_000).unwrap();
        assert_eq!(engine.console_waiting(), 0);
        let mut read = vec![0; text.len() + 1];
        engine.read_ram(0, map::RAM_BASE + 0x8000, &mut read);
        assert_eq!(read[..text.len()], text, "{}", engine.name());
        assert_eq!(read[text.len()], 0);
    }
}
