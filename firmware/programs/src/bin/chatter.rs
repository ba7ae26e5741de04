//! A random communicator: 15 threads on all slaves exchange messages of random length in random
//! pairs while they migrate at random, and every byte is checked. Arguments:
//! `[SEED [ROUNDS [PERCENT [SECONDS]]]]`: by default the run's own seed (`--seed`), 64 rounds, a
//! migration of each thread in 20 of 100 rounds; with SECONDS it goes on in steps of ROUNDS until
//! so much time has passed.
//!
//! Every round is a matching of threads that all of them compute alike, so that there is no
//! deadlock: the earliest round that is not finished always has both its partners. A receiver may
//! listen to all its channels by ALT, and so take messages of later rounds early; it then skips
//! their turn. What a message is like follows from seed, channel and its number on the channel.
#![no_std]
#![no_main]

use libtos::process::counter;
use libtos::{clock, create, exit, halt, println, processors, receive, send_block, stack_for, wait, Error};
use programs::chatter::{self, Order, Report, ORDERS, REPORTS, WORKERS};
use programs::probe::{Counters, Probe};

libtos::program!(main);

const STACK_PAGES: u32 = 10;
/// Thread ids: of the workers, and of the probes that read the kernels' counters.
const WORKER: u8 = chatter::FIRST_ID;
const PROBE: u8 = 40;
/// Pages of the program's code and global data.
const COPIES: u32 = 16;
const PROBE_CHANNEL: u8 = 120;

struct Plan {
    seed: u32,
    rounds: u32,
    percent: u32,
    seconds: u32,
}

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([seed, rounds @ 1..=u32::MAX, percent @ 0..=100, seconds]) =
        arguments.numbers([libtos::seed(), 64, 20, 0])
    else {
        println!("usage: chatter [SEED [ROUNDS [PERCENT (0 to 100) [SECONDS]]]]");
        return 2;
    };
    match talk(&Plan { seed, rounds, percent, seconds }) {
        Ok(wrong) => wrong,
        Err(error) => {
            println!("chatter: {}", error.meaning());
            halt();
        }
    }
}

fn talk(plan: &Plan) -> Result<u32, Error> {
    let probe = Probe::new(PROBE, PROBE_CHANNEL);
    probe.ask()?;
    let before = probe.ask()?;
    let slaves = (processors() - 1).max(1);
    for index in 0..WORKERS {
        let place = u8::from(processors() > 1) + index % slaves;
        create(WORKER + index, STACK_PAGES, place as i32, work, stack_for(STACK_PAGES))?;
    }
    let start = clock();
    let mut total = Report::default();
    let mut round = 0;
    loop {
        let order = Order { seed: plan.seed, first: round, rounds: plan.rounds, percent: plan.percent };
        step(&order, &mut total)?;
        round += plan.rounds;
        if clock().wrapping_sub(start) / 1000 >= plan.seconds {
            break;
        }
    }
    // No rounds: go home.
    step(&Order { seed: plan.seed, first: round, rounds: 0, percent: 0 }, &mut Report::default())?;
    let failed = wait();
    let Report { messages, kilobytes, alternatives, early, wrong, moves, moved, .. } = total;
    println!("chatter: {round} rounds, {messages} messages, {kilobytes} KB; {wrong} wrong, {failed} failed");
    let after = probe.ask()?;
    if plan.seconds > 0 {
        // What depends on the time that everything takes.
        println!("chatter: {moves} moves, {moved} moved others; {alternatives} messages by ALT, {early} early");
        show(&before, &after);
    }
    Ok(wrong + failed + compare(&before, &after))
}

/// Lets all workers do some rounds, and adds up what they report.
fn step(order: &Order, total: &mut Report) -> Result<(), Error> {
    for index in 0..WORKERS {
        send_block(ORDERS + index, &order.to_bytes())?;
    }
    for index in 0..WORKERS {
        let mut bytes = [0; Report::BYTES];
        receive(REPORTS + index, &mut bytes)?;
        total.add(&Report::from_bytes(&bytes));
    }
    Ok(())
}

/// What the kernels have done meanwhile.
fn show(before: &Counters, after: &Counters) {
    for (index, (before, after)) in before.iter().zip(after).enumerate().take(processors() as usize) {
        let since = |counter: usize| after[counter].wrapping_sub(before[counter]);
        let (left, come) = (since(counter::LEFT), since(counter::COME));
        let (sent, received) = (since(counter::PAGES_SENT), since(counter::PAGES_RECEIVED));
        let (staged, free) = (since(counter::STAGED), since(counter::FREE_PAGES) as i32);
        println!("processor {index}: {left} left, {come} come; pages {sent} sent, {received} received, {staged} staged; {free} free");
    }
}

/// All threads must have gone, and no processor may have fewer pages than before, but for the
/// copies of this program's code and data that have come there and stay until it ends. Returns how
/// many processors have lost something.
fn compare(before: &Counters, after: &Counters) -> u32 {
    let lost = before.iter().zip(after).filter(|(before, after)| {
        let pages = before[counter::FREE_PAGES].saturating_sub(after[counter::FREE_PAGES]);
        before[counter::FREE_THREADS] != after[counter::FREE_THREADS] || pages > COPIES
    });
    let lost = lost.count() as u32;
    println!("chatter: {lost} processors have lost pages or thread control blocks");
    lost
}

extern "C" fn work() -> ! {
    match chatter::Worker::run() {
        Ok(()) => exit(0),
        Err(error) => {
            println!("chatter: worker {}: {}", libtos::thread_id(), error.meaning());
            exit(1)
        }
    }
}
