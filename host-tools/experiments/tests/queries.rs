//! Queries over runs that are made up, so that each answer is known.

use testbed_definitions::event;
use testbed_experiments::load::Load;
use testbed_experiments::model::Content;
use testbed_experiments::observed::{Length, ObserveError, Observed, Send};
use testbed_experiments::query::csv;
use testbed_experiments::section3::effects::{interrupted, longest_remote};
use testbed_experiments::section3::figures::figures;
use testbed_experiments::section3::lengths;
use testbed_experiments::section3::material::{Cpi, Material, Source};
use testbed_experiments::section3::multi_phase::phases;
use testbed_experiments::section3::network::network;
use testbed_experiments::section3::queries::{named, of_figure};
use testbed_experiments::section3::services::table6;
use testbed_machine::Machine;
use testbed_trace::analysis::fact::{Episode, Stage};
use testbed_trace::analysis::measure::{Mark, Span};
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::capture::{KernelKind, RunRecord};

const TICK: u32 = 25;

fn thread(id: u8) -> u16 {
    event::thread_number(1, 1, id)
}

fn stage(phase: Phase, processor: u8, from: u64, cycles: u64, probe_cycles: u64) -> Stage {
    let mark = |cycle| Mark { processor, cycle, ..Mark::default() };
    let span = Span { cycles, probes: 1, probe_cycles };
    Stage { phase, processor, from: mark(from), to: mark(from + cycles), span, busy: None }
}

fn episode(protocol: Protocol, stages: Vec<Stage>) -> Episode {
    Episode { protocol, channel: Some(1), threads: (thread(1), thread(2)), stages, beside: Vec::new() }
}

fn observed(program: &str, arguments: &[&str]) -> Observed {
    let arguments = arguments.iter().map(ToString::to_string).collect();
    let machine = Machine::testbed6();
    let record = RunRecord { complete: true, cycles: 25_000_000, arguments, ..RunRecord::new(&machine, program) };
    Observed {
        dir: "made-up".into(),
        record,
        events: 0,
        episodes: Vec::new(),
        sends: Vec::new(),
        lengths: Vec::new(),
        timers: vec![Vec::new(); machine.processors.len()],
        load: Load::default(),
    }
}

/// `local 100 2`: 300 cycles, 1.25 a byte and 18 of probes; a timer interrupt of 1,000 cycles falls
/// into every tenth service if `timers`.
fn local(timers: bool) -> Observed {
    let mut run = observed("local", &["100", "2"]);
    for (number, bytes) in lengths(&run.subject()).into_iter().enumerate() {
        let start = number as u64 * 100_000;
        let copy = 300 + bytes as u64 * 5 / 4 + 18;
        let hit = timers && number % 10 == 0;
        let request = start + 50_000;
        if hit {
            run.timers[1].push((request + 100, request + 1_100));
        }
        let stages = vec![
            stage(Phase::FirstRequest, 1, start, 375, 18),
            stage(Phase::PartnerAwaited, 1, start + 375, 49_625, 0),
            stage(Phase::SecondRequest, 1, request, copy + if hit { 1_000 } else { 0 }, 18),
        ];
        run.episodes.push(episode(Protocol::Local, stages));
    }
    run
}

fn material(sources: Vec<Observed>) -> Material {
    let sources = sources.into_iter().map(|observed| Source { name: observed.dir.clone(), observed }).collect();
    let cpi = KernelKind::ALL.map(|kernel| (kernel, Cpi { services: 2.0, copy: 2.5 })).to_vec();
    Material { clock_hz: 25_000_000, tick_cycles: TICK, cpi, sources }
}

#[test]
fn services_are_corrected_for_probes_and_timer_interrupts() {
    let run = local(true);
    let ask = |figure| of_figure(figure).unwrap().ask(&run).unwrap();
    let raw = &ask(9)[0].1;
    let corrected = &ask(10)[0].1;
    assert_eq!((raw.len(), corrected.len()), (200, 200));
    assert_eq!(raw[..3], [(1.0, 1_319.0), (1.0, 319.0), (51.0, 381.0)]);
    assert_eq!(corrected[..3], [(1.0, 301.0), (1.0, 301.0), (51.0, 363.0)]);
    assert_eq!(ask(10)[1].1[0], (1.0, 357.0));
    assert_eq!(interrupted(&run, Protocol::Local, Phase::SecondRequest), (201, 21, 1_000.0));
    assert_eq!(interrupted(&local(false), Protocol::Local, Phase::SecondRequest), (201, 0, 0.0));
}

