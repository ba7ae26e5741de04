//! Does what a program must not do, and prints what comes of it: each call gets its error, each thread that touches
//! what is not its own is ended, and nobody else notices. Exit code 0 if everything went as it should.
#![no_std]
#![no_main]

use core::cell::Cell;
use libtos::{alt, create, exit, println, receive, send_block, send_event, stack_for, wait, Error};

libtos::program!(main);

const STACK_PAGES: u32 = 4;
const CHANNEL: u8 = 1;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: misuse");
        return 2;
    }
    let count = Cell::new(0);
    let wrong = |is: bool| count.set(count.get() + is as u32);
    let expect = |what: &str, result: Result<usize, Error>, expected: Error| {
        let found = result.err().map_or("no error", Error::meaning);
        println!("{what}: {found}");
        wrong(found != expected.meaning());
    };
    let mut byte = [0];
    expect("channel 128", send_block(128, &byte), Error::BadChannel);
    expect("null buffer", send_block(0, range(0, 1)), Error::BadPointer);
    expect("unmapped buffer", send_block(0, range(0xf_0000, 1)), Error::BadPointer);
    expect("buffer that wraps", send_block(0, range(0xffff_fff0, 0x20)), Error::BadPointer);
    expect("buffer too long", send_block(0, range(0x8_0000, 0x10_0001)), Error::BadLength);
    expect("code as a buffer to receive", receive(0, range_mut(0x400, 4)), Error::BadPointer);
    expect("marker as a datum", send_event(0xaa00).map(|_| 0), Error::BadDatum);
    expect("processor 99", create(9, STACK_PAGES, 99, idle, stack_for(STACK_PAGES)).map(|_| 0), Error::BadProcessor);
    expect("stack on the data", create(9, 1, here(), idle, 0x8_0400).map(|_| 0), Error::BadPointer);
    expect("a stack too large", create(9, 511, here(), idle, 0xf_0000).map(|_| 0), Error::BadPointer);

    let entries: [unsafe extern "C" fn() -> !; 5] = [null_store, code_store, data_run, illegal, device_load];
    for (id, entry) in entries.into_iter().enumerate() {
        // SAFETY: the types differ in `unsafe` only, and none of these gets past the page map: that
        // is what they are for.
        let entry = unsafe { core::mem::transmute::<unsafe extern "C" fn() -> !, extern "C" fn() -> !>(entry) };
        if let Err(error) = create(10 + id as u8, STACK_PAGES, here(), entry, stack_for(STACK_PAGES)) {
            println!("create: {}", error.meaning());
        }
    }
    let ended = wait();
    println!("{ended} threads ended for what they touched");
    wrong(ended != 5);

    // A channel has one receiver: the first.
    for id in [20, 21] {
        let _ = create(id, STACK_PAGES, here(), one_receive, stack_for(STACK_PAGES));
    }
    libtos::yield_now();
    expect("a third receiver", receive(CHANNEL, &mut byte), Error::ChannelInUse);
    let sent = send_block(CHANNEL, &[7]);
    println!("send to the first receiver: {}", if sent == Ok(1) { "taken" } else { "NOT taken" });
    let refused = wait();
    println!("{refused} receiver refused");
    wrong(refused != 1 || sent != Ok(1));
    wrong(elsewhere() != 0);
    println!("misuse: {} wrong", count.get());
    count.get()
}

/// Partners on a processor of their own and on two, and a third thread elsewhere that uses their channels as often as
/// it likes. The result is how often it was told something else than that they are in use.
fn elsewhere() -> u32 {
    if libtos::processors() < 5 {
        return 0;
    }
    for (id, place, entry) in [
        (30, 2, far_sender as extern "C" fn() -> !),
        (31, 3, far_receiver),
        (32, 2, near_sender),
        (33, 2, near_receiver),
    ] {
        let _ = create(id, STACK_PAGES, place, entry, stack_for(STACK_PAGES));
    }
    println!("{} of 4 partners failed", wait());
    let _ = create(34, STACK_PAGES, 4, wrong_receiver, stack_for(STACK_PAGES));
    wait()
}

const FAR: u8 = 40;
const NEAR: u8 = 41;
extern "C" fn far_sender() -> ! {
    exit((send_block(FAR, &[1]) != Ok(1)) as u32)
}
extern "C" fn far_receiver() -> ! {
    exit((receive(FAR, &mut [0]) != Ok(1)) as u32)
}
extern "C" fn near_sender() -> ! {
    exit((send_block(NEAR, &[1]) != Ok(1)) as u32)
}
extern "C" fn near_receiver() -> ! {
    exit((receive(NEAR, &mut [0]) != Ok(1)) as u32)
}
/// Neither call may wait for a sender that is another's.
extern "C" fn wrong_receiver() -> ! {
    let mut wrong = 0;
    let mut told = |what: &str, result: Result<usize, Error>| {
        println!("{what}: {}", result.err().map_or("no error", Error::meaning));
        wrong += (result != Err(Error::ChannelInUse)) as u32;
    };
    for _ in 0..2 {
        told("alt elsewhere", alt(&[FAR], &mut [0], Some(20_000)).map(|(_, bytes)| bytes));
        told("receive elsewhere", receive(FAR, &mut [0]));
    }
    for channel in [FAR, NEAR] {
        told("send elsewhere", send_block(channel, &[1]));
        told("send elsewhere again", send_block(channel, &[1]));
    }
    exit(wrong)
}

fn here() -> i32 {
    libtos::processor() as i32
}
/// Memory that isn't this program's.
fn range(address: usize, bytes: usize) -> &'static [u8] {
    // SAFETY: none; the kernel must refuse it before anybody reads it.
    unsafe { core::slice::from_raw_parts(core::hint::black_box(address) as *const u8, bytes) }
}
fn range_mut(address: usize, bytes: usize) -> &'static mut [u8] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(core::hint::black_box(address) as *mut u8, bytes) }
}

extern "C" fn idle() -> ! {
    exit(0)
}
extern "C" fn one_receive() -> ! {
    let mut byte = [0];
    exit((receive(CHANNEL, &mut byte) != Ok(1) || byte != [7]) as u32)
}
// What threads are ended for, at the same addresses whatever the compiler does: right after the start-up code.
core::arch::global_asm!(
    ".section .text.fixed, \"ax\"",
    "null_store: sw zero, 0(zero)",
    "code_store: sw zero, 0x400(zero)",
    "data_run: jr sp",
    "illegal: csrr t0, mstatus",
    "device_load: lui t0, 0x10000",
    "lb t0, 0(t0)",
);

extern "C" {
    fn null_store() -> !;
    fn code_store() -> !;
    fn data_run() -> !;
    fn illegal() -> !;
    fn device_load() -> !;
}
