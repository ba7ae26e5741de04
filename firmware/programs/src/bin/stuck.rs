//! Programs that do not end, each for a reason of its own: what `testbed run` says of them is held
//! in `host-tools/tests/waits.rs`. Argument: the name of the case.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};
use libtos::console::{read_line, Line};
use libtos::process::{await_end, invoke, How};
use libtos::{
    alt, create, delay_us, exit, halt, processor, processors, receive, send_block, stack_for, thread_id, wait,
};

libtos::program!(main);

const STACK_PAGES: u32 = 2;

/// What a case runs.
type Case = fn() -> u32;

/// The cases by name.
const CASES: &[(&str, Case)] = &[
    ("two", || two(1)),
    ("two-here", || two(0)),
    ("three", three),
    ("half", half),
    ("leak", leak),
    ("orphan", orphan),
    ("alone", alone),
    ("alternative", alternative),
    ("strangers", strangers),
    ("process", process),
    ("page", page),
    ("delay", delay),
    ("timeout", timeout),
    ("input", input),
];

fn main(arguments: libtos::Arguments) -> u32 {
    let name = arguments.iter().next().unwrap_or("");
    match CASES.iter().find(|case| case.0 == name) {
        Some((_, case)) => case(),
        None => {
            let mut line = Line::new();
            line.text("usage: stuck CASE; the cases are");
            for (case, _) in CASES {
                line.text(" ").text(case);
            }
            line.end();
            2
        }
    }
}

/// Creates thread `id` so many slaves further on.
fn start(id: u8, distance: u8, entry: extern "C" fn() -> !) {
    let place = match processors() {
        1 => 0,
        all => 1 + (processor() + all - 2 + distance) % (all - 1),
    };
    if let Err(error) = create(id, STACK_PAGES, place as i32, entry, stack_for(STACK_PAGES)) {
        Line::new().text("stuck: cannot create a thread: ").text(error.meaning()).end();
        halt();
    }
}

#[inline(always)]
fn send(channel: u8) {
    if send_block(channel, &[channel; 4]).is_err() {
        exit(1);
    }
}

#[inline(always)]
fn take(channel: u8) {
    if receive(channel, &mut [0; 4]).is_err() {
        exit(1);
    }
}

/// Two threads that have exchanged a message each wait for the other's next one.
fn two(distance: u8) -> u32 {
    start(2, distance, second_of_two);
    send(0);
    take(1);
    take(1);
    wait()
}

extern "C" fn second_of_two() -> ! {
    take(0);
    send(1);
    take(0);
    exit(0)
}

/// A token goes round three threads; then all of them send at once.
fn three() -> u32 {
    start(2, 1, of_three);
    start(3, 2, of_three);
    send(1);
    take(3);
    send(1);
    wait()
}

extern "C" fn of_three() -> ! {
    take(thread_id() - 1);
    send(thread_id());
    send(thread_id());
    exit(0)
}

/// Two threads wait for each other while the first goes on.
fn half() -> u32 {
    start(2, 1, first_of_half);
    start(3, 2, second_of_two);
    go_on()
}

extern "C" fn first_of_half() -> ! {
    send(0);
    take(1);
    take(1);
    exit(0)
}

/// Two threads communicate on one processor. Two on others receive on their channel, where nobody knows of them.
fn strangers() -> u32 {
    start(2, 0, not_a_stranger);
    start(3, 1, receives_once);
    start(4, 2, chooses_it);
    // They wait already.
    delay_us(20_000);
    send(0);
    send(0);
    wait()
}

extern "C" fn not_a_stranger() -> ! {
    take(0);
    take(0);
    take(0);
    exit(0)
}

extern "C" fn receives_once() -> ! {
    take(0);
    exit(0)
}

extern "C" fn chooses_it() -> ! {
    exit(alt(&[0, 7], &mut [0; 4], None).is_err() as u32)
}

fn go_on() -> ! {
    loop {
        delay_us(10_000); // Long, so that who looks finds it asleep.
    }
}

/// A thread waits for one that has ended, while the first goes on.
fn leak() -> u32 {
    start(2, 1, abandoned);
    start(3, 2, sends_once);
    go_on()
}

/// The same, and the first waits for both.
fn orphan() -> u32 {
    start(2, 1, abandoned);
    start(3, 2, sends_once);
    wait()
}

extern "C" fn abandoned() -> ! {
    take(0);
    take(0);
    exit(0)
}

extern "C" fn sends_once() -> ! {
    send(0);
    exit(0)
}

/// Nobody is there who could send.
fn alone() -> u32 {
    take(5);
    0
}

/// A thread waits for either of two that wait for it.
fn alternative() -> u32 {
    start(2, 1, of_alternative);
    start(3, 2, of_alternative);
    for id in 2..4 {
        take(id);
        send(10 + id);
    }
    let _ = alt(&[2, 3], &mut [0; 4], None);
    wait()
}

extern "C" fn of_alternative() -> ! {
    send(thread_id());
    take(10 + thread_id());
    take(10 + thread_id());
    exit(0)
}

/// Waits for the end of another program, whose threads wait for each other.
fn process() -> u32 {
    match invoke("stuck", b"two\0", How { processor: Some(1 + processor() % (processors() - 1)), ..How::default() }) {
        Ok(process) => await_end(process).unwrap_or(1),
        Err(error) => {
            Line::new().text("stuck: cannot invoke a program: ").text(error.meaning()).end();
            1
        }
    }
}

/// Two threads change words of one page until the other's has a value that it never gets.
static WORDS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

fn page() -> u32 {
    start(2, 1, changes_page);
    change(0)
}

extern "C" fn changes_page() -> ! {
    exit(change(1))
}

fn change(mine: usize) -> u32 {
    while WORDS[1 - mine].load(Ordering::Relaxed) != u32::MAX {
        let next = WORDS[mine].load(Ordering::Relaxed) + 1;
        WORDS[mine].store(next % 1_000, Ordering::Relaxed);
    }
    0
}

/// Only waits long.
fn delay() -> u32 {
    delay_us(100_000_000);
    0
}

/// Waits long for somebody who waits for it: its time will be over.
fn timeout() -> u32 {
    start(2, 1, second_of_two);
    send(0);
    take(1);
    alt(&[1], &mut [0; 4], Some(100_000_000)).is_err() as u32
}

/// Waits for a line.
fn input() -> u32 {
    start(2, 1, second_of_two);
    let mut line = [0; 16];
    let _ = read_line(&mut line);
    send(0);
    take(1);
    send(0);
    wait()
}
