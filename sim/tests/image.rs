//! ELF files that load and ELF files that do not, and bare-metal programs that end.

use testbed_definitions::map;
use testbed_machine::Machine;
use testbed_sim::emulator::Emulator;
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::{ImageError, Program};
use testbed_sim::lockstep::encode::*;

const RAM: u32 = 64 * 1024;
/// File offset of the first segment's content.
const CONTENT: u32 = 0x100;

/// As [`elf_with`], with a symbol `tohost`, an untyped label as assemblers write it, if an address is given.
fn elf(entry: u32, segments: &[(u32, Vec<u8>, u32)], tohost: Option<u32>) -> Vec<u8> {
    let symbols: Vec<_> = tohost.map(|address| ("tohost", address, 0)).into_iter().collect();
    elf_with(entry, segments, &symbols)
}

/// A 32-bit little-endian RISC-V executable of the given segments (physical address, content, bytes
/// in memory), with these symbols (name, address, bytes).
fn elf_with(entry: u32, segments: &[(u32, Vec<u8>, u32)], names: &[(&str, u32, u32)]) -> Vec<u8> {
    let contents: usize = segments.iter().map(|segment| segment.1.len()).sum();
    let symbols = (CONTENT as usize + contents).next_multiple_of(4) as u32;
    let symbol_bytes = 16 * (names.len() as u32 + 1);
    let strings = symbols + symbol_bytes;
    let mut text = vec![0];
    let places: Vec<u32> = names
        .iter()
        .map(|(name, ..)| {
            let place = text.len() as u32;
            text.extend(name.bytes().chain([0]));
            place
        })
        .collect();
    text.resize(text.len().next_multiple_of(4), 0);
    let sections = strings + text.len() as u32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let halves = |file: &mut Vec<u8>, values: &[u16]| values.iter().for_each(|v| file.extend(v.to_le_bytes()));
    let words = |file: &mut Vec<u8>, values: &[u32]| values.iter().for_each(|v| file.extend(v.to_le_bytes()));
    halves(&mut file, &[2, 243]);
    words(&mut file, &[1, entry, 52, sections, 0]);
    halves(&mut file, &[52, 32, segments.len() as u16, 40, 3, 2]);
    let mut offset = CONTENT;
    for (address, content, memory) in segments {
        words(&mut file, &[1, offset, *address, *address, content.len() as u32, *memory, 7, 4]);
        offset += content.len() as u32;
    }
    file.resize(CONTENT as usize, 0);
    segments.iter().for_each(|segment| file.extend(&segment.1));
    file.resize(symbols as usize, 0);
    words(&mut file, &[0; 4]);
    for ((_, address, bytes), place) in names.iter().zip(places) {
        words(&mut file, &[place, *address, *bytes]);
        halves(&mut file, &[0x0010, 0xfff1]);
    }
    file.extend(&text);
    words(&mut file, &[0; 10]);
    words(&mut file, &[0, 2, 0, 0, symbols, symbol_bytes, 2, 1, 4, 16]);
    words(&mut file, &[0, 3, 0, 0, strings, text.len() as u32, 0, 0, 1, 0]);
    file
}

/// A program that stores `value` to `tohost`, then loops.
fn storing(value: u32) -> Vec<u8> {
    let tohost = map::RAM_BASE + 0x1000;
    let mut code = Assembly::new(map::RAM_BASE);
    let forever = code.label();
    code.li(T0, tohost).li(A0, value).push(sw(A0, T0, 0)).place(forever).jal(ZERO, forever);
    elf(map::RAM_BASE, &[(map::RAM_BASE, code.finish_bytes(), 0x1004)], Some(tohost))
}

/// A program that stores `text` to the UART, which has room for it, then 1 to `tohost`, and loops.
fn printing(text: &str) -> Vec<u8> {
    let tohost = map::RAM_BASE + 0x1000;
    let mut code = Assembly::new(map::RAM_BASE);
    let forever = code.label();
    code.li(T0, map::UART_BASE);
    for byte in text.bytes() {
        code.li(A0, byte.into()).push(sw(A0, T0, 0));
    }
    code.li(T0, tohost).li(A0, 1).push(sw(A0, T0, 0)).place(forever).jal(ZERO, forever);
    elf(map::RAM_BASE, &[(map::RAM_BASE, code.finish_bytes(), 0x1004)], Some(tohost))
}

fn error(file: &[u8]) -> (ImageError, String) {
    let error = Program::parse(file, RAM).expect_err("refused");
    let text = error.to_string();
    (error, text)
}

fn run(file: &[u8], max_cycles: u64) -> Outcome {
    let program = Program::parse(file, RAM).unwrap();
    let mut engine = Emulator::new(&Machine::single(RAM), &program.image).unwrap();
    exec::run(&mut engine, &program, max_cycles).unwrap().outcome
}

