//! Threads on all processors share the process's memory, and check every word: pages that are
//! handed on, copied, fought for, and gone when a message comes for them. Every processor but the
//! first runs code that it has to fetch. Arguments: `[ROUNDS]`, 4 by default, `[ADDITIONS]` to a
//! page that all fight for, 200 by default.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use libtos::pattern::{fill, Buffer, Check};
use libtos::process::counter;
use libtos::{
    create, exit, halt, migrate_self, println, processor, processors, receive, send_block, stack_for, thread_id, wait,
    yield_now, Error, Place,
};
use programs::probe::{Counters, Probe};

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Thread on processor 0, and the channels to it and from it; those of the other processors follow.
const FIRST: u8 = 2;
const TO: u8 = 16;
const FROM: u8 = 32;
const PROBES: u8 = 48;
const PROBE_CHANNELS: u8 = 64;
/// Channels of messages into [`HALVES`].
const MESSAGES: u8 = 80;

/// Pages, as the threads share them.
#[repr(C, align(1024))]
struct Shared<const WORDS: usize>([AtomicU32; WORDS]);
/// Eight pages, handed on from thread to thread.
static TABLE: Shared<2048> = Shared([const { AtomicU32::new(0) }; 2048]);
/// A word for each thread, all in one page.
static COUNTS: Shared<256> = Shared([const { AtomicU32::new(0) }; 256]);
/// Constants, and data with a value that only the file has.
static SQUARES: [u32; 512] = squares();
static CUBES: Shared<300> = cubes();
/// Where the parent's words are.
static PARENTS: AtomicU32 = AtomicU32::new(0);

const fn squares() -> [u32; 512] {
    let mut table = [0; 512];
    let mut index = 0;
    while index < table.len() {
        table[index] = (index * index) as u32;
        index += 1;
    }
    table
}

const fn cubes() -> Shared<300> {
    let mut table = [const { AtomicU32::new(0) }; 300];
    let mut index = 0;
    while index < table.len() {
        table[index] = AtomicU32::new((index * index * index) as u32);
        index += 1;
    }
    Shared(table)
}

/// Words of a page that are two buffers.
const HALF: usize = 128;
/// A page whose halves threads of two processors receive into.
#[repr(C, align(1024))]
struct Halves(core::cell::UnsafeCell<[u32; 2 * HALF]>);
// SAFETY: every half is one thread's.
unsafe impl Sync for Halves {}
static HALVES: Halves = Halves(core::cell::UnsafeCell::new([0; 2 * HALF]));

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([rounds, additions]) = arguments.numbers([4u32, 200]) else {
        println!("usage: pages [ROUNDS [ADDITIONS]]");
        return 2;
    };
    match run(rounds, additions) {
        Ok(wrong) => {
            println!("pages: {wrong} wrong");
            (wrong != 0) as u32
        }
        Err(error) => {
            println!("pages: {}", error.meaning());
            halt();
        }
    }
}

/// What the threads do when they are told.
type Work = fn(argument: u32) -> u32;
const WORK: [Work; 7] = [hand_on, read_table, read_constants, read_parent, add, receive_halves, read_deep];

/// A thread with a stack of nearly all pages that are left, which all others read; its id, its
/// channel, and where its stack ends.
const DEEP_PAGES: u32 = 420;
const DEEP: u8 = 40;
const DEEP_CHANNEL: u8 = 100;
static DEEP_TOP: AtomicU32 = AtomicU32::new(0);

