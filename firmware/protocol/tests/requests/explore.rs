//! Right slaves: nothing goes wrong, and all that matters happens.

use std::collections::BTreeSet;

use testbed_definitions::processors::Processors;
use testbed_definitions::request::Wanted;

use crate::exploration::{grouped, is_documented, Report};
use crate::model::{explore, reached};
use crate::setup::{processor, thread, Ask, Plan, Setup};

/// Whether there is time for large configurations.
pub fn is_long() -> bool {
    std::env::var_os("TESTBED_LONG").is_some()
}

pub const fn ask(wanted: Wanted, from: u8, to: u8) -> Ask {
    Ask { wanted, from: processor(from), to: processor(to) }
}

/// Two threads on a slave, which run, block and become ready, and three requests for them.
pub fn simple() -> Setup {
    let asks =
        [Wanted::Compute, Wanted::Thread(thread(1)), Wanted::Link(processor(2))].map(|wanted| vec![ask(wanted, 1, 2)]);
    Setup {
        slaves: 2,
        threads: vec![Plan { runs: 1, ..Plan::at(1) }, Plan { link: Some(processor(2)), ready: false, ..Plan::at(1) }],
        asks: asks.into(),
        buffers: 1,
        patience: 1,
        ..Setup::default()
    }
}

/// Two threads, of two packets each, with one buffer; they are asked for from both sides.
pub fn crossed() -> Setup {
    let asks = [(Wanted::Compute, 1, 2), (Wanted::Thread(thread(2)), 1, 2), (Wanted::Thread(thread(1)), 2, 1)];
    Setup {
        slaves: 2,
        threads: vec![Plan { parts: 2, ..Plan::at(1) }, Plan { parts: 2, ready: false, ..Plan::at(1) }],
        asks: asks.map(|(wanted, from, to)| vec![ask(wanted, from, to)]).into(),
        buffers: 1,
        patience: 2,
        ..Setup::default()
    }
}

/// Two requests for one thread, which moves by itself and is moved by another thread.
pub fn wanted_by_all() -> Setup {
    Setup {
        slaves: 3,
        threads: vec![Plan { runs: 2, parts: 2, leaves_to: Some(processor(3)), ..Plan::at(1) }],
        asks: vec![
            vec![ask(Wanted::Thread(thread(1)), 1, 2)],
            vec![ask(Wanted::Compute, 1, 3), ask(Wanted::Thread(thread(1)), 3, 1)],
        ],
        buffers: 1,
        patience: 1,
        orders: vec![(thread(1), processor(1), processor(2))],
        ..Setup::default()
    }
}

/// The threads' process is killed, and begins again with the same numbers.
pub fn killed() -> Setup {
    Setup {
        slaves: 2,
        threads: vec![Plan { parts: 2, ..Plan::at(1) }, Plan { ready: false, ..Plan::at(1) }],
        asks: vec![
            vec![ask(Wanted::Thread(thread(1)), 1, 2), ask(Wanted::Compute, 2, 1)],
            vec![ask(Wanted::Thread(thread(2)), 1, 2)],
        ],
        buffers: 1,
        patience: 2,
        kills: 1,
        rebirths: 1,
        ..Setup::default()
    }
}

/// A thread ends while it is wanted, and another one gets its number.
pub fn exits() -> Setup {
    Setup {
        slaves: 2,
        threads: vec![Plan { runs: 2, exits: true, leaves_to: Some(processor(2)), ..Plan::at(1) }, Plan::at(1)],
        asks: vec![
            vec![ask(Wanted::Thread(thread(1)), 1, 2), ask(Wanted::Thread(thread(1)), 1, 2)],
            vec![ask(Wanted::Compute, 1, 2)],
        ],
        buffers: 1,
        patience: 2,
        rebirths: 1,
        ..Setup::default()
    }
}

