//! The word after an instruction, where the emulator's fast ways have to know of it: whether it is read
//! ahead, what a store before it changes, and whether it waits for a register.
//!
//! Each program goes round a loop, so that the fast loop executes it from the second round on. It runs
//! in the emulator with the fast loop, in the emulator with the exact step, and on Verilator; all
//! three must have retired as many instructions after any number of cycles, and must leave the same
//! memory. `lockstep` can't see any of this: it records retirements, for which the emulator takes the
//! exact step.

mod pages;

use std::sync::OnceLock;

use testbed_definitions::{csr, map, page};
use testbed_machine::{Core, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::lockstep::encode::*;
use testbed_sim::lockstep::{memory_difference, program};
use testbed_sim::verilator::Compiled;

const ROUNDS: u32 = 20;
/// Offsets in RAM: the page map, the program under test, its data. User mode sees the program at this
/// address too, and the data at `DATA_BASE`.
const PAGE_MAP: u32 = 0x1000;
const CODE: u32 = 0x4000;
const DATA: u32 = 0x8000;
/// Offset in the data of what the handler of traps notes: cycle and cause.
const LOG: u32 = 0x100;

// Registers of the programs.
const SUM: u8 = 9;
const COUNT: u8 = 12;
const SCRATCH: u8 = 13;
const OTHER_PAGE: u8 = 14;
const RESULT: u8 = 15;
const PART: u8 = 16;
const PAIR: u8 = 18;
const LOG_AT: u8 = 20;
const TRAPPED: u8 = 21;
/// Where the program goes on after a fault.
const AFTER_FAULT: u8 = 22;
const STEP: u8 = 24;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Machine mode; addresses are physical.
    Machine,
    /// User mode with a page map.
    User,
}

impl Mode {
    fn code(self) -> u32 {
        if self == Mode::Machine {
            map::RAM_BASE + CODE
        } else {
            CODE
        }
    }

    fn data(self) -> u32 {
        if self == Mode::Machine {
            map::RAM_BASE + DATA
        } else {
            page::DATA_BASE
        }
    }
}

fn shift_left(rd: u8, rs: u8, bits: i32) -> u32 {
    immediate(OP_IMMEDIATE, 1, rd, rs, bits)
}

fn shift_right(rd: u8, rs: u8, bits: i32) -> u32 {
    immediate(OP_IMMEDIATE, 5, rd, rs, bits)
}

/// Goes on at address `to`.
fn go_on_at(code: &mut Assembly, to: u32) {
    let gap = to.checked_sub(code.here()).expect("the address lies ahead");
    if gap > 0 {
        code.push(jump(ZERO, gap as i32));
    }
    while code.here() < to {
        code.push(NOP);
    }
}

/// Start-up, and the handler of traps: it notes each, goes on behind a fault, and sleeps after `ecall`.
fn start(mode: Mode, entry: u32) -> Vec<u8> {
    let mut code = Assembly::new(map::RAM_BASE);
    let (begin, asleep) = (code.label(), code.label());
    code.jal(ZERO, begin);
    let handler = code.here();
    code.push(csrr(TRAPPED, csr::MCYCLE)).push(sw(TRAPPED, LOG_AT, 0));
    code.push(csrr(TRAPPED, csr::MCAUSE)).push(sw(TRAPPED, LOG_AT, 4)).push(addi(LOG_AT, LOG_AT, 8));
    for cause in [csr::cause::ECALL_U, csr::cause::ECALL_M] {
        code.push(addi(PART, TRAPPED, -(cause as i32))).branch(0, PART, ZERO, asleep);
    }
    code.push(csrw(csr::MEPC, AFTER_FAULT)).push(MRET);
    code.place(asleep).push(WFI).jal(ZERO, asleep);
    code.place(begin).li(A0, handler).push(csrw(csr::MTVEC, A0)).li(LOG_AT, map::RAM_BASE + DATA + LOG);
    code.li(A0, if mode == Mode::User { 0 } else { csr::MSTATUS_MPP }).push(csrw(csr::MSTATUS, A0));
    code.li(A0, PAGE_MAP | csr::PMBASE_ENABLE).push(csrw(csr::PMBASE, A0));
    code.li(A0, entry).push(csrw(csr::MEPC, A0)).push(MRET);
    code.finish_bytes()
}

