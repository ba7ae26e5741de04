//! A profile with all that a page can show, made of what the original measured and of faster kernels like ours.

use testbed_profile::model::*;

/// Points of the greatest series.
pub const POINTS: usize = 1000;

/// A repeatable scatter, from 0 to 1.
fn scatter(index: usize, salt: u64) -> f64 {
    let mixed =
        (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    ((mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as f64 / f64::from(1u32 << 24)
}

fn series(name: &str, style: Style, count: usize, y: impl Fn(usize, f64) -> (f64, f64)) -> Series {
    Series { name: name.into(), style, points: (0..count).map(|index| y(index, index as f64 / count as f64)).collect() }
}

fn line(name: &str, kind: LineKind, from: (f64, f64), to: (f64, f64)) -> Line {
    Line { name: name.into(), kind, from, to }
}

fn fit(series: &str, points: usize, slope: f64, intercept: f64) -> Fit {
    Fit {
        series: series.into(),
        points,
        slope,
        intercept,
        slope_confidence: slope / 570.0,
        intercept_confidence: intercept / 311.0,
        r2: (slope != 0.0).then_some(0.999_93),
        deviation: intercept / 40.0,
        below: intercept / 12.5,
        above: intercept / 3.1,
    }
}

const KERNELS: [&str; 2] = ["default", "tos94"];
const LOADS: [&str; 2] = ["quiet", "busy"];
const BYTES: &str = "length of the message, bytes";

/// Two kernels side by side, quiet above busy; `make` knows how slow each is.
fn panels(y: &str, x: &str, make: impl Fn(f64, &str) -> (Vec<Series>, Vec<Line>, Vec<Fit>)) -> Content {
    let panel = |(kernel, load): (&str, &str)| {
        let slow = if kernel == "tos94" { 2.6 } else { 1.0 } * if load == "busy" { 1.3 } else { 1.0 };
        let (series, lines, fits) = make(slow, load);
        let axis = |label: &str| Axis { label: label.into(), log: false };
        Panel { title: format!("{kernel} kernel, {load}"), x: axis(x), y: axis(y), series, lines, fits }
    };
    let each = LOADS.iter().flat_map(|load| KERNELS.iter().map(move |kernel| (*kernel, *load)));
    Content::Panels(each.map(panel).collect())
}

/// What a copy takes: linear, with steps where pages end, and a timer's interrupt now and then.
fn copy(slow: f64, per_byte: f64, fixed: f64, timer: f64) -> impl Fn(usize, f64) -> (f64, f64) {
    move |index, part| {
        let bytes = (1.0 + part * 4999.0).round();
        let interrupted = if scatter(index, 7) < 0.12 { timer } else { 0.0 };
        let pages = (bytes / 1024.0).floor() * 14.0;
        (bytes, slow * (fixed + per_byte * bytes + pages + interrupted + 6.0 * scatter(index, 1)))
    }
}

fn constant(slow: f64, value: f64, spread: f64, salt: u64) -> impl Fn(usize, f64) -> (f64, f64) {
    move |index, part| ((1.0 + part * 4999.0).round(), slow * (value + spread * scatter(index, salt)).round())
}

fn flight(slow: f64, load: &str) -> (Vec<Series>, Vec<Line>, Vec<Fit>) {
    let late = if load == "busy" { 3000.0 } else { 90.0 };
    let one = |name: &str, value: f64, salt: u64| {
        series(name, Style::Dots, POINTS, move |index, part| {
            let (x, y) = constant(slow, value, 0.0, salt)(index, part);
            (x, y + late * scatter(index, salt).powi(6))
        })
    };
    (vec![one("focus", 1400.0, 3), one("rtr", 1650.0, 4), one("msg", 2400.0, 5)], vec![], vec![])
}

fn local(number: u8) -> Content {
    panels("time to serve the send, cycles", BYTES, |slow, _| {
        let timer = if number == 9 { 240.0 } else { 0.0 };
        let mut all = vec![series("send", Style::Dots, POINTS, copy(slow, 0.25, 313.0, timer))];
        let mut fits = vec![fit("send", POINTS, 0.2641 * slow, 316.0 * slow)];
        if number == 10 {
            all.push(series("receive", Style::Dots, POINTS, constant(slow, 188.0, 3.0, 9)));
            fits.push(fit("receive", POINTS, 0.0, 189.0 * slow));
        }
        let to = (5000.0, slow * (316.0 + 0.2641 * 5000.0));
        (all, vec![line("fit of send", LineKind::Fit, (0.0, 316.0 * slow), to)], fits)
    })
}

fn services() -> Content {
    panels("time to serve the message, cycles", BYTES, |slow, _| {
        let all = vec![
            series("focus", Style::Dots, POINTS, constant(slow, 240.0, 10.0, 2)),
            series("rtr", Style::Dots, POINTS, copy(slow, 0.2, 300.0, 200.0)),
            series("msg", Style::Dots, POINTS, copy(slow, 0.31, 420.0, 200.0)),
        ];
        let fits = vec![fit("focus", 1000, 0.0, 245.0), fit("rtr", 1000, 0.214, 303.0), fit("msg", 1000, 0.33, 424.0)];
        let lines = vec![
            line("fits", LineKind::Fit, (0.0, 303.0 * slow), (5000.0, 1373.0 * slow)),
            line("fits", LineKind::Fit, (0.0, 424.0 * slow), (5000.0, 2074.0 * slow)),
        ];
        (all, lines, fits)
    })
}

/// A service between its bounds, with the report's, in report milliseconds.
fn bounds(linear: bool) -> Content {
    let (y, x) = ("delay of the sender, report milliseconds", if linear { BYTES } else { "moves, in their order" });
    panels(y, x, |slow, load| {
        let slope = if linear { 0.34e-3 * slow } else { 0.0 };
        let fixed = 0.31 * slow;
        let (end, report) = if linear { (5000.0, (1.95e-3, 1.025, 0.275)) } else { (POINTS as f64, (0.0, 8.4, 0.5)) };
        let spread = if load == "busy" { 0.9 } else { 0.12 };
        let all = vec![series("local send", Style::Dots, POINTS, move |index, part| {
            (part * end, fixed + slope * part * end + spread * (scatter(index, 11).powi(3) - 0.1))
        })];
        let straight =
            |name: &str, kind, slope: f64, fixed: f64| line(name, kind, (0.0, fixed), (end, fixed + slope * end));
        let lines = vec![
            straight("fit", LineKind::Fit, slope, fixed),
            straight("farthest", LineKind::Bound, slope, fixed - 0.1 * spread),
            straight("farthest", LineKind::Bound, slope, fixed + 0.9 * spread),
            straight("the report’s average", LineKind::Report, report.0, report.1),
            straight("the report’s bounds", LineKind::ReportBound, report.0, report.1 - report.2),
            straight("the report’s bounds", LineKind::ReportBound, report.0, report.1 + report.2),
        ];
        (all, lines, vec![fit("local send", POINTS, slope, fixed)])
    })
}

/// Ready queues of five processors over the run.
fn queues() -> Content {
    panels("threads in the ready queue", "time since the start, s", |slow, _| {
        let queue = |processor: usize, name: &str| {
            series(name, Style::Steps, POINTS, move |index, part| {
                let phase = (part * 8.0).fract();
                let long = if phase < 0.8 { 5.0 * scatter(index, processor as u64) } else { 0.0 };
                (part * 18.5 * slow.sqrt(), long.floor())
            })
        };
        let names = ["earth", "air", "fire", "water", "space"];
        (names.iter().enumerate().map(|(place, name)| queue(place, name)).collect(), vec![], vec![])
    })
}

fn sends() -> Content {
    panels("sends in 50 ms", "time since the start, s", |slow, _| {
        let rate = |salt| {
            move |index: usize, part: f64| {
                let phase = (part * 8.0) as usize % 4;
                (part * 18.5 * slow, ((phase as f64) * 40.0 * scatter(index, salt) / slow).round())
            }
        };
        (vec![series("local", Style::Bars, 370, rate(1)), series("remote", Style::Bars, 370, rate(2))], vec![], vec![])
    })
}

fn latencies() -> Content {
    let Content::Panels(mut all) =
        panels("delay of the sender, report milliseconds", "time since the start, s", |slow, _| {
            let remote = series("remote", Style::Dots, POINTS, move |index, part| {
                (part * 18.5, slow * 4.0 * (1.0 + 30.0 * scatter(index, 5).powi(5)))
            });
            let local = series("local", Style::Dots, POINTS, move |index, part| {
                (part * 18.5, slow * (0.25 + scatter(index, 6)))
            });
            (vec![local, remote], vec![], vec![])
        })
    else {
        unreachable!("it makes panels")
    };
    all.iter_mut().for_each(|panel| panel.y.log = true);
    Content::Panels(all)
}

fn distributions() -> Content {
    panels("communications", "delay, report milliseconds", |slow, _| {
        let local = series("phase 6, local", Style::Bars, 30, move |index, _| {
            (index as f64 * 0.2 * slow, (400.0 * (-(index as f64 - 4.0).powi(2) / 4.0).exp()).round())
        });
        let remote = series("phase 8, remote, 95 %", Style::Bars, 60, move |index, _| {
            (2.0 + index as f64 * 0.2 * slow, (90.0 * scatter(index, 2) * (-(index as f64) / 25.0).exp()).round())
        });
        (vec![local, remote], vec![], vec![])
    })
}

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
            "testbed run local 5000 100 10 --kernel default --dgl all --out profile/local-default-quiet",
            true,
        ),
        run(
            "local, tos94, busy",
            "testbed run local 5000 100 10 --kernel tos94 --dgl all --out profile/local-tos94-busy",
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
        kernels: vec![Kernel { name: "default".into(), cpi: 2.08 }, Kernel { name: "tos94".into(), cpi: 2.13 }],
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
