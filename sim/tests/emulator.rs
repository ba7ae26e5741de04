//! The emulator against the RTL on Verilator (random programs: `lockstep.rs`): retirements with
//! their cycles, console, trace words, counters, memory; and its two ways to execute against each
//! other.

use std::sync::OnceLock;
use testbed_definitions::packet::{Header, BROADCAST};
use testbed_definitions::{csr, map};
use testbed_machine::{Core, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::{compare_machines, memory_difference, program};
use testbed_sim::verilator::Compiled;

pub fn machine(core: Core, processors: usize) -> Machine {
    let names = (0..processors).map(|number| format!("p{number}")).collect();
    Machine {
        name: format!("small{processors}"),
        processors: names,
        core,
        ram_bytes: program::RAM_BYTES,
        ..Machine::testbed6()
    }
}

fn same_memory(first: &dyn Engine, second: &dyn Engine, processor: usize) {
    let differs = memory_difference(first, second, processor);
    assert_eq!(differs, None, "offset of the first byte of RAM that differs on processor {processor}");
}

/// Three processors on Verilator, compiled once for all tests.
fn three(core: Core) -> &'static Compiled {
    static COMPILED: [OnceLock<Compiled>; 2] = [const { OnceLock::new() }; 2];
    COMPILED[core as usize].get_or_init(|| Compiled::new(&crowded(core), None, &mut |_| ()).unwrap())
}

/// Three processors with SMI queues that fill at once.
pub fn crowded(core: Core) -> Machine {
    Machine { smi_queue: 16, ..machine(core, 3) }
}

/// Runs `image` on three processors in the emulator and on Verilator, with each core, and compares
/// all that they show. Gives the emulator with the first core.
fn same(image: &Image, cycles: u64) -> Emulator {
    same_with(Core::Pipelined, image, cycles);
    same_with(Core::Multicycle, image, cycles)
}

fn same_with(core: Core, image: &Image, cycles: u64) -> Emulator {
    let mut emulator = Emulator::new(&crowded(core), image).unwrap();
    let mut rtl = three(core).engine(image).unwrap();
    compare_machines(&mut emulator, &mut rtl, cycles).unwrap_or_else(|difference| panic!("{difference}"));
    for processor in 0..3 {
        assert_eq!(emulator.station(processor), rtl.station(processor), "station {processor}");
        if processor > 0 {
            assert_eq!(emulator.smi(processor), rtl.smi(processor), "SMI {processor}");
        }
        same_memory(&emulator, &rtl, processor);
    }
    emulator
}

#[test]
fn agrees_with_the_rtl_on_packets_and_events() {
    let emulator = same(&crate::common::chatter(), 200_000);
    assert!(emulator.station(1).rx_packets > 1000, "{:?}", emulator.station(1));
    assert!(emulator.smi(1).delivered > 1000, "{:?}", emulator.smi(1));
}

/// Slaves store events without a pause into a queue that makes them wait, with stalling switched on
/// and off now and then.
#[test]
fn agrees_with_the_rtl_on_stalling_stores() {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, master) = (code.label(), code.label());
    code.push(csrr(A2, csr::MHARTID)).branch(0, A2, ZERO, master);
    code.li(T0, map::SMI_BASE).place(again).push(addi(A0, A0, 1));
    // Bit 9 of the count decides on stalling.
    code.push(immediate(OP_IMMEDIATE, 5, A1, A0, 9)).push(sw(A1, T0, map::smi::CONTROL as i32));
    code.push(store(1, T0, A0, 0)).push(store(1, T0, A1, 0)).push(store(1, T0, A0, 0)).jal(ZERO, again);
    // One slot in 20 cycles is too little for the two of them.
    code.place(master).li(T0, map::MMI_BASE).push(addi(A0, ZERO, 20)).push(sw(A0, T0, map::mmi::POLL_CYCLES as i32));
    let forever = code.label();
    code.place(forever).push(WFI).jal(ZERO, forever);
    let image = Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE };
    let emulator = same(&image, 100_000);
    assert!(
        emulator.smi(1).dropped > 100 && emulator.smi(2).markers > 10,
        "{:?} {:?}",
        emulator.smi(1),
        emulator.smi(2)
    );
}

