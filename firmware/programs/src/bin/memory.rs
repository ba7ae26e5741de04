//! Takes all the memory that can be had, by files and by processes, and looks whether others can go on.
//! For a machine of some hundred KiB a processor. Exit code 0 if everybody who asked for too much
//! was told, or ended, and nobody else noticed.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libtos::file::{flags, list, unlink, File};
use libtos::process::{await_end, counter, invoke, How};
use libtos::{create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error};
use programs::probe::{differences, Probe};
use programs::verdict::Verdict;

libtos::program!(main);

const NAME: &str = "memory";
const STACK_PAGES: u32 = 6;
const PAGE: usize = 1024;
/// More than this takes minutes to fill.
const MANY_PAGES: u32 = 1024;
/// What a process shares between its threads, in pages: it takes so many wherever it is touched.
const SHARED_PAGES: usize = 24;
const SHARED_BYTES: usize = SHARED_PAGES * PAGE;
struct Shared(UnsafeCell<[u8; SHARED_BYTES]>);
// SAFETY: one thread at a time touches it.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new([0; SHARED_BYTES]));

/// The exit code of a process that was ended because there was no memory for it.
const EXIT_NO_MEMORY: u32 = 0xffff_fffd;
const BYTES_A_WRITE: usize = 4096;
/// The channel of a greedy thread to its parent, which hears nothing.
const NEVER: u8 = 1;

fn main(arguments: libtos::Arguments) -> u32 {
    match arguments.iter().next() {
        Some("touch") => touch_everywhere(),
        Some("greed") => greed(),
        _ => test(),
    }
}

fn test() -> u32 {
    let verdict = Verdict::default();
    let probe = Probe::new(40, 100);
    if probe.ask().is_ok_and(|all| all.iter().any(|counters| counters[counter::FREE_PAGES] > MANY_PAGES)) {
        println!("{NAME}: there is too much to fill; take a machine with at most 1 MiB a processor");
        return 1;
    }
    // Once before, since each processor keeps the code that it has fetched for this process.
    verdict.check("files on every processor", on_all(2, fill_files) == 0 && on_all(20, remove_files) == 0);
    let before = probe.ask().and_then(|_| probe.ask());
    let touch = || invoke(NAME, b"touch\0", How::default()).and_then(await_end);
    verdict.check("a process that touches its memory everywhere", touch() == Ok(0));
    verdict.check("files that take all they can, everywhere", on_all(2, fill_files) == 0);
    verdict.check("the same process again", touch() == Ok(0));
    verdict.check("the files removed", on_all(20, remove_files) == 0);
    let greedy = invoke(NAME, b"greed\0", How { processor: Some(2), ..How::default() });
    verdict.check("a greedy process ends for it", greedy.and_then(await_end) == Ok(EXIT_NO_MEMORY));
    verdict.check("the first process once more", touch() == Ok(0));
    let leaks = before.and_then(|before| Ok(differences(&before, &probe.ask()?)));
    verdict.check("no leaks", leaks == Ok(0));
    println!("{NAME}: {} wrong", verdict.wrong());
    verdict.wrong()
}

/// Runs a thread on each processor, all at the same time, with ids from `id` on; how many failed or could not
/// be created.
fn on_all(id: u8, entry: extern "C" fn() -> !) -> u32 {
    let create_at = |place: u8| create(id + place, STACK_PAGES, place as i32, entry, stack_for(STACK_PAGES));
    let missing = (0..processors()).filter(|&place| create_at(place).is_err()).count() as u32;
    missing + wait()
}

/// Threads on all processors, one after the other, write to all that they share.
fn touch_everywhere() -> u32 {
    for place in 0..processors() {
        if create(2, STACK_PAGES, place as i32, touch, stack_for(STACK_PAGES)).is_err() {
            return 1;
        }
        if wait() != 0 {
            return 2;
        }
    }
    0
}

extern "C" fn touch() -> ! {
    touch_shared();
    exit(0)
}

fn touch_shared() {
    for page in 0..SHARED_PAGES {
        // SAFETY: inside the array, and see `Shared`.
        unsafe { SHARED.0.get().cast::<u8>().add(page * PAGE).write_volatile(page as u8) };
    }
}

/// Makes files on its processor until there is no more memory for them.
extern "C" fn fill_files() -> ! {
    let filled = (0u8..8).try_for_each(fill_file);
    exit(match filled {
        Err(Error::NoMemory) => 0,
        Err(error) => {
            println!("{NAME}: files on {}: {}", processor(), error.meaning());
            1
        }
        Ok(()) => 2,
    })
}

fn fill_file(number: u8) -> Result<(), Error> {
    let file = name(number, |name| File::open(name, flags::READ | flags::WRITE | flags::CREATE))?;
    let bytes = [number; BYTES_A_WRITE];
    (0..32).try_for_each(|place| file.write(place * BYTES_A_WRITE as u32, &bytes).map(drop))
}

fn name<T>(number: u8, act: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, Error> {
    let name = [b'f', b'i', b'l', b'l', b'0' + number];
    act(core::str::from_utf8(&name).unwrap_or_default())
}

extern "C" fn remove_files() -> ! {
    let there = (0u8..8).filter(|&number| {
        let is_there = name(number, |name| Ok(list().any(|entry| entry.name() == name)));
        is_there == Ok(true)
    });
    exit(there.map(|number| name(number, unlink).is_err() as u32).sum())
}

/// A thread elsewhere has all the stack that it can get, and then touches what its process shares. Its
/// parent waits for a word from it, which never comes.
fn greed() -> u32 {
    let elsewhere = processor() as i32 + 1;
    let mut pages = 400;
    // As large a stack as can be had: the address space or the processor's memory is the limit.
    while let Err(error) = create(2, pages, elsewhere, greedy, libtos::SECOND_STACK) {
        if !matches!(error, Error::NoMemory | Error::BadPointer) || pages <= 8 {
            println!("{NAME}: a stack of {pages} pages: {}", error.meaning());
            return 1;
        }
        pages -= 4;
    }
    let _ = receive(NEVER, &mut [0]);
    2
}

extern "C" fn greedy() -> ! {
    touch_shared();
    println!("{NAME}: there was memory for all");
    let _ = send_block(NEVER, &[0]);
    halt()
}
