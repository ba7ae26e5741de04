//! Many threads at once: every processor has a thread that sends to the next processor's and
//! receives from the one before, with messages of many lengths, some cut short by the receiver.
//! Every byte is checked. Argument: `[MESSAGES]` a thread, 40 by default. The order of sends and
//! receives alternates round the ring, so that an even number of processors is needed to have no
//! deadlock; with an odd number one is left out.
#![no_std]
#![no_main]

use libtos::pattern::{fill, Buffer, Check};
use libtos::{create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error};

libtos::program!(main);

const STACK_PAGES: u32 = 20;
const MAX_MSG: usize = 6000;
type Room = Buffer<{ MAX_MSG / 4 }>;
/// Channel to a worker with its number of messages; above: from a worker to the next one.
const ORDERS: u8 = 0;
const RING: u8 = 32;

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([messages]) = arguments.numbers([40u32]) else {
        println!("usage: crossing [MESSAGES]");
        return 2;
    };
    let workers = ring_size();
    for worker in 0..workers {
        let made = create(2 + worker, STACK_PAGES, worker as i32, work, stack_for(STACK_PAGES));
        let sent = made.and_then(|_| send_block(ORDERS + worker, &messages.to_le_bytes()));
        if let Err(error) = sent {
            println!("crossing: worker {worker}: {}", error.meaning());
            halt();
        }
    }
    let failed = wait();
    println!("crossing: {workers} threads, {messages} messages each, {failed} failed");
    failed
}

fn ring_size() -> u8 {
    processors() & !1
}

/// Length of message `number`; what the receiver has room for is this or less.
fn length(number: u32) -> usize {
    (number.wrapping_mul(2_654_435_761) >> 8) as usize % MAX_MSG
}
fn capacity(number: u32) -> usize {
    if number % 3 == 0 {
        length(number) / 2
    } else {
        MAX_MSG
    }
}

extern "C" fn work() -> ! {
    let mut order = [0; 4];
    if receive(ORDERS + processor(), &mut order) != Ok(4) {
        exit(1);
    }
    match exchange(u32::from_le_bytes(order)) {
        Ok(check) if check.wrong == 0 => exit(0),
        Ok(check) => println!("processor {}: {} words wrong", processor(), check.wrong),
        Err(error) => println!("processor {}: {}", processor(), error.meaning()),
    }
    // Its neighbours may wait for it.
    halt()
}

fn exchange(messages: u32) -> Result<Check, Error> {
    let (mut out, mut inward) = (Room::new(), Room::new());
    let to = RING + processor();
    let from = RING + (processor() + ring_size() - 1) % ring_size();
    let mut check = Check::default();
    for number in 0..messages {
        fill(&mut out[..length(number)], number);
        let expected = length(number).min(capacity(number));
        for turn in 0..2 {
            if (processor() + turn) % 2 == 0 {
                let taken = send_block(to, &out[..length(number)])?;
                check.wrong += (taken != expected) as u32;
            } else {
                let bytes = receive(from, &mut inward[..capacity(number)])?;
                check.wrong += (bytes != expected) as u32;
                check.add(&inward[..bytes]);
            }
        }
    }
    Ok(check)
}