/// Everyone sends, sleeps until a packet or the timer wakes it, and takes the interrupt.
#[test]
fn agrees_with_the_rtl_on_sleep_and_interrupts() {
    let mut code = Assembly::new(map::RAM_BASE);
    let (start, again) = (code.label(), code.label());
    code.jal(ZERO, start);
    // The handler empties the ring and sets the timer anew.
    let handler = code.here();
    code.push(lw(A0, T0, map::centrenet::RX_TAIL as i32)).push(sw(A0, T0, map::centrenet::RX_HEAD as i32));
    code.push(csrr(A1, csr::MCYCLE)).push(addi(A1, A1, 377)).push(sw(A1, T1, 0)).push(csrr(A1, csr::MCAUSE));
    code.push(csrr(A1, csr::MIP)).push(MRET);
    code.place(start).li(T0, map::CENTRENET_BASE).li(T1, map::CLINT_BASE + map::clint::MTIMECMP_LOW);
    code.li(A0, map::RAM_BASE + 0x4000).push(sw(A0, T0, map::centrenet::RX_BASE as i32));
    code.li(A0, 255).push(sw(A0, T0, map::centrenet::RX_MASK as i32));
    code.li(A0, map::centrenet::CONTROL_RECEIVE | map::centrenet::CONTROL_INTERRUPT);
    code.push(sw(A0, T0, map::centrenet::CONTROL as i32)).push(sw(ZERO, T1, 4));
    code.li(A0, handler).push(csrw(csr::MTVEC, A0));
    code.li(A0, csr::INTERRUPT_EXTERNAL | csr::INTERRUPT_TIMER).push(csrw(csr::MIE, A0));
    code.push(csr(6, ZERO, 8, csr::MSTATUS)).push(csrr(A2, csr::MHARTID));
    code.li(T4, Header { destination: BROADCAST, kind: 1, length: 40, source: 0 }.pack());
    code.place(again);
    // The master sends in every round, the others in every fourth.
    let silent = code.label();
    code.push(addi(T2, T2, 1)).push(immediate(OP_IMMEDIATE, 7, T3, T2, 3));
    code.push(register(OP_REGISTER, 7, 0, T3, T3, A2)).branch(1, T3, ZERO, silent);
    code.push(sw(T4, T0, map::centrenet::TX_COMMAND as i32));
    code.place(silent).push(WFI).jal(ZERO, again);
    let image = Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE };
    let emulator = same(&image, 200_000);
    assert!((0..3).all(|processor| emulator.station(processor).rx_packets > 100), "{:?}", emulator.station(0));
}

/// Everyone executes its own receive ring while packets of instructions arrive in it; headers and
/// what was never written trap and are skipped. The pipelined core promises nothing there.
#[test]
fn agrees_with_the_rtl_on_code_that_dma_overwrites() {
    let ring = map::RAM_BASE + 0x4000;
    let mut code = Assembly::new(map::RAM_BASE);
    let (start, again) = (code.label(), code.label());
    code.jal(ZERO, start);
    let handler = code.here();
    code.push(csrr(A1, csr::MEPC)).push(addi(A1, A1, 4)).push(csrw(csr::MEPC, A1)).push(MRET);
    code.place(start).li(A0, handler).push(csrw(csr::MTVEC, A0)).li(T0, map::CENTRENET_BASE).li(T1, ring);
    code.push(sw(T1, T0, map::centrenet::RX_BASE as i32)).li(A0, 63).push(sw(A0, T0, map::centrenet::RX_MASK as i32));
    code.push(addi(A0, ZERO, 1)).push(sw(A0, T0, map::centrenet::CONTROL as i32));
    code.li(T3, map::RAM_BASE + 0x3000).push(sw(T3, T0, map::centrenet::TX_ADDRESS as i32));
    code.li(T4, Header { destination: BROADCAST, kind: 3, length: 28, source: 0 }.pack());
    code.li(A2, addi(T2, T2, 0)).place(again);
    // Six times `addi t2, t2, n`, n growing, then a store that changes the sender's next packet.
    code.push(sw(T4, T0, map::centrenet::TX_COMMAND as i32)).li(A1, 1 << 20);
    for word in 0..6 {
        code.push(add(A2, A2, A1)).push(sw(A2, T3, 4 * word));
    }
    // Two of them are divisions, during which packets overwrite what comes next.
    for word in [1, 4] {
        code.li(A1, register(OP_REGISTER, 4, 1, ZERO, T2, T2)).push(sw(A1, T3, 4 * word));
    }
    code.li(A1, sw(T2, T3, 28)).push(sw(A1, T3, 24));
    code.push(lw(A0, T0, map::centrenet::RX_TAIL as i32)).push(sw(A0, T0, map::centrenet::RX_HEAD as i32));
    code.push(jalr(RA, T1, 0)).jal(ZERO, again);
    let back = jalr(ZERO, RA, 0).to_le_bytes().to_vec();
    let image =
        Image { segments: vec![(map::RAM_BASE, code.finish_bytes()), (ring + 256, back)], entry: map::RAM_BASE };
    let emulator = same_with(Core::Multicycle, &image, 200_000);
    assert!((0..3).all(|processor| emulator.station(processor).rx_packets > 100), "{:?}", emulator.station(0));
}

