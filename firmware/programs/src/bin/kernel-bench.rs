//! What `testbed bench kernel` measures: sequences of user events around what the kernel does.
//! Arguments: `switch`, `local BYTES`, `remote BYTES`, `migrate` or `page`.
//!
//! Every case begins with [`ROUNDS`] pairs [`EMPTY`], [`EMPTY_END`] with nothing between: what an event itself costs.
//! All events but [`STORE`], [`STORE_END`] are emitted by a call, so that this is what a call costs too.
//!
//! | case | events | between them |
//! |---|---|---|
//! | `switch` | [`STORE`], [`STORE_END`] | nothing; both are emitted by a store each |
//! | | [`LEAVE`], [`ENTER`] | one thread yields, the other goes on |
//! | `local`, `remote` | [`SEND`], [`SENT`]; [`RECEIVE`], [`RECEIVED`] | the two calls; first [`SENDER_WAITS`], then [`RECEIVER_WAITS`] |
//! | `migrate` | [`LEAVE`], [`ENTER`] | a thread moves itself to another processor |
//! | `page` | [`READ`], [`READ_END`]; [`WRITE`], [`WRITE_END`] | the first access to a page that another processor owns; to one that it has a copy of |
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};
use libtos::pattern::Buffer;
use libtos::{
    compute_us, create, exit, processor, processors, receive, send_block, send_event, stack_for, try_send_event, wait,
    yield_now, Arguments, Error,
};

libtos::program!(main);

const ROUNDS: u32 = 100;

/// Data of the events.
const EMPTY: u16 = 0x1000;
const EMPTY_END: u16 = 0x1001;
const LEAVE: u16 = 0x1002;
const ENTER: u16 = 0x1003;
const SEND: u16 = 0x1004;
const SENT: u16 = 0x1005;
const RECEIVE: u16 = 0x1006;
const RECEIVED: u16 = 0x1007;
const READ: u16 = 0x1008;
const READ_END: u16 = 0x1009;
const WRITE: u16 = 0x100a;
const WRITE_END: u16 = 0x100b;
const STORE: u16 = 0x100c;
const STORE_END: u16 = 0x100d;
/// The sender is the first partner from here on, or the receiver.
const SENDER_WAITS: u16 = 0x1010;
const RECEIVER_WAITS: u16 = 0x1011;

const MAX_BYTES: usize = 8192;
const SECOND: u8 = 2;
const THIRD: u8 = 3;
/// Room for a message.
const STACK_PAGES: u32 = 12;
/// Carries messages, and how long they will be.
const CHANNEL: u8 = 1;
const SETTINGS: u8 = 2;
const TURN: u8 = 3;
const TURN_BACK: u8 = 4;

fn main(arguments: Arguments) -> u32 {
    let next = if processor() + 1 < processors() { processor() + 1 } else { 0 };
    let bytes = arguments.number(1, 4).filter(|bytes| *bytes <= MAX_BYTES);
    (0..ROUNDS).for_each(|_| {
        event(EMPTY);
        event(EMPTY_END);
    });
    let is_alone = arguments.at_most(1).is_some();
    let bytes = bytes.filter(|_| arguments.at_most(2).is_some());
    let result = match (arguments.iter().next(), bytes) {
        (Some("switch"), _) if is_alone => switch(),
        (Some("local"), Some(bytes)) => exchange(processor(), bytes),
        (Some("remote"), Some(bytes)) => exchange(next, bytes),
        (Some("migrate"), _) if is_alone => start(SECOND, processor(), wanderer),
        (Some("page"), _) if is_alone => {
            start(SECOND, processor(), page_owner).and_then(|()| start(THIRD, next, page_user))
        }
        _ => {
            libtos::println!(
                "usage: kernel-bench switch|local [BYTES]|remote [BYTES]|migrate|page (at most {MAX_BYTES} bytes)"
            );
            return 2;
        }
    };
    if let Err(error) = result {
        libtos::println!("kernel-bench: {}", error.meaning());
        libtos::halt();
    }
    wait()
}

fn event(datum: u16) {
    // Full queues are the host's to see, in the ledger.
    let _ = try_send_event(datum);
}

