//! A token goes round all processors; every thread adds to it, and its way is checked at the end.
//! Arguments: `[ROUNDS [BYTES]]`, by default 100 rounds of a token of 16 bytes (8 to 4096).
#![no_std]
#![no_main]

use libtos::pattern::Buffer;
use libtos::{create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error};

libtos::program!(main);

const STACK_PAGES: u32 = 6;
const MAX_TOKEN: usize = 4096;
type Token = Buffer<{ MAX_TOKEN / 4 }>;
/// To the thread on processor 0, 1, ...; the ring closes at thread 1.
const INWARD: u8 = 0;

fn main(arguments: libtos::Arguments) -> u32 {
    let numbers = arguments.at_most(2).map(|all| (all.number(0, 100u32), all.number(1, 16usize)));
    let Some((Some(rounds), Some(bytes @ 8..=MAX_TOKEN))) = numbers else {
        println!("usage: ring [ROUNDS [BYTES (8 to {MAX_TOKEN})]]");
        return 2;
    };
    let others = (0..processors()).filter(|&other| other != processor());
    for other in others.clone() {
        if let Err(error) = create(2 + other, STACK_PAGES, other as i32, relay, stack_for(STACK_PAGES)) {
            println!("ring: cannot create a thread on processor {other}: {}", error.meaning());
            halt();
        }
    }
    let mut token = Token::new();
    let token = &mut token[..bytes];
    for _ in 0..rounds {
        if let Err(error) = go_round(token) {
            println!("ring: {}", error.meaning());
            halt();
        }
    }
    // An empty token ends the others.
    if let Err(error) = send_block(next(processor()), &[]).and_then(|_| receive(INWARD + processor(), token)) {
        println!("ring: {}", error.meaning());
        halt();
    }
    let failed = wait();
    let (hops, sum) = (word(token, 0), word(token, 4));
    let expected_sum = others.map(u32::from).sum::<u32>() + processor() as u32;
    let right = hops == rounds * processors() as u32 && sum == rounds * expected_sum;
    println!(
        "ring: {hops} hops over {} processors, sum {sum}: {}",
        processors(),
        if right { "right" } else { "WRONG" }
    );
    (!right || failed != 0) as u32
}

/// Channel to the processor after `here`.
fn next(here: u8) -> u8 {
    INWARD + (here + 1) % processors()
}

fn word(token: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([token[at], token[at + 1], token[at + 2], token[at + 3]])
}

/// Counts a hop, and adds the processor's number.
fn stamp(token: &mut [u8]) {
    let (hops, sum) = (word(token, 0) + 1, word(token, 4) + processor() as u32);
    token[..4].copy_from_slice(&hops.to_le_bytes());
    token[4..8].copy_from_slice(&sum.to_le_bytes());
}

/// From thread 1 back to it. A ring of one has nobody to talk to.
fn go_round(token: &mut [u8]) -> Result<(), Error> {
    stamp(token);
    if processors() == 1 {
        return Ok(());
    }
    send_block(next(processor()), token)?;
    let bytes = receive(INWARD + processor(), token)?;
    if bytes == token.len() {
        Ok(())
    } else {
        Err(Error::BadLength)
    }
}

extern "C" fn relay() -> ! {
    let mut token = Token::new();
    let (from, to) = (INWARD + processor(), next(processor()));
    loop {
        let Ok(bytes) = receive(from, &mut token) else { exit(1) };
        if bytes >= 8 {
            stamp(&mut token[..bytes]);
        }
        if send_block(to, &token[..bytes]) != Ok(bytes) {
            exit(2);
        }
        if bytes == 0 {
            exit(0);
        }
    }
}
