//! Reads other processes' memory on this processor, as only a trusted program may:
//! `peek PROCESS ADDRESS [BYTES]` prints it; without arguments a process is invoked, and what is
//! read of it compared with its file. Exit code 0 if all could be read.
#![no_std]
#![no_main]

use libtos::file::{flags, File};
use libtos::process::{await_end, invoke, kill, peek, How};
use libtos::{println, Arguments, Error};

libtos::program!(main);

const OTHER: &str = "hello";
/// Where code begins, in its file as in memory.
const CODE: u32 = 0x400;
const CHUNK: usize = 256;
/// Bytes that are printed unless told otherwise.
const BYTES: u32 = 64;

fn main(arguments: Arguments) -> u32 {
    let mut numbers = arguments.iter().map(parse);
    let result = match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (None, ..) => check(),
        (Some(Some(process)), Some(Some(address)), None, _) => print(process as u16, address, BYTES),
        (Some(Some(process)), Some(Some(address)), Some(Some(bytes)), None) => print(process as u16, address, bytes),
        _ => {
            println!("usage: peek [PROCESS ADDRESS [BYTES]]");
            return 2;
        }
    };
    result.map_err(|error| println!("peek: {}", error.meaning())).is_err() as u32
}

/// A decimal number, or a hexadecimal one with `0x`.
fn parse(word: &str) -> Option<u32> {
    match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn print(process: u16, address: u32, bytes: u32) -> Result<(), Error> {
    for start in (address..address.saturating_add(bytes)).step_by(16) {
        let mut words = [[0; 4]; 4];
        peek(process, start, words.as_flattened_mut())?;
        let [a, b, c, d] = words.map(u32::from_le_bytes);
        println!("{start:#07x}: {a:08x} {b:08x} {c:08x} {d:08x}");
    }
    Ok(())
}

fn check() -> Result<(), Error> {
    let process = invoke(OTHER, &[], How { processor: None, background: true, suspended: true, ..How::default() })?;
    let file = File::open(OTHER, flags::READ)?;
    let (mut memory, mut content) = ([0; CHUNK], [0; CHUNK]);
    let read = peek(process, CODE, &mut memory)?;
    file.read(CODE, &mut content)?;
    println!("{read} bytes of code are {} the file's", if memory == content { "as" } else { "NOT as" });
    let errors = [
        ("an unmapped page", peek(process, 0, &mut memory)),
        ("beyond memory", peek(process, 0x10_0000, &mut memory)),
        ("the kernel's memory", peek(process, 0x8000_0000, &mut memory)),
        ("into code", peek(process, CODE, code())),
    ];
    for (what, result) in errors {
        println!("{what}: {}", result.err().map_or("no error", Error::meaning));
    }
    kill(process)?;
    await_end(process)?;
    println!("a process that has ended: {}", peek(process, CODE, &mut memory).err().map_or("no error", Error::meaning));
    if memory == content {
        Ok(())
    } else {
        Err(Error::BadProgram)
    }
}

/// Memory that this program must not write.
fn code() -> &'static mut [u8] {
    // SAFETY: none; the kernel must refuse it before anybody writes it.
    unsafe { core::slice::from_raw_parts_mut(core::hint::black_box(CODE as usize) as *mut u8, 16) }
}
