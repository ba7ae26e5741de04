//! The Verilator engine on its own.

use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::verilator::Verilator;

/// Writes "hi" to the UART, then 42 to EXIT, then sleeps.
fn hello() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    code.li(T0, map::UART_BASE);
    for byte in b"hi" {
        code.push(addi(A0, ZERO, i32::from(*byte))).push(store(0, T0, A0, 0));
    }
    code.li(T0, map::SYSTEM_BASE + map::system::EXIT).push(addi(A0, ZERO, 42)).push(sw(A0, T0, 0));
    let forever = code.label();
    code.place(forever).push(WFI).jal(ZERO, forever);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn a_program_prints_and_exits() {
    let mut engine = Verilator::new(&Machine::testbed6(), &hello()).unwrap();
    engine.run_until(1000).unwrap();
    assert_eq!(engine.cycle(), 1000);
    let console = engine.take_console();
    for processor in 0..6 {
        let bytes: Vec<u8> = console.iter().filter(|byte| byte.processor == processor).map(|byte| byte.byte).collect();
        assert_eq!(bytes, b"hi", "processor {processor}");
    }
    assert!(engine.exits().iter().all(|exit| exit.code == 42));
    assert_eq!(engine.exits().len(), 6);
    assert!(engine.instructions(5) >= 9);
}
