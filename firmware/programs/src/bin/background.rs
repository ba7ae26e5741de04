//! Runs a program on a busy machine (report, section 3.3.5):
//! `background PAIRS COMPUTING PROGRAM [ARGUMENTS]`. The load is that of the report's `synthetic`
//! (appendix A.6): COMPUTING threads on every slave compute without end, and PAIRS pairs of threads
//! on neighbouring slaves compute a little and communicate. PROGRAM starts, on the first thread's
//! own processor, when every thread of the load has gone its first round; the load ends when
//! PROGRAM has ended. All have the same priority.
//!
//! Every byte that the pairs exchange is checked. The exit code is PROGRAM's.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering};

use libtos::pattern::{fill, Buffer, Check};
use libtos::process::{await_end, invoke, How};
use libtos::random::Random;
use libtos::{
    compute_ms, compute_us, create, exit, halt, println, processors, receive, send_block, stack_for, thread_id, wait,
    Arguments, Error,
};
use testbed_definitions::limits::THREADS;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Threads that a program can have beside its first.
const MOST_THREADS: u32 = THREADS as u32 - 2;
/// Id of the first thread of the load: pairs, sender first, then those that compute.
const FIRST: u8 = 2;
/// Channel to the first thread from thread `n`: `REPORT + n`. The channels below are the pairs'.
const REPORT: u8 = 64;
/// Bytes of the longest message.
const MAX_MSG: u32 = 1024;
/// A pair's partners each compute so long at most between two messages.
const LONGEST_US: u32 = 2000;

/// The program has ended. Written once, so that every processor reads its own copy of the page until then.
static OVER: AtomicBool = AtomicBool::new(false);

/// How many threads make the load.
#[derive(Clone, Copy)]
struct Load {
    pairs: u32,
    /// On every slave.
    computing: u32,
    slaves: u32,
}

fn main(arguments: Arguments) -> u32 {
    // A machine of one processor has no slaves.
    let slaves = (processors() as u32 - 1).max(1);
    let (Some(pairs), Some(computing), Some(program)) =
        (arguments.number(0, 0u32), arguments.number(1, 0u32), arguments.iter().nth(2))
    else {
        return usage(slaves);
    };
    let load = Load { pairs, computing, slaves };
    if load.threads().is_none_or(|threads| threads > MOST_THREADS) {
        return usage(slaves);
    }
    run(load, program, arguments).unwrap_or_else(|error| fail(error))
}

fn usage(slaves: u32) -> u32 {
    println!("usage: background PAIRS COMPUTING PROGRAM [ARGUMENTS]");
    println!("       2 x PAIRS + {slaves} x COMPUTING is {MOST_THREADS} at most");
    2
}

/// Ends the load too.
fn fail(error: Error) -> ! {
    println!("background: {}", error.meaning());
    halt()
}

impl Load {
    fn threads(self) -> Option<u32> {
        self.pairs.checked_mul(2)?.checked_add(self.computing.checked_mul(self.slaves)?)
    }

    /// The processor of slave `index`, counted round.
    fn place(self, index: u32) -> i32 {
        (u32::from(processors() > 1) + index % self.slaves) as i32
    }

    /// Starts all threads; every one has gone a round when it returns.
    fn start(self) -> Result<u8, Error> {
        let mut next = FIRST;
        let mut begin = |entry, place| {
            create(next, STACK_PAGES, place, entry, stack_for(STACK_PAGES))?;
            next += 1;
            Ok(())
        };
        for pair in 0..self.pairs {
            begin(sender, self.place(pair))?;
            begin(receiver, self.place(pair + 1))?;
        }
        for index in 0..self.computing * self.slaves {
            begin(computer, self.place(index))?;
        }
        for id in FIRST..next {
            receive(REPORT + id, &mut [])?;
        }
        Ok(next)
    }
}

fn run(load: Load, program: &str, arguments: Arguments) -> Result<u32, Error> {
    let next = load.start()?;
    let code = await_end(invoke(program, arguments.after(3), How::default())?)?;
    OVER.store(true, Ordering::Relaxed);
    let failed = conclude(load, next)?;
    Ok(if failed == 0 { code } else { 1 })
}

