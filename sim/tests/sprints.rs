//! Processors that run ahead of each other while packets travel: machines that send, lose, damage
//! and refuse packets of all lengths leave the same, cycle by cycle, whether they run in sprints or
//! window by window.

use testbed_definitions::map::centrenet as register_at;
use testbed_definitions::{filter, map};
use testbed_machine::{Core, Machine, Order};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::memory_difference;

use crate::emulator::machine;

const SUMS: u32 = map::RAM_BASE + 0x2000;
const PAYLOAD: u32 = map::RAM_BASE + 0x3000;
/// As many words as a load can reach from its middle.
const RING: u32 = map::RAM_BASE + 0x4000;
const RING_WORDS: u32 = 256;

const A3: u8 = 13;
const A4: u8 = 14;
const S2: u8 = 18;
const S3: u8 = 19;

/// What the stations of a machine do to their packets, and how often they send.
#[derive(Clone, Copy)]
struct Traffic {
    processors: usize,
    drop: u32,
    corrupt: u32,
    control: u32,
    /// A processor sends in so many of 256 rounds, and takes what has come in as many of 16.
    sends: u32,
    takes: u32,
    seed: u32,
}

/// The next random number, in A0.
fn draw(code: &mut Assembly) {
    code.li(A4, 1_664_525).push(register(OP_REGISTER, 0, 1, A0, A0, A4)).li(A4, 1_013_904_223).push(add(A0, A0, A4));
}

/// `to = from >> by & mask`.
fn bits(code: &mut Assembly, to: u8, from: u8, by: i32, mask: u32) {
    code.push(immediate(OP_IMMEDIATE, 5, to, from, by)).li(A4, mask).push(register(OP_REGISTER, 7, 0, to, to, A4));
}

/// Adds `value` to the sum, which forgets nothing, and stores it: so what is read in another cycle
/// than it should be is never made up for.
fn sum(code: &mut Assembly, value: u8) {
    code.push(add(S2, S2, value)).li(A4, 0x0101_0107).push(register(OP_REGISTER, 0, 1, S2, S2, A4));
    code.push(sw(S2, T1, 0));
}

/// Rounds of random length in which a processor changes its payload, looks at a register of its
/// station and a word of its ring, overwrites another, takes what has come and sends a packet.
fn rounds(traffic: Traffic) -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let [again, wait, keep, quiet, few] = [(); 5].map(|()| code.label());
    code.li(T0, map::CENTRENET_BASE).li(T1, SUMS).push(csrr(A2, testbed_definitions::csr::MHARTID));
    for (offset, value) in [
        (register_at::RX_BASE, RING),
        (register_at::RX_MASK, RING_WORDS - 1),
        (register_at::FAULT_DROP, traffic.drop),
        (register_at::FAULT_CORRUPT, traffic.corrupt),
        (register_at::CONTROL, traffic.control),
    ] {
        code.li(A0, value).push(sw(A0, T0, offset as i32));
    }
    code.push(addi(A1, A2, 1)).push(sw(A1, T0, register_at::FAULT_SEED as i32));
    code.li(A0, traffic.seed).push(add(A0, A0, A2)).place(again);
    draw(&mut code);
    bits(&mut code, A1, A0, 23, 0xff);
    code.place(wait).push(addi(A1, A1, -1)).branch(5, A1, ZERO, wait);
    // A word of the payload.
    bits(&mut code, A1, A0, 12, 0x1fc);
    code.li(T3, PAYLOAD).push(add(A1, A1, T3)).push(sw(A0, A1, 0)).push(sw(T3, T0, register_at::TX_ADDRESS as i32));
    // A register, up to FAULT_SEED.
    bits(&mut code, A1, A0, 17, 0x7c);
    code.push(add(A1, A1, T0)).push(lw(A3, A1, 0));
    sum(&mut code, A3);
    // Words of the ring.
    bits(&mut code, A1, A0, 11, (RING_WORDS - 1) * 4);
    code.li(T3, RING).push(add(A1, A1, T3)).push(lw(A3, A1, 0));
    sum(&mut code, A3);
    bits(&mut code, A1, A0, 19, (RING_WORDS - 1) * 4);
    code.push(add(A1, A1, T3)).push(sw(S2, A1, 0));
    bits(&mut code, A1, A0, 13, 15);
    code.li(A4, traffic.takes).branch(5, A1, A4, keep);
    code.push(lw(A3, T0, register_at::RX_TAIL as i32)).push(sw(A3, T0, register_at::RX_HEAD as i32)).place(keep);
    bits(&mut code, A1, A0, 15, 0xff);
    code.li(A4, traffic.sends).branch(5, A1, A4, quiet);
    // Destination, length, and whether it is a datagram; one in eight goes to all.
    bits(&mut code, A1, A0, 3, 0x1fc_8000 | (traffic.processors as u32).next_power_of_two().max(4) - 1);
    bits(&mut code, A3, A0, 27, 7);
    code.branch(1, A3, ZERO, few).push(immediate(OP_IMMEDIATE, 6, A1, A1, 0xff)).place(few);
    code.push(sw(A1, T0, register_at::TX_COMMAND as i32)).place(quiet);
    // What a slave stores shows when it did.
    let master = code.label();
    code.branch(0, A2, ZERO, master).li(S3, map::SMI_BASE).push(store(1, S3, S2, map::smi::EVENT as i32));
    code.place(master).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

