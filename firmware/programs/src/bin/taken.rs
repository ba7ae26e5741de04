//! Messages of several pages that a thread on another processor takes away while their sender
//! waits, and goes on taking while they leave: the sender's processor has to fetch the pages when
//! the receiver asks. Every byte is checked. Argument: `[MESSAGES]`, 40 by default. Needs three
//! processors.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libtos::pattern::{fill, Buffer, Check};
use libtos::{
    compute_ms, create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error,
};

libtos::program!(main);

const STACK_PAGES: u32 = 12;
const RECEIVER: u8 = 2;
const TAKER: u8 = 3;
/// From the sender to the receiver; from the sender to the taker, which is to begin; and from the
/// taker, when it has begun and when it has done.
const MESSAGE: u8 = 1;
const BEGIN: u8 = 2;
const BEGUN: u8 = 3;
const DONE: u8 = 4;

const WORDS: usize = 2048;
const PAGE_WORDS: usize = 256;
/// How often the taker takes all pages of a message.
const TURNS: usize = 8;

/// The messages, in eight pages.
#[repr(C, align(1024))]
struct Shared(UnsafeCell<[u32; WORDS]>);
// SAFETY: only the sender changes words, while the taker waits.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new([0; WORDS]));

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([messages]) = arguments.numbers([40u32]) else {
        println!("usage: taken [MESSAGES]");
        return 2;
    };
    let at = |number: u8| ((processor() + number) % processors()) as i32;
    let sent = create(RECEIVER, STACK_PAGES, at(1), receive_all, stack_for(STACK_PAGES))
        .and_then(|_| create(TAKER, STACK_PAGES, at(2), take_all, stack_for(STACK_PAGES)))
        .and_then(|_| send_all(messages));
    let bytes = match sent {
        Ok(bytes) => bytes,
        Err(error) => {
            println!("taken: {}", error.meaning());
            halt();
        }
    };
    let failed = wait();
    println!("taken: {messages} messages, {bytes} bytes, {failed} failed");
    (failed != 0) as u32
}

/// Where message `number` starts and how many bytes it has: up to eight pages, from any word on.
fn place(number: u32) -> (usize, usize) {
    let random = number.wrapping_mul(2_654_435_761) >> 8;
    let start = random as usize % (2 * PAGE_WORDS);
    (start, (random >> 9) as usize % (4 * (WORDS - start)) + 1)
}

fn send_all(messages: u32) -> Result<usize, Error> {
    let mut sum = 0;
    for number in 0..messages {
        let (start, length) = place(number);
        // SAFETY: the taker waits, and changes nothing later.
        let message =
            unsafe { core::slice::from_raw_parts_mut(SHARED.0.get().cast::<u32>().add(start).cast(), length) };
        fill(message, number);
        send_block(BEGIN, &[])?;
        sum += send_block(MESSAGE, message)?;
        receive(DONE, &mut [])?;
    }
    send_block(BEGIN, &[0])?;
    send_block(MESSAGE, &[])?;
    Ok(sum)
}

extern "C" fn receive_all() -> ! {
    let mut buffer = Buffer::<WORDS>::new();
    let mut check = Check::default();
    let result = loop {
        // The pages have gone, but for the last, empty message.
        match receive(BEGUN, &mut [0]).and_then(|_| receive(MESSAGE, &mut buffer)) {
            Ok(0) => break Ok(()),
            Ok(bytes) => check.add(&buffer[..bytes]),
            Err(error) => break Err(error),
        }
    };
    match result {
        Ok(()) => println!("received {} messages: {} words wrong", check.messages, check.wrong),
        Err(error) => println!("receive: {}", error.meaning()),
    }
    exit((result.is_err() || check.wrong != 0) as u32)
}

extern "C" fn take_all() -> ! {
    match take() {
        Ok(()) => exit(0),
        Err(error) => {
            println!("taker: {}", error.meaning());
            halt();
        }
    }
}

fn take() -> Result<(), Error> {
    loop {
        let end = receive(BEGIN, &mut [0])? != 0;
        if end {
            return send_block(BEGUN, &[]).map(drop);
        }
        // Until the sender waits.
        compute_ms(1);
        for turn in 0..TURNS {
            for page in 0..WORDS / PAGE_WORDS {
                // SAFETY: the word stays as it is, and its page comes here, for the sender waits.
                unsafe {
                    let word = SHARED.0.get().cast::<u32>().add(page * PAGE_WORDS);
                    word.write_volatile(word.read_volatile());
                }
            }
            if turn == 0 {
                send_block(BEGUN, &[])?;
            }
        }
        send_block(DONE, &[])?;
    }
}
