//! Stores of programs to the page of events, in user mode, beside everything else that such code
//! can try there: the engines retire the same in the same cycles and leave the same words, and what
//! comes out is programs' events and nothing else.

use testbed_definitions::filter::{register as filter_register, total_fields, Command};
use testbed_definitions::map::{self, smi};
use testbed_definitions::monitor::{MmiWord, GAP_MARKER, WRAP_MARKER};
use testbed_definitions::{csr, page};
use testbed_hdl::support::random::Random;
use testbed_machine::{Core, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image, TraceWord};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::{compare_machines, compare_processor};
use testbed_sim::verilator::Compiled;

use crate::emulator::crowded;

const PAGE_MAP: u32 = 0x1000;
const CODE: u32 = 0x2000;
/// Where each processor adds up what traps.
const LOG: u32 = map::RAM_BASE + 0x8000;
const CYCLES: u64 = 100_000;

// Registers of the handler, which user mode leaves alone.
const S: u8 = 20;
const LOG_AT: u8 = 21;
const DEVICE: u8 = 22;
const SEED: u8 = 23;
const A: u8 = 24;
const B: u8 = 25;
const SUM: u8 = 26;
const SLAVE: u8 = 27;
/// Where a jump to where no code is comes back.
const LINK: u8 = 31;

fn machine(core: Core) -> Machine {
    Machine { tick_cycles: 1, port_cycles: 60, ..crowded(core) }
}

/// `to = SEED >> by & mask`, after the next random number.
fn draw(code: &mut Assembly, to: u8, by: i32, mask: i32) {
    code.li(A, 1_664_525).push(register(OP_REGISTER, 0, 1, SEED, SEED, A)).li(A, 1_013_904_223);
    code.push(add(SEED, SEED, A)).push(immediate(OP_IMMEDIATE, 5, to, SEED, by));
    code.push(immediate(OP_IMMEDIATE, 7, to, to, mask));
}

/// The time until the next interrupt, which is random.
fn set_timer(code: &mut Assembly) {
    draw(code, B, 20, 255);
    code.push(addi(B, B, 60)).li(S, map::CLINT_BASE + map::clint::MTIME_LOW).push(lw(A, S, 0)).push(add(B, B, A));
    code.li(S, map::CLINT_BASE + map::clint::MTIMECMP_LOW).push(sw(B, S, 0)).push(sw(ZERO, S, 4));
}

/// Stores what is in `value` to the master's COMMAND.
fn command(code: &mut Assembly, register: u8, value: u16) {
    code.li(A, Command { smi: 0, register, value }.pack()).push(sw(A, DEVICE, map::mmi::COMMAND as i32));
    // A command a window.
    for _ in 0..20 {
        code.push(NOP);
    }
}

/// Start-up and handler: a fault is logged and skipped; with the timer a slave switches its programs'
/// events, or whether stores stall, and the master changes the filters.
fn kernel(seed: u32) -> Vec<u8> {
    let mut code = Assembly::new(map::RAM_BASE);
    let [begin, fault, jumped, resumes, slave, done, user] = [(); 7].map(|()| code.label());
    code.jal(ZERO, begin);
    let handler = code.here();
    code.push(csrr(A, csr::MCAUSE)).branch(5, A, ZERO, fault);
    code.branch(1, SLAVE, ZERO, slave);
    // The master: rule 0 comes, goes or counts, or totals are due at other times.
    draw(&mut code, B, 13, 3);
    code.li(A, Command { smi: 0, register: filter_register::ACTION, value: 0 }.pack()).push(add(A, A, B));
    code.push(sw(A, DEVICE, map::mmi::COMMAND as i32)).jal(ZERO, done);
    code.place(slave);
    draw(&mut code, B, 11, 7);
    // Mostly on, seldom stalling.
    let [one, other] = [(); 2].map(|()| code.label());
    code.branch(1, B, ZERO, one).push(addi(B, ZERO, 3)).place(one);
    code.push(immediate(OP_IMMEDIATE, 7, B, B, 3)).push(sw(B, DEVICE, smi::CONTROL as i32));
    // The page is closed at times.
    draw(&mut code, B, 17, 3);
    code.li(A, PAGE_MAP | csr::PMBASE_ENABLE).branch(0, B, ZERO, other);
    code.push(addi(A, A, csr::PMBASE_EVENT as i32)).place(other).push(csrw(csr::PMBASE, A));
    code.place(done);
    set_timer(&mut code);
    code.push(MRET);
    // Which fault, and where: order counts.
    code.place(fault).push(add(SUM, SUM, A)).push(csrr(A, csr::MEPC)).push(add(SUM, SUM, A));
    code.li(B, 0x0101_0107).push(register(OP_REGISTER, 0, 1, SUM, SUM, B)).push(sw(SUM, LOG_AT, 0));
    code.push(lw(B, LOG_AT, 4)).push(addi(B, B, 1)).push(sw(B, LOG_AT, 4));
    code.push(csrr(B, csr::MCAUSE)).push(addi(B, B, -(csr::cause::FETCH_PAGE as i32))).branch(0, B, ZERO, jumped);
    code.push(addi(A, A, 4)).jal(ZERO, resumes).place(jumped).push(addi(A, LINK, 0));
    code.place(resumes).push(csrw(csr::MEPC, A)).push(MRET);
    code.place(begin).li(A, handler).push(csrw(csr::MTVEC, A)).li(LOG_AT, LOG).li(DEVICE, map::SMI_BASE);
    code.push(csrr(SLAVE, csr::MHARTID)).li(SEED, seed).push(add(SEED, SEED, SLAVE));
    code.branch(1, SLAVE, ZERO, user).li(DEVICE, map::MMI_BASE);
    command(&mut code, filter_register::PAIRS, 1);
    command(&mut code, filter_register::MASK, 0x7fff);
    command(&mut code, filter_register::MATCH, smi::USER_FIRST & 0x7fff);
    command(&mut code, filter_register::INTERVAL, 9);
    code.place(user).li(A, csr::INTERRUPT_TIMER).push(csrw(csr::MIE, A));
    set_timer(&mut code);
    code.li(A, PAGE_MAP | csr::PMBASE_ENABLE | csr::PMBASE_EVENT).push(csrw(csr::PMBASE, A));
    code.push(csrw(csr::MSTATUS, ZERO)).li(A, CODE).push(csrw(csr::MEPC, A)).push(MRET);
    code.finish_bytes()
}

