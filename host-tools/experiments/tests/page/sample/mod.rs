//! A profile with all that a page can show, made of what the original measured and of faster kernels like ours.

use testbed_experiments::model::*;
use testbed_experiments::section3::model::*;

mod panels;

use panels::*;

/// Figure 18: five threads on each of five processors, and thread 1 on the master.
pub fn network() -> Network {
    let processors = ["master", "earth", "air", "fire", "water", "space"].map(String::from).to_vec();
    let mut threads = vec![("1".to_string(), 0)];
    for column in 1..=5 {
        threads.extend((0..5).map(|row| ((10 * column + row).to_string(), column)));
    }
    let at = |column: usize, row: usize| 1 + 5 * column + row;
    let mut channels = Vec::new();
    let mut add = |number, from, to, count, remote| channels.push(Channel { number, from, to, count, remote });
    for index in 0..5 {
        add(index as u8, 0, at(0, index), 8, true);
        add(5 + index as u8, 0, at(index, 0), 8, true);
        for next in 1..5 {
            add(10 + (5 * index + next) as u8, at(next - 1, index), at(next, index), 1028, true);
            add(35 + (5 * index + next) as u8, at(index, next - 1), at(index, next), 28, false);
        }
    }
    Network { processors, threads, channels }
}

fn stations() -> Vec<Station> {
    let station = |name: &str, figures: &str, report: &str| Station {
        name: name.into(),
        figures: figures.into(),
        report: report.into(),
    };
    vec![
        station(
            "Slave processors",
            "one event in 3 instructions: 8\u{202f}300\u{202f}000 a second each",
            "18\u{202f}000 events a second each",
        ),
        station("SMI", "one event every 2 cycles; 1\u{202f}024 wait", "one every 2 cycles"),
        station(
            "MMI",
            "all six SMIs read in turn, a pair in 12 cycles; 512 words wait",
            "28\u{202f}000 pairs a second from each SMI",
        ),
        station(
            "Trace port and logger",
            "no loss at 130\u{202f}000 pairs a second",
            "1\u{202f}100 pairs a second in all",
        ),
        station("Host", "ordered as they come", ""),
    ]
}

fn content(number: u8) -> Content {
    match number {
        9 | 10 => local(number),
        11 => panels("time to serve the request, cycles", BYTES, |slow, _| {
            let all = vec![
                series("send", Style::Dots, 50, constant(slow, 210.0, 2.0, 1)),
                series("receive", Style::Dots, 50, constant(slow, 150.0, 2.0, 2)),
            ];
            (all, vec![], vec![fit("send", 50, 0.0, 211.0), fit("receive", 50, 0.0, 151.0)])
        }),
        12 => services(),
        13..=15 => panels("flight, cycles", BYTES, flight),
        16 | 17 => panels("time, microseconds", "moves, in their order", |slow, _| {
            let one =
                |name: &str, value, salt| series(name, Style::Dots, 100, constant(slow, value, value / 30.0, salt));
            (vec![one("packing", 30.0, 1), one("flight", 42.0, 2), one("unpacking", 40.0, 3)], vec![], vec![])
        }),
        18 => Content::Network(network()),
        19 => queues(),
        20 => sends(),
        21 => latencies(),
        22 => distributions(),
        23 => Content::Pathway(stations()),
        24 | 25 => bounds(true),
        _ => bounds(false),
    }
}

const TITLES: [&str; 19] = [
    "Time to serve a local send, as measured",
    "Time to serve a local send, without the timer, and a local receive",
    "Time to serve requests to communicate remotely",
    "Time to serve focus, rtr and msg",
    "Flight of focus, rtr and msg",
    "Queueing and pure flight of msg",
    "Delay of receiver and sender, remotely",
    "Packing, flight and unpacking of a thread",
    "Page fault, flight of the request, flight of the page",
    "Threads and channels of multi-phase",
    "Ready queues",
    "Sends in 50 ms",
    "Delay of senders over the run",
    "Distribution of delays in phases 6 and 8",
    "Where events pass",
    "Local communication between its bounds",
    "Remote communication between its bounds",
    "Migration of a thread between its bounds",
    "Copy of a remote page between its bounds",
];

fn figure(number: u8) -> Figure {
    Figure {
        number,
        title: TITLES[usize::from(number) - 9].into(),
        query: format!("figure-{number}"),
        program: if number < 11 { "local" } else { "remote" }.into(),
        explanation: "The receiver always waits, so the copy is part of the sender’s service: 0.264 cycles a byte on the default kernel, since words are \
                      copied with loads and stores of two cycles each, and 14 cycles more for each page that begins. Of 1 000 services 118 were interrupted \
                      by the timer, for 240 cycles each."
            .into(),
        report: "Most lengths show two groups, the longer one interrupted by the timer; steps every 1,024 bytes where a page ends.".into(),
        content: content(number),
    }
}