#[test]
fn segments_and_symbols_are_read() {
    let program =
        Program::parse(&elf(map::RAM_BASE + 4, &[(map::RAM_BASE, vec![1, 2, 3], 6)], Some(0x8000_0010)), RAM).unwrap();
    assert_eq!(program.image.segments, [(map::RAM_BASE, vec![1, 2, 3, 0, 0, 0])]);
    assert_eq!(program.image.entry, map::RAM_BASE + 4);
    assert_eq!(program.tohost(), Some(0x8000_0010));
    assert_eq!(program.symbol("fromhost"), None);
}

#[test]
fn files_that_are_no_program_for_the_machine_are_named() {
    assert!(matches!(error(b"#!/bin/sh").0, ImageError::NotElf(_)));
    assert!(matches!(error(b"").0, ImageError::NotElf(_)));
    let good = storing(1);
    let changed = |at: usize, byte: u8| {
        let mut file = good.clone();
        file[at] = byte;
        file
    };
    assert!(error(&changed(4, 2)).1.contains("64-bit"));
    assert!(error(&changed(18, 62)).1.contains("x86-64"));
    assert!(matches!(error(&changed(16, 1)).0, ImageError::NotExecutable(1)));
    assert!(matches!(error(&elf(map::RAM_BASE, &[], None)).0, ImageError::Empty));
}

#[test]
fn every_prefix_of_a_program_is_refused_or_read_without_a_panic() {
    let good = storing(1);
    let refused = (0..good.len()).filter(|&length| Program::parse(&good[..length], RAM).is_err()).count();
    assert!(refused > CONTENT as usize, "{refused} prefixes refused");
}

#[test]
fn what_lies_outside_ram_is_named_with_both_ranges() {
    let text = error(&elf(map::RAM_BASE, &[(0x1_0000, vec![0; 8], 8)], None)).1;
    assert!(text.contains("0x00010000 to 0x00010008") && text.contains("0x80000000 to 0x80010000"), "{text}");
    let end = map::RAM_BASE + RAM - 4;
    assert!(matches!(error(&elf(end, &[(end, vec![0; 4], 8)], None)).0, ImageError::OutsideRam { .. }));
    assert!(Program::parse(&elf(end, &[(end, vec![0; 4], 4)], None), RAM).is_ok());
    assert!(matches!(error(&elf(0, &[(end, vec![0; 4], 4)], None)).0, ImageError::EntryOutside { entry: 0, .. }));
    assert!(matches!(error(&elf(end + 2, &[(end, vec![0; 4], 4)], None)).0, ImageError::EntryMisaligned { .. }));
}

#[test]
fn overlapping_segments_are_refused() {
    let segments = [(map::RAM_BASE + 8, vec![0; 8], 8), (map::RAM_BASE, vec![0; 4], 9)];
    let text = error(&elf(map::RAM_BASE, &segments, None)).1;
    assert!(text.contains("segments 1 and 0 overlap at 0x80000008"), "{text}");
}

/// Memory is taken for what fits into RAM, not for what headers claim: together these claim 240 GB.
#[test]
fn headers_that_claim_all_of_ram_many_times_are_refused() {
    let mut file = elf(map::RAM_BASE, &[(map::RAM_BASE, vec![0; 4], map::RAM_BYTES_MAX)], None);
    let (headers, one) = (file.len() as u32, file[52..84].to_vec());
    file.extend(one.repeat(60_000));
    file[28..32].copy_from_slice(&headers.to_le_bytes());
    file[44..46].copy_from_slice(&60_000u16.to_le_bytes());
    let text = Program::parse(&file, map::RAM_BYTES_MAX).expect_err("refused").to_string();
    assert!(text.contains("segments 0 and 1 overlap at 0x80000000"), "{text}");
}

#[test]
fn tohost_ends_a_program() {
    assert_eq!(run(&storing(1), 10_000), Outcome::Exit { code: 0, cycle: 1024 });
    assert_eq!(run(&storing(7 << 1 | 1), 10_000), Outcome::Exit { code: 7, cycle: 1024 });
    assert_eq!(run(&storing(0), 10_000), Outcome::Timeout { cycles: 10_000 });
}

#[test]
fn a_store_to_exit_ends_a_program() {
    let mut code = Assembly::new(map::RAM_BASE);
    let forever = code.label();
    code.li(T0, map::SYSTEM_BASE + map::system::EXIT).push(addi(A0, ZERO, 42)).push(sw(A0, T0, 0));
    code.place(forever).jal(ZERO, forever);
    let file = elf(map::RAM_BASE, &[(map::RAM_BASE, code.finish_bytes(), 0x100)], None);
    // The first X is that of cycle 3, for both words of `li` and `addi` a cycle each; the store is made in 6.
    assert_eq!(run(&file, 10_000), Outcome::Exit { code: 42, cycle: 6 });
}