fn run(rounds: u32, additions: u32) -> Result<u32, Error> {
    let probe = Probe::new(PROBES, PROBE_CHANNELS);
    let before = probe.ask()?;
    for at in 0..processors() {
        create(FIRST + at, STACK_PAGES, at as i32, obey, stack_for(STACK_PAGES))?;
    }
    let mut wrong = 0;
    for round in 0..rounds {
        for at in 0..processors() {
            wrong += tell(at, 0, round * processors() as u32 + at as u32)?;
        }
        wrong += tell_all(1, (round + 1) * processors() as u32)?;
    }
    println!("a table handed on {} times: {wrong} wrong", rounds * processors() as u32);

    let constants = tell_all(2, 0)?;
    println!("constants and data of the file: {constants} wrong");

    let words: [u32; 600] = core::array::from_fn(|index| index as u32 ^ 0x5a5a);
    PARENTS.store(words.as_ptr() as u32, Relaxed);
    let parents = tell_all(3, words.len() as u32)?;
    println!("the parent's stack: {parents} wrong");

    let mut added = tell_all(4, additions)?;
    for at in 0..processors() as usize {
        added += (COUNTS.0[16 * at].load(Relaxed) != additions) as u32;
    }
    println!("{additions} additions by each to words of one page: {added} wrong");

    let messages = send_halves(additions)?;
    println!("{additions} messages to each half of a page: {messages} wrong");

    let deep = deep_stacks()?;
    println!("a stack of {DEEP_PAGES} pages that all read, twice: {deep} wrong");

    for at in 0..processors() {
        send_block(TO + at, &[])?;
    }
    wrong += constants + parents + added + messages + deep + wait();
    let after = probe.ask()?;
    let staged = sum(&after, counter::STAGED) - sum(&before, counter::STAGED);
    println!("messages that waited for a page: {}", if staged != 0 { "some" } else { "none" });
    Ok(wrong)
}

fn sum(counters: &Counters, counter: usize) -> u32 {
    counters.iter().map(|words| words[counter]).sum()
}

/// Has one thread do something; the answer is how much was wrong.
fn tell(at: u8, work: u32, argument: u32) -> Result<u32, Error> {
    order(at, work, argument)?;
    answer(at)
}

fn tell_all(work: u32, argument: u32) -> Result<u32, Error> {
    (0..processors()).try_for_each(|at| order(at, work, argument))?;
    (0..processors()).try_fold(0, |wrong, at| Ok(wrong + answer(at)?))
}

fn order(at: u8, work: u32, argument: u32) -> Result<(), Error> {
    let mut words = [0; 8];
    words[..4].copy_from_slice(&work.to_le_bytes());
    words[4..].copy_from_slice(&argument.to_le_bytes());
    send_block(TO + at, &words).map(drop)
}

fn answer(at: u8) -> Result<u32, Error> {
    let mut word = [0; 4];
    receive(FROM + at, &mut word)?;
    Ok(u32::from_le_bytes(word))
}

extern "C" fn obey() -> ! {
    let mut order = [0; 8];
    let at = processor();
    while let Ok(8) = receive(TO + at, &mut order) {
        let [work, argument] =
            [0, 4].map(|from| u32::from_le_bytes(order[from..from + 4].try_into().unwrap_or_default()));
        let wrong = WORK[work as usize](argument);
        if send_block(FROM + at, &wrong.to_le_bytes()).is_err() {
            exit(1);
        }
    }
    exit(0)
}

/// Checks every word of the table, and makes it ready for the next thread.
fn hand_on(turn: u32) -> u32 {
    let mut wrong = 0;
    for (index, word) in TABLE.0.iter().enumerate() {
        wrong += (word.load(Relaxed) != value(index, turn)) as u32;
        word.store(value(index, turn + 1), Relaxed);
    }
    wrong
}

fn read_table(turn: u32) -> u32 {
    TABLE.0.iter().enumerate().map(|(index, word)| (word.load(Relaxed) != value(index, turn)) as u32).sum()
}

fn value(index: usize, turn: u32) -> u32 {
    turn.wrapping_mul(index as u32 * 2 + 1)
}

fn read_constants(_: u32) -> u32 {
    let squares = SQUARES.iter().enumerate().map(|(index, &square)| (square != (index * index) as u32) as u32);
    let cube = |(index, cube): (usize, &AtomicU32)| (cube.load(Relaxed) != (index * index * index) as u32) as u32;
    squares.sum::<u32>() + CUBES.0.iter().enumerate().map(cube).sum::<u32>()
}

