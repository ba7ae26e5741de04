//! A process with a thread on every processor is suspended and resumed: its threads stop on all
//! processors, and go on on all. `stopped` tries it; `stopped beat` is the process. Then one whose
//! threads mostly wait for each other's messages (`stopped talk`) is, often: in the trace one sees
//! that what arrives meanwhile makes none of them run. A process that was invoked suspended (`stopped
//! end`) does not run where its thread is moved to either.
#![no_std]
#![no_main]

use libtos::file::{flags, File};
use libtos::process::{await_end, invoke, kill, resume, suspend, How};
use libtos::request::request;
use libtos::{
    compute_us, create, delay_us, exit, halt, println, processor, processors, receive, send_block, stack_for,
    thread_id, wait, Arguments, Error,
};

use testbed_definitions::ids::ProcessId;
use testbed_definitions::request::Wanted;

libtos::program!(main);

const NAME: &str = "stopped";
/// On every processor: how often the process's thread there has gone round.
const FILE: &str = "beats";
const STACK_PAGES: u32 = 4;
/// Ids of the threads on the processors, from the first processor on.
const FIRST_ID: u8 = 2;
/// How long is looked whether a thread goes on; a change of the file takes a fraction of it.
const LOOK_US: u32 = 15_000;
/// After this time a broadcast has arrived, and what was under way is done.
const SETTLE_US: u32 = 10_000;
/// Ids of the two that talk.
const ASKS: u8 = 2;
const ANSWERS: u8 = 3;
/// How often they are suspended and resumed, and for how long each: now and then a packet for the
/// one here is under way.
const TIMES: u32 = 20;
const SHORT_US: u32 = 300;
const STEP_US: u32 = 7;

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        None => attempt().unwrap_or_else(|error| {
            println!("stopped: {}", error.meaning());
            halt()
        }),
        Some("beat") => on_every_processor(beat).map_or(1, |()| wait()),
        Some("talk") => talk().map_or(1, |()| wait()),
        Some("end") => 0,
        Some(_) => {
            println!("usage: stopped");
            2
        }
    }
}

fn on_every_processor(entry: extern "C" fn() -> !) -> Result<(), Error> {
    for number in 0..processors() {
        create(FIRST_ID + number, STACK_PAGES, number.into(), entry, stack_for(STACK_PAGES))?;
    }
    Ok(())
}

fn attempt() -> Result<u32, Error> {
    on_every_processor(observe)?;
    let child = invoke(NAME, b"beat\0", How { background: true, ..How::default() })?;
    // Until all its threads have begun.
    while beating()? < processors() {}
    let mut wrong = 0;
    for (what, change, expected) in [
        ("suspended", suspend as fn(_) -> _, 0),
        ("resumed", resume, processors()),
        ("suspended again", suspend, 0),
        ("resumed again", resume, processors()),
    ] {
        change(child)?;
        delay_us(SETTLE_US);
        let found = beating()?;
        println!("{what}: threads run on {found} of {} processors", processors());
        wrong += u32::from(found != expected);
    }
    kill(child)?;
    await_end(child)?;
    suspend_often()?;
    let waits = move_suspended()?;
    println!("invoked suspended, and moved: it {}", if waits { "waits" } else { "has run" });
    wrong += u32::from(!waits);
    println!("stopped: {wrong} wrong");
    for number in 0..processors() {
        send_block(FIRST_ID + number, &[1])?;
    }
    Ok(wrong + wait())
}

/// Suspends and resumes threads that talk.
fn suspend_often() -> Result<(), Error> {
    let child = invoke(NAME, b"talk\0", How { background: true, ..How::default() })?;
    delay_us(SETTLE_US);
    for number in 0..TIMES {
        suspend(child)?;
        delay_us(SHORT_US);
        resume(child)?;
        // At another moment of their talk each time.
        delay_us(SHORT_US + STEP_US * number);
    }
    kill(child)?;
    await_end(child).map(drop)
}

/// Moves the thread of a process that was invoked suspended to each slave in turn, and lets it run on
/// the last one. Whether it waits until then.
fn move_suspended() -> Result<bool, Error> {
    let how = How { processor: Some(1), suspended: true, background: true, ..How::default() };
    let child = invoke(NAME, b"end\0", how)?;
    let first = ProcessId::from_bits(child).thread(1);
    for to in 2..processors() {
        if request(Wanted::Thread(first), to - 1, to).is_err() {
            break;
        }
        delay_us(SETTLE_US);
    }
    match resume(child) {
        // It has ended: there was no thread to move.
        Err(Error::NoProcess) => Ok(false),
        result => result.and_then(|()| await_end(child)).map(|code| code == 0),
    }
}

/// On how many processors the process's thread goes on.
fn beating() -> Result<u8, Error> {
    for number in 0..processors() {
        send_block(FIRST_ID + number, &[0])?;
    }
    let mut running = 0;
    for number in 0..processors() {
        let mut goes_on = [0];
        receive(FIRST_ID + processors() + number, &mut goes_on)?;
        running += goes_on[0];
    }
    Ok(running)
}

/// Looks whether the process's thread on this processor goes on, each time it is asked, until it is told to end.
extern "C" fn observe() -> ! {
    let mut order = [0];
    while receive(thread_id(), &mut order) == Ok(1) && order[0] == 0 {
        let before = beats();
        delay_us(LOOK_US);
        let goes_on = [u8::from(beats() != before)];
        if send_block(FIRST_ID + processors() + processor(), &goes_on).is_err() {
            exit(1);
        }
    }
    exit(0)
}

/// How often the thread here has gone round; 0 before it has begun.
fn beats() -> u32 {
    let mut bytes = [0; 4];
    match File::open(FILE, flags::READ).and_then(|file| file.read(0, &mut bytes)) {
        Ok(4) => u32::from_le_bytes(bytes),
        _ => 0,
    }
}

extern "C" fn beat() -> ! {
    let Ok(file) = File::open(FILE, flags::WRITE | flags::CREATE) else { exit(1) };
    for count in 1_u32.. {
        compute_us(500);
        if file.write(0, &count.to_le_bytes()).is_err() {
            break;
        }
    }
    exit(1)
}

/// A thread here asks one on the next processor, over and over.
fn talk() -> Result<(), Error> {
    let next = (processor() + 1) % processors();
    create(ANSWERS, STACK_PAGES, next.into(), answer, stack_for(STACK_PAGES))?;
    create(ASKS, STACK_PAGES, processor().into(), ask, stack_for(STACK_PAGES)).map(drop)
}

extern "C" fn answer() -> ! {
    while receive(ANSWERS, &mut [0; 4]).and_then(|_| send_block(ASKS, &[0; 4])).is_ok() {}
    exit(1)
}

extern "C" fn ask() -> ! {
    while send_block(ANSWERS, &[0; 4]).and_then(|_| receive(ASKS, &mut [0; 4])).is_ok() {}
    exit(1)
}