/// Everyone sends packets of instructions, and calls each that has arrived, while others come in behind
/// it.
#[test]
fn agrees_with_the_rtl_on_code_that_dma_has_brought() {
    let (ring, packet) = (map::RAM_BASE + 0x4000, map::RAM_BASE + 0x3000);
    let [head, a4] = [13, 14];
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.li(T0, map::CENTRENET_BASE).li(T1, ring).push(sw(T1, T0, map::centrenet::RX_BASE as i32));
    code.li(A0, 63).push(sw(A0, T0, map::centrenet::RX_MASK as i32));
    code.push(addi(A0, ZERO, 1)).push(sw(A0, T0, map::centrenet::CONTROL as i32));
    code.li(T3, packet).push(sw(T3, T0, map::centrenet::TX_ADDRESS as i32)).push(addi(head, ZERO, 0));
    code.li(T4, Header { destination: BROADCAST, kind: 3, length: 28, source: 0 }.pack());
    code.li(A2, addi(T2, T2, 0)).place(again).push(sw(T4, T0, map::centrenet::TX_COMMAND as i32)).li(A1, 1 << 20);
    for word in [0, 2, 5] {
        code.push(add(A2, A2, A1)).push(sw(A2, T3, 4 * word));
    }
    code.push(lw(A0, T0, map::centrenet::RX_TAIL as i32)).branch(0, A0, head, again);
    // Both indices run on; 16 bits of them count.
    code.push(immediate(OP_IMMEDIATE, 7, a4, head, 63)).push(immediate(OP_IMMEDIATE, 1, a4, a4, 2));
    code.push(add(a4, a4, T1)).push(jalr(RA, a4, 4)).push(addi(head, head, 8));
    code.push(immediate(OP_IMMEDIATE, 1, head, head, 16)).push(immediate(OP_IMMEDIATE, 5, head, head, 16));
    code.push(sw(head, T0, map::centrenet::RX_HEAD as i32)).push(sw(T2, T3, 64)).jal(ZERO, again);
    let multiply = register(OP_REGISTER, 0, 1, T2, T2, T2);
    let words = [NOP, lw(a4, T3, 64), NOP, add(T2, T2, a4), multiply, NOP, jalr(ZERO, RA, 0)];
    let words = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let image = Image { segments: vec![(map::RAM_BASE, code.finish_bytes()), (packet, words)], entry: map::RAM_BASE };
    let emulator = same(&image, 200_000);
    assert!((0..3).all(|processor| emulator.station(processor).rx_packets > 100), "{:?}", emulator.station(0));
}

