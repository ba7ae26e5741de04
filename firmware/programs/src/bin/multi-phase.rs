//! The report's `multi-phase` (appendix A.4, Table 5, Figure 18): 25 threads on five slaves go
//! through eight phases: bound by computing or by communication, local or remote, with short or
//! long messages.
//!
//! Arguments: `[BYTES [TURNS [COMPUTE_MS [PAUSE_MS]]]]`: of a long message, how often a phase goes
//! round, the unit of computing, and thread 1's time between phases; by default 5000, 10, 1 and
//! 1000 as in the report. With messages of up to 256 bytes it fits into 64 KiB a processor.
//!
//! Threads are called 10 to 14 on the first slave, 20 to 24 on the second, and so on. Channels 0 to
//! 4 lead from thread 1 to 10 to 14, 5 to 9 to 10, 20, 30, 40 and 50; from there the *horizontal*
//! ones lead from slave to slave (10, 20, 30, ...) and the *vertical* ones from thread to thread of
//! a slave (10, 11, 12, ...). Every phase begins and ends with a message from thread 1 that is
//! passed on along the phase's channels, with the phase's length: that is the little communication
//! of the phases that compute.
#![no_std]
#![no_main]

use libtos::console::Line;
use libtos::{compute_ms, create, exit, halt, processors, receive, send_block, thread_id, wait, Error};

libtos::program!(main);

/// Slaves, and threads a slave.
const SIDE: u8 = 5;
const PAGE_BYTES: usize = 1024;
/// Address above the highest thread's stack. Where the others are follows from it: without data the
/// program needs no page for any.
const STACKS: u32 = 0xf_8000;
const MAX_MSG: usize = 8192;
/// A thread with a message of at most so many bytes needs one page of stack.
const SHORT: usize = 256;
const PHASES: u32 = 8;
/// Words of a message that has any: what the phase is to be, then a pattern.
const PLAN_BYTES: usize = 16;
const HORIZONTAL: u8 = 2 * SIDE;
const VERTICAL: u8 = HORIZONTAL + SIDE * SIDE;

/// What thread 1 tells the others; it is in the first message of all, and in every long one.
#[derive(Clone, Copy)]
struct Plan {
    bytes: u32,
    turns: u32,
    compute_ms: u32,
}

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([bytes @ 16..=8192, turns, compute, pause]) = arguments.numbers([5000, 10, 1, 1000]) else {
        Line::new().text("usage: multi-phase [BYTES (16 to 8192) [TURNS [COMPUTE_MS [PAUSE_MS]]]]").end();
        return 2;
    };
    let slaves = processors().saturating_sub(1).clamp(1, SIDE);
    let first = u8::from(processors() > 1);
    let pages = pages(bytes as usize);
    for column in 0..SIDE {
        for row in 0..SIDE {
            let place = first + column % slaves;
            let entry: extern "C" fn() -> ! = thread;
            let stack = STACKS - (column * SIDE + row) as u32 * (pages + 1) * PAGE_BYTES as u32;
            let made = create(10 * (column + 1) + row, pages, place as i32, entry, stack);
            check("create", made.map(drop));
        }
    }
    let plan = Plan { bytes, turns, compute_ms: compute };
    for phase in 0..PHASES {
        for _ in 0..2 {
            for index in 0..SIDE {
                let channel = if remote(phase) { index } else { SIDE + index };
                check("send", send_block(channel, &plan.words(phase)).map(drop));
            }
        }
        compute_ms(pause);
    }
    let failed = wait();
    let mut line = Line::new();
    line.text("multi-phase: 25 threads, 8 phases, ")
        .number(bytes)
        .text(" bytes: ")
        .number(failed)
        .text(" failed")
        .end();
    failed
}

/// Pages of stack of a thread with a message of so many bytes.
fn pages(bytes: usize) -> u32 {
    if bytes <= SHORT {
        1
    } else {
        1 + bytes.div_ceil(PAGE_BYTES) as u32
    }
}

fn check(what: &str, result: Result<(), Error>) {
    if let Err(error) = result {
        Line::new().text("multi-phase: ").text(what).text(": ").text(error.meaning()).end();
        halt();
    }
}

/// Phases 0 to 7 of Table 5.
fn communicates(phase: u32) -> bool {
    phase & 4 != 0
}
fn remote(phase: u32) -> bool {
    phase & 2 != 0
}
fn long(phase: u32) -> bool {
    phase & 1 != 0
}

impl Plan {
    /// As it travels: little-endian words.
    fn words(self, phase: u32) -> [u8; PLAN_BYTES] {
        let mut bytes = [0; PLAN_BYTES];
        let words = [self.bytes, self.turns, self.compute_ms, phase];
        bytes.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
        bytes
    }
}

