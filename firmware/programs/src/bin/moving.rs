//! Threads that move while they communicate: each case of the report's section 2.2.2, with messages
//! of one byte to several fragments, every byte checked. Each case's threads have the ids of those
//! before, and go on with their channels. Argument: `[MESSAGES]` a case, 24 by default, `[MOVES]`
//! of the tight loop, 1,000 by default.
#![no_std]
#![no_main]

use libtos::pattern::{fill, Buffer, Check};
use libtos::{
    compute_us, create, exit, halt, migrate_self, need_large_kernel, println, processor, processors, receive,
    send_block, stack_for,
};
use libtos::{wait, Error, Place};

libtos::program!(main);

const STACK_PAGES: u32 = 6;
const MAX_MSG: usize = 3000;
type Room = Buffer<{ MAX_MSG / 4 }>;

const SENDER: u8 = 2;
const RECEIVER: u8 = 3;
/// Orders to the sender and the receiver; their channel.
const ORDERS: u8 = 0;
const CHANNEL: u8 = 100;

/// Where sender and receiver are for message `number`, of the slaves; 0: where they are.
type Route = fn(number: u32, slaves: u32) -> (u32, u32);

const CASES: [(&str, Route); 11] = [
    ("nobody moves", |_, _| (0, 0)),
    ("the sender moves", |n, slaves| (1 + n % slaves, 0)),
    ("the receiver moves", |n, slaves| (0, 1 + n % slaves)),
    ("both move", |n, slaves| (1 + n % slaves, 1 + (n * 2 + 1) % slaves)),
    ("the sender leaves and comes back", |n, slaves| (1 + n % 2 % slaves, 1)),
    ("the receiver leaves and comes back", |n, slaves| (1, 1 + n % 2 % slaves)),
    ("both leave", |n, slaves| (1 + n % 2 % slaves, 1 + (n % 2 * 2) % slaves)),
    ("both move together", |n, slaves| (1 + n % slaves, 1 + n % slaves)),
    ("they change places", |n, slaves| (1 + n % 2 % slaves, 1 + (n + 1) % 2 % slaves)),
    ("one follows the other", |n, slaves| (1 + n % slaves, 1 + (n + slaves - 1) % slaves)),
    ("every third message is late", |n, slaves| (1 + n / 3 % slaves, 1 + n % slaves)),
];

fn main(arguments: libtos::Arguments) -> u32 {
    need_large_kernel("threads that move");
    let Some([messages, moves]) = arguments.numbers([24_u32, 1000]) else {
        println!("usage: moving [MESSAGES [MOVES]]");
        return 2;
    };
    let mut failed = 0;
    for (case, (name, _)) in CASES.iter().enumerate() {
        failed += run(name, [case as u32, messages, 0]);
    }
    failed += run("the sender moves between messages", [0, messages / 8, moves * 8 / messages.max(1)]);
    println!("moving: {failed} failed");
    failed
}

/// Runs one case. Returns how many of its threads failed.
fn run(name: &str, order: [u32; 3]) -> u32 {
    let entries = [(SENDER, sender as extern "C" fn() -> !), (RECEIVER, receiver)];
    for (place, (id, entry)) in entries.into_iter().enumerate() {
        let on = 1 + (place as i32 % (processors() as i32 - 1));
        let made = create(id, STACK_PAGES, on, entry, stack(id));
        let mut message = Buffer::<3>::new();
        for (bytes, word) in message.chunks_mut(4).zip(order) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        if let Err(error) = made.and_then(|_| send_block(ORDERS + id, &message)) {
            println!("moving: thread {id}: {}", error.meaning());
            halt();
        }
    }
    let failed = wait();
    println!("{name}: {}", if failed == 0 { "all received" } else { "NOT all received" });
    failed
}

/// The same stack for a thread in every case.
fn stack(id: u8) -> u32 {
    const HIGHEST: u32 = 0xf_0000;
    let _ = stack_for;
    HIGHEST - (id - SENDER) as u32 * (STACK_PAGES + 1) * 1024
}

struct Order {
    route: Route,
    messages: u32,
    /// Moves between two messages.
    moves: u32,
}

impl Order {
    fn receive(id: u8) -> Option<Order> {
        let mut words = Buffer::<3>::new();
        if receive(ORDERS + id, &mut words) != Ok(12) {
            return None;
        }
        let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| words[4 * index + byte]));
        Some(Order { route: CASES.get(word(0) as usize)?.1, messages: word(1), moves: word(2) })
    }
}

/// Goes to a slave, unless it is 0. Returns whether it is there.
fn go(slave: u32) -> Result<bool, Error> {
    if slave == 0 {
        return Ok(true);
    }
    migrate_self(Place::Processor(slave as u8))?;
    Ok(processor() as u32 == slave)
}

fn slaves() -> u32 {
    processors() as u32 - 1
}

fn length(number: u32) -> usize {
    (number.wrapping_mul(2_654_435_761) >> 8) as usize % MAX_MSG
}

extern "C" fn sender() -> ! {
    let sent = Order::receive(SENDER).ok_or(Error::NotHere).and_then(|order| send_all(&order));
    exit((sent != Ok(0)) as u32)
}

fn send_all(order: &Order) -> Result<u32, Error> {
    let mut buffer = Room::new();
    let mut wrong = 0;
    for number in 0..order.messages {
        wrong += !go((order.route)(number, slaves()).0)? as u32;
        for step in 0..order.moves {
            wrong += !go(1 + (number + step) % slaves())? as u32;
        }
        let message = &mut buffer[..length(number)];
        fill(message, number);
        if number % 3 == 2 {
            compute_us(300);
        }
        let taken = send_block(CHANNEL, message)?;
        wrong += (taken != message.len()) as u32;
    }
    Ok(wrong)
}

extern "C" fn receiver() -> ! {
    let received = Order::receive(RECEIVER).ok_or(Error::NotHere).and_then(|order| receive_all(&order));
    exit((received != Ok(0)) as u32)
}

fn receive_all(order: &Order) -> Result<u32, Error> {
    let mut buffer = Room::new();
    let mut check = Check::default();
    let mut wrong = 0;
    for number in 0..order.messages {
        if number % 4 == 1 {
            // The sender's token comes before the receiver leaves.
            compute_us(300);
        }
        wrong += !go((order.route)(number, slaves()).1)? as u32;
        let bytes = receive(CHANNEL, &mut buffer)?;
        wrong += (bytes != length(number)) as u32;
        check.add(&buffer[..bytes]);
    }
    Ok(wrong + check.wrong)
}
