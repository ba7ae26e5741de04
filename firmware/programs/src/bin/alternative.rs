//! occam's ALT: priorities, senders here and elsewhere, long lists, timeouts, and what a list must not be.
//! Argument: `[MESSAGES]` of each sender, 20 by default.
#![no_std]
#![no_main]

use core::cell::Cell;
use libtos::pattern::{fill, Buffer, Check};
use libtos::{alt, clock, compute_us, create, exit, halt, println, processor, processors, receive, send_block};
use libtos::{stack_for, wait, yield_now, Error, FairAlt};

libtos::program!(main);

const STACK_PAGES: u32 = 5;
const MAX_MSG: usize = 2400;
type Room = Buffer<{ MAX_MSG / 4 }>;

/// Channel to a sender with its number of messages; above: from a sender.
const ORDERS: u8 = 0;
const DATA: u8 = 60;
const FIRST: u8 = 2;
/// A channel that another thread receives from.
const TAKEN: u8 = 127;

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([messages]) = arguments.numbers([20u32]) else {
        println!("usage: alternative [MESSAGES]");
        return 2;
    };
    let wrong = misuse() + priorities() + turns() + timeouts() + race(messages) + long_list();
    println!("alternative: {wrong} wrong");
    wrong
}

fn start(id: u8, on: u8, entry: extern "C" fn() -> !) {
    if let Err(error) = create(id, STACK_PAGES, on as i32, entry, stack_for(STACK_PAGES)) {
        println!("alternative: thread {id}: {}", error.meaning());
        halt();
    }
}

fn misuse() -> u32 {
    let wrong = Cell::new(0);
    let mut byte = [0];
    let mut expect = |what: &str, list: &[u8], expected: Error| {
        let found = alt(list, &mut byte, Some(0)).err().map_or("no error", Error::meaning);
        println!("{what}: {found}");
        wrong.set(wrong.get() + (found != expected.meaning()) as u32);
    };
    let mut all = [0; 129];
    all.iter_mut().zip(0..).for_each(|(channel, number)| *channel = number);
    start(FIRST, processor(), one_receive);
    yield_now();
    expect("no channels", &[], Error::BadLength);
    expect("129 channels", &all, Error::BadLength);
    expect("channel 128", &[DATA, 128], Error::BadChannel);
    expect("a channel twice", &[DATA, DATA + 1, DATA], Error::BadChannel);
    expect("another thread's channel", &[DATA, TAKEN], Error::ChannelInUse);
    expect("nobody sends", &[DATA, DATA + 1], Error::Timeout);
    let _ = send_block(TAKEN, &[]);
    wait();
    wrong.get()
}

extern "C" fn one_receive() -> ! {
    exit((receive(TAKEN, &mut [0; 4]) != Ok(0)) as u32)
}

/// All senders wait: the first in the list is served, whoever came first.
fn priorities() -> u32 {
    let mut wrong = 0;
    for id in FIRST..FIRST + 3 {
        start(id, processor(), send_ordered);
        wrong += (send_block(ORDERS + id, &2_u32.to_le_bytes()) != Ok(4)) as u32;
    }
    yield_now();
    compute_us(100);
    let list = [DATA + FIRST + 2, DATA + FIRST, DATA + FIRST + 1];
    let mut buffer = Room::new();
    let mut order = [9; 6];
    for place in &mut order {
        yield_now();
        let Ok((index, _)) = alt(&list, &mut buffer, Some(0)) else { continue };
        *place = index;
    }
    println!("in order of priority: {order:?}");
    wrong += wait();
    wrong + (order != [0, 0, 1, 1, 2, 2]) as u32
}

/// The first in the list always has a message: by priority nobody else is heard, in turn each is.
fn turns() -> u32 {
    const MESSAGES: usize = 12;
    let mut wrong = 0;
    for id in FIRST..FIRST + 3 {
        start(id, processor(), send_ordered);
        wrong += (send_block(ORDERS + id, &(MESSAGES as u32).to_le_bytes()) != Ok(4)) as u32;
    }
    let list = [DATA + FIRST, DATA + FIRST + 1, DATA + FIRST + 2];
    let mut buffer = Room::new();
    type Heard = Result<(usize, usize), Error>;
    let mut heard = |receive: &mut dyn FnMut(&mut [u8]) -> Heard| {
        let mut counts = [0; 3];
        for _ in 0..MESSAGES / 2 {
            // Each has made its next message.
            compute_us(1000);
            (0..20).for_each(|_| yield_now());
            let Ok((index, _)) = receive(&mut buffer) else { continue };
            counts[index] += 1;
        }
        counts
    };
    let by_priority = heard(&mut |buffer| alt(&list, buffer, None));
    let mut fair = FairAlt::new();
    let in_turn = heard(&mut |buffer| fair.alt(&list, buffer, None));
    println!("of 6 messages by priority {by_priority:?}, in turn {in_turn:?}");
    for _ in 0..3 * MESSAGES - MESSAGES {
        wrong += fair.alt(&list, &mut buffer, None).is_err() as u32;
    }
    wrong += fair.alt(&list, &mut buffer, Some(0)).is_ok() as u32;
    wrong += fair.alt(&[0; 129], &mut buffer, Some(0)).is_ok() as u32;
    wrong += wait();
    wrong + (by_priority != [6, 0, 0]) as u32 + (in_turn != [2, 2, 2]) as u32
}

