//! What the report's programs `local` and `remote` have in common (report, appendix A): one thread
//! sends messages of growing length on a channel, another receives them. They differ in where the
//! second thread runs.
#![no_std]

pub mod balancer;
pub mod bsp_long;
pub mod bsp_reference;
pub mod bulk;
pub mod chatter;
pub mod crew;
pub mod monitor;
pub mod names;
pub mod probe;
pub mod trial;
pub mod verdict;
pub mod victim;
pub mod words;

use libtos::console::Line;
use libtos::pattern::{fill, Buffer, Check};
use libtos::{compute_ms, create, exit, halt, receive, send_block, wait, Arguments, Error, SECOND_STACK};
use testbed_kernel_core::schedule::{Schedule, MAX_MSG};

const CHANNEL: u8 = 1;
/// Milliseconds of computing before a message, unless told otherwise.
const COMPUTE_MS: u32 = 10;
/// Thread number of the receiver; the first thread of a program is 1.
const RECEIVER: u8 = 2;
/// Longest message, in bytes, of a plan that a processor with 64 KiB of RAM has room for.
const SHORT: usize = 256;
const SHORT_WORDS: usize = SHORT / 4;
const WORDS: usize = MAX_MSG.div_ceil(4);
/// Pages of the receiver's stack: room for a message, and for printing.
const SHORT_PAGES: u32 = 2;
const PAGES: u32 = 16;

/// How long to go on: the program's arguments.
struct Plan {
    schedule: Schedule,
    /// Before each message; five times as long before each new length.
    compute_ms: u32,
    /// Whether every byte is checked. The report's programs look at none, so that their receiver asks again at once.
    checks: bool,
}

impl Plan {
    fn parse(arguments: Arguments) -> Option<Plan> {
        let [steps, repetitions, compute_ms, checks] =
            arguments.numbers([Schedule::STEPS as u32, Schedule::REPETITIONS, COMPUTE_MS, 1])?;
        Some(Plan { schedule: Schedule::new(steps as usize, repetitions)?, compute_ms, checks: checks != 0 })
    }

    fn is_short(&self) -> bool {
        self.schedule.longest() <= SHORT
    }

    /// Where the receiver begins, and the pages of its stack.
    fn receiver(&self) -> (extern "C" fn() -> !, u32) {
        match (self.is_short(), self.checks) {
            (false, true) => (receiver::<WORDS, true>, PAGES),
            (false, false) => (receiver::<WORDS, false>, PAGES),
            (true, true) => (receiver::<SHORT_WORDS, true>, SHORT_PAGES),
            (true, false) => (receiver::<SHORT_WORDS, false>, SHORT_PAGES),
        }
    }
}

/// The whole program, with the receiver on `processor`. Returns the exit code: 0 if every byte arrived.
///
/// It neither formats nor panics, which would take most of a small processor's RAM.
pub fn exchange(name: &str, arguments: Arguments, processor: u8) -> u32 {
    let Some(plan) = Plan::parse(arguments) else {
        let mut line = Line::new();
        line.text("usage: ").text(name).text(" [STEPS (1 to ").number(MAX_MSG as u32);
        line.text(") [REPETITIONS [COMPUTE_MS [CHECK (0 or 1)]]]]").end();
        return 2;
    };
    let (entry, pages) = plan.receiver();
    if let Err(error) = create(RECEIVER, pages, processor as i32, entry, SECOND_STACK) {
        failed(name, ": cannot create the receiver: ", error);
        return 1;
    }
    let sent = if plan.is_short() { send_from::<SHORT_WORDS>(&plan) } else { send_from::<WORDS>(&plan) };
    let (messages, bytes) = match sent {
        Ok(sent) => sent,
        Err(error) => {
            failed(name, ": send: ", error);
            halt();
        }
    };
    let failed = wait();
    let verdict = if failed == 0 { ": all received" } else { ": NOT all received" };
    let mut line = Line::new();
    line.text(name).text(": sent ").number(messages).text(" messages, ").number(bytes);
    line.text(" bytes from processor ").number(libtos::processor() as u32).text(verdict).end();
    (failed != 0) as u32
}

fn failed(name: &str, what: &str, error: Error) {
    Line::new().text(name).text(what).text(error.meaning()).end();
}

// Not in line: a thread's stack must not hold the buffer that it does not use.
#[inline(never)]
fn send_from<const WORDS: usize>(plan: &Plan) -> Result<(u32, u32), Error> {
    send_all(plan, &mut Buffer::<WORDS>::new())
}

/// Sends all messages and the empty one that ends them. Returns how many, and their bytes.
fn send_all(plan: &Plan, buffer: &mut [u8]) -> Result<(u32, u32), Error> {
    let (mut messages, mut bytes) = (0, 0);
    for length in plan.schedule.lengths() {
        let message = buffer.get_mut(..length).unwrap_or_default();
        compute_ms(5 * plan.compute_ms);
        for _ in 0..plan.schedule.repetitions() {
            if plan.checks {
                fill(message, messages);
            }
            compute_ms(plan.compute_ms);
            bytes += send_block(CHANNEL, message)? as u32;
            messages += 1;
        }
    }
    send_block(CHANNEL, &[])?;
    Ok((messages, bytes))
}

/// The second thread: checks every byte, or as in the report only counts.
extern "C" fn receiver<const WORDS: usize, const CHECKS: bool>() -> ! {
    let mut buffer = Buffer::<WORDS>::new();
    if CHECKS {
        receive_and_check(&mut buffer)
    } else {
        receive_carelessly(&mut buffer)
    }
}

/// Receives until an empty message comes, and hands each on.
fn receive_all(buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    loop {
        match receive(CHANNEL, buffer) {
            Ok(0) => return,
            Ok(bytes) => take(buffer.get(..bytes).unwrap_or_default()),
            Err(error) => {
                failed("receive", ": ", error);
                exit(1);
            }
        }
    }
}

/// What was received: the line that both ways begin.
fn received(messages: u32, bytes: u32) -> Line {
    let mut line = Line::new();
    line.text("received ").number(messages).text(" messages, ").number(bytes);
    line.text(" bytes on processor ").number(libtos::processor() as u32);
    line
}

fn receive_carelessly(buffer: &mut [u8]) -> ! {
    let (mut messages, mut bytes) = (0u32, 0);
    receive_all(buffer, |message| {
        messages += 1;
        bytes += message.len() as u32;
    });
    received(messages, bytes).text(": none looked at").end();
    exit(0)
}

fn receive_and_check(buffer: &mut [u8]) -> ! {
    let mut check = Check::default();
    receive_all(buffer, |message| check.add(message));
    let Check { messages, bytes, wrong, checksum } = check;
    received(messages, bytes).text(": ").number(wrong).text(" wrong, sum ").hexadecimal(checksum).end();
    exit((wrong != 0) as u32)
}
