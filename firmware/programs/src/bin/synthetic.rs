//! The report's `synthetic` (section 4.3.1, appendix A.6): `synthetic N KIND AMOUNT [BYTES [UNITS]]`
//! and the options of [`programs::crew`]. N threads compute (`compute`), N pairs of threads
//! communicate (`communicate`), or N threads in pairs do both, half of their time each (`mixed`).
//! AMOUNT is how many rounds each thread does, or with `s` or `ms` behind it how long they go on. A
//! round is so many UNITS of work, or a message of so many BYTES, or both.
//!
//! Work is a chain of numbers ([`testbed_kernel_core::work`]) whose end the first thread knows without
//! going it. Every message begins with a number that is checked and added up by both, and of every
//! sixteenth all bytes are checked.
#![no_std]
#![no_main]

use libtos::{clock, println, receive, send_block, thread_id, Arguments, Error};
use programs::crew::{self, Crew, Options, Started};
use testbed_kernel_core::task_graph::{begin, fill, is_made_of, key, FIRST, THREADS};
use testbed_kernel_core::work;

libtos::program!(main);

const PAGE_BYTES: u32 = 1024;
const BYTES: u32 = 1000;
const MOST_BYTES: u32 = 8192;
/// Units of work in a round that only computes, about 1 ms; and in one that communicates as well.
const UNITS: u32 = 10;
const MIXED_UNITS: u32 = 2;
/// One message in so many is checked whole.
const WHOLE: u32 = 16;

/// What the workers are told.
const ROUNDS: usize = 0;
const UNTIL_MS: usize = 1;
const MESSAGE: usize = 2;
const WORK: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Compute,
    Communicate,
    Mixed,
}

struct Plan {
    kind: Kind,
    workers: u32,
    rounds: u32,
    /// 0: until all rounds are done.
    time_ms: u32,
    bytes: u32,
    units: u32,
}

fn main(arguments: Arguments) -> u32 {
    let options = Options::parse(arguments, 5);
    match options.and_then(|options| Some((options, plan(&options)?))) {
        Some((options, plan)) => run(&options, &plan),
        None => {
            println!("usage: synthetic N compute|communicate|mixed ROUNDS|SECONDSs|MILLISECONDSms [BYTES [UNITS]]");
            println!("       {}", crew::USAGE);
            println!("       at most {THREADS} threads: N, of communicate 2 x N, of mixed N and even");
            println!("       BYTES 4 to {MOST_BYTES}, UNITS 1 to 1000000, ROUNDS x UNITS below 2^32");
            2
        }
    }
}

fn plan(options: &Options) -> Option<Plan> {
    let kind = match options.word(1)? {
        "compute" => Kind::Compute,
        "communicate" => Kind::Communicate,
        "mixed" => Kind::Mixed,
        _ => return None,
    };
    let count = options.number(0, 0).filter(|&count| count > 0)?;
    let workers = if kind == Kind::Communicate { count.checked_mul(2)? } else { count };
    let amount = options.word(2)?;
    let (rounds, time_ms) = match (amount.strip_suffix("ms"), amount.strip_suffix('s')) {
        (Some(text), _) => (u32::MAX, text.parse().ok()?),
        (_, Some(text)) => (u32::MAX, text.parse::<u32>().ok()?.checked_mul(1000)?),
        _ => (options.number(2, 0)?, 0),
    };
    let bytes = options.number(3, BYTES).filter(|bytes| (4..=MOST_BYTES).contains(bytes))?;
    let units = match kind {
        Kind::Compute => options.number(4, UNITS),
        Kind::Mixed => options.number(4, MIXED_UNITS),
        Kind::Communicate => (options.number(4, 1)? == 1).then_some(0),
    }?;
    let is_good = workers as usize <= THREADS
        && (kind != Kind::Mixed || workers % 2 == 0)
        && (kind == Kind::Communicate || (1..=1_000_000).contains(&units))
        && (time_ms > 0 || (rounds > 0 && rounds.checked_mul(units).is_some()));
    is_good.then_some(Plan { kind, workers, rounds, time_ms, bytes, units })
}

fn run(options: &Options, plan: &Plan) -> u32 {
    let until = if plan.time_ms > 0 { clock().saturating_add(plan.time_ms) } else { u32::MAX };
    for (index, value) in [(ROUNDS, plan.rounds), (UNTIL_MS, until), (MESSAGE, plan.bytes), (WORK, plan.units)] {
        crew::tell(index, value);
    }
    let (room_pages, entry): (u32, extern "C" fn() -> !) = match plan.kind {
        Kind::Compute => (0, computing),
        _ => (plan.bytes.div_ceil(PAGE_BYTES), communicating),
    };
    let crew = Crew { workers: plan.workers as u8, room_pages, entry };
    let Some(started) = crew.start(options, |_| None) else { return 2 };
    let (failed, took) = started.wait();
    let wrong = conclude(plan, &started, options.seed());
    println!("synthetic: {wrong} wrong, {failed} failed");
    started.print("synthetic", took);
    wrong + failed
}

