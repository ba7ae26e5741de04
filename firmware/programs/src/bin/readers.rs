//! Threads that read console input: one on each processor, and two on the first, each line going to
//! one of them, until there is no more. A thread beside them counts meanwhile: who reads waits
//! alone. `readers bad` tries what cannot be read into, and lines that are longer than a buffer.
#![no_std]
#![no_main]

use libtos::console::{read, read_line};
use libtos::{create, delay_us, exit, println, processor, processors, stack_for, thread_id, wait, Arguments, Error};
use programs::verdict::Verdict;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Ids of the readers are from here on, the last one being the second reader beside the first.
const FIRST: u8 = 2;
const COUNTER: u8 = 60;

fn main(arguments: Arguments) -> u32 {
    match arguments.at_most(1).map(|all| all.iter().next()) {
        Some(None) => {}
        Some(Some("bad")) => return misuse(),
        _ => {
            println!("usage: readers [bad]");
            return 2;
        }
    }
    let here = processor();
    let others = (0..processors()).filter(|&other| other != here);
    let places = core::iter::once(here).chain(others).chain([here]);
    for (id, place) in (FIRST..).zip(places) {
        start(id, place, reader);
    }
    start(COUNTER, here, counter);
    let failed = wait();
    println!("{failed} failed");
    failed
}

fn start(id: u8, on: u8, entry: extern "C" fn() -> !) {
    if let Err(error) = create(id, STACK_PAGES, on as i32, entry, stack_for(STACK_PAGES)) {
        println!("thread {id}: {}", error.meaning());
    }
}

extern "C" fn reader() -> ! {
    let (mut line, mut lines) = ([0; 80], 0);
    loop {
        match read_line(&mut line) {
            Ok(Some(text)) => println!("{} read `{}`", thread_id(), core::str::from_utf8(text).unwrap_or("?")),
            Ok(None) => break,
            Err(error) => println!("{}: {}", thread_id(), error.meaning()),
        }
        lines += 1;
        // Whoever has had a line lets the others have one.
        delay_us(2000);
    }
    println!("{} has had {lines}", thread_id());
    exit((read(&mut line) != Ok(0)) as u32)
}

extern "C" fn counter() -> ! {
    for round in 1..=3 {
        delay_us(1000);
        println!("still counting: {round}");
    }
    exit(0)
}

/// What the kernel refuses, and what is cut.
fn misuse() -> u32 {
    let verdict = Verdict::default();
    verdict.expect("into no room", read(&mut []), Err(Error::BadLength));
    // SAFETY: the kernel refuses to write there, which is what is tried.
    let code = unsafe { core::slice::from_raw_parts_mut(0x400 as *mut u8, 16) };
    verdict.expect("into code", read(code), Err(Error::BadPointer));
    // SAFETY: as above.
    let nothing = unsafe { core::slice::from_raw_parts_mut(0xf_fff8 as *mut u8, 16) };
    verdict.expect("beyond memory", read(nothing), Err(Error::BadPointer));
    let mut small = [0; 4];
    verdict.check("a line in pieces", read(&mut small) == Ok(4) && &small == b"abcd");
    verdict.check("the rest of it", read(&mut small) == Ok(3) && &small[..3] == b"ef\n");
    let mut line = [0; 8];
    verdict.check("a line that fits", read_line(&mut line) == Ok(Some(b"12345678")));
    verdict.expect("a line that does not", read_line(&mut line).map(drop), Err(Error::BadLength));
    verdict.check("the one behind it", read_line(&mut line) == Ok(Some(b"next")));
    verdict.check("an empty one", read_line(&mut line) == Ok(Some(b"")));
    let mut large = [0; 400];
    verdict.check(
        "more than the kernel keeps",
        read(&mut large) == Ok(256) && large[..256].iter().all(|&byte| byte == b'x'),
    );
    verdict.check("its rest", read(&mut large) == Ok(45) && large[44] == b'\n');
    verdict.check("what is behind the last newline", read_line(&mut line) == Ok(Some(b"tail")));
    verdict.check("the end", read_line(&mut line) == Ok(None) && read(&mut line) == Ok(0));
    verdict.wrong()
}