/// Code for user mode that goes round for ever.
fn user(random: &mut Random) -> Vec<u8> {
    let mut code = Assembly::new(CODE);
    let again = code.label();
    code.place(again);
    for _ in 0..120 {
        let base = 1 + random.below(15) as u8;
        let value = 1 + random.below(15) as u8;
        // Most are what programs do; the neighbours are other registers, other devices' ends, no place at all.
        let there = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 8, 0x3fc, -4, -0x400, -0x3f8, 0x400, 0x7000, -0x1_0000];
        let address = map::EVENT_PAGE.wrapping_add(random.one_of(&there) as u32);
        let high = random.one_of(&[0xaa, 0xab, 0, 0x40, 0x81, 0xff, 0x12, 0x34]);
        code.li(value, (high << 8 | random.below(256)) as u32 | 0x5566_0000).li(base, address);
        for _ in 0..1 + random.below(3) {
            let width = random.one_of(&[0, 1, 1, 1, 1, 2, 2, 2, 3]);
            let stored = if width == 3 { value & !1 } else { value };
            code.push(match random.below(12) {
                0 => immediate(OP_LOAD, width, stored, base, 0),
                1 => jalr(LINK, base, 0),
                _ => store(width, base, stored, 0),
            });
            for _ in 0..random.below(4) {
                code.push(addi(A0, A0, 1));
            }
        }
    }
    code.jal(ZERO, again);
    code.finish_bytes()
}

fn image(seed: u64) -> Image {
    let rights = page::PTE_VALID | page::PTE_READ | page::PTE_EXECUTE;
    let own = |number: u32| if number < 64 { number << page::PTE_PAGE_SHIFT | rights } else { 0 };
    let mut random = Random::new(seed);
    let segments = vec![
        (map::RAM_BASE, kernel(seed as u32 + 7)),
        (map::RAM_BASE + PAGE_MAP, (0..page::VIRTUAL_PAGES).flat_map(|number| own(number).to_le_bytes()).collect()),
        (map::RAM_BASE + CODE, user(&mut random)),
    ];
    assert!(segments[0].1.len() as u32 <= PAGE_MAP);
    Image { segments, entry: map::RAM_BASE }
}

/// How many faults the processor's handler has skipped.
fn logged(engine: &dyn Engine, processor: usize) -> u32 {
    let mut count = [0; 4];
    engine.read_ram(processor, LOG + 4, &mut count);
    u32::from_le_bytes(count)
}

/// What came from one SMI.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    events: u32,
    gaps: u32,
    totals: u32,
    wraps: u32,
    /// Events whose datum was lost.
    halves: u32,
}

