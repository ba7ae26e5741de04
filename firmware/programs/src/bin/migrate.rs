//! The report's `migrate` (appendix A.3): a thread receives a message, moves to another processor,
//! and receives the next one there. Arguments: `[LOOPS [BYTES [COMPUTE_MS]]]`, by default 50
//! messages of 5,000 bytes and 100 ms of computing between two as in the report.
#![no_std]
#![no_main]

use libtos::pattern::{fill, Buffer, Check};
use libtos::{
    compute_ms, create, exit, halt, migrate_self, println, processor, receive, send_block, stack_for, wait, Error,
    Place,
};

libtos::program!(main);

const MAX_MSG: usize = 5000;
const CHANNEL: u8 = 1;
const TRAVELLER: u8 = 2;
const STACK_PAGES: u32 = 8;
type Message = Buffer<{ MAX_MSG.div_ceil(4) }>;

fn main(arguments: libtos::Arguments) -> u32 {
    let numbers = arguments.at_most(3).map(|all| (all.number(0, 50), all.number(1, MAX_MSG), all.number(2, 100)));
    let Some((Some(loops), Some(bytes @ 1..=MAX_MSG), Some(milliseconds))) = numbers else {
        println!("usage: migrate [LOOPS [BYTES (1 to {MAX_MSG}) [COMPUTE_MS]]]");
        return 2;
    };
    let here = processor() as i32;
    let sent = create(TRAVELLER, STACK_PAGES, here, traveller, stack_for(STACK_PAGES))
        .and_then(|_| send_all(loops, bytes, milliseconds));
    if let Err(error) = sent {
        println!("migrate: {}", error.meaning());
        halt();
    }
    let failed = wait();
    println!(
        "migrate: sent {loops} messages of {bytes} bytes: {}",
        if failed == 0 { "all received" } else { "NOT all received" }
    );
    failed
}

fn send_all(loops: u32, bytes: usize, milliseconds: u32) -> Result<(), Error> {
    let mut buffer = Message::new();
    for number in 0..loops {
        fill(&mut buffer[..bytes], number);
        send_block(CHANNEL, &buffer[..bytes])?;
        compute_ms(milliseconds);
    }
    send_block(CHANNEL, &[]).map(drop)
}

/// Checks every byte, and that it is elsewhere after each migration.
extern "C" fn traveller() -> ! {
    let mut buffer = Message::new();
    let mut check = Check::default();
    let (mut moves, mut visited) = (0u32, 1u32 << processor());
    let result = loop {
        match receive(CHANNEL, &mut buffer) {
            Ok(0) => break Ok(()),
            Ok(bytes) => check.add(&buffer[..bytes]),
            Err(error) => break Err(error),
        }
        let here = processor();
        if let Err(error) = migrate_self(Place::Any) {
            break Err(error);
        }
        moves += (processor() != here) as u32;
        visited |= 1 << processor();
    };
    if let Err(error) = result {
        println!("traveller: {}", error.meaning());
    }
    let (messages, wrong, processors) = (check.messages, check.wrong, visited.count_ones());
    println!("received {messages} messages, {wrong} wrong; {moves} moves, {processors} processors visited");
    exit((wrong != 0 || result.is_err()) as u32)
}
