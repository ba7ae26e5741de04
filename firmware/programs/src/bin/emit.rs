//! Events of programs: a thread on every processor, the master too, emits data that say who it is,
//! moves on to the next processor and emits others there; then threads try what the page of events
//! does not let them do, and what it takes without harm.
#![no_std]
#![no_main]

use libtos::{create, exit, migrate_self, println, processor, processors, send_event, stack_for, try_send_event};
use libtos::{thread_id, wait, yield_now, Error, Place};
use programs::verdict::Verdict;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Events that a thread emits on each of its two processors.
const EVENTS: u16 = 40;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: emit");
        return 2;
    }
    let verdict = Verdict::default();
    for place in 0..processors() {
        verdict.count(create(2 + place, STACK_PAGES, place as i32, emitter, stack_for(STACK_PAGES)).is_ok());
    }
    verdict.check("threads on all processors", wait() == 0);
    verdict.expect("a marker's datum", send_event(0xabcd), Err(Error::BadDatum));
    verdict.expect("a marker's datum, by a call", try_send_event(0xabcd), Err(Error::BadDatum));
    verdict.check("room for an event", try_send_event(0x0100) == Ok(true));
    verdict.expect("the page as a buffer", page_as_buffer(), Err(Error::BadPointer));

    for (id, entry) in [half_load, pair_store, run, before, behind, register, control].into_iter().enumerate() {
        // SAFETY: the types differ in `unsafe` only, and none of these gets past the page map.
        let entry = unsafe { core::mem::transmute::<unsafe extern "C" fn() -> !, extern "C" fn() -> !>(entry) };
        let made = create(20 + id as u8, STACK_PAGES, processor() as i32, entry, stack_for(STACK_PAGES));
        verdict.count(made.is_ok());
    }
    verdict.check("seven threads ended for what they tried", wait() == 7);
    // SAFETY: the page is there for every program, and holds nothing.
    unsafe { harmless() };
    println!("emit: {} wrong", verdict.wrong());
    verdict.wrong()
}

extern "C" fn emitter() -> ! {
    let own = (thread_id() as u16) << 8;
    let mut wrong = emit(own);
    let next = (processor() + 1) % processors();
    wrong |= migrate_self(Place::Processor(next)).is_err();
    wrong |= emit(own | 0x80);
    exit(wrong as u32)
}

/// Other threads have their turns in between.
fn emit(from: u16) -> bool {
    let mut wrong = false;
    for number in 0..EVENTS {
        wrong |= send_event(from | number) != Ok(true);
        if number % 8 == 7 {
            yield_now();
        }
    }
    wrong
}

/// The kernel writes there for nobody.
fn page_as_buffer() -> Result<usize, Error> {
    let page = libtos::monitor::EVENT_PAGE as usize;
    // SAFETY: none; the kernel must refuse it before anybody writes there.
    libtos::receive(1, unsafe { core::slice::from_raw_parts_mut(core::hint::black_box(page) as *mut u8, 2) })
}

// At the same addresses whatever the compiler does: right after the start-up code.
core::arch::global_asm!(
    ".section .text.fixed, \"ax\"",
    "half_load: li t0, {PAGE}",
    "lhu t0, 0(t0)",
    "pair_store: li t0, {PAGE}",
    // sd zero, 0(t0)
    ".word 0x0002b023",
    "run: li t0, {PAGE}",
    "jr t0",
    "before: li t0, {PAGE} - 4",
    "sw zero, 0(t0)",
    "behind: li t0, {PAGE} + 1024",
    "sw zero, 0(t0)",
    "register: li t0, {REGISTER}",
    "sw zero, 0(t0)",
    "control: li t0, {CONTROL}",
    "sw zero, 0(t0)",
    // Bytes and words are data too, whatever they look like; the rest of the page takes nothing.
    "harmless: li t0, {PAGE}",
    "li t1, 0x4001",
    "sw t1, 0(t0)",
    "li t1, 0x12348001",
    "sw t1, 0(t0)",
    "li t1, 0x41",
    "sb t1, 3(t0)",
    "li t1, 0xaa00",
    "sh t1, 2(t0)",
    "sw t1, 4(t0)",
    "sh t1, 0x3fe(t0)",
    "ret",
    PAGE = const libtos::monitor::EVENT_PAGE,
    REGISTER = const libtos::monitor::EVENT_PAGE - 0x400,
    CONTROL = const libtos::monitor::EVENT_PAGE - 0x3f8,
);

extern "C" {
    fn half_load() -> !;
    fn pair_store() -> !;
    fn run() -> !;
    fn before() -> !;
    fn behind() -> !;
    fn register() -> !;
    fn control() -> !;
    fn harmless();
}
