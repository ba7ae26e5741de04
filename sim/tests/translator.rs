//! Translated code against the exact step: the same machine at every look, with windows cut at odd
//! cycles, on programs that overwrite themselves, change pages and rights, take interrupts and are
//! overwritten by DMA; with each core.
//!
//! `TESTBED_LONG=1` (set by `testbed test --long`) runs programs until translated code has executed
//! ten million of their instructions.

use testbed_definitions::{csr, map, page};
use testbed_machine::{Core, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::{memory_difference, program};

use crate::ahead::word;
use crate::emulator::{beside_dma, counting, crowded, machine};

const PROGRAMS: u64 = 60;
/// Instructions that translated code executes in the long set.
const TRANSLATED_LONG: u64 = 10_000_000;

/// One that translates at once, and one that executes step by step.
fn both(machine: &Machine, image: &Image, recorded: usize) -> [Emulator; 2] {
    let [mut translated, mut exact] = [0, 1].map(|_| Emulator::new(machine, image).unwrap());
    translated.translate_after(0);
    exact.record_retirements(Some(recorded));
    [translated, exact]
}

/// Runs both to `until`, and compares what each processor has come to.
fn go_on([translated, exact]: &mut [Emulator; 2], until: u64, what: &str) {
    let what = format!("{what}, {} core", exact.machine().core.name());
    translated.run_until(until).unwrap();
    exact.run_until(until).unwrap();
    exact.take_retirements();
    assert_eq!(translated.take_trace(), exact.take_trace(), "{what}: words before cycle {until}");
    assert_eq!(translated.take_console(), exact.take_console(), "{what}: console before cycle {until}");
    for processor in 0..exact.machine().processors.len() {
        let counts = [&*translated, exact].map(|engine| engine.instructions(processor));
        assert_eq!(counts[0], counts[1], "{what}: instructions of processor {processor} before cycle {until}");
        let differs = memory_difference(translated, exact, processor);
        assert_eq!(differs, None, "{what}: offset in RAM of processor {processor} in cycle {until}");
    }
}

fn share(translated: u64, all: u64) -> f64 {
    translated as f64 / all.max(1) as f64
}

#[test]
fn random_programs_leave_the_same_machine() {
    random_programs(Core::Multicycle);
}

#[test]
fn so_they_do_with_the_pipelined_core() {
    random_programs(Core::Pipelined);
}

fn random_programs(core: Core) {
    let least = if std::env::var_os("TESTBED_LONG").is_some() { TRANSLATED_LONG } else { 0 };
    let (mut programs, mut translated, mut all) = (0, 0, 0);
    while programs < PROGRAMS || translated < least {
        let seed = 500 + programs;
        programs += 1;
        let mut engines = both(&machine(core, 1), &program::generate(seed), 0);
        let mut until = 0;
        for round in 0..120u64 {
            until += 1 + round * round % 997;
            go_on(&mut engines, until, &format!("seed {seed}"));
        }
        translated += engines[0].translated();
        all += engines[0].instructions(0);
    }
    let percent = 100.0 * share(translated, all);
    println!("{} core, seeds from 500: {programs} programs, {all} instructions", core.name());
    println!("{translated} of them translated, {percent:.0} %");
    assert!(share(translated, all) > 0.02, "{translated} of {all} instructions were translated");
}

#[test]
fn who_comes_back_from_translated_code_leaves_the_same_machine() {
    for (core, recorded) in Core::ALL.into_iter().flat_map(|core| [0, 1, 2].map(|recorded| (core, recorded))) {
        let mut engines = both(&crowded(core), &counting(), recorded);
        for round in 1..=40u64 {
            go_on(&mut engines, round * 5_000 + round % 7, "counting");
        }
        let all: u64 = (0..3).map(|processor| engines[0].instructions(processor)).sum();
        assert!(share(engines[0].translated(), all) > 0.3, "{} of {all}", engines[0].translated());
    }
}

#[test]
fn translated_code_beside_dma_leaves_the_same_machine() {
    for core in Core::ALL {
        let mut engines = both(&crowded(core), &beside_dma(), 1);
        for round in 0..200u64 {
            let until = engines[1].cycle() + 1 + round * round % 997;
            go_on(&mut engines, until, "beside DMA");
        }
    }
}

/// A loop that, every so often, adds one to the immediate of two instructions, one of itself and one
/// that it calls far behind; and writes to a word between its instructions that is never executed.
fn changes_itself() -> Image {
    let mut code = Assembly::new(map::RAM_BASE);
    let (again, far, join, keep, changed, kept) =
        (code.label(), code.label(), code.label(), code.label(), code.label(), code.label());
    let (a3, a4, a5) = (13, 14, 15);
    code.li(T1, map::RAM_BASE + 0x2000).li(T3, map::RAM_BASE + 0x800).jal(ZERO, again);
    let data = code.here();
    code.push(0).place(again);
    let here = code.here();
    code.push(addi(A1, A1, 1)).push(addi(A2, A2, 1)).jal(RA, far).place(join);
    code.push(immediate(OP_IMMEDIATE, 7, a3, A2, 0x3ff)).push(sw(A1, T1, 0)).push(sw(A2, T1, 4));
    code.li(a5, data).push(sw(A2, a5, 0)).branch(1, a3, ZERO, keep);
    // In every 1,024th round.
    code.place(changed).li(a5, here).push(lw(a4, a5, 0)).li(a3, 1 << 20).push(add(a4, a4, a3)).push(sw(a4, a5, 0));
    code.push(lw(a4, T3, 0)).push(add(a4, a4, a3)).push(sw(a4, T3, 0));
    code.place(keep).jal(ZERO, kept);
    while code.here() < map::RAM_BASE + 0x800 {
        code.push(0);
    }
    code.place(far).push(addi(A1, A1, 2)).push(jalr(ZERO, RA, 0)).place(kept).jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn who_overwrites_translated_code_executes_what_it_has_written() {
    Core::ALL.into_iter().for_each(overwrites);
}

fn overwrites(core: Core) {
    let mut engines = both(&machine(core, 1), &changes_itself(), 0);
    for round in 1..=60u64 {
        go_on(&mut engines, round * 9_973, "changes itself");
    }
    let (sum, rounds) = (word(&engines[0], 0x2000), word(&engines[0], 0x2004));
    assert!(rounds > 5_000 && sum > 3 * rounds + 1_000, "{sum} in {rounds} rounds");
    let all = engines[0].instructions(0);
    assert!(share(engines[0].translated(), all) > 0.5, "{} of {all}", engines[0].translated());
}

/// What two pages hold that follow each other in memory, first executed as they lie there, with data
/// translated, then in user mode with another page behind the first.
fn two_ways_on() -> Image {
    let (a3, page) = (13, |number: u32| map::RAM_BASE + number * page::PAGE_BYTES);
    let ahead = |number: u32, instruction: u32| {
        // The last word of this page, and the first two of the next.
        let mut code = Assembly::new(page(number + 1) - 4);
        code.push(addi(A1, A1, 1)).push(addi(A1, A1, instruction as i32)).push(jalr(ZERO, a3, 0));
        (page(number + 1) - 4, code.finish_bytes())
    };
    let mut machine = Assembly::new(page(15));
    let again = machine.label();
    machine.li(A0, 4 * page::PAGE_BYTES | csr::PMBASE_ENABLE).push(csrw(csr::PMBASE, A0));
    machine.li(A0, csr::MSTATUS_MPRV).push(csrw(csr::MSTATUS, A0)).li(T1, page::DATA_BASE).li(A2, 300).place(again);
    let there = (page(17) - 4).wrapping_sub(machine.here());
    machine.push(jump(a3, there as i32));
    machine.push(sw(A1, T1, 0)).push(addi(A2, A2, -1)).branch(1, A2, ZERO, again);
    machine.li(A0, 19 * page::PAGE_BYTES).push(csrw(csr::MEPC, A0)).push(MRET);
    let mut user = Assembly::new(page(19));
    let again = user.label();
    let there = (page(17) - 4).wrapping_sub(user.here());
    user.place(again).push(jump(a3, there as i32)).push(sw(A1, T1, 4)).jal(ZERO, again);
    let entry = |physical: u32, rights: u32| physical << page::PTE_PAGE_SHIFT | page::PTE_VALID | rights;
    let map = |virtual_page: u32| match virtual_page {
        17 => entry(21, page::PTE_EXECUTE),
        16 | 19 => entry(virtual_page, page::PTE_EXECUTE),
        data if data == page::DATA_BASE / page::PAGE_BYTES => entry(32, page::PTE_READ | page::PTE_WRITE),
        _ => 0,
    };
    let pages = (0..page::VIRTUAL_PAGES).flat_map(|number| map(number).to_le_bytes()).collect();
    let segments = vec![
        (page(15), machine.finish_bytes()),
        ahead(16, 2),
        ahead(20, 100),
        (page(19), user.finish_bytes()),
        (page(4), pages),
    ];
    Image { segments, entry: page(15) }
}

#[test]
fn who_enters_code_by_another_page_stays_in_it() {
    Core::ALL.into_iter().for_each(enters_by_another_page);
}

fn enters_by_another_page(core: Core) {
    let mut engines = both(&machine(core, 1), &two_ways_on(), 0);
    for round in 1..=30u64 {
        go_on(&mut engines, round * 997, "two ways on");
    }
    let word = |offset: u32| word(&engines[0], 32 * page::PAGE_BYTES + offset);
    assert_eq!(word(0), 900);
    assert!(word(4) > 900 + 50 * 101 && (word(4) - 900) % 101 == 0, "{}", word(4));
    assert!(engines[0].translated() > 500, "{}", engines[0].translated());
}

/// The same loop at two places, at the second of which another page begins in its midst.
fn at_two_places() -> Image {
    let (data, count, back) = (13, 14, 15);
    let copy = |address: u32| {
        let mut code = Assembly::new(address);
        let again = code.label();
        code.push(addi(count, ZERO, 200)).place(again);
        for _ in 0..4 {
            code.push(lw(A1, data, 0)).push(add(A2, A2, A1)).push(addi(A2, A2, 1)).push(sw(A2, data, 0));
        }
        code.push(addi(count, count, -1)).branch(1, count, ZERO, again).push(jalr(ZERO, back, 0));
        (address, code.finish_bytes())
    };
    let [first, second] = [map::RAM_BASE + 0x1040, map::RAM_BASE + 0x1400 - 32];
    let mut code = Assembly::new(map::RAM_BASE);
    let again = code.label();
    code.li(data, map::RAM_BASE + 0x2000).place(again);
    for place in [first, second] {
        let there = place.wrapping_sub(code.here());
        code.push(jump(back, there as i32));
    }
    code.jal(ZERO, again);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes()), copy(first), copy(second)], entry: map::RAM_BASE }
}