/// All pages of code, which are at their own addresses and may be written, but `unmapped`; and one of data.
fn page_map(unmapped: Option<u32>) -> Vec<u8> {
    let entry = |virtual_page: u32| match virtual_page {
        _ if Some(virtual_page) == unmapped => 0,
        virtual_page if virtual_page == page::DATA_BASE / page::PAGE_BYTES => {
            DATA / page::PAGE_BYTES << page::PTE_PAGE_SHIFT | page::PTE_VALID | page::PTE_READ | page::PTE_WRITE
        }
        virtual_page if virtual_page < program::RAM_BYTES / page::PAGE_BYTES => {
            let rights = page::PTE_READ | page::PTE_WRITE | page::PTE_EXECUTE;
            virtual_page << page::PTE_PAGE_SHIFT | page::PTE_VALID | rights
        }
        _ => 0,
    };
    (0..page::VIRTUAL_PAGES).flat_map(|virtual_page| entry(virtual_page).to_le_bytes()).collect()
}

/// The image in which `code`, assembled for its place in `mode`, begins at `entry`.
fn image(mode: Mode, entry: u32, unmapped: Option<u32>, (place, code): (u32, Assembly)) -> Image {
    let physical = if mode == Mode::Machine { place } else { map::RAM_BASE + place };
    let segments = vec![
        (map::RAM_BASE, start(mode, entry)),
        (map::RAM_BASE + PAGE_MAP, page_map(unmapped)),
        (physical, code.finish_bytes()),
    ];
    Image { segments, entry: map::RAM_BASE }
}

/// One processor with this core.
fn one(core: Core) -> Machine {
    Machine { core, ..Machine::single(program::RAM_BYTES) }
}

/// One processor on Verilator, compiled once for all tests.
fn compiled(core: Core) -> &'static Compiled {
    static COMPILED: [OnceLock<Compiled>; 2] = [const { OnceLock::new() }; 2];
    COMPILED[core as usize].get_or_init(|| Compiled::new(&one(core), None, &mut |_| ()).unwrap())
}

/// The word at an offset in the first processor's RAM.
pub fn word(engine: &dyn Engine, offset: u32) -> u32 {
    let mut bytes = [0; 4];
    engine.read_ram(0, map::RAM_BASE + offset, &mut bytes);
    u32::from_le_bytes(bytes)
}

/// Runs `image` in all ways, with each core; the word that the program has left at `DATA` must be
/// `expected`.
fn same(what: &str, image: &Image, expected: u32) {
    by_core(what, image, |_| expected);
}

/// The same, where it is not the same word with each core.
fn by_core(what: &str, image: &Image, expected: impl Fn(Core) -> u32) {
    for core in Core::ALL {
        same_with(core, &format!("{what}, {} core", core.name()), image, expected(core));
    }
}

fn same_with(core: Core, what: &str, image: &Image, expected: u32) {
    let machine = one(core);
    let mut fast = Emulator::new(&machine, image).unwrap();
    let mut translated = Emulator::new(&machine, image).unwrap();
    translated.translate_after(0);
    let mut exact = Emulator::new(&machine, image).unwrap();
    let mut rtl = compiled(core).engine(image).unwrap();
    exact.record_retirements(Some(0));
    let mut until = 0;
    for round in 0..60u64 {
        until += 1 + round * round % 157;
        for engine in [&mut fast as &mut dyn Engine, &mut translated, &mut exact, &mut rtl] {
            engine.run_until(until).unwrap();
        }
        let counts = [&fast, &translated, &exact].map(|engine| engine.instructions(0));
        let all = "fast loop, translated code and exact step";
        assert_eq!(counts, [rtl.instructions(0); 3], "{what}: instructions of {all} in cycle {until}");
    }
    assert_eq!(word(&rtl, DATA), expected, "{what}: what the RTL's program found");
    for (name, engine) in [("fast loop", &fast), ("translated code", &translated), ("exact step", &exact)] {
        let differs = memory_difference(engine, &rtl, 0);
        assert_eq!(differs, None, "{what}, {name}: offset of the first byte of RAM that is not the RTL's");
    }
}

/// A store to the word after it, which has been read already.
#[derive(Clone, Copy, Debug)]
enum Width {
    Byte,
    Half,
    Word,
    /// A pair whose first word is the one after the store.
    PairBehind,
    /// A pair of the store itself and the word after it.
    PairWithItself,
}

impl Width {
    /// The store itself, with its own address in `T0`.
    fn store(self) -> u32 {
        match self {
            Width::Byte => store(0, T0, PART, 7),
            Width::Half => store(1, T0, PART, 6),
            Width::Word => sw(PAIR, T0, 4),
            Width::PairBehind => sd(PAIR, T0, 4),
            Width::PairWithItself => sd(PAIR, T0, 0),
        }
    }
}

