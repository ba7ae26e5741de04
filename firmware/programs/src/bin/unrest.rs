//! Asks slaves at random to move threads, while programs run that are suspended, killed, and end:
//! `unrest [SEED [ASKERS [MILLISECONDS [PROGRAM [ARGUMENTS] [+ PROGRAM [ARGUMENTS]]…]]]]`. By
//! default the run's own seed (`--seed`), 24 threads that ask, for two seconds, and no programs.
//!
//! The askers are on all processors and may be moved themselves. They ask for everything there is
//! to ask for: ready threads, threads that use a link, threads of their own process and of others,
//! and such that there are not, and that new threads start elsewhere; from slave to slave, and from
//! and to where nobody can go. Every answer must be one that the request can have. In the end every
//! slave must have all its places for requests, and every processor what it had in the beginning.
//!
//! A program begins anywhere, or here if `@` is ahead of its name: files can be read only where
//! they are.
//!
//! The exit code is 0 if all is well. How programs ended that were not killed is printed, not
//! judged: some count what others leave.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use libtos::process::{await_end, invoke, kill, process, resume, suspend, How, Process};
use libtos::random::Random;
use libtos::request::request;
use libtos::{
    clock, compute_us, create, delay_us, exit, halt, need_large_kernel, println, processors, receive, send_block,
    stack_for, thread_id, wait, Arguments, Error,
};
use programs::probe::{differences, Probe};
use programs::words::Words;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::limits::TIME_SLICE_US;
use testbed_definitions::process::{FIRST_GENERATION, FIRST_PLACE};
use testbed_definitions::processors::Processors;
use testbed_definitions::request::{Wanted, EXPIRY_US, KEPT};
use testbed_definitions::syscall::EXIT_HALT;

libtos::program!(main);

const NAME: &str = "unrest";
/// The first argument of the process that asks; the one that counts what is left invokes it.
const ASKS: &str = "asks";
const ASKERS: u32 = 24;
/// There are channels for so many.
const ASKERS_MAX: u32 = 48;
const DURATION_MS: u32 = 2_000;
const STACK_PAGES: u32 = 2;
/// Ids of the threads that ask; thread `n` reports on channel `n`.
const FIRST: u8 = 2;
/// Programs at most, and bytes of the arguments of one.
const PROGRAMS: usize = 4;
const BYTES: usize = 64;
/// A program runs, or is suspended, at most for so long before it is killed or goes on.
const LONGEST_MS: u32 = 80;
/// In so many of 100 cases a request names a processor that it must not name.
const BAD_PERCENT: u32 = 8;

/// Nobody asks any more. Written once, so that every processor reads its own copy of the page until
/// then.
static OVER: AtomicBool = AtomicBool::new(false);
/// What the askers' random numbers come from, and where those ask who look for places.
static SEED: AtomicU32 = AtomicU32::new(0);
static SLAVE: AtomicU32 = AtomicU32::new(0);

fn main(arguments: Arguments) -> u32 {
    need_large_kernel("threads that move");
    let asks = arguments.iter().next() == Some(ASKS);
    let first = asks as usize;
    let numbers = (
        arguments.number(first, libtos::seed()),
        arguments.number(first + 1, ASKERS).filter(|askers| *askers <= ASKERS_MAX),
        arguments.number(first + 2, DURATION_MS),
    );
    let (Some(seed), Some(askers), Some(duration_ms)) = numbers else {
        println!("usage: {NAME} [SEED [ASKERS (up to {ASKERS_MAX}) [MILLISECONDS [PROGRAM [ARGUMENTS] [+ …]]]]]");
        return 2;
    };
    if processors() < 3 {
        println!("{NAME}: threads can be moved between two slaves: a machine with three processors is needed");
        return 2;
    }
    let result = match asks {
        true => ask_all(&Plan { seed, askers, duration_ms, programs: Programs::new(arguments.iter().skip(4)) }),
        false => watch([seed, askers, duration_ms], arguments.iter().skip(3)),
    };
    result.unwrap_or_else(|error| {
        println!("{NAME}: {}", error.meaning());
        halt()
    })
}

