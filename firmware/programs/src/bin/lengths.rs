//! Messages of every length around the boundaries of fragments, of the sender's buffers and of the
//! receive ring, from one processor to another and back, alone and beside others. Every byte is
//! checked, those behind the message too, and that none takes much longer than its bytes: whoever
//! has been served must go on at once, although nothing else happens on its processor. Argument:
//! `[PINGS]` of those beside, 2,000 by default.
#![no_std]
#![no_main]

use libtos::pattern::{fill, Buffer, Check};
use libtos::{
    clock_us, create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error,
};
use testbed_definitions::mpc::FRAGMENT_BYTES;

libtos::program!(main);

/// Fragments of the longest message: more than the buffers and the ring of any processor hold.
const FRAGMENTS: usize = 18;
const WORDS: usize = (FRAGMENTS * FRAGMENT_BYTES).div_ceil(4) + 1;
const PAGES: u32 = (4 * WORDS).div_ceil(1024) as u32 + 2;
/// The partner, and its channels: lengths to send and to receive, and messages.
const PARTNER: u8 = 2;
const THERE: u8 = 1;
const BACK: u8 = 2;
/// Threads that exchange short messages, and their channels.
const PINGS: u8 = 3;
const FIRST_PING: u8 = 10;
const SHORT_PAGES: u32 = 2;
/// How long a message may take, in microseconds: several times what the longest takes beside
/// others.
const SOON_US: u32 = 20_000;

/// What is behind a message before it comes.
const BEHIND: u8 = 0xa5;

/// The first thread's, which is at home; the partner has one in its stack.
static mut MESSAGE: Buffer<WORDS> = Buffer::new();

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([pings]) = arguments.numbers([2000u32]) else {
        println!("usage: lengths [PINGS]");
        return 2;
    };
    match run(pings) {
        Ok(wrong) => wrong,
        Err(error) => {
            println!("lengths: {}", error.meaning());
            halt();
        }
    }
}

fn run(pings: u32) -> Result<u32, Error> {
    let message = &raw mut MESSAGE;
    // SAFETY: this thread alone uses it.
    let buffer = unsafe { &mut *message };
    let elsewhere = (processor() + 1) % processors();
    let mut wrong = 0;
    for beside in [false, true] {
        create(PARTNER, PAGES, elsewhere as i32, partner, stack_for(PAGES))?;
        if beside {
            for thread in 0..4 {
                let entry = [ping, pong][thread as usize % 2];
                let at = (elsewhere + thread) % processors();
                create(PINGS + thread, SHORT_PAGES, at as i32, entry, stack_for(SHORT_PAGES))?;
                send_block(FIRST_PING + 8 + thread, &pings.to_le_bytes())?;
            }
        }
        let words = if beside { "beside others" } else { "alone" };
        let (received, late) = take(buffer, BACK)?;
        println!("{} messages received {words}: {} wrong, {late} late", received.messages, received.wrong);
        wrong += received.wrong + late + (received.messages != lengths().count() as u32) as u32;
        let late = give(buffer, THERE)?;
        println!("as many sent {words}: {late} late");
        wrong += late;
        let failed = wait();
        println!("threads that found something wrong: {failed}");
        wrong += failed;
    }
    Ok(wrong)
}

/// One less, as many and one or five more bytes than every number of fragments: the last fragment has
/// no whole word, or one and a part of the next.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=FRAGMENTS).flat_map(|count| {
        let bytes = count * FRAGMENT_BYTES;
        [bytes.saturating_sub(1), bytes, bytes + 1 + count % 2 * 4]
    })
}

/// Sends a message of every length; returns how many took too long.
fn give(buffer: &mut [u8], channel: u8) -> Result<u32, Error> {
    let mut late = 0;
    for (number, length) in lengths().enumerate() {
        let message = buffer.get_mut(..length).unwrap_or_default();
        fill(message, number as u32);
        let start = clock_us();
        send_block(channel, message)?;
        late += (clock_us() - start > SOON_US) as u32;
    }
    Ok(late)
}

/// The bytes behind a message, which are not its receiver's to change: as many as a word has, or as
/// there are.
fn behind(buffer: &mut [u8], length: usize) -> &mut [u8] {
    let rest = buffer.get_mut(length..).unwrap_or_default();
    let bytes = rest.len().min(4);
    rest.get_mut(..bytes).unwrap_or_default()
}

/// Receives and checks as many; returns what came and how many took too long.
fn take(buffer: &mut [u8], channel: u8) -> Result<(Check, u32), Error> {
    let (mut check, mut late) = (Check::default(), 0);
    for length in lengths() {
        behind(buffer, length).fill(BEHIND);
        let start = clock_us();
        let bytes = receive(channel, buffer)?;
        late += (clock_us() - start > SOON_US) as u32;
        check.wrong += (bytes != length) as u32;
        check.wrong += behind(buffer, length).iter().any(|byte| *byte != BEHIND) as u32;
        check.add(buffer.get(..bytes).unwrap_or_default());
    }
    Ok((check, late))
}

extern "C" fn partner() -> ! {
    let mut buffer = Buffer::<WORDS>::new();
    let right = give(&mut buffer, BACK)
        .and_then(|late| take(&mut buffer, THERE).map(|(check, more)| late + more + check.wrong == 0));
    exit((right != Ok(true)) as u32)
}

fn pings() -> (u8, u32) {
    let pair = (libtos::thread_id() - PINGS) / 2;
    let mut times = [0; 4];
    if receive(FIRST_PING + 8 + libtos::thread_id() - PINGS, &mut times) != Ok(4) {
        exit(1);
    }
    (FIRST_PING + 2 * pair, u32::from_le_bytes(times))
}

/// Message number `round`: one to three words, so that now and then the end of a ring lies within.
fn short(round: u32, words: &mut [u8; 12]) -> &[u8] {
    for (index, word) in words.chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(round << 2 | index as u32).to_le_bytes());
    }
    &words[..4 * (1 + round as usize % 3)]
}

extern "C" fn ping() -> ! {
    let (channel, times) = pings();
    let (mut sent, mut back) = ([0; 12], [0; 12]);
    let wrong = (0..times).any(|round| {
        let message = short(round, &mut sent);
        send_block(channel, message).is_err()
            || receive(channel + 1, &mut back) != Ok(message.len())
            || back[..message.len()] != *message
    });
    exit(wrong as u32)
}

extern "C" fn pong() -> ! {
    let (channel, times) = pings();
    let (mut expected, mut message) = ([0; 12], [0; 12]);
    let wrong = (0..times).any(|round| {
        let length = short(round, &mut expected).len();
        receive(channel, &mut message) != Ok(length)
            || message[..length] != expected[..length]
            || send_block(channel + 1, &message[..length]).is_err()
    });
    exit(wrong as u32)
}