fn read_parent(words: u32) -> u32 {
    let start = PARENTS.load(Relaxed) as *const u32;
    // SAFETY: the parent waits, and has that many words there.
    let word = |index: usize| unsafe { start.add(index).read_volatile() };
    (0..words as usize).map(|index| (word(index) != index as u32 ^ 0x5a5a) as u32).sum()
}

fn add(times: u32) -> u32 {
    let mine = &COUNTS.0[16 * processor() as usize];
    for time in 0..times {
        if mine.load(Relaxed) != time {
            return 1;
        }
        mine.store(time + 1, Relaxed);
    }
    0
}

/// The second thread has the first one's stack: all copies of its pages must have gone.
fn deep_stacks() -> Result<u32, Error> {
    let top = stack_for(DEEP_PAGES);
    DEEP_TOP.store(top, Relaxed);
    let mut wrong = 0;
    for turn in 0..2u8 {
        // The first one's stack is free when its ends have been told everywhere; there is no other way to know.
        while let Err(error) = create(DEEP + turn, DEEP_PAGES, (processors() - 1) as i32, deep, top) {
            if error != Error::BadPointer {
                return Err(error);
            }
            yield_now();
        }
        receive(DEEP_CHANNEL + 2 * turn, &mut [])?;
        wrong += tell_all(6, turn as u32)?;
        send_block(DEEP_CHANNEL + 2 * turn + 1, &[])?;
    }
    Ok(wrong)
}

/// Word of a page of the deep stack.
fn deep_word(page: u32) -> *mut u32 {
    (DEEP_TOP.load(Relaxed) - 1024 * (page + 1)) as *mut u32
}

extern "C" fn deep() -> ! {
    let turn = thread_id() - DEEP;
    // The uppermost pages are in use.
    for page in 4..DEEP_PAGES {
        // SAFETY: in this thread's stack, far below its stack pointer.
        unsafe { deep_word(page).write_volatile(page << turn) };
    }
    let told = send_block(DEEP_CHANNEL + 2 * turn, &[]).and_then(|_| receive(DEEP_CHANNEL + 2 * turn + 1, &mut []));
    // It ends where it is not the owner, so that everybody is asked for everything.
    exit(told.and_then(|_| migrate_self(Place::Processor(0))).is_err() as u32)
}

fn read_deep(turn: u32) -> u32 {
    // SAFETY: the thread whose stack it is waits.
    (4..DEEP_PAGES).map(|page| unsafe { deep_word(page).read_volatile() != page << turn } as u32).sum()
}

/// Messages to the threads on the last two processors, which receive into the same page.
fn send_halves(messages: u32) -> Result<u32, Error> {
    let last = processors() - 1;
    let pair = [last.saturating_sub(1), last];
    let places = if pair[0] == last { 1 } else { 2 };
    for &at in &pair[..places] {
        order(at, 5, messages)?;
    }
    let mut message = Buffer::<HALF>::new();
    for number in 0..messages {
        fill(&mut message, number);
        for &at in &pair[..places] {
            send_block(MESSAGES + at, &message)?;
        }
    }
    pair[..places].iter().try_fold(0, |wrong, &at| Ok(wrong + answer(at)?))
}

fn receive_halves(messages: u32) -> u32 {
    let at = processor();
    // SAFETY: even and odd processors' halves don't overlap, and only one of each is told to do this.
    let half = unsafe {
        let start = HALVES.0.get().cast::<u32>().add(HALF * (at as usize % 2));
        core::slice::from_raw_parts_mut(start.cast::<u8>(), 4 * HALF)
    };
    let mut check = Check::default();
    for number in 0..messages {
        match receive(MESSAGES + at, half) {
            Ok(bytes) if bytes == half.len() => check.add(half),
            _ => return messages - number,
        }
        yield_now();
    }
    check.wrong
}
