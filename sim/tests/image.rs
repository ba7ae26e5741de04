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

/// A 32-bit little-endian RISC-V executable of the given segments (physical address, content, bytes in memory), with a symbol
/// `tohost`, an untyped label as assemblers write it, if an address is given.
fn elf(entry: u32, segments: &[(u32, Vec<u8>, u32)], tohost: Option<u32>) -> Vec<u8> {
    let contents: usize = segments.iter().map(|segment| segment.1.len()).sum();
    let symbols = (CONTENT as usize + contents).next_multiple_of(4) as u32;
    let (strings, sections) = (symbols + 32, symbols + 48);
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
    words(&mut file, &[0, 0, 0, 0, 1, tohost.unwrap_or(0), 0]);
    halves(&mut file, &[0x0010, if tohost.is_some() { 0xfff1 } else { 0 }]);
    file.extend(b"\0tohost\0\0\0\0\0\0\0\0\0");
    words(&mut file, &[0; 10]);
    words(&mut file, &[0, 2, 0, 0, symbols, 32, 2, 1, 4, 16]);
    words(&mut file, &[0, 3, 0, 0, strings, 16, 0, 0, 1, 0]);
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
    // Arrivals in 2, 4 (both words of `li`), 6 and 8; the store is made in 9.
    assert_eq!(run(&file, 10_000), Outcome::Exit { code: 42, cycle: 9 });
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