/// Each round stores another `addi` over the word after the store, so the round executes what the one
/// before has stored. The store lies at `offset` in its page.
fn overwrites_next(mode: Mode, width: Width, offset: u32) -> Image {
    let base = mode.code();
    let mut code = Assembly::new(base);
    let again = code.label();
    let at = base + offset;
    let value = if matches!(width, Width::PairWithItself) { PAIR + 1 } else { PAIR };
    let [first, next] = [addi(SUM, SUM, 0), addi(COUNT, COUNT, -1)];
    code.li(T0, at).li(STEP, 1 << 24).li(COUNT, ROUNDS).li(RESULT, mode.data()).push(addi(SUM, ZERO, 0));
    code.li(PAIR, width.store()).li(PAIR + 1, next).li(value, first);
    code.place(again).push(add(value, value, STEP));
    code.push(shift_right(PART, value, if matches!(width, Width::Byte) { 24 } else { 16 }));
    go_on_at(&mut code, at);
    code.push(width.store()).push(first).push(next).branch(1, COUNT, ZERO, again);
    code.push(sw(SUM, RESULT, 0)).push(ECALL);
    image(mode, base, None, (base, code))
}

#[test]
fn a_store_over_the_word_read_ahead_changes_what_the_next_round_executes() {
    let sum: u32 = (0..ROUNDS).map(|round| 16 * round).sum();
    // Behind a page the pipelined core executes what has just been stored.
    let changed = sum + 16 * ROUNDS;
    for mode in [Mode::Machine, Mode::User] {
        for width in [Width::Byte, Width::Half, Width::Word, Width::PairBehind, Width::PairWithItself] {
            // Where the pair is one; and where the word after is in another page.
            let offsets = match width {
                Width::PairBehind => &[0x104, 0x3fc][..],
                Width::PairWithItself => &[0x108],
                _ => &[0x104, 0x108, 0x3fc],
            };
            for &offset in offsets {
                let what = format!("{mode:?}, {width:?} at {offset:#x}");
                // In the first round the page of the next word is not in the TLB, so the word is read after the store.
                let first = if mode == Mode::User && offset == 0x3fc { 16 } else { 0 };
                by_core(&what, &overwrites_next(mode, width, offset), |core| match core {
                    Core::Pipelined if offset == 0x3fc => changed,
                    Core::Pipelined => sum,
                    Core::Multicycle => sum + first,
                });
            }
        }
    }
}

/// The word after the store begins a page in which nothing else is ever executed: a jump, to one of two
/// places by turns.
fn overwrites_a_jump(width: Width) -> Image {
    let base = Mode::Machine.code();
    let (at, next) = (base + 0x3fc, base + 0x400);
    let mut code = Assembly::new(base);
    let (again, begin) = (code.label(), code.label());
    code.jal(ZERO, begin);
    let one = code.here();
    code.push(addi(SUM, SUM, 1));
    let none = code.here();
    code.push(addi(COUNT, COUNT, -1)).branch(1, COUNT, ZERO, again).push(sw(SUM, RESULT, 0)).push(ECALL);
    let [to_none, to_one] = [none, one].map(|to| jump(ZERO, to.wrapping_sub(next) as i32));
    code.place(begin).li(T0, at).li(STEP, to_none ^ to_one).li(COUNT, ROUNDS).li(RESULT, Mode::Machine.data());
    code.push(addi(SUM, ZERO, 0)).li(PAIR, to_none).li(PAIR + 1, NOP);
    code.place(again).push(shift_left(SUM, SUM, 1)).push(register(OP_REGISTER, 4, 0, PAIR, PAIR, STEP));
    go_on_at(&mut code, at);
    code.push(width.store()).push(to_none);
    image(Mode::Machine, base, None, (base, code))
}

#[test]
fn a_store_over_the_word_read_ahead_is_seen_in_a_page_that_has_held_no_code() {
    let sum = |first: u32| (first..first + ROUNDS).fold(0, |sum, round| 2 * sum + round % 2);
    for width in [Width::Word, Width::PairBehind] {
        // The pipelined core fetches it behind the store.
        by_core(&format!("{width:?}"), &overwrites_a_jump(width), |core| sum(u32::from(core == Core::Pipelined)));
    }
}

