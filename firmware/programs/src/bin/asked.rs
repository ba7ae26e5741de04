//! Threads that are moved by others: from here and from elsewhere, ready, blocked, with children,
//! to where they are, and what is no thread or processor. Each request gets its answer, each thread
//! ends where it should.
#![no_std]
#![no_main]

use core::cell::Cell;
use libtos::{
    compute_us, create, exit, halt, migrate, migrate_self, println, processor, processors, receive, send_block,
};
use libtos::{stack_for, thread_number, wait, Error, Place};

libtos::program!(main);

const STACK_PAGES: u32 = 4;
const BUSY: u8 = 2;
const BLOCKED: u8 = 3;
const PARENT: u8 = 4;
const CHILD: u8 = 5;
/// Messages that end the threads.
const CHANNEL: u8 = 10;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: asked");
        return 2;
    }
    let wrong = Cell::new(0);
    let expect = |what: &str, result: Result<(), Error>, expected: Option<Error>| {
        println!("{what}: {}", result.err().map_or("moved", Error::meaning));
        wrong.set(wrong.get() + (result.err() != expected) as u32);
    };
    let (here, next, last) = (Place::Processor(processor()), Place::Processor(2), Place::Processor(processors() - 1));
    let busy = start(BUSY, processor(), busy);
    let blocked = start(BLOCKED, 2, blocked);
    let parent = start(PARENT, 2, parent);
    // Until they are where they wait.
    compute_us(1000);
    expect("a busy thread from here", migrate(busy, Place::Here, next), None);
    compute_us(2000);
    expect("from there to where it is", migrate(busy, next, next), None);
    expect("from there on", migrate(busy, next, last), None);
    compute_us(2000);
    expect("from where it has been", migrate(busy, next, here), Some(Error::NotHere));
    expect("from here, where it isn't", migrate(busy, Place::Here, next), Some(Error::NotHere));
    expect("a blocked thread", migrate(blocked, next, here), Some(Error::NotReady));
    expect("a thread with children", migrate(parent, next, here), Some(Error::NotReady));
    expect("this thread, which has children", migrate_self(next), Some(Error::NotReady));
    expect("this thread to where it is", migrate(thread_number(), here, here), Some(Error::NotReady));
    expect("this thread from elsewhere", migrate(thread_number(), next, here), Some(Error::NotHere));
    expect("to processor 99", migrate(busy, last, Place::Processor(99)), Some(Error::BadProcessor));
    expect("from processor 99", migrate(busy, Place::Processor(99), here), Some(Error::BadProcessor));
    expect("thread 0 of this process", migrate(thread_number() & !0x3f, here, next), Some(Error::NoThread));
    expect("a thread id that nobody has", migrate(thread_number() | 0x3f, last, next), Some(Error::NotHere));
    expect("another process's thread", migrate(thread_number() ^ 0x40, here, next), Some(Error::NoPermission));
    expect("back", migrate(busy, last, here), None);
    for id in [BUSY, BLOCKED, CHILD] {
        wrong.set(wrong.get() + (send_block(CHANNEL + id, &[]) != Ok(0)) as u32);
    }
    let failed = wait();
    println!("asked: {} wrong, {failed} failed", wrong.get());
    wrong.get() + failed
}

fn start(id: u8, on: u8, entry: extern "C" fn() -> !) -> u16 {
    create(id, STACK_PAGES, on as i32, entry, stack_for(STACK_PAGES)).unwrap_or_else(|error| {
        println!("asked: thread {id}: {}", error.meaning());
        halt()
    })
}

/// Waits to be told that it can go. Returns the exit code.
fn wait_for_end(id: u8) -> u32 {
    (receive(CHANNEL + id, &mut [0; 4]) != Ok(0)) as u32
}

/// Computes until it has been on three processors and is back on the first.
extern "C" fn busy() -> ! {
    let first = processor();
    let (mut at, mut visited) = (first, 1_u32 << first);
    while at != first || visited.count_ones() < 3 {
        compute_us(20);
        at = processor();
        visited |= 1 << at;
    }
    exit(wait_for_end(BUSY))
}

extern "C" fn blocked() -> ! {
    exit(wait_for_end(BLOCKED))
}

extern "C" fn parent() -> ! {
    let made = create(CHILD, STACK_PAGES, -1, child, stack_for(STACK_PAGES));
    exit(made.is_err() as u32 + wait())
}

extern "C" fn child() -> ! {
    exit(wait_for_end(CHILD))
}