/// Reads the words of `smi` as the grammar has them. Nothing but programs' events may be there.
fn read(trace: &[TraceWord], smi: u8) -> Seen {
    let words: Vec<u16> =
        trace.iter().map(|word| MmiWord::unpack(word.word)).filter(|word| word.smi == smi).map(|w| w.value).collect();
    let mut data = words.as_chunks::<2>().0.iter().map(|pair| pair[1]);
    let mut seen = Seen::default();
    let mut coded = false;
    while let Some(datum) = data.next() {
        let [high, low] = datum.to_be_bytes();
        match high {
            WRAP_MARKER => seen.wraps += 1,
            GAP_MARKER => {
                data.next();
                let is_total = total_fields(low).is_some();
                seen.totals += u32::from(is_total);
                seen.gaps += u32::from(!is_total);
                // No total stands between the two words.
                assert!(!(coded && is_total), "a total within an event of {smi}");
                seen.halves += u32::from(coded);
                coded = false;
            }
            _ if coded => {
                coded = false;
                seen.events += 1;
            }
            _ => {
                assert_eq!(datum, smi::USER_FIRST, "a word of {smi} that is no program's event");
                coded = true;
            }
        }
    }
    seen
}

#[test]
fn engines_agree_on_stores_of_programs_whatever_they_try() {
    agree_on_stores(Core::Multicycle);
}

#[test]
fn so_they_do_with_the_pipelined_core() {
    agree_on_stores(Core::Pipelined);
}

fn agree_on_stores(core: Core) {
    let machine = machine(core);
    let compiled = Compiled::new(&machine, None, &mut |_| ()).unwrap();
    let mut all = Seen::default();
    let mut faults = [0; 3];
    for seed in 1..=4 {
        println!("seed {seed}");
        let image = image(seed);
        for (processor, faults) in faults.iter_mut().enumerate() {
            let mut emulator = Emulator::new(&machine, &image).unwrap();
            let mut rtl = compiled.engine(&image).unwrap();
            compare_processor(&mut emulator, &mut rtl, processor, CYCLES, None)
                .unwrap_or_else(|difference| panic!("seed {seed}, processor {processor}: {difference}"));
            *faults += logged(&emulator, processor);
        }
        // Without a record of what retires, processors run ahead of each other.
        let mut emulator = Emulator::new(&machine, &image).unwrap();
        compare_machines(&mut emulator, &mut compiled.engine(&image).unwrap(), CYCLES)
            .unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        let mut emulator = Emulator::new(&machine, &image).unwrap();
        emulator.run_until(CYCLES).unwrap();
        let trace = emulator.take_trace();
        for smi in 1..3 {
            let Seen { events, gaps, totals, wraps, halves } = read(&trace, smi);
            all = Seen {
                events: all.events + events,
                gaps: all.gaps + gaps,
                totals: all.totals + totals,
                wraps: all.wraps + wraps,
                halves: all.halves + halves,
            };
        }
    }
    println!("{all:?}, faults {faults:?}");
    assert!(all.events > 200 && all.totals > 20 && faults.iter().all(|&many| many > 0), "{all:?}");
}

#[test]
fn processors_that_run_ahead_emit_the_same() {
    for (core, seed) in Core::ALL.into_iter().flat_map(|core| (11..=13).map(move |seed| (core, seed))) {
        println!("{} core, seed {seed}", core.name());
        let machine = Machine { smi_queue: 1024, port_cycles: 1, tick_cycles: 25, ..machine(core) };
        let image = image(seed);
        let [mut ahead, mut windows] = [0, 1].map(|_| Emulator::new(&machine, &image).unwrap());
        let mut step = 1;
        while ahead.cycle() < 200_000 {
            step = step * 7 % 9_973 + 1;
            let until = ahead.cycle() + step;
            ahead.run_until(until).unwrap();
            while windows.cycle() < until {
                windows.run_until(until.min((windows.cycle() / 32 + 1) * 32)).unwrap();
            }
            assert_eq!(ahead.take_trace(), windows.take_trace(), "seed {seed}, trace before cycle {until}");
            for processor in 0..3 {
                let counted = [&ahead, &windows].map(|engine| engine.instructions(processor));
                assert_eq!(counted[0], counted[1], "seed {seed}, instructions of {processor}, cycle {until}");
            }
        }
    }
}

/// On the master, which has no SMI, a store comes to nobody.
#[test]
fn the_masters_stores_come_to_nobody() {
    let mut code = Assembly::new(CODE);
    code.li(A1, map::EVENT_PAGE).li(A0, 0x1234).push(store(1, A1, A0, 0)).push(sw(A0, A1, 0));
    let here = code.label();
    code.place(here).jal(ZERO, here);
    let mut image = image(1);
    image.segments[2].1 = code.finish_bytes();
    let machine = machine(Core::default());
    let mut emulator = Emulator::new(&machine, &image).unwrap();
    emulator.record_retirements(Some(0));
    emulator.run_until(2_000).unwrap();
    let stores: Vec<_> =
        emulator.take_retirements().into_iter().filter(|one| one.store && one.address == map::EVENT_PAGE).collect();
    assert_eq!(stores.len(), 2, "{stores:?}");
    assert_eq!(logged(&emulator, 0), 0, "faults");
}