fn service(name: &str, kernel: &str, load: &str, figure: u8, slope: Option<f64>) -> Service {
    let slow = if kernel == "tos94" { 2.6 } else { 1.0 };
    let linear = |unit: f64| Linear {
        slope: slope.map(|slope| slope * slow * unit),
        intercept: 1_273.4 * slow * unit,
        below: 12.0 * unit,
        above: 341.0 * unit,
    };
    Service {
        name: name.into(),
        kernel: kernel.into(),
        load: load.into(),
        figure,
        cycles: linear(1.0),
        instructions: linear(0.48),
        microseconds: linear(0.04),
        report_ms: linear(0.48 / 1200.0),
        report: Linear { slope: slope.map(|_| 2.77), intercept: 7.35, below: 0.35, above: 0.35 },
        intercept_ratio: 7.35 / (1_273.4 * slow * 0.48 / 1200.0),
        slope_ratio: slope.map(|slope| 2.77 / (slope * slow * 0.48 / 1200.0)),
        r2: slope.map(|_| 0.9998),
    }
}

fn effect(name: &str, kernel: &str, shown: bool) -> Effect {
    Effect {
        name: name.into(),
        report: "The msg waits for the next timer interrupt, up to 20 ms, since the sender computes.".into(),
        kernel: kernel.into(),
        shown,
        evidence: "Queueing lasts 3 to 480 cycles, 41 on average, against a time-slice of 500 000: packets are handed over when they are made.".into(),
    }
}

fn tables() -> Vec<Table> {
    let text = |cells: &[&str]| cells.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
    let repeat = Table {
        title: "How the figures repeat".into(),
        explanation: "Five runs with other seeds: the least and the greatest slope and intercept.".into(),
        columns: text(&["Figure", "Slope, cycles a byte", "Intercept, cycles", "Why they differ"]),
        rows: vec![
            text(&["9", "0.2640 to 0.2643", "312 to 317", "other moments of the timer’s interrupts"]),
            text(&["24", "0.271", "402", "nothing differs"]),
        ],
    };
    let watching = Table {
        title: "What watching costs".into(),
        explanation: "Cycles of the same program with all classes, and with none.".into(),
        columns: text(&["Program", "Without", "With", "More, %"]),
        rows: vec![text(&["local", "1234567", "1239001", "0.36"]), text(&["remote", "6234567", "6239001", "0.07"])],
    };
    vec![watching, repeat]
}

fn others() -> Vec<Other> {
    let other = |project: &str, service: &str, milliseconds, ours: &str| Other {
        project: project.into(),
        service: service.into(),
        milliseconds,
        ours: ours.into(),
    };
    vec![
        other("Charlotte", "Local communication (1 byte)", 10.0, "0.013 ms (local, 1 byte)"),
        other("Charlotte", "Migrate process (32K)", 240.0, "0.21 ms (migration and 32 pages)"),
        other("Sprite", "Remote communication (5K)", 10.0, "0.31 ms (remote, 5 000 bytes)"),
    ]
}

fn runs() -> Vec<Run> {
    let run = |name: &str, command: &str, sound| Run {
        name: name.into(),
        command: command.into(),
        cycles: 1_234_567_890,
        events: 103_211,
        sound,
    };
    vec![
        run(
            "local, default, quiet",
            "testbed run local 5000 100 10 --kernel default --dgl profile+timer+user+detail --out profile/local-default-quiet",
            true,
        ),
        run(
            "local, tos94, busy",
            "testbed run local 5000 100 10 --kernel tos94 --dgl profile+timer+user+detail --out profile/local-tos94-busy",
            false,
        ),
    ]
}

/// Everything.
pub fn rich() -> Profile {
    let mut services = Vec::new();
    for (name, figure, slope) in [
        ("Local communication", 24, Some(610.0)),
        ("Remote communication", 25, Some(3300.0)),
        ("Thread migration", 26, None),
        ("Remote page copy", 27, None),
    ] {
        for kernel in KERNELS {
            services.extend(LOADS.map(|load| service(name, kernel, load, figure, slope)));
        }
    }
    Profile {
        engine: "emulator".into(),
        machine: "testbed6".into(),
        clock_hz: 25_000_000,
        tick_cycles: 25,
        reduced: false,
        kernels: vec![
            Kernel { name: "default".into(), cpi: 2.08, copy_cpi: 2.6 },
            Kernel { name: "tos94".into(), cpi: 2.13, copy_cpi: 2.6 },
        ],
        figures: (9..=27).map(figure).collect(),
        services,
        others: others(),
        effects: vec![
            effect("Delay by a time-slice", "default", false),
            effect("Delay by a time-slice", "tos94", true),
            effect("Steps at pages’ ends", "default", true),
        ],
        tables: tables(),
        runs: runs(),
    }
}
