//! Memory that is new to a program holds zeros, though others have used it before: holes of files,
//! stacks, uninitialised data, on every processor. `cleared` tries it; `cleared data` is the
//! process that looks at its own data.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use libtos::file::{flags, unlink, File};
use libtos::process::{await_end, invoke, How};
use libtos::{create, exit, halt, println, processors, stack_for, wait, Arguments, Error};
use testbed_definitions::page::PAGE_BYTES;

libtos::program!(main);

const NAME: &str = "cleared";
/// What used memory is full of.
const DIRT: u8 = 0xa5;
/// Pages that are filled with it and given back: more than is taken afterwards.
const DIRTY_PAGES: usize = 96;
/// Of the thread that fills memory: few, so that what is given back is more than its own stack, which is clean.
const DIRTY_STACK_PAGES: u32 = 4;
/// Pages of the stack of the thread that looks.
const STACK_PAGES: u32 = 16;
const DATA_BYTES: usize = 12 * PAGE_BYTES as usize;
/// Bytes from the top of the stack that the thread itself may have used when it looks.
const USED_BYTES: u32 = 2 * PAGE_BYTES;

/// In .bss.
static DATA: [AtomicU32; DATA_BYTES / 4] = [const { AtomicU32::new(0) }; DATA_BYTES / 4];
/// Top of the stack of the thread that looks.
static TOP: AtomicU32 = AtomicU32::new(0);

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        None => attempt().unwrap_or_else(|error| {
            println!("cleared: {}", error.meaning());
            halt()
        }),
        Some("data") => look_at_data(),
        Some(_) => {
            println!("usage: cleared");
            2
        }
    }
}

fn attempt() -> Result<u32, Error> {
    let mut wrong = 0;
    // Each stack is made anew for every thread that has it.
    let (dirty, looking) = (stack_for(DIRTY_STACK_PAGES), stack_for(STACK_PAGES));
    TOP.store(looking, Ordering::Relaxed);
    for (what, entry) in [("holes of files", look_at_hole as extern "C" fn() -> !), ("stacks", look_at_stack)] {
        for processor in 0..processors() {
            let threads = [(2, DIRTY_STACK_PAGES, make_dirty as _, dirty), (3, STACK_PAGES, entry, looking)];
            for (id, pages, entry, stack) in threads {
                create(id, pages, processor.into(), entry, stack)?;
                let failed = wait();
                wrong += failed;
                if failed != 0 {
                    println!("{what}: WRONG on processor {processor}");
                }
            }
        }
        println!("{what}: looked at on {} processors", processors());
    }
    // Each fills its data before it ends, so the second one gets used memory.
    for processor in (0..processors()).flat_map(|processor| [processor, processor]) {
        let how = How { processor: Some(processor), ..How::default() };
        let code = await_end(invoke(NAME, b"data\0", how)?)?;
        wrong += code;
        if code != 0 {
            println!("data: WRONG on processor {processor}");
        }
    }
    println!("data: looked at on {} processors", processors());
    println!("cleared: {wrong} wrong");
    Ok(wrong)
}

/// Fills memory with other bytes than zeros, and gives it back: what is taken next is some of it.
extern "C" fn make_dirty() -> ! {
    let result = File::open("dirt", flags::WRITE | flags::CREATE).and_then(|file| {
        for page in 0..DIRTY_PAGES as u32 {
            file.write(page * PAGE_BYTES, &[DIRT; PAGE_BYTES as usize])?;
        }
        unlink("dirt")
    });
    exit(result.is_err() as u32)
}

/// A byte at the end of some pages: all before it are zeros.
extern "C" fn look_at_hole() -> ! {
    const BYTES: u32 = 20 * PAGE_BYTES;
    let look = || {
        let file = File::open("hole", flags::READ | flags::WRITE | flags::CREATE)?;
        file.write(BYTES, &[1])?;
        let mut zeros = true;
        for page in 0..BYTES / PAGE_BYTES {
            let mut bytes = [DIRT; PAGE_BYTES as usize];
            zeros &= file.read(page * PAGE_BYTES, &mut bytes)? == bytes.len() && bytes.iter().all(|&byte| byte == 0);
        }
        unlink("hole")?;
        Ok::<_, Error>(zeros)
    };
    exit((look() != Ok(true)) as u32)
}

/// All of the stack below what this thread has used.
extern "C" fn look_at_stack() -> ! {
    let top = TOP.load(Ordering::Relaxed);
    let unused = top - STACK_PAGES * PAGE_BYTES..top - USED_BYTES;
    // SAFETY: all of it is this thread's stack; nothing has been put there that the compiler knows of.
    let zeros = unused.step_by(4).all(|address| unsafe { (address as *const u32).read_volatile() } == 0);
    exit(!zeros as u32)
}

fn look_at_data() -> u32 {
    let zeros = DATA.iter().all(|word| word.load(Ordering::Relaxed) == 0);
    DATA.iter().for_each(|word| word.store(u32::from_le_bytes([DIRT; 4]), Ordering::Relaxed));
    !zeros as u32
}