#[test]
fn what_the_uart_holds_at_the_end_is_printed() {
    let text = "sixteen, and one\n";
    let program = Program::parse(&printing(text), RAM).unwrap();
    let mut engine = Emulator::new(&Machine::single(RAM), &program.image).unwrap();
    let run = exec::run(&mut engine, &program, 100_000).unwrap();
    assert_eq!(run.outcome, Outcome::Exit { code: 0, cycle: exec::POLL_CYCLES });
    let console: Vec<u8> = run.console.iter().map(|byte| byte.byte).collect();
    assert_eq!(String::from_utf8(console).unwrap(), text);
}

const TOHOST: u32 = map::RAM_BASE + 0x1000;
const FROMHOST: u32 = TOHOST + 8;
/// Eight 64-bit words of a request.
const BLOCK: u32 = TOHOST + 64;
const TEXT: u32 = TOHOST + 256;

/// A program with `code` that prints nothing itself, `text` at [`TEXT`], and both words for the host.
fn asking(code: impl FnOnce(&mut Assembly), text: &str) -> Program {
    let mut assembly = Assembly::new(map::RAM_BASE);
    code(&mut assembly);
    let segments = [
        (map::RAM_BASE, assembly.finish_bytes(), 0x1000),
        (TOHOST, vec![], 0x100),
        (TEXT, text.as_bytes().to_vec(), 0x100),
    ];
    let names = [("_start", map::RAM_BASE, 0), ("tohost", TOHOST, 8), ("fromhost", FROMHOST, 8)];
    Program::parse(&elf_with(map::RAM_BASE, &segments, &names), RAM).unwrap()
}

fn run_on_emulator(program: &Program, max_cycles: u64) -> exec::Run {
    let mut engine = Emulator::new(&Machine::single(RAM), &program.image).unwrap();
    exec::run(&mut engine, program, max_cycles).unwrap()
}

fn text(run: &exec::Run) -> String {
    run.console.iter().map(|byte| char::from(byte.byte)).collect()
}

/// The system call of the public RISC-V benchmarks: its result is in `A0` afterwards.
fn call(code: &mut Assembly, number: u32, arguments: [u32; 3]) {
    code.li(T0, BLOCK);
    for (offset, word) in (0..).step_by(8).zip([number].into_iter().chain(arguments)) {
        code.li(A0, word).push(sw(A0, T0, offset)).push(sw(ZERO, T0, offset + 4));
    }
    code.li(T1, TOHOST).push(sw(T0, T1, 0)).push(sw(ZERO, T1, 4));
    let wait = code.label();
    code.place(wait).push(lw(A0, T1, 8)).branch(0, A0, ZERO, wait);
    code.push(sw(ZERO, T1, 8)).push(sw(ZERO, T1, 12)).push(lw(A0, T0, 0));
}

/// Ends with what is in `A0` as the exit code, which has 8 bits.
fn end(code: &mut Assembly) {
    let forever = code.label();
    code.push(immediate(OP_IMMEDIATE, 7, A0, A0, 0xff)).push(add(A0, A0, A0)).push(addi(A0, A0, 1));
    code.li(T1, TOHOST).push(sw(A0, T1, 0)).push(sw(ZERO, T1, 4)).place(forever).jal(ZERO, forever);
}

#[test]
fn the_host_writes_for_a_program_and_answers() {
    let (message, errors) = ("written by the host\n", "twice\n");
    let program = asking(
        |code| {
            call(code, 64, [1, TEXT, message.len() as u32]);
            call(code, 64, [2, TEXT + message.len() as u32, errors.len() as u32]);
            end(code);
        },
        &format!("{message}{errors}"),
    );
    let run = run_on_emulator(&program, 100_000);
    // The result of the call is how many bytes were written.
    assert!(matches!(run.outcome, Outcome::Exit { code, .. } if code == errors.len() as u32), "{run:?}");
    assert_eq!(text(&run), format!("{message}{errors}"));
    assert!(run.instructions > 40 && run.cycles >= 3 * exec::POLL_CYCLES, "{run:?}");
}

#[test]
fn calls_that_the_host_does_not_have_get_an_error() {
    // Linux's ENOSYS, EBADF and EFAULT, in eight bits.
    for (number, arguments, error) in [
        (17, [0; 3], -38i32),
        (64, [5, TEXT, 1], -9),
        (64, [1, 0x1000, 1], -14),
        (64, [1, TEXT, u32::MAX], -14),
        (64, [1, map::RAM_BASE + RAM - 4, 5], -14),
    ] {
        let program = asking(
            |code| {
                call(code, number, arguments);
                end(code);
            },
            "x",
        );
        let run = run_on_emulator(&program, 100_000);
        assert!(matches!(run.outcome, Outcome::Exit { code, .. } if code == error as u32 & 0xff), "{run:?}");
        assert_eq!(text(&run), "");
    }
}