/// Runs these packets on that machine; see [`same_machine`].
fn same(traffic: Traffic, cycles: u64) -> Emulator {
    println!("{} processors, seed {}", traffic.processors, traffic.seed);
    same_machine(&machine(Core::default(), traffic.processors), &rounds(traffic), cycles)
}

/// Runs the machine, with each core, in sprints and, beside it, window by window, and compares all
/// that they show. Gives that with the first core.
fn same_machine(machine: &Machine, image: &Image, cycles: u64) -> Emulator {
    same_core(&Machine { core: Core::Pipelined, ..machine.clone() }, image, cycles);
    same_core(machine, image, cycles)
}

fn same_core(machine: &Machine, image: &Image, cycles: u64) -> Emulator {
    println!("{} core", machine.core.name());
    let [mut ahead, mut windows] = [0, 1].map(|_| Emulator::new(machine, image).unwrap());
    let mut step = 1;
    while ahead.cycle() < cycles {
        step = step * 7 % 9_973 + 1;
        let until = ahead.cycle() + step;
        ahead.run_until(until).unwrap();
        while windows.cycle() < until {
            windows.run_until(until.min((windows.cycle() / 32 + 1) * 32)).unwrap();
        }
        assert_eq!(ahead.take_trace(), windows.take_trace(), "trace before cycle {until}");
        for processor in 0..machine.processors.len() {
            let [one, other] = [&ahead, &windows].map(|engine| {
                let smi = if processor > 0 { engine.smi(processor) } else { Default::default() };
                (engine.station(processor), smi, engine.instructions(processor))
            });
            assert_eq!(one, other, "station, SMI and instructions of {processor}, cycle {until}");
            assert_eq!(memory_difference(&ahead, &windows, processor), None, "RAM of {processor}, cycle {until}");
        }
    }
    ahead
}

/// Slaves store bursts of events with pauses of random length, now and then more than a queue holds;
/// the master, once it has had some counted, turns polling off and on.
fn bursts(seed: u32) -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let [again, emit, wait, master, pause, rest] = [(); 6].map(|()| code.label());
    code.push(csrr(A2, testbed_definitions::csr::MHARTID)).li(A0, seed).push(add(A0, A0, A2)).li(T1, SUMS);
    code.branch(0, A2, ZERO, master).li(T0, map::SMI_BASE).place(again);
    draw(&mut code);
    bits(&mut code, A1, A0, 20, 0x3f);
    code.place(emit).push(store(1, T0, A0, map::smi::EVENT as i32)).push(addi(A0, A0, 5));
    code.push(addi(A1, A1, -1)).branch(5, A1, ZERO, emit);
    code.push(lw(A3, T0, map::smi::STATUS as i32));
    sum(&mut code, A3);
    bits(&mut code, A1, A0, 9, 0xfff);
    code.place(wait).push(addi(A1, A1, -1)).branch(5, A1, ZERO, wait).jal(ZERO, again);
    code.place(master).li(T0, map::MMI_BASE);
    let counted =
        [(filter::register::MASK, 0x0007), (filter::register::MATCH, 0x0003), (filter::register::INTERVAL, 3)];
    for (register, value) in counted.into_iter().chain([(filter::register::ACTION, filter::action::COUNT)]) {
        code.li(A3, filter::Command { smi: 0, register, value }.pack()).push(sw(A3, T0, map::mmi::COMMAND as i32));
        // The next window takes the next command.
        idle(&mut code, 40);
    }
    code.place(rest);
    draw(&mut code);
    bits(&mut code, A1, A0, 9, 0xfff);
    code.place(pause).push(addi(A1, A1, -1)).branch(5, A1, ZERO, pause);
    // Mostly on.
    bits(&mut code, A3, A0, 21, 3);
    code.push(register(OP_REGISTER, 3, 0, A3, ZERO, A3)).push(lw(A4, T0, map::mmi::CONTROL as i32));
    code.push(immediate(OP_IMMEDIATE, 7, A4, A4, !(map::mmi::CONTROL_POLL as i32))).push(add(A3, A3, A4));
    code.push(sw(A3, T0, map::mmi::CONTROL as i32)).jal(ZERO, rest);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn bursts_of_events_for_which_there_is_no_room() {
    for order in Order::ALL {
        for seed in 1..=3 {
            println!("{}, seed {seed}", order.name());
            let machine =
                Machine { smi_queue: 64, port_cycles: 20, port_queue: 16, order, ..machine(Core::default(), 3) };
            let ran = same_machine(&machine, &bursts(seed), 600_000);
            let smis = [1, 2].map(|number| ran.smi(number));
            assert!(smis.iter().all(|smi| smi.dropped > 50 && smi.delivered > 1_000 && smi.filtered > 100), "{smis:?}");
        }
    }
}

