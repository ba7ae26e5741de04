//! The long relations of `bsp-probe`, written with channels: on each slave one thread sends a
//! message to the next slave while another receives one from that before it. `exchange [SLAVES]`.
//!
//! Prints the lines that `bsp-probe` prints of a relation, with the way `channels`: cycles of a round
//! on the slowest slave. Nobody waits for all others between rounds, so there is no `l` in it. `testbed
//! bsp probe` runs it beside `bsp-probe`.
#![no_std]
#![no_main]

use libtos::{
    clock_hz, clock_us, create, exit, halt, println, processors, receive, send_block, stack_for, thread_id, wait, Error,
};

libtos::program!(main);

/// Words of the longest message, which lies in a thread's stack: a page of global data would be
/// moved from processor to processor.
const LONGEST: usize = 2_048;
/// Words of the messages.
const LENGTHS: [usize; 3] = [LONGEST / 4, LONGEST / 2, LONGEST];
/// Rounds that are measured, behind one that makes channels known.
const ROUNDS: u32 = 8;
const SLAVES: u8 = 15;
const STACK_PAGES: u32 = (4 * LONGEST / 1024) as u32 + 2;
/// Numbers of threads, behind the first one, and of channels: of those that send and of those that
/// receive, by slave.
const SENDER: u8 = 2;
const RECEIVER: u8 = SENDER + SLAVES;
const MESSAGES: u8 = 1;
const ORDERS: u8 = MESSAGES + SLAVES;
const TIMES: u8 = ORDERS + 2 * SLAVES;

fn main(arguments: libtos::Arguments) -> u32 {
    let most = (processors() - 1).min(SLAVES);
    let Some([slaves]) = arguments.numbers([most]).filter(|[slaves]| (2..=most).contains(slaves)) else {
        println!("usage: exchange [SLAVES (2 to {most})]");
        return 2;
    };
    match measure(slaves) {
        Ok(failed) => failed,
        Err(error) => {
            println!("exchange: {}", error.meaning());
            halt();
        }
    }
}

/// Starts the threads, has them exchange messages of each length, and prints what it took. The
/// result is how many threads have failed.
fn measure(slaves: u8) -> Result<u32, Error> {
    for slave in 0..slaves {
        let place = i32::from(slave) + 1;
        create(SENDER + slave, STACK_PAGES, place, sender, stack_for(STACK_PAGES))?;
        create(RECEIVER + slave, STACK_PAGES, place, receiver, stack_for(STACK_PAGES))?;
    }
    for words in LENGTHS {
        for thread in (0..slaves).chain(SLAVES..SLAVES + slaves) {
            send_block(ORDERS + thread, &order(words, slaves))?;
        }
        let mut slowest = 0;
        for slave in 0..slaves {
            let mut cycles = [0; 4];
            receive(TIMES + slave, &mut cycles)?;
            slowest = slowest.max(u32::from_le_bytes(cycles));
        }
        println!("relation channels {slaves} {words} {words} {slowest}");
    }
    for thread in (0..slaves).chain(SLAVES..SLAVES + slaves) {
        send_block(ORDERS + thread, &order(0, slaves))?;
    }
    Ok(wait())
}

/// What a thread is told: words of a message, 0 if it is to end, and slaves.
fn order(words: usize, slaves: u8) -> [u8; 4] {
    let [low, high, ..] = words.to_le_bytes();
    [low, high, slaves, 0]
}

/// Goes on with what is told on a channel until that is the end.
fn follow_orders(channel: u8, mut exchange: impl FnMut(usize, u8) -> Result<(), Error>) -> ! {
    let mut told = [0; 4];
    let ended = loop {
        match receive(channel, &mut told) {
            Ok(_) if told[..2] == [0, 0] => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        if let Err(error) = exchange(usize::from(u16::from_le_bytes([told[0], told[1]])), told[2]) {
            break Err(error);
        }
    };
    exit(ended.is_err() as u32)
}

extern "C" fn sender() -> ! {
    let slave = thread_id() - SENDER;
    let mut message = [0; 4 * LONGEST];
    message.fill(slave);
    follow_orders(ORDERS + slave, |words, _| {
        for _ in 0..=ROUNDS {
            send_block(MESSAGES + slave, &message[..4 * words])?;
        }
        Ok(())
    })
}

extern "C" fn receiver() -> ! {
    let slave = thread_id() - RECEIVER;
    let mut buffer = [0; 4 * LONGEST];
    follow_orders(ORDERS + SLAVES + slave, |words, slaves| {
        let before = if slave == 0 { slaves - 1 } else { slave - 1 };
        let mut start = 0;
        for round in 0..=ROUNDS {
            let (first, last) = (0, 4 * words - 1);
            (buffer[first], buffer[last]) = (u8::MAX, u8::MAX);
            if round == 1 {
                start = clock_us();
            }
            let bytes = receive(MESSAGES + before, &mut buffer)?;
            if bytes != 4 * words || buffer[first] != before || buffer[last] != before {
                return Err(Error::BadLength);
            }
        }
        let cycles = (clock_us() - start) * (clock_hz() / 1_000_000) / ROUNDS;
        send_block(TIMES + slave, &cycles.to_le_bytes()).map(drop)
    })
}
