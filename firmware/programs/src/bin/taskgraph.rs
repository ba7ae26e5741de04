//! A load from a file: `taskgraph FILE` and the options of [`programs::crew`]. `docs/programs.md` has
//! the file's format; [`testbed_kernel_core::task_graph`] reads it, and says why no file can make
//! threads wait for each other in a circle.
//!
//! Every thread checks every byte that it receives. At the end the first thread compares what each has
//! done and received with what the file implies.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libtos::{halt, println, processors, receive, send_block, thread_id, Arguments, Error};
use programs::crew::{self, Crew, Options, Started};
use testbed_definitions::packet::STATIONS_MAX;
use testbed_kernel_core::task_graph::parse::Reader;
use testbed_kernel_core::task_graph::{begin, fill, is_made_of, key, Graph, Link, Outcome, Phase, LINKS_A_THREAD};
use testbed_kernel_core::work;

libtos::program!(main);

const PAGE_BYTES: u32 = 1024;

/// What the file says. Written before there are workers, so that each processor has copies of the
/// pages that its threads read.
#[repr(C, align(1024))]
struct Shared(UnsafeCell<Graph>);
// SAFETY: nobody writes once there are several threads.
unsafe impl Sync for Shared {}
static GRAPH: Shared = Shared(UnsafeCell::new(Graph::EMPTY));

fn graph() -> &'static Graph {
    // SAFETY: written by `read` only, which has ended.
    unsafe { &*GRAPH.0.get() }
}

/// Reads the file, for a machine with so many processors; `false` if it makes no sense, which has
/// been said.
fn read(name: &str, processors: u8) -> Result<bool, Error> {
    // SAFETY: there is no other thread yet, and nobody has called `graph`.
    let mut reader = Reader::new(unsafe { &mut *GRAPH.0.get() }, processors);
    let good = crew::read_lines(name, |line| reader.line(line))?;
    Ok(good && reader.end().inspect_err(|fault| println!("{name}: {fault}")).is_ok())
}

fn main(arguments: Arguments) -> u32 {
    let options = Options::parse(arguments, 1);
    let Some((options, name)) = options.and_then(|options| Some((options, options.word(0)?))) else {
        println!("usage: taskgraph FILE {}", crew::USAGE);
        return 2;
    };
    // Where the options say otherwise, the file's places may be those of a larger machine.
    let processors = if options.leave_places() { processors() } else { STATIONS_MAX as u8 };
    if !read(name, processors).unwrap_or_else(|error| crew::cannot_read(name, error)) {
        return 2;
    }
    let workers = graph().threads().count() as u8;
    let crew = Crew { workers, room_pages: graph().longest().div_ceil(PAGE_BYTES), entry: work };
    let Some(started) = crew.start(&options, |id| graph().place(id)) else { return 2 };
    let (failed, took) = started.wait();
    let wrong = conclude(&started, options.seed());
    println!("taskgraph: {wrong} wrong, {failed} failed");
    started.print("taskgraph", took);
    wrong + failed
}

/// Compares what every thread has left with what the file implies, and prints the sums. The result is
/// how many threads differ.
fn conclude(started: &Started, seed: u32) -> u32 {
    let (mut wrong, mut units, mut messages, mut bytes, mut sum) = (0, 0u32, 0u32, 0u32, 0u32);
    for id in started.ids() {
        let expected = graph().outcome(id, seed);
        wrong += u32::from(crew::left(id) != left(&expected));
        units = units.wrapping_add(expected.units);
        messages = messages.wrapping_add(expected.messages);
        bytes = bytes.wrapping_add(expected.bytes);
        sum = sum.wrapping_add(expected.sum ^ expected.number);
    }
    let (threads, phases, links) = (started.ids().count(), graph().phases().len(), graph().all_links().len());
    println!("taskgraph: {threads} threads, {phases} phases, {links} links");
    println!("taskgraph: {units} units, {messages} messages, {bytes} bytes, sum {sum:#010x}");
    wrong
}

/// What a thread leaves of what it has done.
fn left(outcome: &Outcome) -> [u32; 3] {
    [outcome.number, work::mixed(outcome.units, outcome.messages, outcome.bytes), outcome.sum]
}

extern "C" fn work() -> ! {
    match act() {
        Ok((right, outcome)) => crew::finish(right, left(&outcome)),
        Err(error) => crew::fail(error),
    }
}

/// A link of this thread, with its line.
type Own = Option<(u16, Link)>;

/// Does all phases.
fn act() -> Result<(bool, Outcome), Error> {
    let me = thread_id();
    // SAFETY: once a thread, whose frames are small.
    let room = unsafe { crew::room() };
    let mut outcome = Outcome { number: begin(crew::seed(), me), ..Outcome::default() };
    let mut right = true;
    for phase in graph().phases() {
        let mut own: [Own; LINKS_A_THREAD] = [None; LINKS_A_THREAD];
        let links = graph().links(phase).filter(|(_, link)| link.from == me || link.to == me);
        own.iter_mut().zip(links).for_each(|(place, (line, link))| *place = Some((line, *link)));
        right &= rounds(me, phase, &own, room, &mut outcome)?;
    }
    Ok((right, outcome))
}

/// Does all rounds of a phase: in each first the work, then messages in the order that all threads
/// have.
fn rounds(me: u8, phase: &Phase, own: &[Own], room: &mut [u8], outcome: &mut Outcome) -> Result<bool, Error> {
    let (units, mut right) = (phase.work(me), true);
    let most = own.iter().flatten().map(|(_, link)| link.messages).max().unwrap_or(0);
    for round in 0..phase.rounds {
        outcome.number = work::done(outcome.number, units);
        outcome.units += units;
        for message in 0..most {
            for (line, link) in own.iter().flatten().filter(|(_, link)| link.messages > message) {
                let number = round * u32::from(link.messages) + u32::from(message);
                let key = key(crew::seed(), *line, number);
                let Some(buffer) = room.get_mut(..link.bytes.into()) else { halt() };
                if link.from == me {
                    fill(buffer, key);
                    right &= send_block(link.channel, buffer)? == buffer.len();
                } else {
                    right &= receive(link.channel, buffer)? == buffer.len() && is_made_of(buffer, key);
                    outcome.messages += 1;
                    outcome.bytes = outcome.bytes.wrapping_add(link.bytes.into());
                    outcome.sum = outcome.sum.wrapping_add(key);
                }
            }
        }
    }
    Ok(right)
}