#[test]
fn table_6_has_the_line_and_the_ratios() {
    let table = table6(&material(vec![local(true)])).unwrap();
    let [row] = &table[..] else { panic!("{table:?}") };
    assert_eq!(
        (row.name.as_str(), row.kernel.as_str(), row.load.as_str()),
        ("local communication", "default", "quiet")
    );
    let near = |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 2e-3, "{value}, not {expected}");
    near(row.cycles.slope.unwrap(), 1.25 * 1000.0);
    near(row.cycles.intercept, 299.6);
    near(row.instructions.intercept, 149.8);
    near(row.microseconds.intercept, 11.98);
    near(row.report_ms.slope.unwrap(), 1.25 * 1000.0 / 2.5 / 1_200.0);
    near(row.slope_ratio.unwrap(), 1.95 / (1.25 * 1000.0 / 2.5 / 1_200.0));
    near(row.intercept_ratio, 1.025 / (299.6 / 2.0 / 1_200.0));
}

#[test]
fn a_run_of_something_else_or_cut_short_is_refused() {
    let mut run = local(false);
    let wrong = of_figure(11).unwrap().ask(&run).unwrap_err();
    assert!(matches!(&wrong, ObserveError::Program { wanted: "remote", .. }), "{wrong}");
    run.episodes.pop();
    let short = of_figure(9).unwrap().ask(&run).unwrap_err().to_string();
    assert!(short.contains("200 communications") && short.contains("makes 201") && short.contains("help:"), "{short}");
    assert!(of_figure(16).unwrap().ask(&observed("migrate", &[])).is_err());
}

/// A receiver that comes late is not a part of the sender's delay.
#[test]
fn delays_leave_out_what_was_awaited() {
    let mut run = observed("remote", &["1", "1"]);
    let phases = [
        (Phase::SenderRequest, 1, 100),
        (Phase::FocusQueue, 1, 50),
        (Phase::FocusFlight, 2, 200),
        (Phase::FocusService, 2, 30),
        (Phase::ReceiverAwaited, 2, 9_000),
        (Phase::ReceiverRequest, 2, 70),
        (Phase::RtrQueue, 2, 20),
        (Phase::RtrFlight, 1, 210),
        (Phase::RtrService, 1, 400),
        (Phase::MsgQueue, 1, 25),
        (Phase::MsgFlight, 2, 500),
        (Phase::MsgService, 2, 600),
    ];
    let stages = |start| {
        let mut at = start;
        let one = |(phase, processor, cycles)| {
            at += cycles;
            stage(phase, processor, at - cycles, cycles, 0)
        };
        phases.into_iter().map(one).collect()
    };
    run.episodes = [0, 100_000].map(|start| episode(Protocol::Remote, stages(start))).into();
    let ask = |figure| of_figure(figure).unwrap().ask(&run).unwrap();
    let delays = ask(15);
    assert_eq!(delays[0], ("receiver", vec![(1.0, 70.0 + 30.0 + 20.0 + 210.0 + 400.0 + 25.0 + 500.0 + 600.0)]));
    assert_eq!(delays[1], ("sender", vec![(1.0, 100.0 + 50.0 + 200.0 + 30.0 + 20.0 + 210.0 + 400.0)]));
    assert_eq!(ask(25)[0].1, delays[1].1);
    assert_eq!(ask(13), [("msg", vec![(1.0, 525.0)]), ("rtr", vec![(1.0, 230.0)]), ("focus", vec![(1.0, 250.0)])]);
    assert_eq!(longest_remote(&run), 2_205);
    let network = network(&run);
    assert_eq!(network.threads, [("1".to_string(), 1), ("2".to_string(), 2)]);
    assert!(network.channels[0].remote && network.channels[0].count == 2);
}

