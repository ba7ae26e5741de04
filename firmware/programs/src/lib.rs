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

const MAX_MSG: usize = 5000;
const CHANNEL: u8 = 1;
/// Thread number of the receiver; the first thread of a program is 1.
const RECEIVER: u8 = 2;
/// Room for a message, and for printing.
const STACK_PAGES: u32 = 16;

/// How long to go on: the program's arguments.
struct Plan {
    /// Lengths: 1, then in steps of `MAX_MSG / steps`.
    steps: usize,
    repetitions: u32,
    /// Before each message; five times as long before each new length.
    compute_ms: u32,
}

impl Plan {
    fn parse(arguments: Arguments) -> Option<Plan> {
        let plan = Plan {
            steps: arguments.number(0, 100)?,
            repetitions: arguments.number(1, 10)?,
            compute_ms: arguments.number(2, 10)?,
        };
        (1..=MAX_MSG).contains(&plan.steps).then_some(plan)
    }
}

/// The whole program, with the receiver on `processor`. Returns the exit code: 0 if every byte arrived.
pub fn exchange(name: &str, arguments: Arguments, processor: u8) -> u32 {
    let Some(plan) = Plan::parse(arguments) else {
        println!("usage: {name} [STEPS (1 to {MAX_MSG}) [REPETITIONS [COMPUTE_MS]]]");
        return 2;
    };
    if let Err(error) = create(RECEIVER, STACK_PAGES, processor as i32, receiver, stack_for(STACK_PAGES)) {
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
    for length in (1..=MAX_MSG).step_by(MAX_MSG / plan.steps) {
        compute_ms(5 * plan.compute_ms);
        for _ in 0..plan.repetitions {
            fill(&mut buffer[..length], messages);
            compute_ms(plan.compute_ms);
            bytes += send_block(CHANNEL, &buffer[..length])? as u32;
            messages += 1;
        }
    }
    send_block(CHANNEL, &[])?;
    Ok((messages, bytes))
}

/// The second thread: receives until an empty message comes, and checks every byte.
extern "C" fn receiver() -> ! {
    let mut buffer = Buffer::<{ MAX_MSG.div_ceil(4) }>::new();
    let mut check = Check::default();
    loop {
        match receive(CHANNEL, &mut buffer) {
            Ok(0) => break,
            Ok(bytes) => check.add(&buffer[..bytes]),
            Err(error) => {
                println!("receive: {}", error.meaning());
                exit(1);
            }
        }
    }
    let Check { messages, bytes, wrong, checksum } = check;
    let processor = libtos::processor();
    println!(
        "received {messages} messages, {bytes} bytes on processor {processor}: {wrong} wrong, sum {checksum:#010x}"
    );
    exit((wrong != 0) as u32)
}