#[test]
fn the_same_code_takes_its_own_time_at_each_place() {
    for core in Core::ALL {
        let mut engines = both(&machine(core, 1), &at_two_places(), 0);
        for round in 1..=30u64 {
            go_on(&mut engines, round * 1_997, "two places");
        }
        let all = engines[0].instructions(0);
        assert!(share(engines[0].translated(), all) > 0.5, "{} of {all}", engines[0].translated());
    }
}

/// Reads the time, whose high half changes meanwhile, and writes and reads CSRs that only hold
/// something; 500 times in machine mode, then for ever in user mode, where each access to such a
/// CSR traps. What is read is added up in memory.
fn reads_time() -> Image {
    let (sum, count, value, data) = (20, 21, 22, 23);
    let mut code = Assembly::new(map::RAM_BASE);
    let (begin, again, user) = (code.label(), code.label(), code.label());
    code.jal(ZERO, begin);
    let handler = code.here();
    code.push(csr(1, A0, A0, csr::MSCRATCH)).push(csrr(A0, csr::MEPC)).push(addi(A0, A0, 4));
    code.push(csrw(csr::MEPC, A0)).push(csrr(A0, csr::MTVAL)).push(add(sum, sum, A0));
    code.push(csr(1, A0, A0, csr::MSCRATCH)).push(sw(sum, data, 8)).push(MRET);
    code.place(begin).li(A0, handler).push(csrw(csr::MTVEC, A0)).li(data, map::RAM_BASE + 0x2000).li(count, 500);
    code.li(A0, map::CLINT_BASE + map::clint::MTIME_LOW).li(A1, 0u32.wrapping_sub(9_000)).push(sw(A1, A0, 0));
    code.li(A0, 2).push(csrw(csr::MCOUNTEREN, A0)).place(again);
    let time = |code: &mut Assembly| {
        code.push(csrr(A1, csr::TIME)).push(csrr(A2, csr::TIMEH)).push(sw(A1, data, 0)).push(sw(A2, data, 4));
        code.push(add(sum, sum, A1)).push(add(sum, sum, A2)).push(register(OP_REGISTER, 0, 1, A1, A1, sum));
        code.push(csrr(A1, csr::TIME)).push(add(sum, sum, A1)).push(sw(sum, data, 8));
    };
    time(&mut code);
    for number in [csr::MSCRATCH, csr::MEPC, csr::MCAUSE, csr::MTVAL] {
        code.push(addi(value, sum, 7)).push(csr(1, A1, value, number)).push(add(sum, sum, A1));
        code.push(csrr(A1, number)).push(add(sum, sum, A1)).push(csr(3, A1, ZERO, number)).push(add(sum, sum, A1));
    }
    code.push(addi(count, count, -1)).branch(1, count, ZERO, again);
    // Behind these five instructions.
    let there = code.here() + 20;
    code.push(csrw(csr::MSTATUS, ZERO)).li(A0, there).push(csrw(csr::MEPC, A0)).push(MRET).place(user);
    time(&mut code);
    code.push(csrr(A1, csr::MSCRATCH)).push(csrw(csr::MEPC, A1)).jal(ZERO, user);
    Image { segments: vec![(map::RAM_BASE, code.finish_bytes())], entry: map::RAM_BASE }
}

#[test]
fn the_time_and_csrs_are_read_as_step_by_step() {
    for (core, after) in Core::ALL.into_iter().flat_map(|core| [0, u32::MAX].map(|after| (core, after))) {
        let mut engines = both(&machine(core, 1), &reads_time(), 0);
        engines[0].translate_after(after);
        for round in 1..=60u64 {
            go_on(&mut engines, round * 1_999, &format!("translated after {after}"));
        }
        assert_eq!(word(&engines[0], 0x2004), 1, "the high half");
        let all = engines[0].instructions(0);
        assert!(after > 0 || share(engines[0].translated(), all) > 0.4, "{} of {all}", engines[0].translated());
    }
}
