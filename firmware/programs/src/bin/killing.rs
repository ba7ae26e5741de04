//! Kills processes in the middle of what they do: `killing [ROUNDS [PROGRAM [ARGUMENTS]]]`. Each
//! round invokes the program on some processor, by default this one, which creates threads on all
//! processors that communicate, migrate, create children and end; after some milliseconds it is
//! killed. In the end every processor must have as many free pages, control blocks and processes as
//! in the beginning. Exit code 0 if it does.
#![no_std]
#![no_main]

use libtos::process::{await_end, invoke, kill, How};
use libtos::random::Random;
use libtos::{
    clock, compute_us, create, exit, migrate_self, need_large_kernel, println, processor, processors, receive,
    send_block, stack_for, thread_id, wait, yield_now, Arguments, Error, Place,
};
use programs::probe::{differences, Probe};
use testbed_definitions::syscall::EXIT_HALT;

libtos::program!(main);

const NAME: &str = "killing";
const PAGES: u32 = 4;
/// Threads in the victim's ring.
const RING: u8 = 12;
const ROUNDS: u32 = 30;
/// A victim lives shorter.
const LONGEST_MS: u32 = 64;
const SEED: u32 = 7;

fn main(arguments: Arguments) -> u32 {
    if arguments.iter().next() == Some("victim") {
        return victim();
    }
    need_large_kernel("several processes");
    let Some(rounds) = arguments.number(0, ROUNDS) else {
        println!("usage: {NAME} [ROUNDS [PROGRAM [ARGUMENTS]]]");
        return 2;
    };
    killer(rounds, &Victim::new(arguments.iter().skip(1))).unwrap_or_else(|error| {
        println!("{NAME}: {}", error.meaning());
        1
    })
}

/// The program to kill and its arguments.
struct Victim {
    name: &'static str,
    arguments: [u8; 256],
    length: usize,
}

impl Victim {
    fn new(mut arguments: impl Iterator<Item = &'static str>) -> Victim {
        let name = arguments.next();
        let mut victim = Victim { name: name.unwrap_or(NAME), arguments: [0; 256], length: 0 };
        for word in arguments.chain(name.is_none().then_some("victim")) {
            if let Some(place) = victim.arguments.get_mut(victim.length..victim.length + word.len()) {
                place.copy_from_slice(word.as_bytes());
                victim.length += word.len() + 1;
            }
        }
        victim
    }
    /// Its exit code.
    fn kill_after(&self, milliseconds: u32, processor: u8) -> Result<u32, Error> {
        let how = How { processor: Some(processor), background: true, ..How::default() };
        let process = invoke(self.name, &self.arguments[..self.length.min(256)], how)?;
        pause(milliseconds);
        kill(process)?;
        await_end(process)
    }
}

fn killer(rounds: u32, victim: &Victim) -> Result<u32, Error> {
    let probe = Probe::new(2, 0);
    // The first time, the probe's own code and data come to every processor.
    probe.ask()?;
    let before = probe.ask()?;
    let (mut random, mut killed) = (Random::new(SEED), 0);
    for round in 0..rounds {
        match victim.kill_after(random.below(LONGEST_MS), (round % processors() as u32) as u8) {
            Ok(EXIT_HALT) => killed += 1,
            Ok(code) => println!("the victim of round {round} ended with {code:#x}"),
            Err(error) => println!("round {round}: {}", error.meaning()),
        }
    }
    let leaks = differences(&before, &probe.ask()?);
    println!("killing: {killed} of {rounds} killed, {leaks} leaks");
    Ok((leaks != 0 || killed != rounds) as u32)
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
    let id = thread_id();
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
        if bytes % 5 == 0 {
            let _ = migrate_self(Place::Any);
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
