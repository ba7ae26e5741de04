//! Obeys a script of a random program: `trial FILE`. The script says what every thread does, and
//! what must come of it; `docs/programs.md` says how such scripts are made and run. `trial sub
//! SEED` and `trial victim` are the processes that a script invokes: one whose exit code follows
//! from the seed, and one that never ends.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::{create, exit, halt, println, processors, receive, send_block, stack_for, thread_id, wait, yield_now};
use libtos::{Arguments, Error};
use programs::trial::{self, Message};

libtos::program!(main);

const STACK_PAGES: u32 = 5;
/// Messages of a process whose exit code is known, and their longest.
const MESSAGES: u32 = 6;
const LONGEST: u32 = 3000;
const CODE_MASK: u32 = 0x7fff;
static SEED: AtomicU32 = AtomicU32::new(0);

fn main(arguments: Arguments) -> u32 {
    let ended = match (arguments.iter().next(), arguments.number(1, 0)) {
        (Some("sub"), Some(seed)) => sub(seed),
        (Some("victim"), _) => victim(),
        (Some(name), Some(0)) => trial::run(name),
        _ => {
            println!("usage: trial FILE");
            return 2;
        }
    };
    ended.unwrap_or_else(|error| {
        println!("trial: {}", error.meaning());
        halt();
    })
}

fn message(seed: u32, number: u32) -> Message {
    let key = (seed ^ number << 24).wrapping_mul(0x85eb_ca6b);
    let key = key ^ key >> 13;
    Message { key, bytes: (key % LONGEST) as usize }
}

/// Receives messages from a thread on some processor; what they begin with makes the exit code.
fn sub(seed: u32) -> Result<u32, Error> {
    SEED.store(seed, Relaxed);
    create(2, STACK_PAGES, (seed % u32::from(processors())) as i32, sender, stack_for(STACK_PAGES))?;
    let (mut buffer, mut sum) = ([0; LONGEST as usize], 0u32);
    for number in 0..MESSAGES {
        let message = message(seed, number);
        let bytes = receive(1, &mut buffer)?;
        if bytes != message.bytes || !message.is_in(&buffer[..bytes]) {
            println!("trial sub {seed}: message {number} is wrong");
            return Ok(u32::MAX >> 1);
        }
        sum = sum.wrapping_mul(31).wrapping_add(message.key ^ bytes as u32);
    }
    Ok(if wait() == 0 { sum & CODE_MASK } else { CODE_MASK + 1 })
}

extern "C" fn sender() -> ! {
    let mut buffer = [0; LONGEST as usize];
    let failed = (0..MESSAGES).any(|number| {
        let message = message(SEED.load(Relaxed), number);
        message.fill(&mut buffer[..message.bytes]);
        send_block(1, &buffer[..message.bytes]) != Ok(message.bytes)
    });
    exit(u32::from(failed))
}

/// Threads that pass a message round for ever, one that waits for ever and one that spins.
fn victim() -> Result<u32, Error> {
    for id in 2..6 {
        let processor = i32::from(id) % i32::from(processors());
        create(id, STACK_PAGES, processor, forever, stack_for(STACK_PAGES))?;
    }
    Ok(wait())
}

extern "C" fn forever() -> ! {
    let mut buffer = [0; 1500];
    loop {
        let _ = match thread_id() {
            2 => send_block(10, &buffer).and_then(|_| receive(11, &mut buffer)),
            3 => receive(10, &mut buffer).and_then(|_| send_block(11, &buffer)),
            4 => receive(12, &mut buffer),
            _ => {
                yield_now();
                Ok(0)
            }
        };
    }
}