/// Compares what the workers have left with what it must be. The result is how many differ.
fn conclude(plan: &Plan, started: &Started, seed: u32) -> u32 {
    let (mut wrong, mut all) = (0, 0u32);
    for id in started.ids() {
        let [rounds, sum, number] = crew::left(id);
        let enough = plan.time_ms > 0 || rounds == plan.rounds;
        let units = u64::from(rounds) * u64::from(plan.units);
        let mut right = enough && number == work::skipped(begin(seed, id), units);
        if plan.kind != Kind::Compute {
            let pair = u16::from((id - FIRST) / 2);
            right &= sum == (0..rounds).fold(0u32, |sum, number| sum.wrapping_add(key(seed, pair, number)));
            // Of both partners the same.
            right &= crew::left(FIRST + ((id - FIRST) ^ 1))[0] == rounds;
        }
        wrong += u32::from(!right);
        all = all.wrapping_add(rounds);
    }
    let Plan { workers, bytes, units, .. } = plan;
    match plan.kind {
        Kind::Compute => println!("synthetic: {workers} threads, {all} rounds of {units} units"),
        Kind::Communicate => println!("synthetic: {workers} threads, {} messages of {bytes} bytes", all / 2),
        Kind::Mixed => {
            println!(
                "synthetic: {workers} threads, {} messages of {bytes} bytes, {all} rounds of {units} units",
                all / 2
            )
        }
    }
    wrong
}

/// Whether there is another round after so many.
fn goes_on(rounds: u32) -> bool {
    rounds < crew::told(ROUNDS) && clock() < crew::told(UNTIL_MS)
}

extern "C" fn computing() -> ! {
    let (units, mut number, mut rounds) = (crew::told(WORK), begin(crew::seed(), thread_id()), 0);
    while goes_on(rounds) {
        number = work::done(number, units);
        rounds += 1;
    }
    crew::finish(true, [rounds, 0, number])
}

extern "C" fn communicating() -> ! {
    let sends = (thread_id() - FIRST) % 2 == 0;
    let done = if sends { send_all() } else { receive_all() };
    let (right, words) = done.unwrap_or_else(|error| crew::fail(error));
    crew::finish(right, words)
}

/// The pair of this thread: the number of its channel and of its messages' keys.
fn pair() -> u8 {
    (thread_id() - FIRST) / 2
}

/// The memory for this thread's messages.
fn message() -> &'static mut [u8] {
    // SAFETY: once a thread, whose frames are small.
    let room = unsafe { crew::room() };
    room.get_mut(..crew::told(MESSAGE) as usize).unwrap_or_default()
}

/// Sends all messages, and an empty one when it is over.
fn send_all() -> Result<(bool, [u32; 3]), Error> {
    let (seed, units, message) = (crew::seed(), crew::told(WORK), message());
    let (mut number, mut rounds, mut sum) = (begin(seed, thread_id()), 0, 0u32);
    let mut right = true;
    while goes_on(rounds) {
        number = work::done(number, units);
        let key = key(seed, pair().into(), rounds);
        let changed = if rounds % WHOLE == 0 { message.len() } else { 4 };
        fill(&mut message[..changed], key);
        right &= send_block(pair(), message)? == message.len();
        (sum, rounds) = (sum.wrapping_add(key), rounds + 1);
    }
    send_block(pair(), &[])?;
    Ok((right, [rounds, sum, number]))
}

/// Receives until an empty message comes.
fn receive_all() -> Result<(bool, [u32; 3]), Error> {
    let (seed, units, message) = (crew::seed(), crew::told(WORK), message());
    let (mut number, mut rounds, mut sum) = (begin(seed, thread_id()), 0, 0u32);
    let mut right = true;
    loop {
        let bytes = receive(pair(), message)?;
        if bytes == 0 {
            return Ok((right, [rounds, sum, number]));
        }
        number = work::done(number, units);
        let key = key(seed, pair().into(), rounds);
        let checked = if rounds % WHOLE == 0 { message.len() } else { 4 };
        right &= bytes == message.len() && is_made_of(&message[..checked], key);
        let first = message.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        (sum, rounds) = (sum.wrapping_add(first), rounds + 1);
    }
}