impl Plan {
    fn read(bytes: &[u8; PLAN_BYTES]) -> Plan {
        let mut words =
            bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |all, &byte| all << 8 | byte as u32));
        let mut next = || words.next().unwrap_or(0);
        Plan { bytes: next(), turns: next(), compute_ms: next() }
    }
}

/// Byte `index` of a phase's message.
fn pattern(phase: u32, index: usize) -> u8 {
    (phase as u8 + 1).wrapping_mul(29).wrapping_add(index as u8 ^ (index >> 8) as u8)
}

extern "C" fn thread() -> ! {
    let mark = 0u8;
    let top = (&raw const mark as usize | (PAGE_BYTES - 1)) + 1;
    let id = thread_id();
    let at = At { column: (id / 10).wrapping_sub(1), row: id % 10 };
    // The first message of all says what the others are like.
    let mut first = [0; PLAN_BYTES];
    let mut wrong = differs(receive(at.inward(0), &mut first), PLAN_BYTES) + at.pass_on(0, &first);
    let plan = Plan::read(&first);
    // The message lies at the bottom of the stack, the only memory that is this thread's own.
    let bytes = (plan.bytes as usize).min(MAX_MSG);
    let bottom = top - pages(bytes) as usize * PAGE_BYTES;
    // SAFETY: the frames of this thread stay within the part of the stack that `pages` leaves above the message.
    let room = unsafe { core::slice::from_raw_parts_mut(bottom as *mut u8, bytes) };
    for phase in 0..PHASES {
        let message = room.get_mut(..if long(phase) { bytes } else { 1 }).unwrap_or_default();
        message.iter_mut().enumerate().for_each(|(index, byte)| *byte = pattern(phase, index));
        if phase != 0 {
            wrong += at.barrier(phase, message);
        }
        for _ in 0..plan.turns {
            compute_ms(plan.compute_ms);
            if communicates(phase) {
                wrong += at.communicate(phase, message);
            } else {
                compute_ms(9 * plan.compute_ms);
            }
        }
        wrong += at.barrier(phase, message);
    }
    exit((wrong != 0) as u32)
}

/// 1 if a communication failed or was of another length.
fn differs(result: Result<usize, Error>, bytes: usize) -> u32 {
    (result != Ok(bytes)) as u32
}

/// A thread's place.
#[derive(Clone, Copy)]
struct At {
    column: u8,
    row: u8,
}

/// What follows returns how often something was not as it should be.
impl At {
    /// Whether it is the first of its row (remote phases) or column.
    fn is_head(self, phase: u32) -> bool {
        if remote(phase) {
            self.column == 0
        } else {
            self.row == 0
        }
    }

    /// Channel on which it receives; the first of a row or column from thread 1.
    fn inward(self, phase: u32) -> u8 {
        match (remote(phase), self.is_head(phase)) {
            (true, true) => self.row,
            (true, false) => HORIZONTAL + SIDE * self.row + self.column,
            (false, true) => SIDE + self.column,
            (false, false) => VERTICAL + SIDE * self.column + self.row,
        }
    }

    /// Sends to the next of the row or column, if there is one.
    fn pass_on(self, phase: u32, message: &[u8]) -> u32 {
        let next = match remote(phase) {
            true => At { column: self.column + 1, ..self },
            false => At { row: self.row + 1, ..self },
        };
        if next.column >= SIDE || next.row >= SIDE {
            return 0;
        }
        differs(send_block(next.inward(phase), message), message.len())
    }

    /// Begin or end of a phase: thread 1's message releases the first of the row or column, which
    /// releases the next by the phase's message. Every byte is checked.
    fn barrier(self, phase: u32, message: &mut [u8]) -> u32 {
        let mut wrong = 0;
        if self.is_head(phase) {
            let mut plan = [0; PLAN_BYTES];
            wrong += differs(receive(self.inward(phase), &mut plan), PLAN_BYTES);
            wrong += (plan[PLAN_BYTES - 4] as u32 != phase) as u32;
        } else {
            message.fill(0);
            wrong += differs(receive(self.inward(phase), message), message.len());
            wrong += !message.iter().enumerate().all(|(index, &byte)| byte == pattern(phase, index)) as u32;
        }
        wrong + self.pass_on(phase, message)
    }

    /// A message down the row or column. Only its length is checked, so that phases show
    /// communication and not checking.
    fn communicate(self, phase: u32, message: &mut [u8]) -> u32 {
        let mut wrong = 0;
        if !self.is_head(phase) {
            wrong += differs(receive(self.inward(phase), message), message.len());
        }
        wrong + self.pass_on(phase, message)
    }
}
