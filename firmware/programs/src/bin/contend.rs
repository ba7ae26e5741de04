//! Calls whose memory is in pages that others take away all the time: a buffer of several pages is
//! received into, chosen for by ALT, or sent, while threads on all other processors write to a word
//! of its last page, add behind a spinning [`libtos::lock::Lock`] that is there, or read every
//! page. Each call must get on, however many pages it needs, at home and elsewhere. Arguments:
//! `[PAGES...]`, at most 64, by default 1, 4, 5, 8 and 64.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::lock::Lock;
use libtos::pattern::{fill, Buffer, Check};
use libtos::{
    alt, compute_us, create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait,
    yield_now, Error,
};

libtos::program!(main);

const PAGE: usize = 1024;
const MOST: usize = 64;
/// Bytes of the last page that are not the buffer's.
const REST: usize = 256;

/// Pages that all processors want.
#[repr(C, align(1024))]
struct Area {
    buffer: UnsafeCell<[u32; (MOST * PAGE - REST) / 4]>,
    words: [AtomicU32; 16],
    lock: Lock,
    /// Added to inside the lock.
    sum: AtomicU32,
}
// SAFETY: the buffer is one thread's at a time, which the channels see to; others only read it,
// volatile, and don't care what.
unsafe impl Sync for Area {}
static AREA: Area = Area {
    buffer: UnsafeCell::new([0; (MOST * PAGE - REST) / 4]),
    words: [const { AtomicU32::new(0) }; 16],
    lock: Lock::new(),
    sum: AtomicU32::new(0),
};

/// What the others do, in a page of its own.
#[repr(C, align(1024))]
struct Order(AtomicU32);
static ORDER: Order = Order(AtomicU32::new(WRITE));
const WRITE: u32 = 0;
const LOCK: u32 = 1;
const READ: u32 = 2;
const END: u32 = 3;
const ORDERS: [&str; 3] = ["write", "lock", "read"];

/// The partner of the user of the area, the user elsewhere, and the first of those that contend.
const PARTNER: u8 = 2;
const USER: u8 = 3;
const FIRST: u8 = 4;
const STACK_PAGES: u32 = 3;
const BIG_PAGES: u32 = (MOST + 3) as u32;
/// Channels: to the partner and to the user what is to be done, from the user what came of it,
/// messages into the area, and out of it.
const TO_PARTNER: u8 = 1;
const TO_USER: u8 = 2;
const FROM_USER: u8 = 3;
/// By who uses the area: the first thread, or the user elsewhere.
const INTO: u8 = 10;
const OUT: u8 = 20;
/// One on which nobody sends.
const SILENT: u8 = 30;

/// Messages of each kind.
const MESSAGES: u32 = 2;

fn main(arguments: libtos::Arguments) -> u32 {
    let pages: [Option<usize>; 8] = core::array::from_fn(|index| match arguments.number(index, 0usize) {
        Some(0) if arguments.number(0, 0usize) == Some(0) => [1, 4, 5, 8, MOST].get(index).copied().or(Some(0)),
        count => count.filter(|&count| count <= MOST),
    });
    if pages.contains(&None) || arguments.at_most(pages.len()).is_none() {
        println!("usage: contend [PAGES (1 to {MOST})...]");
        return 2;
    }
    match run(pages.into_iter().flatten().filter(|&count| count != 0)) {
        Ok(wrong) => wrong,
        Err(error) => {
            println!("contend: {}", error.meaning());
            halt();
        }
    }
}

fn run(pages: impl Iterator<Item = usize>) -> Result<u32, Error> {
    let here = processor();
    let last = (here + processors() - 1) % processors();
    create(PARTNER, BIG_PAGES, ((here + 1) % processors()) as i32, partner, stack_for(BIG_PAGES))?;
    create(USER, STACK_PAGES, last as i32, user, stack_for(STACK_PAGES))?;
    for other in 1..processors() {
        let at = (here + other) % processors();
        create(FIRST + at, STACK_PAGES, at as i32, contend, stack_for(STACK_PAGES))?;
    }
    let mut wrong = 0;
    for count in pages {
        for order in [WRITE, LOCK, READ] {
            ORDER.0.store(order, Relaxed);
            let at_home = use_area(0, count)?;
            tell(TO_USER, count)?;
            let mut answer = [0; 4];
            receive(FROM_USER, &mut answer)?;
            let elsewhere = u32::from_le_bytes(answer);
            let others = ORDERS[order as usize];
            println!("{count} pages, others {others}: {at_home} wrong at home, {elsewhere} elsewhere");
            wrong += at_home + elsewhere;
        }
    }
    ORDER.0.store(END, Relaxed);
    tell(TO_USER, 0)?;
    let failed = wait();
    let counted = AREA.words.iter().filter(|word| word.load(Relaxed) != 0).count();
    let all = counted == processors() as usize - 1 && AREA.sum.load(Relaxed) != 0;
    println!("{failed} threads failed; all others got on: {}", if all { "yes" } else { "NO" });
    Ok(wrong + failed + !all as u32)
}