/// A store to the page that it is executed from, and two instructions behind it: the first one is
/// fetched before, and may jump, wait, or be a store too; the second one is not.
fn stores_beside(mode: Mode, store: u32, next: u32) -> Image {
    let base = mode.code();
    let mut code = Assembly::new(base);
    let (begin, again, out) = (code.label(), code.label(), code.label());
    code.jal(ZERO, begin);
    while code.here() < base + 0x20 {
        code.push(0);
    }
    code.place(begin).li(T0, base).li(COUNT, ROUNDS).li(RESULT, mode.data()).push(addi(SUM, ZERO, 0)).place(again);
    code.push(addi(SUM, SUM, 1)).push(store).push(next).push(addi(SCRATCH, SCRATCH, 1)).push(sw(SCRATCH, RESULT, 8));
    code.push(addi(COUNT, COUNT, -1)).branch(0, COUNT, ZERO, out).jal(ZERO, again);
    code.place(out).push(sw(SUM, RESULT, 0)).push(ECALL);
    image(mode, base, None, (base, code))
}

#[test]
fn behind_a_store_to_its_own_page_a_word_is_fetched_anew() {
    let nexts = [
        ("nop", NOP),
        ("lw", lw(SCRATCH, T0, 8)),
        ("mul", register(OP_REGISTER, 0, 1, SCRATCH, SUM, SUM)),
        ("div", register(OP_REGISTER, 4, 1, PART, SUM, SUM)),
        ("jump", jump(ZERO, 8)),
        ("sw", sw(SUM, T0, 12)),
        ("sw elsewhere", sw(SUM, RESULT, 12)),
        ("fence.i", FENCE_I),
        ("bne", branch(1, ZERO, ZERO, 8)),
    ];
    for mode in [Mode::Machine, Mode::User] {
        for store in [sw(SUM, T0, 8), store(0, T0, SUM, 9), sd(PAIR, T0, 8)] {
            for (name, next) in nexts {
                same(&format!("{mode:?}, {store:#x}, {name}"), &stores_beside(mode, store, next), ROUNDS);
            }
        }
    }
}

/// A load, or what else writes late, before a word that by turns names its register and does not. That
/// word is changed from another page in every fourth round; it is one that translated code executes, or
/// leaves to the exact step.
fn waits_by_turns(late: u32, [reads, does_not]: [u32; 2]) -> Image {
    let base = Mode::Machine.code();
    let there = base + 0x440;
    let mut code = Assembly::new(base);
    let (again, keep) = (code.label(), code.label());
    code.li(T0, there).li(STEP, reads ^ does_not).li(COUNT, 4 * ROUNDS).li(RESULT, Mode::Machine.data());
    code.li(PAIR, reads).push(addi(SUM, ZERO, 0)).place(again);
    code.push(immediate(OP_IMMEDIATE, 7, PART, COUNT, 3)).branch(1, PART, ZERO, keep);
    code.push(register(OP_REGISTER, 4, 0, PAIR, PAIR, STEP)).push(sw(PAIR, T0, 4)).place(keep);
    code.push(addi(SUM, SUM, 1));
    let call = jump(RA, there.wrapping_sub(code.here()) as i32);
    code.push(call);
    code.push(addi(COUNT, COUNT, -1)).branch(1, COUNT, ZERO, again).push(sw(SUM, RESULT, 0)).push(ECALL);
    while code.here() < there {
        code.push(0);
    }
    code.push(late).push(reads).push(jalr(ZERO, RA, 0));
    image(Mode::Machine, base, None, (base, code))
}

#[test]
fn whether_a_word_waits_is_told_by_what_it_is_now() {
    let [first, second] = [SCRATCH, SCRATCH + 1];
    let product = |rd: u8| register(OP_REGISTER, 0, 1, rd, SUM, SUM);
    let csr_read = |rs1: u8| csr(2, PART, rs1, csr::MCOUNTEREN);
    for late in [lw(first, RESULT, 16), immediate(OP_LOAD, 4, first, RESULT, 17), product(first), product(0)] {
        same("executed", &waits_by_turns(late, [addi(PART, first, 1), addi(PART, ZERO, 1)]), 4 * ROUNDS);
        same("second source", &waits_by_turns(late, [add(PART, ZERO, first), add(PART, first, second)]), 4 * ROUNDS);
        same(
            "no source",
            &waits_by_turns(late, [addi(first, ZERO, i32::from(first)), addi(PART, PART, 1)]),
            4 * ROUNDS,
        );
        same("exact", &waits_by_turns(late, [csr_read(first), csr_read(ZERO)]), 4 * ROUNDS);
    }
    let pair = ld(PAIR + 4, RESULT, 16);
    let [low, high] = [PAIR + 4, PAIR + 5].map(|register| addi(PART, register, 1));
    same("a pair", &waits_by_turns(pair, [low, high]), 4 * ROUNDS);
}