/// Gathers what the threads did, prints it, and waits for their ends. The result is how many
/// failed, and how many pairs differ in their counts.
fn conclude(load: Load, next: u8) -> Result<u32, Error> {
    let computing = FIRST + 2 * load.pairs as u8;
    let (mut messages, mut bytes, mut rounds, mut wrong) = (0, 0, 0, 0);
    for id in (FIRST..computing).step_by(2) {
        let (sent, received) = (Done::receive(id)?, Done::receive(id + 1)?);
        wrong += u32::from(sent != received);
        messages += received.count;
        bytes += received.bytes;
    }
    for id in computing..next {
        rounds += Done::receive(id)?.count;
    }
    let failed = wait() + wrong;
    println!("background: {messages} messages, {} KB, {rounds} ms of computing, {failed} failed", bytes / 1024);
    Ok(failed)
}

/// What a thread of the load has done.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Done {
    /// Messages, or milliseconds of computing.
    count: u32,
    bytes: u32,
}

impl Done {
    fn receive(id: u8) -> Result<Done, Error> {
        let (mut count, mut bytes) = ([0; 4], [0; 4]);
        receive(REPORT + id, &mut count)?;
        receive(REPORT + id, &mut bytes)?;
        Ok(Done { count: u32::from_le_bytes(count), bytes: u32::from_le_bytes(bytes) })
    }

    fn report(self) -> Result<(), Error> {
        let channel = REPORT + thread_id();
        send_block(channel, &self.count.to_le_bytes())?;
        send_block(channel, &self.bytes.to_le_bytes()).map(drop)
    }
}

/// Tells the first thread that this one has gone its first round.
fn begun() -> Result<(), Error> {
    send_block(REPORT + thread_id(), &[]).map(drop)
}

fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// The channel of this thread's pair.
fn channel() -> u8 {
    (thread_id() - FIRST) / 2
}

extern "C" fn sender() -> ! {
    send_all().unwrap_or_else(|error| fail(error));
    exit(0)
}

/// Sends messages of random lengths, and an empty one when it is over.
fn send_all() -> Result<(), Error> {
    let mut random = Random::new(thread_id().into());
    let mut buffer = Buffer::<{ MAX_MSG as usize / 4 }>::new();
    let mut done = Done::default();
    while !is_over() {
        let length = 1 + random.below(MAX_MSG);
        compute_us(random.below(LONGEST_US));
        fill(&mut buffer[..length as usize], done.count);
        send_block(channel(), &buffer[..length as usize])?;
        done = Done { count: done.count + 1, bytes: done.bytes + length };
        if done.count == 1 {
            begun()?;
        }
    }
    send_block(channel(), &[])?;
    done.report()
}

extern "C" fn receiver() -> ! {
    let wrong = receive_all().unwrap_or_else(|error| fail(error));
    exit((wrong != 0) as u32)
}

/// Receives until an empty message comes. The result is how many words were wrong.
fn receive_all() -> Result<u32, Error> {
    let mut random = Random::new(thread_id().into());
    let mut buffer = Buffer::<{ MAX_MSG as usize / 4 }>::new();
    let mut check = Check::default();
    loop {
        let bytes = receive(channel(), &mut buffer)?;
        if bytes == 0 {
            break;
        }
        check.add(&buffer[..bytes]);
        if check.messages == 1 {
            begun()?;
        }
        compute_us(random.below(LONGEST_US));
    }
    Done { count: check.messages, bytes: check.bytes }.report()?;
    Ok(check.wrong)
}

extern "C" fn computer() -> ! {
    compute().unwrap_or_else(|error| fail(error));
    exit(0)
}

fn compute() -> Result<(), Error> {
    let mut done = Done::default();
    while !is_over() {
        compute_ms(1);
        done.count += 1;
        if done.count == 1 {
            begun()?;
        }
    }
    done.report()
}
