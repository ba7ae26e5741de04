//! Reaches every limit of channels and messages, and goes one past it. (`threads`, `processes`,
//! `files` and `alternative` do it for theirs.) Prints what came of each; exit code 0 if all is as
//! it should be.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libtos::{create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait, Error};
use programs::verdict::Verdict;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
const PARTNER: u8 = 2;
const CHANNELS: u8 = 128;
/// Channels that other trials use.
const MESSAGES: u8 = 5;
/// A large message; sender and receiver have it in the process's data, half of which it takes.
const LARGE: usize = 64 * 1024;
type Words = [u32; LARGE / 4];
struct Room(UnsafeCell<Words>);
// SAFETY: one is the first thread's, the other its partner's.
unsafe impl Sync for Room {}
static SENT: Room = Room(UnsafeCell::new([0; LARGE / 4]));
static RECEIVED: Room = Room(UnsafeCell::new([0; LARGE / 4]));

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: limits");
        return 2;
    }
    let verdict = Verdict::default();
    let far = if processors() > 2 { processor() + 1 } else { processor() };
    for (where_, place) in [("here", processor()), ("elsewhere", far)] {
        println!("partner {where_}");
        if let Err(error) = create(PARTNER, STACK_PAGES, place as i32, partner, stack_for(STACK_PAGES)) {
            println!("limits: create: {}", error.meaning());
            halt();
        }
        verdict.check("a byte on each of 128 channels", all_channels());
        verdict.check("a message of no bytes", send_block(MESSAGES, &[]) == Ok(0));
        verdict.check("a message into room for none", send_block(MESSAGES, &[1; 100]) == Ok(0));
        verdict.check("a message cut by the receiver", send_block(MESSAGES, &[2; 100]) == Ok(60));
        verdict.check("room for more than is sent", send_block(MESSAGES, &[3; 20]) == Ok(20));
        verdict.check("a message of 64 KiB", large());
        verdict.check("its receiver's verdict", wait() == 0);
    }
    let error = |result: Result<usize, Error>| result.err().map_or("no error", Error::meaning);
    let mut byte = [0];
    println!("channel 128: {}", error(send_block(CHANNELS, &byte)));
    println!("channel 255: {}", error(receive(255, &mut byte)));
    println!("another thread's channel to receive: {}", error(receive(MESSAGES, &mut byte)));
    println!("limits: {} wrong", verdict.wrong());
    verdict.wrong()
}

fn all_channels() -> bool {
    (0..CHANNELS).all(|channel| send_block(channel, &[channel ^ 0x5a]) == Ok(1))
}

/// Word `index` of the large message.
fn word(index: u32) -> u32 {
    index.wrapping_mul(0x9e37_79b1)
}

fn large() -> bool {
    // SAFETY: see `Room`; words are bytes.
    let bytes = unsafe {
        let words = &mut *SENT.0.get();
        words.iter_mut().zip(0..).for_each(|(place, index)| *place = word(index));
        core::slice::from_raw_parts(words.as_ptr().cast::<u8>(), LARGE)
    };
    send_block(MESSAGES, bytes) == Ok(LARGE)
}

extern "C" fn partner() -> ! {
    exit(answer().map_or(1, |is_right| !is_right as u32))
}

fn answer() -> Result<bool, Error> {
    let mut buffer = [0u8; 200];
    let mut is_right = true;
    for channel in 0..CHANNELS {
        is_right &= receive(channel, &mut buffer)? == 1 && buffer[0] == channel ^ 0x5a;
    }
    buffer[..100].fill(0xee);
    is_right &= receive(MESSAGES, &mut buffer)? == 0 && buffer[0] == 0xee;
    is_right &= receive(MESSAGES, &mut buffer[..0])? == 0 && buffer[0] == 0xee;
    is_right &= receive(MESSAGES, &mut buffer[..60])? == 60 && buffer[59] == 2 && buffer[60] == 0xee;
    is_right &= receive(MESSAGES, &mut buffer)? == 20 && buffer[19] == 3 && buffer[20] == 2;
    // SAFETY: see `Room`; any bytes make words.
    let bytes = unsafe { core::slice::from_raw_parts_mut(RECEIVED.0.get().cast::<u8>(), LARGE) };
    bytes.fill(0);
    is_right &= receive(MESSAGES, bytes)? == LARGE;
    Ok(is_right && bytes.chunks_exact(4).zip(0..).all(|(bytes, index)| bytes == word(index).to_le_bytes()))
}