#[test]
fn first_visits_are_apart() {
    let mut run = observed("migrate", &[]);
    run.episodes = [2, 3, 2, 1, 3]
        .map(|to| {
            let unpacking = if to == 1 { 900 } else { 1_000 };
            let stages = vec![
                stage(Phase::Packing, 1, 0, 500, 0),
                stage(Phase::ThreadQueue, 1, 500, 50, 0),
                stage(Phase::ThreadFlight, to, 550, 300, 0),
                stage(Phase::Unpacking, to, 850, unpacking, 0),
            ];
            episode(Protocol::Migration, stages)
        })
        .into();
    let answer = of_figure(26).unwrap().ask(&run).unwrap();
    assert_eq!(answer[0], ("migration", vec![(3.0, 1_850.0), (4.0, 1_750.0), (5.0, 1_850.0)]));
    assert_eq!(answer[1], ("first visit to a processor", vec![(1.0, 1_850.0), (2.0, 1_850.0)]));
}

/// A run of `multi-phase`: thread 1's ten barrier messages a phase, and two sends of thread 10 within it.
fn multi_phase() -> Observed {
    let mut run = observed("multi-phase", &[]);
    for phase in 0..8 {
        let start = phase * 3_000_000;
        let send = |id, called, latency| Send {
            thread: thread(id),
            channel: 0,
            called,
            ready: called + latency,
            runs: called + latency,
        };
        run.sends.extend((0..10).map(|number| send(1, start + number * 200_000, 1_000)));
        run.sends.extend([send(10, start + 500_000, 4_000 << phase), send(10, start + 900_000, 4_000 << phase)]);
    }
    run.lengths = [(1, 0, 2), (1, 1_250_000, 4), (1, 1_875_000, 0), (2, 625_000, 1)]
        .map(|(processor, cycle, length)| Length { processor, cycle, length })
        .into();
    run
}

#[test]
fn phases_windows_and_distributions() {
    let run = multi_phase();
    let phases = phases(&run, &run.subject()).unwrap();
    assert_eq!((phases.len(), phases[7]), (8, (21_000_000, 25_000_000)));
    let ask = |figure| of_figure(figure).unwrap().ask(&run).unwrap();
    // Windows of 50 ms are 1,250,000 cycles.
    let queues = ask(19);
    assert_eq!(queues[0].1[..3], [(0.0, 2.0), (1_250_000.0, 2.0), (2_500_000.0, 0.0)]);
    assert_eq!(queues[1].1[..2], [(0.0, 0.5), (1_250_000.0, 1.0)]);
    assert_eq!(ask(20)[0].1.iter().map(|point| point.1).sum::<f64>(), 96.0);
    assert_eq!(ask(20)[0].1[0], (0.0, 9.0));
    assert_eq!(ask(21)[0].1.len(), 16);
    let distributions = ask(22);
    for (series, latency) in [(0, 4_000 << 5), (1, 4_000 << 7)] {
        let points = &distributions[series].1;
        let (from, count) = points[0];
        assert!(count == 2.0 && from <= f64::from(latency) && f64::from(latency) <= from * 1.2, "{points:?}");
        assert_eq!(points.last().unwrap().1, 0.0);
    }
}

#[test]
fn figures_are_made_of_what_was_run() {
    let found = figures(&material(vec![local(false), multi_phase()]), None).unwrap();
    let numbers: Vec<_> = found.iter().map(|figure| figure.number).collect();
    assert_eq!(numbers, [9, 10, 18, 19, 20, 21, 22, 24]);
    for figure in &found {
        assert!(!figure.title.is_empty() && !figure.report.is_empty(), "{}", figure.number);
        if let Content::Panels(panels) = &figure.content {
            let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
            assert!(points.clone().count() > 0 && points.clone().all(|(x, y)| x.is_finite() && y.is_finite()));
        }
    }
    let Content::Panels(panels) = &found.last().unwrap().content else { panic!("no panels") };
    // Fit, our bounds, the report's line and bounds.
    assert_eq!(panels[0].lines.len(), 6);
    assert!(panels[0].fits[0].r2.unwrap() > 0.999);
}

#[test]
fn answers_as_csv() {
    let query = named("local-send-service").unwrap();
    let text = csv(query, &query.ask(&local(false)).unwrap());
    let lines: Vec<_> = text.lines().take(3).collect();
    assert_eq!(lines, ["series,message length (bytes),cycles", "\"send request\",1,319", "\"send request\",1,319"]);
}
