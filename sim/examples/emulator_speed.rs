//! Machine cycles a second of the emulator with six busy processors, on one host thread.
//!
//! With the argument of a number, that many million machine cycles.

use std::time::Instant;

use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;

const A3: u8 = 13;
const A4: u8 = 14;
const A5: u8 = 15;

/// The loop of `verilator_speed`: arithmetic, loads and stores, for ever.
fn busy() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    code.li(T0, map::RAM_BASE + 0x1000).li(A0, 12345);
    let again = code.label();
    code.place(again).push(lw(A1, T0, 0)).push(add(A1, A1, A0)).push(sw(A1, T0, 0));
    code.push(register(OP_REGISTER, 0, 1, A0, A0, A1)).push(addi(A0, A0, 1)).branch(1, A0, ZERO, again);
    code.jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

/// The same loop without the multiplication, with byte accesses, a call and branches that go both ways.
fn mixed() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, odd, join, call, body) = (code.label(), code.label(), code.label(), code.label(), code.label());
    code.li(T0, map::RAM_BASE + 0x1000).li(A0, 12345).jal(ZERO, body);
    code.place(call).push(add(A1, A1, A0)).push(sw(A1, T0, 8)).push(jalr(ZERO, RA, 0));
    code.place(body).place(again);
    code.push(lw(A1, T0, 0)).push(addi(A0, A0, 1)).push(sw(A0, T0, 0));
    code.push(immediate(OP_IMMEDIATE, 7, A2, A0, 5)).branch(1, A2, ZERO, odd);
    code.push(store(0, T0, A0, 16)).push(addi(A3, A3, 3)).jal(ZERO, join);
    code.place(odd).push(addi(A3, A3, 7)).push(add(A4, A4, A3));
    code.place(join).jal(RA, call);
    code.push(lw(A2, T0, 8)).push(add(A4, A4, A2)).push(addi(A5, A4, 9)).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

/// `wfi` for ever.
fn asleep() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.place(again).push(WFI).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

fn measure(name: &str, image: &Image, cycles: u64) {
    let machine = Machine::testbed6();
    let mut engine = Emulator::new(&machine, image).expect("starts");
    let start = Instant::now();
    engine.run_until(cycles).expect("runs");
    let seconds = start.elapsed().as_secs_f64();
    let instructions: u64 = (0..machine.processors.len()).map(|processor| engine.instructions(processor)).sum();
    println!(
        "{name}: {:.1} M machine cycles/s, {:.0} MIPS ({cycles} cycles, {seconds:.2} s)",
        cycles as f64 / seconds / 1e6,
        instructions as f64 / seconds / 1e6
    );
}

fn main() {
    let millions = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(50u64);
    measure("busy with multiplications", &busy(), millions * 1_000_000);
    measure("busy, mixed", &mixed(), millions * 1_000_000);
    measure("asleep", &asleep(), millions * 1_000_000);
}