/// Everyone sends packets for ever, and meanwhile reads its receive ring word by word as packets
/// come in, writes behind them, and writes to the packet that is being sent.
pub fn beside_dma() -> Image {
    let (ring, packet) = (map::RAM_BASE + 0x4000, map::RAM_BASE + 0x3000);
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, words) = (code.label(), code.label());
    let [a3, a4, a5] = [13, 14, 15];
    code.li(T0, map::CENTRENET_BASE).li(T1, ring).push(sw(T1, T0, map::centrenet::RX_BASE as i32));
    code.li(A0, 255).push(sw(A0, T0, map::centrenet::RX_MASK as i32));
    code.push(addi(A0, ZERO, 1)).push(sw(A0, T0, map::centrenet::CONTROL as i32));
    code.li(T3, packet).push(sw(T3, T0, map::centrenet::TX_ADDRESS as i32));
    code.li(T4, Header { destination: BROADCAST, kind: 3, length: 60, source: 0 }.pack());
    code.place(again).push(sw(T4, T0, map::centrenet::TX_COMMAND as i32)).push(addi(a5, ZERO, 60));
    code.place(words);
    // The sum of what the ring holds goes into the packet, and each seventh word of the ring is the sum.
    code.push(add(T2, T1, a5)).push(lw(A1, T2, 0)).push(add(A2, A2, A1)).push(addi(A2, A2, 1));
    code.push(add(T2, T3, a5)).push(sw(A2, T2, 0)).push(store(0, T2, A2, 1));
    code.push(addi(a3, a3, 1)).push(sw(A2, T1, 28)).push(lw(a4, T1, 64)).push(add(A2, A2, a4));
    code.push(addi(a5, a5, -4)).branch(1, a5, ZERO, words);
    code.push(lw(A0, T0, map::centrenet::RX_TAIL as i32)).push(sw(A0, T0, map::centrenet::RX_HEAD as i32));
    code.push(sw(A2, T3, 64)).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn agrees_with_the_rtl_on_words_that_dma_reads_and_writes() {
    let emulator = same(&beside_dma(), 200_000);
    assert!((0..3).all(|processor| emulator.station(processor).rx_packets > 100), "{:?}", emulator.station(0));
}

/// The fast loop knows what DMA may touch in a window, and leaves just that to the exact step.
#[test]
fn the_fast_loop_beside_dma_leaves_the_same_machine() {
    for (core, recorded) in Core::ALL.into_iter().flat_map(|core| [0, 1, 2].map(|recorded| (core, recorded))) {
        println!("{} core, processor {recorded} step by step", core.name());
        let [mut fast, mut exact] = [0, 1].map(|_| Emulator::new(&crowded(core), &beside_dma()).unwrap());
        exact.record_retirements(Some(recorded));
        for round in 0..300u64 {
            let until = fast.cycle() + 1 + round * round % 997;
            fast.run_until(until).unwrap();
            exact.run_until(until).unwrap();
            exact.take_retirements();
            for processor in 0..3 {
                same_memory(&fast, &exact, processor);
                assert_eq!(fast.instructions(processor), exact.instructions(processor), "cycle {until}");
            }
        }
    }
}

/// Recording retirements makes the emulator take the exact step for every instruction; without, it takes the fast loop.
/// Stopping at odd cycles makes windows of all lengths.
#[test]
fn the_fast_loop_and_the_exact_step_leave_the_same_machine() {
    for (core, seed) in Core::ALL.into_iter().flat_map(|core| (100..140).map(move |seed| (core, seed))) {
        println!("{} core, seed {seed}", core.name());
        let image = program::generate(seed);
        let [mut fast, mut exact] = [0, 1].map(|_| Emulator::new(&machine(core, 1), &image).unwrap());
        exact.record_retirements(Some(0));
        let mut until = 0;
        for round in 0..200u64 {
            until += 1 + round * round % 997;
            fast.run_until(until).unwrap();
            exact.run_until(until).unwrap();
            assert_eq!(fast.instructions(0), exact.instructions(0), "seed {seed}, cycle {until}");
        }
        let counted = exact.take_retirements().iter().filter(|one| !one.trap && !one.half).count() as u64;
        assert_eq!(counted, fast.instructions(0), "seed {seed}");
        assert_eq!(fast.take_console(), exact.take_console(), "seed {seed}");
        same_memory(&fast, &exact, 0);
    }
}