fn start(id: u8, processor: u8, entry: extern "C" fn() -> !) -> Result<(), Error> {
    create(id, STACK_PAGES, processor as i32, entry, stack_for(STACK_PAGES)).map(|_| ())
}

fn check<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| {
        libtos::println!("kernel-bench: {}", error.meaning());
        libtos::halt()
    })
}

fn switch() -> Result<(), Error> {
    for _ in 0..ROUNDS {
        send_event(STORE)?;
        send_event(STORE_END)?;
    }
    start(SECOND, processor(), yielder)?;
    yield_in_turn();
    Ok(())
}

extern "C" fn yielder() -> ! {
    yield_in_turn();
    exit(0)
}

fn yield_in_turn() {
    yield_now();
    for _ in 0..ROUNDS {
        event(LEAVE);
        yield_now();
        event(ENTER);
    }
}

/// This thread sends, another on `processor` receives.
fn exchange(at: u8, bytes: usize) -> Result<(), Error> {
    start(SECOND, at, receiver)?;
    send_block(SETTINGS, &[bytes as u8, (bytes >> 8) as u8, (at == processor()) as u8])?;
    let message = Buffer::<{ MAX_BYTES / 4 }>::new();
    event(SENDER_WAITS);
    for _ in 0..ROUNDS {
        send_one(&message[..bytes])?;
    }
    event(RECEIVER_WAITS);
    for _ in 0..ROUNDS {
        let_partner_wait(at == processor(), bytes);
        send_one(&message[..bytes])?;
    }
    Ok(())
}

fn send_one(message: &[u8]) -> Result<(), Error> {
    event(SEND);
    send_block(CHANNEL, message)?;
    event(SENT);
    Ok(())
}

/// Comes back when the partner has made its request.
fn let_partner_wait(local: bool, bytes: usize) {
    if local {
        yield_now();
        yield_now();
    } else {
        // Longer than the message and its tokens are under way.
        compute_us(200 + bytes as u32 / 4);
    }
}

extern "C" fn receiver() -> ! {
    let mut settings = [0; 3];
    check(receive(SETTINGS, &mut settings));
    let bytes = settings[0] as usize | (settings[1] as usize) << 8;
    let mut buffer = Buffer::<{ MAX_BYTES / 4 }>::new();
    for round in 0..2 * ROUNDS {
        if round < ROUNDS {
            let_partner_wait(settings[2] != 0, bytes);
        }
        event(RECEIVE);
        let received = check(receive(CHANNEL, &mut buffer[..bytes]));
        event(RECEIVED);
        if received != bytes {
            exit(1);
        }
    }
    exit(0)
}

/// Moves from processor to processor, there and back.
extern "C" fn wanderer() -> ! {
    let home = processor();
    let away = if home + 1 < processors() { home + 1 } else { 0 };
    for round in 0..ROUNDS {
        event(LEAVE);
        check(libtos::migrate_self(libtos::Place::Processor(if round % 2 == 0 { away } else { home })));
        event(ENTER);
    }
    exit(0)
}

/// A word in a page of its own.
#[repr(C, align(1024))]
struct Page(AtomicU32, [u32; 255]);
static PAGE: Page = Page(AtomicU32::new(0), [0; 255]);

/// Makes the page its own again, before every turn of the other.
extern "C" fn page_owner() -> ! {
    for round in 0..ROUNDS {
        PAGE.0.store(round, Ordering::Relaxed);
        check(send_block(TURN, &[]));
        check(receive(TURN_BACK, &mut []));
        if PAGE.0.load(Ordering::Relaxed) != !round {
            exit(1);
        }
    }
    exit(0)
}

extern "C" fn page_user() -> ! {
    for round in 0..ROUNDS {
        check(receive(TURN, &mut []));
        event(READ);
        let value = PAGE.0.load(Ordering::Relaxed);
        event(READ_END);
        event(WRITE);
        PAGE.0.store(!value, Ordering::Relaxed);
        event(WRITE_END);
        if value != round {
            exit(1);
        }
        check(send_block(TURN_BACK, &[]));
    }
    exit(0)
}
