//! Kills processes in the middle of what they do: `killing [ROUNDS]`. Each round invokes this program on some processor; there it creates threads
//! on all processors that communicate, create children and end; after some milliseconds it is killed. In the end every processor must
//! have as many free pages, control blocks and processes as in the beginning. Exit code 0 if it does.
#![no_std]
#![no_main]

use libtos::process::{await_end, counter, counters, invoke, kill, How};
use libtos::{
    clock, compute_us, create, exit, println, processor, processors, receive, send_block, stack_for, thread_number,
};
use libtos::{wait, yield_now, Arguments, Error};

libtos::program!(main);

const NAME: &str = "killing";
const PAGES: u32 = 4;
/// Threads in the victim's ring.
const RING: u8 = 12;
const ROUNDS: u32 = 30;

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        Some("victim") => victim(),
        Some("probe") => probe(),
        _ => match arguments.number(0, ROUNDS) {
            Some(rounds) => killer(rounds),
            None => {
                println!("usage: {NAME} [ROUNDS]");
                2
            }
        },
    }
}

/// What this processor has free, in one number.
fn probe() -> u32 {
    let counters = counters();
    counters[counter::FREE_PAGES] << 16 ^ counters[counter::FREE_THREADS] << 8 ^ counters[counter::PROCESSES]
}

fn on(processor: u8, arguments: &[u8]) -> Result<u16, Error> {
    invoke(NAME, arguments, How { processor: Some(processor), background: true, suspended: false })
}

fn killer(rounds: u32) -> u32 {
    let mut before = [0; 16];
    for place in 0..processors() {
        before[place as usize] = on(place, b"probe\0").and_then(await_end).unwrap_or(0);
    }
    let (mut random, mut killed, mut failed) = (0x2545_f491u32, 0, 0);
    for round in 0..rounds {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let result = on((round % processors() as u32) as u8, b"victim\0").and_then(|victim| {
            pause(random % 64);
            kill(victim)?;
            await_end(victim)
        });
        match result {
            Ok(0xffff_fffe) => killed += 1,
            Ok(code) => println!("the victim of round {round} ended with {code:#x}"),
            Err(error) => println!("round {round}: {}", error.meaning()),
        }
    }
    for place in 0..processors() {
        let after = on(place, b"probe\0").and_then(await_end).unwrap_or(1);
        if after != before[place as usize] {
            println!("processor {place}: {:#010x} free before, {after:#010x} after", before[place as usize]);
            failed += 1;
        }
    }
    println!("killing: {killed} of {rounds} killed, {failed} processors have not got everything back");
    (failed != 0 || killed != rounds) as u32
}

/// Lets others run for some milliseconds.
fn pause(milliseconds: u32) {
    let end = clock() + milliseconds;
    while clock() < end {
        yield_now();
    }
}

/// A ring of threads over all processors; a byte goes round for ever.
fn victim() -> u32 {
    for id in 2..RING + 2 {
        let place = (processor() + id) % processors();
        if create(id, PAGES, place as i32, station, stack_for(PAGES)).is_err() {
            return 1;
        }
    }
    // The threads of the ring know each other by their channels: number n receives on channel n.
    let _ = send_block(2, &[1]);
    wait()
}

extern "C" fn station() -> ! {
    let id = (thread_number() & 0x3f) as u8;
    let next = if id == RING + 1 { 40 } else { id + 1 };
    let mut message = [0; 600];
    // The first of the ring hears the first thread once, then the last of the ring.
    let mut from = id;
    loop {
        let Ok(bytes) = receive(from, &mut message) else { exit(1) };
        from = if id == 2 { 40 } else { id };
        let bytes = (bytes * 2 + 1) % message.len();
        // A child now and then, somewhere.
        if bytes % 3 == 0 {
            let stack = 0x9_0000 + (id as u32) * 8 * 1024;
            let _ = create(id + 20, PAGES, -1, child, stack);
            wait();
        }
        if send_block(next, &message[..bytes]).is_err() {
            exit(2)
        }
    }
}

extern "C" fn child() -> ! {
    compute_us(200);
    exit(0)
}
