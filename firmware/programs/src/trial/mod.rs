//! The interpreter behind the program `trial`: a script of steps for each thread, which
//! `host-tools/tests/random` makes at random together with what must come out.
//!
//! A script is words of 32 bits: [`THREADS_AT`] has how many threads there are, then come their
//! records ([`RECORD`] words each: where its steps begin, in words; the address above its stack;
//! that stack's pages), then the steps, each an operation and its operands.

mod message;
mod steps;

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::console::{self, Line};
use libtos::file::{flags, File};
use libtos::lock::Lock;
use libtos::{create, exit, halt, thread_id, Error};

pub use message::Message;

/// Words of a script at most, bytes that messages may lie in beside stacks, and words that all
/// threads add to.
const SCRIPT_WORDS: usize = 12 * 1024;
const ARENA_BYTES: usize = 128 * 1024;
const CELLS: usize = 16;
/// Threads of a script at most; thread `n` has the id `n + 1`.
const THREADS: usize = 32;
/// Words of a script: its mark, how many threads it has, and the first of their records.
const MARK: u32 = 0x4c52_4954;
const THREADS_AT: usize = 1;
const RECORDS_AT: usize = 2;
const RECORD: usize = 3;
/// What a thread prints when it has done a step: this and its id.
const PROGRESS: u8 = 0x80;

/// Memory that all threads share.
#[repr(C, align(1024))]
struct Memory<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);
// SAFETY: the script says who uses which part of it; what several use at a time they access by
// volatile words only.
unsafe impl<const BYTES: usize> Sync for Memory<BYTES> {}

static SCRIPT: Memory<{ 4 * SCRIPT_WORDS }> = Memory(UnsafeCell::new([0; 4 * SCRIPT_WORDS]));
static ARENA: Memory<ARENA_BYTES> = Memory(UnsafeCell::new([0; ARENA_BYTES]));
static LOCK: Lock = Lock::new();
static ADDED: [AtomicU32; CELLS] = [const { AtomicU32::new(0) }; CELLS];
/// What each thread has received, and how many of its steps went wrong.
static SUMS: [AtomicU32; THREADS] = [const { AtomicU32::new(0) }; THREADS];
static WRONG: [AtomicU32; THREADS] = [const { AtomicU32::new(0) }; THREADS];

/// Word `index` of the script.
fn word(index: usize) -> u32 {
    if index >= SCRIPT_WORDS {
        return 0;
    }
    // SAFETY: inside, and nobody writes to it once there are threads.
    unsafe { SCRIPT.0.get().cast::<u32>().add(index).read_volatile() }
}

/// A thread that obeys its part of the script.
pub struct Actor {
    me: usize,
    /// Where the next word of the script is.
    at: usize,
    /// The number of the step, for messages.
    step: u32,
    /// The lowest address of its stack, from which on messages may lie in it.
    bottom: usize,
    sum: u32,
    wrong: u32,
}

impl Actor {
    fn new(me: usize) -> Self {
        let record = RECORDS_AT + RECORD * me;
        let (top, pages) = (word(record + 1) as usize, word(record + 2) as usize);
        let bottom = top - 1024 * pages;
        Actor { me, at: word(record) as usize, step: 0, bottom, sum: 0, wrong: 0 }
    }

    /// The next word of the script.
    fn next(&mut self) -> u32 {
        self.at += 1;
        word(self.at - 1)
    }

    /// Obeys until the script ends; the first thing that cannot be done ends the program.
    fn run(mut self) -> u32 {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    Line::new()
                        .text("thread ")
                        .number(self.me as u32)
                        .text(", step ")
                        .number(self.step)
                        .text(": ")
                        .text(error.meaning())
                        .end();
                    halt();
                }
            }
            self.step += 1;
            console::write(&[PROGRESS + self.me as u8 + 1]);
        }
        SUMS[self.me].store(self.sum, Relaxed);
        WRONG[self.me].store(self.wrong, Relaxed);
        self.wrong
    }

    /// Says that something is not as the script says.
    fn check(&mut self, is_right: bool, what: &str, found: u32) {
        if !is_right {
            self.wrong += 1;
            let mut line = Line::new();
            line.text("thread ").number(self.me as u32).text(", step ").number(self.step).text(": wrong ").text(what);
            line.text(", found ").number(found).end();
        }
    }

    /// Creates thread `child` of the script.
    fn create(&self, child: usize, processor: i32) -> Result<(), Error> {
        let record = RECORDS_AT + RECORD * child;
        create(child as u8 + 1, word(record + 2), processor, obey, word(record + 1)).map(drop)
    }
}

extern "C" fn obey() -> ! {
    exit(u32::from(Actor::new(thread_id() as usize - 1).run() != 0))
}

/// Reads the script in file `name` and obeys it. Prints every thread's sum and the cells; the
/// result is how many threads failed.
///
/// # Errors
/// There is no script.
pub fn run(name: &str) -> Result<u32, Error> {
    let file = File::open(name, flags::READ)?;
    // SAFETY: there are no other threads yet.
    let script = unsafe { &mut *SCRIPT.0.get() };
    file.read(0, script)?;
    if word(0) != MARK {
        return Err(Error::BadProgram);
    }
    let wrong = Actor::new(0).run();
    for (thread, sum) in SUMS.iter().enumerate().take(word(THREADS_AT) as usize) {
        let mut line = Line::new();
        line.text("thread ").number(thread as u32).text(": ").hexadecimal(sum.load(Relaxed)).end();
    }
    let cells = ADDED.iter().fold(0u32, |all, cell| all.wrapping_mul(31).wrapping_add(cell.load(Relaxed)));
    Line::new().text("cells: ").hexadecimal(cells).end();
    Ok(wrong + WRONG[1..].iter().map(|wrong| wrong.load(Relaxed)).sum::<u32>())
}