/// Lets another process ask, and looks what it leaves.
fn watch(numbers: [u32; 3], programs: impl Iterator<Item = &'static str>) -> Result<u32, Error> {
    let probe = Probe::new(FIRST, 0);
    // The first time, the probe's own code and data come to every processor.
    probe.ask()?;
    let before = probe.ask()?;
    let mut words = Words::<256>::EMPTY;
    words.push(ASKS);
    numbers.into_iter().for_each(|number| words.push_number(number));
    programs.for_each(|word| words.push(word));
    let code = await_end(invoke(NAME, words.bytes(), How { operator: true, ..How::default() })?)?;
    let leaks = differences(&before, &probe.ask()?);
    println!("{NAME}: {leaks} leaks");
    Ok((code != 0 || leaks != 0) as u32)
}

struct Plan {
    seed: u32,
    askers: u32,
    duration_ms: u32,
    programs: Programs,
}

/// The programs that run meanwhile.
struct Programs {
    all: [(&'static str, Words<BYTES>); PROGRAMS],
    count: usize,
}

impl Programs {
    fn new(words: impl Iterator<Item = &'static str>) -> Programs {
        let mut programs = Programs { all: [("", Words::EMPTY); PROGRAMS], count: 0 };
        let mut is_name = true;
        for word in words {
            match programs.count.checked_sub(1) {
                _ if word == "+" => is_name = true,
                _ if is_name && programs.count < PROGRAMS => {
                    programs.all[programs.count].0 = word;
                    programs.count += 1;
                    is_name = false;
                }
                Some(last) => programs.all[last].1.push(word),
                None => {}
            }
        }
        programs
    }

    /// One of them begins somewhere. `None`: there is none.
    fn begin(&self, random: &mut Random) -> Option<Result<Victim, Error>> {
        let (name, words) = self.all[..self.count].get(random.below(self.count as u32) as usize)?;
        let anywhere = Some(random.below(processors() as u32) as u8);
        let (name, processor) = name.strip_prefix('@').map_or((*name, anywhere), |name| (name, None));
        let suspended = random.chance(20);
        let how = How { processor, suspended, background: true, ..How::default() };
        Some(invoke(name, words.bytes(), how).map(|process| Victim { name, process, suspended }))
    }
}

/// A program that runs, or waits for being resumed.
struct Victim {
    name: &'static str,
    process: Process,
    suspended: bool,
}

impl Victim {
    /// Stops it, kills it, or lets it run to its end. `true`: it has been killed.
    fn end(self, random: &mut Random) -> Result<bool, Error> {
        pause(random);
        if self.suspended {
            resume(self.process)?;
            pause(random);
        }
        let mut killed = random.chance(50);
        // It may have ended before.
        if random.chance(50) && suspend(self.process).is_ok() {
            pause(random);
            if !killed {
                match resume(self.process) {
                    // What it was stopped in was its end.
                    Err(Error::NoProcess) => {}
                    result => result?,
                }
            }
        }
        if killed {
            killed = kill(self.process).is_ok();
        }
        let code = match await_end(self.process) {
            // It has ended, and its place is another's.
            Err(Error::NoProcess) => return Ok(killed),
            result => result?,
        };
        if !killed || code != EXIT_HALT {
            println!("{NAME}: {} ended with {code}", self.name);
        }
        Ok(killed)
    }
}

/// Lets others run.
fn pause(random: &mut Random) {
    delay_us(1000 * random.below(LONGEST_MS));
}

fn ask_all(plan: &Plan) -> Result<u32, Error> {
    SEED.store(plan.seed, Ordering::Relaxed);
    for index in 0..plan.askers {
        let place = index % processors() as u32;
        create(FIRST + index as u8, STACK_PAGES, place as i32, ask_on, stack_for(STACK_PAGES))?;
    }
    let (mut random, start) = (Random::new(plan.seed), clock());
    let (mut programs, mut killed) = (0, 0);
    while clock().wrapping_sub(start) < plan.duration_ms {
        let Some(one) = plan.programs.begin(&mut random) else {
            delay_us(1000);
            continue;
        };
        let (one, other) = (one?, plan.programs.begin(&mut random));
        programs += 2;
        killed += one.end(&mut random)? as u32;
        if let Some(other) = other {
            killed += other?.end(&mut random)? as u32;
        }
    }
    OVER.store(true, Ordering::Relaxed);
    let mut total = Report::default();
    for index in 0..plan.askers {
        total.add(&Report::receive(FIRST + index as u8)?);
    }
    let failed = wait();
    let Report { made, moved, standing, expired, refused, bad, wrong, longest_ms } = total;
    println!("{NAME}: {made} requests; {moved} moved, {expired} expired, {refused} refused, {bad} bad, {wrong} wrong");
    println!("{NAME}: {standing} requests said where new threads start");
    println!("{NAME}: {programs} programs, {killed} killed; an answer took {longest_ms} ms; {failed} failed");
    // From here on threads start where they are created.
    for slave in 1..processors() {
        request(Wanted::Created(Processors::NONE), slave, slave % (processors() - 1) + 1)?;
    }
    let lost = lost_places()?;
    println!("{NAME}: {lost} places for requests lost");
    let answered = moved + standing + expired + refused + bad;
    Ok((wrong + failed + lost != 0 || answered != made) as u32)
}

/// What became of requests.
#[derive(Clone, Copy, Default)]
struct Report {
    made: u32,
    moved: u32,
    /// Those that said where new threads start.
    standing: u32,
    expired: u32,
    refused: u32,
    /// Those with a processor that cannot be; they were refused at once.
    bad: u32,
    /// An answer that the request cannot have.
    wrong: u32,
    longest_ms: u32,
}

impl Report {
    const WORDS: usize = 8;

    fn words(&mut self) -> [&mut u32; Report::WORDS] {
        let Report { made, moved, standing, expired, refused, bad, wrong, longest_ms } = self;
        [made, moved, standing, expired, refused, bad, wrong, longest_ms]
    }

    fn send(mut self) -> Result<(), Error> {
        let mut bytes = [0; 4 * Report::WORDS];
        for (place, word) in bytes.chunks_exact_mut(4).zip(self.words()) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        send_block(thread_id(), &bytes).map(drop)
    }

    fn receive(channel: u8) -> Result<Report, Error> {
        let (mut report, mut bytes) = (Report::default(), [0; 4 * Report::WORDS]);
        receive(channel, &mut bytes)?;
        for (word, bytes) in report.words().into_iter().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(report)
    }

    fn add(&mut self, other: &Report) {
        let longest_ms = self.longest_ms.max(other.longest_ms);
        for (word, other) in self.words().into_iter().zip({ *other }.words()) {
            *word += *other;
        }
        self.longest_ms = longest_ms;
    }

    /// Makes a request, and judges the answer.
    fn make(&mut self, wanted: Wanted, from: u8, to: u8) {
        let start = clock();
        let answer = request(wanted, from, to);
        let took_ms = clock().wrapping_sub(start);
        self.made += 1;
        self.longest_ms = self.longest_ms.max(took_ms);
        let is_slave = |processor: u8| (1..processors()).contains(&processor);
        let is_bad = !is_slave(from) || !is_slave(to) || from == to;
        match answer {
            Err(Error::BadProcessor) if is_bad => self.bad += 1,
            Ok(thread) if !is_bad && is_meant(wanted, thread) => match wanted {
                Wanted::Created(_) => self.standing += 1,
                _ => self.moved += 1,
            },
            Err(Error::Timeout) if !is_bad && 1000 * took_ms + TIME_SLICE_US >= EXPIRY_US => self.expired += 1,
            Err(Error::NotHere) if !is_bad => self.refused += 1,
            other => {
                self.wrong += 1;
                println!("{NAME}: {wanted:?} from {from} to {to} is answered after {took_ms} ms: {other:?}");
            }
        }
    }
}

/// Whether the thread that has moved is what was asked for.
fn is_meant(wanted: Wanted, thread: ThreadNumber) -> bool {
    match wanted {
        Wanted::Thread(number) => thread == number,
        Wanted::Compute | Wanted::Link(_) | Wanted::Printed(_) | Wanted::New => thread != ThreadNumber::NOBODY,
        Wanted::Created(_) => thread == ThreadNumber::NOBODY,
    }
}

extern "C" fn ask_on() -> ! {
    let mut random = Random::new(SEED.load(Ordering::Relaxed) ^ (thread_id() as u32) << 8);
    let mut report = Report::default();
    while !OVER.load(Ordering::Relaxed) {
        let (from, to) = (any_processor(&mut random), any_processor(&mut random));
        report.make(any_wanted(&mut random), from, to);
        compute_us(random.below(2000));
    }
    exit(report.send().is_err() as u32)
}

/// A slave, or sometimes anything.
fn any_processor(random: &mut Random) -> u8 {
    match random.below(100) {
        percent if percent < BAD_PERCENT / 2 => random.word() as u8,
        percent if percent < BAD_PERCENT => 0,
        _ => 1 + random.below(processors() as u32 - 1) as u8,
    }
}

/// Something to ask for.
fn any_wanted(random: &mut Random) -> Wanted {
    let own = ProcessId::from_bits(process());
    let beside = own.thread(1 + random.below(ASKERS) as u8);
    match random.below(13) {
        0 | 1 => Wanted::Compute,
        2 => Wanted::New,
        3 if random.chance(50) => Wanted::Printed(None),
        3 => Wanted::Printed(Some(Processor::new(random.below(processors() as u32) as u8))),
        4 | 5 => Wanted::Link(Processor::new(random.below(processors() as u32) as u8)),
        6 => Wanted::Link(Processor::new(random.word() as u8)),
        7 => Wanted::Thread(beside),
        9 => Wanted::Created(Processors::from_bits(random.word() as u16)),
        8 if random.chance(50) => Wanted::Thread(ThreadNumber::from_bits(1 + random.below(u16::MAX as u32) as u16)),
        // Nobody's number, but for some bits that of a thread that there is.
        8 => Wanted::Thread(ThreadNumber::from_bits(beside.bits() | 1 << 15)),
        // Of a program that runs, maybe.
        _ => {
            let place = FIRST_PLACE + random.below(2) as u8;
            let home = Processor::new(random.below(processors() as u32) as u8);
            let other = ProcessId::new(home, place, FIRST_GENERATION);
            Wanted::Thread(other.thread(1 + random.below(20) as u8))
        }
    }
}

/// Asks each slave, which has nothing to do, for more threads than it has places for: as many as
/// there are places must wait until they expire. Returns how many did not, or did though there was
/// no place.
fn lost_places() -> Result<u32, Error> {
    let stacks: [u32; KEPT + 1] = core::array::from_fn(|_| stack_for(STACK_PAGES));
    let mut lost = 0;
    for slave in 1..processors() {
        SLAVE.store(slave as u32, Ordering::Relaxed);
        for (id, stack) in (FIRST..).zip(stacks) {
            create(id, STACK_PAGES, 0, ask_once, stack)?;
        }
        let mut total = Report::default();
        for id in FIRST..FIRST + stacks.len() as u8 {
            total.add(&Report::receive(id)?);
        }
        wait();
        if total.wrong != 0 || total.expired != KEPT as u32 || total.refused != 1 {
            let Report { expired, refused, .. } = total;
            println!("{NAME}: slave {slave} had places for {expired} requests, and refused {refused}");
            lost += 1 + (KEPT as u32).saturating_sub(expired);
        }
    }
    Ok(lost)
}

extern "C" fn ask_once() -> ! {
    let slave = SLAVE.load(Ordering::Relaxed) as u8;
    let mut report = Report::default();
    report.make(Wanted::Compute, slave, slave % (processors() - 1) + 1);
    exit(report.send().is_err() as u32)
}