fn idle(code: &mut Assembly, instructions: u32) {
    for _ in 0..instructions {
        code.push(NOP);
    }
}

/// One slave stores an event in every window, in the same cycle of each, the other one now and then;
/// the master turns the order of time off and on, if it `turns`.
fn every_window(phase: u32, turns: bool) -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let [first, second, third, again, wait] = [(); 5].map(|()| code.label());
    code.push(csrr(A2, testbed_definitions::csr::MHARTID)).li(T0, map::SMI_BASE).push(addi(A3, A2, -1));
    code.branch(0, A3, ZERO, first).branch(1, A2, ZERO, second).li(T0, map::MMI_BASE).place(again);
    code.li(A1, 170).place(wait).push(addi(A1, A1, -1)).branch(5, A1, ZERO, wait);
    code.push(lw(A4, T0, map::mmi::CONTROL as i32));
    code.push(immediate(OP_IMMEDIATE, 4, A4, A4, if turns { map::mmi::CONTROL_ORDERED as i32 } else { 0 }));
    code.push(sw(A4, T0, map::mmi::CONTROL as i32)).jal(ZERO, again).place(first);
    idle(&mut code, phase);
    let here = code.label();
    code.place(here).push(store(1, T0, A0, map::smi::EVENT as i32)).push(addi(A0, A0, 1));
    idle(&mut code, 13);
    code.jal(ZERO, here).place(second);
    idle(&mut code, 5);
    code.place(third).push(store(1, T0, A0, map::smi::EVENT as i32)).push(addi(A0, A0, 1));
    idle(&mut code, 36);
    code.jal(ZERO, third);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn events_at_the_ends_of_windows_in_either_order() {
    for turns in [false, true] {
        for phase in 0..16 {
            println!("phase {phase}");
            let machine = Machine { order: Order::Time, ..machine(Core::default(), 3) };
            let ran = same_machine(&machine, &every_window(phase, turns), 30_000);
            assert!(ran.smi(1).delivered > 900 && ran.smi(2).delivered > 350, "{:?}", ran.smi(1));
        }
    }
}

const RECEIVE: u32 = register_at::CONTROL_RECEIVE;

#[test]
fn packets_now_and_then() {
    for seed in 1..=3 {
        let traffic = Traffic { processors: 3, drop: 0, corrupt: 0, control: RECEIVE, sends: 40, takes: 16, seed };
        let ran = same(traffic, 400_000);
        assert!((0..3).all(|number| ran.station(number).rx_packets > 20), "{:?}", ran.station(0));
    }
}

#[test]
fn packets_that_are_lost_damaged_sent_again_and_refused() {
    for seed in 1..=3 {
        for confirm in [0, register_at::CONTROL_CONFIRM] {
            let control = RECEIVE | confirm;
            let traffic = Traffic { processors: 4, drop: 0x3000, corrupt: 0x3000, control, sends: 120, takes: 2, seed };
            let ran = same(traffic, 300_000);
            let counters = ran.station(0);
            assert!(counters.tx_dropped > 5 && counters.tx_corrupted > 5 && counters.tx_retries > 5, "{counters:?}");
            assert_eq!(counters.tx_resent > 5, confirm != 0, "{counters:?}");
        }
    }
}

#[test]
fn sixteen_processors_for_one_bus() {
    for sends in [10, 250] {
        let traffic =
            Traffic { processors: 16, drop: 0x800, corrupt: 0x800, control: RECEIVE, sends, takes: 16, seed: 5 };
        let ran = same(traffic, 120_000);
        let received: u32 = (0..16).map(|number| ran.station(number).rx_packets).sum();
        assert!(received > 150, "{received} packets");
    }
}
