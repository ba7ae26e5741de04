//! Balances the load of the slaves, from the master: `balancer POLICY [PERIOD] [NAME=VALUE…]`, with
//! the period of samples in microseconds, and what of the policy is set
//! ([`testbed_balance::settings`]). `testbed run PROGRAM --balance POLICY` starts it; so can an
//! operator, as `on 0 operator balancer gain &` in `sh`. It ends with the machine, or when it is
//! killed.
//!
//! It takes the slaves' samples from the monitor's queue, asks the policy ([`testbed_balance`]),
//! and sends its requests. What it sees and does it logs to the file `balance.log`, in the format
//! of the report's Figure 41. A policy of your own: `docs/balance.md`.
#![no_std]
#![no_main]

use core::fmt::Write;

use libtos::monitor::{self, Delivery};
use libtos::{
    clock_hz, clock_us, create, delay_us, exit, println, processor, processors, stack_for, wait, Arguments, Error,
};
use programs::balancer::log::{self, LogFile};
use programs::balancer::policy::Chosen;
use programs::balancer::{workers, Global};
use testbed_balance::balancer::{Balancer, Sent};
use testbed_balance::log::blocks::Blocks;
use testbed_balance::log::{write_summary, Entry, Losses};
use testbed_balance::reader::{Read, Reader};
use testbed_balance::request::{Answer, Request};
use testbed_balance::settings::Values;
use testbed_definitions::event::{DIAG_LOAD, DIAG_TIMER, DIAG_USER};
use testbed_definitions::limits::TIME_SLICE_US;
use testbed_definitions::load::{DEFAULT_PERIOD_US, PERIODS_US};

libtos::program!(main);

const LOG: &str = "balance.log";
/// The queue is looked at so often at least: what comes in this time it has room for.
const PAUSE_US: u32 = 1_000;

/// The thread that balances, and its stack.
const BALANCING: u8 = 1 + workers::LAST;
const STACK_PAGES: u32 = 64;

/// What the first thread tells it.
static TOLD: Global<(Chosen, u32, bool)> = Global::new((Chosen::NONE, 0, false));
static BALANCER: Global<Balancer<Chosen>> = Global::new(Balancer::idle(Chosen::NONE));

fn main(arguments: Arguments) -> u32 {
    let mut words = arguments.iter().peekable();
    let Some(name) = words.next() else { return usage() };
    let period = words.next_if(|word| !word.contains('=')).map_or(Some(DEFAULT_PERIOD_US), |word| word.parse().ok());
    let Some(period) = period.filter(|period| PERIODS_US.contains(period)) else { return usage() };
    let mut values = Values::DEFAULT;
    for argument in words {
        if let Err(wrong) = values.set(name, argument) {
            println!("balancer: {name}: {wrong}");
            return 2;
        }
    }
    if processor() != 0 || processors() < 3 {
        println!("balancer: it runs on the master of a machine with two slaves or more");
        return 1;
    }
    // SAFETY: called once, as this is, and before there is another thread.
    let (policy, told) = unsafe { (Chosen::named(name, &values), TOLD.take()) };
    let Some(policy) = policy else { return 1 };
    *told = (policy, period, values.is_as_printed());
    match create(BALANCING, STACK_PAGES, 0, balance, stack_for(STACK_PAGES)) {
        Ok(_) => wait(),
        Err(error) => failed(error),
    }
}

fn failed(error: Error) -> u32 {
    println!("balancer: {}", error.meaning());
    1
}

/// The thread that does all, with a larger stack than a program's first has.
extern "C" fn balance() -> ! {
    // SAFETY: the first thread has taken it, and waits.
    let (policy, period, as_printed) = unsafe { TOLD.take() };
    let policy = core::mem::replace(policy, Chosen::NONE);
    exit(begin(policy, *period, *as_printed).and_then(Loop::run).map_or_else(failed, |()| 0))
}

fn usage() -> u32 {
    println!("usage: balancer POLICY [MICROSECONDS] [NAME=VALUE...]");
    println!("       samples {} to {} us apart", PERIODS_US.start(), PERIODS_US.end());
    2
}

/// The time in cycles, which does not wrap.
struct Time {
    last: u32,
    microseconds: u64,
    cycles_a_microsecond: u64,
}

impl Time {
    fn now(&mut self) -> u64 {
        let now = clock_us();
        self.microseconds += u64::from(now.wrapping_sub(self.last));
        self.last = now;
        self.microseconds * self.cycles_a_microsecond
    }

    fn milliseconds(&self) -> u64 {
        self.microseconds / 1000
    }
}

/// How far samples are apart, in microseconds.
struct Period {
    /// What the balancer was told.
    told: u32,
    /// What the slaves were told, 0 if nothing yet.
    current: u32,
    cycles_a_microsecond: u32,
}

impl Period {
    /// Whether the slaves have been told how often to send samples.
    fn is_told(&self) -> bool {
        self.current != 0
    }

    /// Has the slaves send samples as often as the policy wants them, not more seldom than it was
    /// told.
    fn follow(&mut self, hurry: Option<u32>) -> Result<(), Error> {
        let wanted = hurry.map_or(self.told, |cycles| {
            let microseconds = cycles / self.cycles_a_microsecond.max(1);
            microseconds.clamp(*PERIODS_US.start(), *PERIODS_US.end()).min(self.told)
        });
        if wanted != self.current {
            self.current = wanted;
            monitor::set_sample_period_us(wanted)?;
        }
        Ok(())
    }
}