/// The process of one of three threads is suspended and resumed; one thread has a child.
pub fn suspended() -> Setup {
    Setup {
        slaves: 2,
        threads: vec![
            Plan { parts: 2, ready: false, ..Plan::at(1) },
            Plan { parent: true, runs: 1, ..Plan::at(1) },
            Plan { process: 1, link: Some(processor(2)), ..Plan::at(2) },
        ],
        asks: vec![
            vec![ask(Wanted::Thread(thread(1)), 1, 2)],
            vec![ask(Wanted::Compute, 1, 2), ask(Wanted::Thread(thread(2)), 1, 2)],
            vec![ask(Wanted::Link(processor(1)), 2, 1)],
        ],
        buffers: 1,
        patience: 1,
        suspends: 1,
        ..Setup::default()
    }
}

/// The balancer is killed and started again while it has asked.
pub fn balancer_killed() -> Setup {
    Setup { balancer_kills: 1, ..crossed() }.with_second_round()
}

/// More requests than places, to one slave.
pub fn crowd() -> Setup {
    let asks = [Wanted::Compute, Wanted::Thread(thread(1)), Wanted::Link(processor(2)), Wanted::Thread(thread(2))];
    Setup {
        slaves: 2,
        threads: vec![Plan { ready: false, ..Plan::at(1) }, Plan { ready: false, ..Plan::at(1) }],
        asks: asks.map(|wanted| vec![ask(wanted, 1, 2)]).into(),
        buffers: 1,
        patience: 2,
        ..Setup::default()
    }
}

/// Threads are created, end, and are created again, while standing requests come; their
/// process may be killed meanwhile.
pub fn standing() -> Setup {
    let created = |places: &[u8]| {
        Wanted::Created(places.iter().fold(Processors::NONE, |places, &place| places.with(processor(place))))
    };
    let born = Plan { runs: 1, exits: true, created: true, ..Plan::at(1) };
    Setup {
        slaves: 3,
        threads: vec![born, born],
        asks: vec![vec![ask(created(&[2, 3]), 1, 3), ask(created(&[]), 1, 2)], vec![ask(created(&[1, 2]), 1, 2)]],
        buffers: 1,
        patience: 1,
        kills: 1,
        rebirths: 2,
        ..Setup::default()
    }
}

impl Setup {
    /// The first of those who ask does it once more.
    fn with_second_round(mut self) -> Setup {
        let again = self.asks[0].clone();
        self.asks[0].extend(again);
        self
    }
}

/// Explores and reports; panics with the shortest trace if something goes wrong, or if the
/// documented number of states is another one.
pub fn right(name: &str, setup: &Setup) -> Report {
    let report = explore(setup);
    println!("{name}: {} states, {} steps, depth {}", report.states, report.steps, report.depth);
    if let Some((wrong, trace)) = report.wrong.first() {
        panic!("{name}: not \"{wrong}\":\n{trace}");
    }
    let requests: usize = setup.asks.iter().map(Vec::len).sum();
    let states = grouped(report.states);
    let row = format!("| {name} | {} | {} | {requests} | {states} |", setup.slaves, setup.threads.len());
    assert!(is_documented("Requests", &row), "the table of docs/protocols.md says something else");
    report
}

#[test]
fn every_order_is_right_and_all_that_matters_happens() {
    let setups = [
        ("three requests, two threads", simple()),
        ("two threads of two packets, requests from both sides", crossed()),
        ("one thread, wanted by all", wanted_by_all()),
        ("a process is killed and begins again", killed()),
        ("a thread ends and begins again", exits()),
        ("a process is suspended and resumed", suspended()),
        ("the balancer is killed", balancer_killed()),
        ("more requests than places", crowd()),
        ("threads are created under standing requests", standing()),
    ];
    let mut seen = BTreeSet::new();
    for (name, setup) in &setups {
        seen.extend(right(name, setup).reached);
    }
    let missed: Vec<_> = reached().filter(|name| !seen.contains(name)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}");
}
