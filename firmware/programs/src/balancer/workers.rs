//! Threads that wait for the answers to requests, one for each that may be pending.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use libtos::request::request;
use libtos::{create, processor, receive, send_block, stack_for, thread_id, Error};
use testbed_balance::balancer::Sent;
use testbed_balance::policy::PENDING;
use testbed_balance::request::{Answer, Link, Reason};
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::request::Wanted;

const FIRST: u8 = 2;
/// The last worker's id.
pub const LAST: u8 = FIRST + PENDING as u8 - 1;
const STACK_PAGES: u32 = 2;
/// Bits of [`Slot::answer`]: what came, above a thread's number.
const PENDING_ANSWER: u32 = 0;
const MOVED: u32 = 1 << 16;
const EXPIRED: u32 = 2 << 16;
const REFUSED: u32 = 3 << 16;

/// What a worker is asked, and what came of it. The main thread writes the one and the worker the
/// other, by turns.
struct Slot {
    number: AtomicU32,
    wanted: AtomicU32,
    way: AtomicU32,
    answer: AtomicU32,
}

static SLOTS: [Slot; PENDING] = [const {
    Slot {
        number: AtomicU32::new(0),
        wanted: AtomicU32::new(0),
        way: AtomicU32::new(0),
        answer: AtomicU32::new(PENDING_ANSWER),
    }
}; PENDING];

/// Slaves choose threads by Figure 40 as it is printed.
static AS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Creates the workers.
pub fn start(as_printed: bool) -> Result<(), Error> {
    AS_PRINTED.store(as_printed, Relaxed);
    for id in (FIRST..).take(PENDING) {
        create(id, STACK_PAGES, processor().into(), work, stack_for(STACK_PAGES))?;
    }
    Ok(())
}

/// Gives a request to a worker. `false`: none is free.
pub fn send(sent: &Sent) -> bool {
    let Some(at) = SLOTS.iter().position(|slot| slot.number.load(Relaxed) == 0) else { return false };
    let slot = &SLOTS[at];
    let request = &sent.request;
    let other = |link: Link| {
        let (low, high) = link.ends();
        if low.number() == request.from {
            high
        } else {
            low
        }
    };
    let wanted = match (request.reason, AS_PRINTED.load(Relaxed)) {
        (Reason::Thread(thread), _) => Wanted::Thread(thread),
        (Reason::New, _) => Wanted::New,
        (Reason::Created(places), _) => Wanted::Created(places),
        (Reason::Compute, false) => Wanted::Compute,
        (Reason::Link(link), false) => Wanted::Link(other(link)),
        (Reason::Compute, true) => Wanted::Printed(None),
        (Reason::Link(link), true) => Wanted::Printed(Some(other(link))),
    };
    slot.number.store(sent.number.into(), Relaxed);
    slot.wanted.store(wanted.pack(), Relaxed);
    slot.way.store(u32::from(request.from) | u32::from(request.to) << 8, Relaxed);
    slot.answer.store(PENDING_ANSWER, Relaxed);
    send_block(FIRST + at as u8, &[0]).is_ok()
}

/// Takes an answer that has come: the request's number with it.
pub fn answer() -> Option<(u16, Answer)> {
    let slot = SLOTS.iter().find(|slot| {
        let is_asked = slot.number.load(Relaxed) != 0;
        is_asked && slot.answer.load(Relaxed) != PENDING_ANSWER
    })?;
    let word = slot.answer.load(Relaxed);
    let answer = match word & !0xffff {
        MOVED if word as u16 == ThreadNumber::NOBODY.bits() => Answer::Stands,
        MOVED => Answer::Moved(ThreadNumber::from_bits(word as u16)),
        EXPIRED => Answer::Expired,
        _ => Answer::Refused,
    };
    let number = slot.number.load(Relaxed) as u16;
    slot.number.store(0, Relaxed);
    Some((number, answer))
}

extern "C" fn work() -> ! {
    let id = thread_id();
    let slot = &SLOTS[usize::from(id - FIRST)];
    loop {
        // It ends with the program.
        if receive(id, &mut [0]).is_err() {
            libtos::exit(1);
        }
        let way = slot.way.load(Relaxed);
        let wanted = Wanted::unpack(slot.wanted.load(Relaxed)).unwrap_or(Wanted::Compute);
        let answer = match request(wanted, way as u8, (way >> 8) as u8) {
            Ok(thread) => MOVED | u32::from(thread.bits()),
            Err(Error::Timeout) => EXPIRED,
            Err(_) => REFUSED,
        };
        slot.answer.store(answer, Relaxed);
    }
}