fn tell(channel: u8, what: usize) -> Result<(), Error> {
    send_block(channel, &(what as u32).to_le_bytes()).map(drop)
}

/// Receives into the last `count` pages, chooses for them, and sends them; returns how much was
/// wrong. `who` is 0 for the first thread, 1 for the other.
fn use_area(who: u8, count: usize) -> Result<u32, Error> {
    tell(TO_PARTNER + 4 * (1 + who), count)?;
    let length = count * PAGE - REST;
    // SAFETY: the first thread waits while the other uses it, and the other is only told to when the first has done.
    let buffer = unsafe {
        let start = AREA.buffer.get().cast::<u8>().add((MOST - count) * PAGE);
        core::slice::from_raw_parts_mut(start, length)
    };
    let mut check = Check::default();
    for number in 0..2 * MESSAGES {
        let bytes = match number % 2 {
            0 => receive(INTO + who, buffer)?,
            _ => alt(&[SILENT + who, INTO + who], buffer, None)?.1,
        };
        check.add(buffer.get(..bytes).unwrap_or_default());
    }
    for number in 0..MESSAGES {
        fill(buffer, number);
        send_block(OUT + who, buffer)?;
    }
    let mut word = [0; 4];
    receive(OUT + 2 + who, &mut word)?;
    Ok(check.wrong + (check.bytes as usize != 2 * MESSAGES as usize * length) as u32 + u32::from_le_bytes(word))
}

/// Sends what is received into the area, and receives what is sent out of it.
extern "C" fn partner() -> ! {
    let mut buffer = Buffer::<{ MOST * PAGE / 4 }>::new();
    exit(serve(&mut buffer).is_err() as u32)
}

fn serve(buffer: &mut [u8]) -> Result<(), Error> {
    loop {
        let mut count = [0; 4];
        let (index, _) = alt(&[TO_PARTNER + 4, TO_PARTNER + 8], &mut count, None)?;
        let (who, count) = (index as u8, u32::from_le_bytes(count) as usize);
        if count == 0 {
            return Ok(());
        }
        let message = buffer.get_mut(..count * PAGE - REST).unwrap_or_default();
        for number in 0..2 * MESSAGES {
            fill(message, number);
            send_block(INTO + who, message)?;
        }
        let mut check = Check::default();
        for _ in 0..MESSAGES {
            let bytes = receive(OUT + who, message)?;
            check.wrong += (bytes != message.len()) as u32;
            check.add(message);
        }
        send_block(OUT + 2 + who, &check.wrong.to_le_bytes())?;
    }
}

/// Uses the area away from home, when the first thread tells it.
extern "C" fn user() -> ! {
    let mut count = [0; 4];
    loop {
        if receive(TO_USER, &mut count) != Ok(4) {
            exit(1);
        }
        let done = match u32::from_le_bytes(count) {
            0 => {
                exit(tell(TO_PARTNER + 8, 0).is_err() as u32);
            }
            count => use_area(1, count as usize),
        };
        if done.and_then(|wrong| send_block(FROM_USER, &wrong.to_le_bytes())).is_err() {
            exit(1);
        }
    }
}

extern "C" fn contend() -> ! {
    let mine = &AREA.words[processor() as usize % 16];
    loop {
        match ORDER.0.load(Relaxed) {
            WRITE => mine.store(mine.load(Relaxed) + 1, Relaxed),
            LOCK => AREA.lock.with(|| AREA.sum.store(AREA.sum.load(Relaxed) + 1, Relaxed)),
            READ => read_all(),
            _ => exit(0),
        }
        yield_now();
    }
}

/// Reads a word of every page.
fn read_all() {
    for page in 0..MOST {
        // SAFETY: in the buffer; what it is doesn't matter.
        unsafe { AREA.buffer.get().cast::<u32>().add(page * PAGE / 4).read_volatile() };
        yield_now();
        compute_us(20);
    }
}
