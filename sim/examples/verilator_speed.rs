//! Machine cycles a second of the Verilator engine with six busy processors.

use std::time::Instant;

use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::verilator::Compiled;

/// A loop of arithmetic, loads and stores that never ends.
fn busy() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    code.li(T0, map::RAM_BASE + 0x1000).li(A0, 12345);
    let again = code.label();
    code.place(again).push(lw(A1, T0, 0)).push(add(A1, A1, A0)).push(sw(A1, T0, 0));
    code.push(register(OP_REGISTER, 0, 1, A0, A0, A1)).push(addi(A0, A0, 1)).branch(1, A0, ZERO, again);
    code.jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

fn main() {
    let start = Instant::now();
    let compiled = Compiled::new(&Machine::testbed6(), None, &mut |text| println!("{text}")).expect("compiles");
    println!("ready after {:.1} s", start.elapsed().as_secs_f64());
    let mut engine = compiled.engine(&busy()).expect("starts");
    let cycles = 3_000_000;
    let start = Instant::now();
    engine.run_until(cycles).expect("runs");
    let seconds = start.elapsed().as_secs_f64();
    println!("{cycles} cycles in {seconds:.2} s: {:.0} cycles/s", cycles as f64 / seconds);
    println!("{} instructions on processor 0", engine.instructions(0));
}
