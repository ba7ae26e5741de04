//! What the report's programs `local` and `remote` have in common (report, appendix A): one thread sends messages of growing
//! length on a channel, another receives them. They differ in where the second thread runs.
#![no_std]

pub mod chatter;
pub mod monitor;
pub mod probe;
pub mod verdict;
pub mod victim;

use libtos::pattern::{fill, Buffer, Check};
use libtos::{compute_ms, create, exit, halt, println, receive, send_block, stack_for, wait, Arguments};
use testbed_kernel_core::schedule::{Schedule, MAX_MSG};

const CHANNEL: u8 = 1;
/// Thread number of the receiver; the first thread of a program is 1.
const RECEIVER: u8 = 2;
/// Room for a message, and for printing.
const STACK_PAGES: u32 = 16;

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
        let (steps, repetitions) = (arguments.number(0, Schedule::STEPS)?, arguments.number(1, Schedule::REPETITIONS)?);
        Some(Plan {
            schedule: Schedule::new(steps, repetitions)?,
            compute_ms: arguments.number(2, 10)?,
            checks: arguments.number(3, 1u32)? != 0,
        })
    }
}

/// The whole program, with the receiver on `processor`. Returns the exit code: 0 if every byte arrived.
pub fn exchange(name: &str, arguments: Arguments, processor: u8) -> u32 {
    let Some(plan) = Plan::parse(arguments) else {
        println!("usage: {name} [STEPS (1 to {MAX_MSG}) [REPETITIONS [COMPUTE_MS [CHECK (0 or 1)]]]]");
        return 2;
    };
    let entry = if plan.checks { receiver } else { careless_receiver };
    if let Err(error) = create(RECEIVER, STACK_PAGES, processor as i32, entry, stack_for(STACK_PAGES)) {
        println!("{name}: cannot create the receiver: {}", error.meaning());
        return 1;
    }
    let (messages, bytes) = match send_all(&plan) {
        Ok(sent) => sent,
        Err(error) => {
            println!("{name}: send: {}", error.meaning());
            halt();
        }
    };
    let failed = wait();
    let verdict = if failed == 0 { "all received" } else { "NOT all received" };
    println!("{name}: sent {messages} messages, {bytes} bytes from processor {}: {verdict}", libtos::processor());
    (failed != 0) as u32
}

/// Sends all messages and the empty one that ends them. Returns how many, and their bytes.
fn send_all(plan: &Plan) -> Result<(u32, u32), libtos::Error> {
    let mut buffer = Buffer::<{ MAX_MSG.div_ceil(4) }>::new();
    let (mut messages, mut bytes) = (0, 0);
    for length in plan.schedule.lengths() {
        compute_ms(5 * plan.compute_ms);
        for _ in 0..plan.schedule.repetitions() {
            if plan.checks {
                fill(&mut buffer[..length], messages);
            }
            compute_ms(plan.compute_ms);
            bytes += send_block(CHANNEL, &buffer[..length])? as u32;
            messages += 1;
        }
    }
    send_block(CHANNEL, &[])?;
    Ok((messages, bytes))
}

/// Receives until an empty message comes, and hands each on.
fn receive_all(mut take: impl FnMut(&[u8])) {
    let mut buffer = Buffer::<{ MAX_MSG.div_ceil(4) }>::new();
    loop {
        match receive(CHANNEL, &mut buffer) {
            Ok(0) => return,
            Ok(bytes) => take(&buffer[..bytes]),
            Err(error) => {
                println!("receive: {}", error.meaning());
                exit(1);
            }
        }
    }
}

/// The second thread as in the report: it only counts.
extern "C" fn careless_receiver() -> ! {
    let (mut messages, mut bytes) = (0u32, 0);
    receive_all(|message| {
        messages += 1;
        bytes += message.len() as u32;
    });
    println!("received {messages} messages, {bytes} bytes on processor {}: none looked at", libtos::processor());
    exit(0)
}

/// The second thread: checks every byte.
extern "C" fn receiver() -> ! {
    let mut check = Check::default();
    receive_all(|message| check.add(message));
    let Check { messages, bytes, wrong, checksum } = check;
    let processor = libtos::processor();
    println!(
        "received {messages} messages, {bytes} bytes on processor {processor}: {wrong} wrong, sum {checksum:#010x}"
    );
    exit((wrong != 0) as u32)
}