#[test]
fn a_program_may_exit_by_a_call() {
    let program = asking(|code| call(code, 93, [300, 0, 0]), "");
    let run = run_on_emulator(&program, 100_000);
    assert!(matches!(run.outcome, Outcome::Exit { code: 300, .. }), "{run:?}");
}

#[test]
fn a_character_goes_to_the_console_by_itself() {
    let program = asking(
        |code| {
            code.li(T1, TOHOST).li(T0, 0x0101_0000);
            for byte in b"hi!" {
                // The lower word first, and an odd one: it must not be taken for the end.
                code.li(A0, (*byte).into()).push(sw(A0, T1, 0)).push(sw(T0, T1, 4));
                let wait = code.label();
                code.place(wait).push(lw(A0, T1, 0)).push(lw(A1, T1, 4)).push(add(A0, A0, A1));
                code.branch(1, A0, ZERO, wait);
            }
            code.li(A0, 0);
            end(code);
        },
        "",
    );
    let run = run_on_emulator(&program, 100_000);
    assert!(matches!(run.outcome, Outcome::Exit { code: 0, .. }), "{run:?}");
    assert_eq!(text(&run), "hi!");
}

/// A store of a request's lower word is seen before that of its upper one, whenever the look comes.
#[test]
fn a_request_that_is_stored_in_two_parts_is_taken_whole() {
    for delay in 480..540 {
        let program = asking(
            |code| {
                code.li(T1, TOHOST).li(T0, 0x0101_0000).li(A0, b'A'.into());
                code.extend(&vec![NOP; delay]);
                code.push(sw(A0, T1, 0)).push(sw(T0, T1, 4));
                let wait = code.label();
                code.place(wait).push(lw(A0, T1, 0)).branch(1, A0, ZERO, wait);
                end(code);
            },
            "",
        );
        let run = run_on_emulator(&program, 100_000);
        assert!(matches!(run.outcome, Outcome::Exit { code: 0, .. }), "{delay}: {run:?}");
        assert_eq!(text(&run), "A", "{delay}");
    }
}

#[test]
fn of_a_program_that_does_not_end_it_is_said_what_it_does() {
    let standing = |program: &Program| run_on_emulator(program, 5_000).standing.unwrap().to_string();
    let forever = asking(
        |code| {
            let here = code.label();
            code.push(NOP).place(here).jal(ZERO, here);
        },
        "",
    );
    assert_eq!(standing(&forever), "pc is 0x80000004 (_start+0x4): it jumps to itself");
    let waiting = asking(
        |code| {
            let wait = code.label();
            code.li(T1, TOHOST).place(wait).push(lw(A0, T1, 8)).branch(0, A0, ZERO, wait);
        },
        "",
    );
    let said = standing(&waiting);
    assert!(said.contains("it repeats 2 instructions, from 0x80000008 (_start+0x8) to 0x8000000c"), "{said}");
    assert!(said.ends_with("and reads nothing but 0x80001008 (fromhost)"), "{said}");
    let sleeping = asking(
        |code| {
            code.push(NOP).push(WFI);
        },
        "",
    );
    assert_eq!(standing(&sleeping), "it sleeps, and no interrupt wakes it; its `wfi` is at 0x80000004 (_start+0x4)");
    // The trap's handler is the illegal word itself.
    let trapping = asking(
        |code| {
            code.li(T0, map::RAM_BASE + 12).push(csrw(0x305, T0)).push(0);
        },
        "",
    );
    let said = standing(&trapping);
    assert!(said.starts_with("pc is 0x8000000c (_start+0xc): it traps there again and again"), "{said}");
    assert!(said.contains("illegal instruction (cause 2, value 0x00000000)"), "{said}");
}

#[test]
fn places_have_the_names_of_functions() {
    let names = [("$x", 0x8000_0010, 0), ("main", 0x8000_0010, 8), ("alias", 0x8000_0010, 0), ("_end", 0x8000_1000, 0)];
    let mangled = ("_ZN4demo4mainE", 0x8000_0020, 4);
    let file = elf_with(map::RAM_BASE, &[(map::RAM_BASE, vec![0; 64], 64)], &[&names[..], &[mangled]].concat());
    let program = Program::parse(&file, RAM).unwrap();
    let shown = |address| program.place(address).to_string();
    assert_eq!(shown(0x8000_0018), "0x80000018 (main+0x8)");
    assert_eq!(shown(0x8000_0020), "0x80000020 (demo::main)");
    assert_eq!([shown(0x8000_0000), shown(0x8000_1004)], ["0x80000000", "0x80001004"]);
}