struct Loop {
    balancer: &'static mut Balancer<Chosen>,
    reader: Reader,
    log: Blocks<LogFile>,
    time: Time,
    period: Period,
    round: u32,
    /// What has been lost, as far as it is counted here, and what the log tells of it.
    lost: Losses,
    told: Losses,
}

/// Makes everything ready. The slaves are told how often to send samples when the policy's first
/// requests have been answered.
fn begin(policy: Chosen, period: u32, as_printed: bool) -> Result<Loop, Error> {
    let log = log::create(LOG)?;
    workers::start(as_printed)?;
    // SAFETY: here and nowhere else.
    let balancer = unsafe { BALANCER.take() };
    balancer.begin(processors() - 1, policy);
    let a_microsecond = clock_hz() / 1_000_000;
    balancer.costs.slice = TIME_SLICE_US * a_microsecond;
    balancer.costs.millisecond = 1000 * a_microsecond;
    let classes = monitor::classes();
    // Samples wait until there is room for them. More than samples must not wait for the balancer.
    let is_rare = classes & !(DIAG_LOAD | DIAG_USER | DIAG_TIMER) == 0;
    monitor::deliver(if is_rare { Delivery::PortAndQueue } else { Delivery::PortAndSome })?;
    monitor::want(u16::MAX, 0, 0)?;
    if classes & DIAG_LOAD == 0 {
        monitor::set_classes(classes | DIAG_LOAD)?;
    }
    let time = Time { last: clock_us(), microseconds: clock_us().into(), cycles_a_microsecond: a_microsecond.into() };
    let period = Period { told: period, current: 0, cycles_a_microsecond: a_microsecond };
    Ok(Loop { balancer, reader: Reader::new(), log, time, period, round: 0, lost: Losses::NONE, told: Losses::NONE })
}

impl Loop {
    fn run(mut self) -> Result<(), Error> {
        loop {
            let has_more = self.read()?;
            self.answers();
            let now = self.time.now();
            let sent = self.balancer.step(now);
            self.log_round();
            for sent in &sent {
                self.send(sent);
            }
            for sent in self.balancer.take_given_up() {
                self.log_answer(sent.number, &sent.request, None);
            }
            self.round = self.balancer.counts.rounds;
            // The host's program waits for this: threads that it creates sooner are not dealt out.
            if self.period.is_told() || self.balancer.pending().is_empty() {
                self.period.follow(self.balancer.hurry())?;
            }
            if !has_more {
                self.log.flush();
                delay_us(PAUSE_US);
            }
        }
    }

    /// Takes words of the queue. `true`: there may be more.
    fn read(&mut self) -> Result<bool, Error> {
        let mut words = [0; 64];
        let count = monitor::read(&mut words)?;
        let now = self.time.now();
        let missed = monitor::missed()?;
        if self.reader.missed(missed) {
            self.lost.pairs = missed;
            (1..processors()).for_each(|slave| self.balancer.lost(slave));
        }
        // A cycle apart, so that of two samples of a slave the second is newer.
        for (time, &word) in (now..).zip(&words[..count]) {
            match self.reader.take(word) {
                Read::Part(slave, part) => {
                    self.balancer.take(slave, time, part);
                }
                Read::Lost(slave) => self.balancer.lost(slave),
                Read::Nothing => {}
            }
        }
        Ok(count == words.len())
    }

    /// Passes on the answers that have come.
    fn answers(&mut self) {
        while let Some((number, answer)) = workers::answer() {
            let now = self.time.now();
            if let Some(request) = self.balancer.answer(now, number, answer) {
                self.log_answer(number, &request, Some(answer));
            }
        }
    }

    fn send(&mut self, sent: &Sent) {
        let slaves = self.balancer.summary().slaves;
        let entry = Entry::Move { number: sent.number.into(), request: sent.request };
        let _ = writeln!(self.log, "{}", entry.line(slaves));
        if !workers::send(sent) {
            // All wait for answers that the balancer has given up.
            self.balancer.give_up(sent.time, sent.number);
        }
    }

    /// The load, where the policy has been asked because of new samples, and what has been lost, if
    /// more has.
    fn log_round(&mut self) {
        if self.round == self.balancer.counts.rounds {
            return;
        }
        let summary = self.balancer.summary();
        let _ = write_summary(&mut self.log, summary, self.time.milliseconds());
        let samples = summary.processors().fold(0, |sum, slave| summary.slave(slave).lost.saturating_add(sum));
        let lost = Losses { samples, threads: summary.beyond, faults: self.balancer.counts.faults, ..self.lost };
        if lost != self.told {
            let _ = writeln!(self.log, "{lost}");
            self.told = lost;
        }
    }

    fn log_answer(&mut self, number: u16, request: &Request, answer: Option<Answer>) {
        let entry = Entry::answered(number.into(), request, answer, self.time.milliseconds());
        let _ = writeln!(self.log, "{}", entry.line(self.balancer.summary().slaves));
    }
}