/// A sender that is late: time is up again and again before it comes, and nothing is lost.
fn timeouts() -> u32 {
    const PATIENCE_US: u32 = 3000;
    start(FIRST, processor(), late);
    let list = [DATA, DATA + FIRST];
    let mut wrong = 0;
    for expected in 0..2 {
        let mut failures = 0;
        let mut buffer = [0; 8];
        let received = loop {
            let before = clock();
            match alt(&list, &mut buffer, Some(PATIENCE_US)) {
                Err(Error::Timeout) => {
                    failures += 1;
                    // The clock counts whole milliseconds.
                    wrong += (clock() - before < PATIENCE_US / 1000 - 1) as u32;
                }
                result => break result,
            }
        };
        wrong += (received != Ok((1, 1)) || buffer[0] != expected || failures == 0) as u32;
    }
    wrong += wait();
    println!("a late sender: {}", if wrong == 0 { "heard after some timeouts" } else { "NOT heard after timeouts" });
    wrong
}

/// Sends two bytes, and takes its time.
extern "C" fn late() -> ! {
    for byte in 0..2 {
        let begin = clock();
        while clock() - begin < 10 {
            yield_now();
        }
        if send_block(DATA + FIRST, &[byte]) != Ok(1) {
            exit(1);
        }
    }
    exit(0)
}

/// Senders on every processor at once.
fn race(messages: u32) -> u32 {
    let count = processors();
    let mut wrong = 0;
    let mut list = [0; 16];
    for number in 0..count {
        let id = FIRST + number;
        start(id, number, send_ordered);
        wrong += (send_block(ORDERS + id, &messages.to_le_bytes()) != Ok(4)) as u32;
        list[number as usize] = DATA + id;
    }
    let mut checks = [Check::default(); 16];
    let mut buffer = Room::new();
    for _ in 0..messages * count as u32 {
        match alt(&list[..count as usize], &mut buffer, None) {
            Ok((index, bytes)) => checks[index].add(&buffer[..bytes]),
            Err(error) => {
                println!("alternative: {}", error.meaning());
                return wrong + 1;
            }
        }
    }
    wrong += wait();
    let received: u32 = checks.iter().map(|check| check.messages).sum();
    wrong += checks.iter().map(|check| check.wrong).sum::<u32>();
    println!("{count} senders: received {received} messages");
    wrong
}

/// All channels but those of others, the used one last.
fn long_list() -> u32 {
    let mut list = [0; 100];
    list.iter_mut().zip(27..).for_each(|(channel, number)| *channel = number);
    let last = list.len() - 1;
    list[last] = DATA + FIRST;
    list[(DATA + FIRST - 27) as usize] = 126;
    start(FIRST, 0, send_ordered);
    let mut wrong = (send_block(ORDERS + FIRST, &1_u32.to_le_bytes()) != Ok(4)) as u32;
    let mut buffer = Room::new();
    let found = alt(&list, &mut buffer, None).map(|(index, _)| index);
    wrong += wait() + (found != Ok(last)) as u32;
    println!("{} channels: {}", list.len(), if wrong == 0 { "the last one chosen" } else { "NOT the last one chosen" });
    wrong
}

/// Sends as many messages as it is told to.
extern "C" fn send_ordered() -> ! {
    let id = (libtos::thread_number() & 0x3f) as u8;
    let mut order = [0; 4];
    if receive(ORDERS + id, &mut order) != Ok(4) {
        exit(1);
    }
    let mut buffer = Room::new();
    for number in 0..u32::from_le_bytes(order) {
        let length = (number * 997 + id as u32 * 31) as usize % MAX_MSG;
        fill(&mut buffer[..length], number);
        compute_us(50 * (id as u32 % 3));
        if send_block(DATA + id, &buffer[..length]) != Ok(length) {
            exit(2);
        }
    }
    exit(0)
}