/// Counts in RAM, with the time in the sums, so that nothing can be done twice unseen; stores an event in
/// every eighth round and sends a packet now and then, each processor with a period of its own.
pub fn counting() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, quiet, silent) = (code.label(), code.label(), code.label());
    code.li(T0, map::CENTRENET_BASE).li(T1, map::RAM_BASE + 0x2000).li(A0, map::RAM_BASE + 0x4000);
    code.push(sw(A0, T0, map::centrenet::RX_BASE as i32)).li(A0, 255);
    code.push(sw(A0, T0, map::centrenet::RX_MASK as i32)).li(A0, map::centrenet::CONTROL_RECEIVE);
    code.push(sw(A0, T0, map::centrenet::CONTROL as i32)).push(csrr(A2, csr::MHARTID));
    code.li(T4, Header { destination: BROADCAST, kind: 1, length: 40, source: 0 }.pack()).place(again);
    code.push(lw(A0, T1, 0)).push(addi(A0, A0, 1)).push(sw(A0, T1, 0)).push(NOP).push(csrr(A1, csr::MCYCLE));
    code.push(lw(T3, T1, 4)).push(add(T3, T3, A1)).push(sw(T3, T1, 4)).push(store(0, T1, T3, 9));
    code.push(immediate(OP_IMMEDIATE, 7, A1, A0, 7)).branch(1, A1, ZERO, quiet).branch(0, A2, ZERO, quiet);
    code.li(T3, map::SMI_BASE).push(store(1, T3, A0, 0)).place(quiet);
    code.push(addi(T2, T2, -1)).branch(5, T2, ZERO, silent);
    // 50 rounds and 23 more for each number.
    code.push(addi(T2, ZERO, 23)).push(register(OP_REGISTER, 0, 1, T2, T2, A2)).push(addi(T2, T2, 50));
    code.push(lw(A1, T0, map::centrenet::RX_TAIL as i32)).push(sw(A1, T0, map::centrenet::RX_HEAD as i32));
    code.push(sw(T4, T0, map::centrenet::TX_COMMAND as i32)).place(silent).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

/// Whoever runs only to the end of each window has no sprint to run ahead on.
#[test]
fn who_runs_ahead_and_comes_back_leaves_the_same_machine() {
    Core::ALL.into_iter().for_each(comes_back);
}

fn comes_back(core: Core) {
    println!("{} core", core.name());
    let image = counting();
    let [mut ahead, mut windows] = [0, 1].map(|_| Emulator::new(&crowded(core), &image).unwrap());
    for round in 1..=60u64 {
        // Ends at odd cycles too.
        let until = round * 5_000 + round % 7;
        ahead.run_until(until).unwrap();
        while windows.cycle() < until {
            windows.run_until(until.min((windows.cycle() / 32 + 1) * 32)).unwrap();
        }
        assert_eq!(ahead.take_trace(), windows.take_trace(), "before cycle {until}");
        for processor in 0..3 {
            let instructions = [&ahead, &windows].map(|engine| engine.instructions(processor));
            assert_eq!(instructions[0], instructions[1], "processor {processor}, cycle {until}");
            assert_eq!(ahead.station(processor), windows.station(processor), "station {processor}, cycle {until}");
            if processor > 0 {
                assert_eq!(ahead.smi(processor), windows.smi(processor), "SMI {processor}, cycle {until}");
            }
            same_memory(&ahead, &windows, processor);
        }
    }
    assert!((0..3).all(|processor| ahead.station(processor).rx_packets > 50), "{:?}", ahead.station(0));
    assert!(ahead.smi(1).emitted > 1000, "{:?}", ahead.smi(1));
}

#[test]
fn a_machine_that_sleeps_costs_nothing() {
    Core::ALL.into_iter().for_each(sleeps);
}

fn sleeps(core: Core) {
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.place(again).push(WFI).jal(ZERO, again);
    let image = Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE };
    let mut emulator = Emulator::new(&machine(core, 6), &image).unwrap();
    // A second of machine time at 25 MHz would take a second and more if the processors were looked at in every window.
    let start = std::time::Instant::now();
    emulator.run_until(2_500_000_000).unwrap();
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    assert_eq!(emulator.instructions(3), 1);
}

#[test]
fn images_outside_ram_are_refused() {
    let image = Image { segments: vec![(map::RAM_BASE + program::RAM_BYTES - 2, vec![1, 2, 3])], entry: map::RAM_BASE };
    let error = Emulator::new(&machine(Core::default(), 1), &image).err().expect("refused").to_string();
    assert!(error.contains("0x8000fffe") && error.contains("65536"), "{error}");
    let none = Machine { processors: vec![], ..machine(Core::default(), 1) };
    assert!(Emulator::new(&none, &Image::default()).is_err());
}
