//! What a run shows of balancing its load: samples as they were sent, requests as the log has them.

use std::fs;

use testbed_balance::policies::boxed::named;
use testbed_balance::policies::Placement;
use testbed_balance::request::{Answer, Reason};
use testbed_balance::settings::Values;
use testbed_definitions::event::{DIAG_LOAD, USER};
use testbed_definitions::load::{Part, MOVABLE, ONE_READY};
use testbed_trace::analysis::Options;
use testbed_trace::balance::history::Counts;
use testbed_trace::balance::log::Log;
use testbed_trace::balance::part::{POINTS_MAX, REQUESTS_MAX};
use testbed_trace::balance::replay::replay;
use testbed_trace::balance::Samples;
use testbed_trace::capture::{verify, BalanceRecord, Capture, BALANCE};
use testbed_trace::order::{Event, What};
use testbed_trace::report::{collect, Page};
use testbed_trace::synthetic;

use crate::analysis::scripts::{Step, AIR, EARTH, GAP};
use crate::report::runs::write;

/// Cycles between samples, and between the parts of one.
const PERIOD: u64 = 100_000;
const APART: u64 = 400;
/// A whole, as the samples' shares count.
const HALF: u16 = 1 << 15;

/// A slave's sample as steps: its number, ready threads at that moment and on average in quarters.
fn sample(smi: u8, at: u64, sequence: u8, ready: u8, quarters: u16) -> Vec<Step> {
    let mut parts = vec![
        Part::Begin { sequence, ready },
        Part::Period { cycles: PERIOD as u32 },
        Part::Queue { average: quarters * ONE_READY / 4 },
        Part::User { share: HALF },
        Part::Thread { thread: 0x41, movable: true },
        Part::Share { share: HALF },
    ];
    parts.push(Part::End { sequence, parts: parts.len() as u16 });
    let step = |(place, part): (u64, Part)| {
        let [code, argument] = part.words();
        (at + place * APART, smi, code & !testbed_definitions::event::MORE, argument)
    };
    (0..).zip(parts).map(step).collect()
}

/// The report's Figure 41, and what comes of other requests.
const LOG: &str = "TIM: 10\nLNK: 0 0 0 0 0 0 0 0 0 0 (av 0)\nRQL: 9 1 1 1 1 (av 3)\n\
    move work from 1 to 2 to shorten its queue (mig #1)\nmig #1: 1-01-004 arrives at 2, time 12\n\
    move work from 1 to 3 as thread 1-01-005 (mig #2)\nmig #2: refused by 1, time 13\n\
    # lost so far: 1 samples, 0 pairs missed by the queue, 0 threads without room, 0 requests that make no sense\n\
    TIM: 20\nLNK: 9 0 0 0 0 0 0 0 0 0 (av 1)\nRQL: 8 2 1 1 1 (av 3)\n\
    move work from 1 to 2 to quieten link 1/1-2 (mig #3)\n";

fn run(steps: &[Step], log: Option<&str>) -> (tempfile::TempDir, Capture) {
    let dir = tempfile::tempdir().unwrap();
    let mut steps = steps.to_vec();
    steps.sort_by_key(|step| step.0);
    let end = steps.last().map_or(0, |step| step.0) + PERIOD;
    let capture = write(dir.path(), "balanced", &[], DIAG_LOAD, &steps, end);
    if let Some(log) = log {
        fs::write(dir.path().join(BALANCE), log).unwrap();
    }
    (dir, capture)
}

fn page(capture: &Capture, options: &Options) -> Page {
    collect(capture, options).unwrap_or_else(|error| panic!("{error}"))
}

/// A run with samples of two slaves and the log above.
pub fn balanced() -> (tempfile::TempDir, Capture) {
    let steps = [
        sample(EARTH, 2 * PERIOD, 1, 3, 10),
        sample(AIR, 2 * PERIOD + 7, 1, 1, 2),
        sample(EARTH, 3 * PERIOD, 2, 5, 18),
    ];
    let mut steps = steps.concat();
    // Until behind the log's times.
    steps.push((600_000, EARTH, USER, 1));
    let (dir, capture) = run(&steps, Some(LOG));
    let settings = vec!["period=2s".into()];
    let mut record = capture.record;
    record.balance = Some(BalanceRecord { policy: "report".into(), sample_us: 200_000, settings });
    record.write(dir.path()).unwrap();
    let capture = Capture::open(dir.path()).unwrap();
    (dir, capture)
}

#[test]
fn samples_are_shown_as_they_were_sent() {
    let mut steps = [sample(EARTH, PERIOD, 1, 3, 10), sample(AIR, PERIOD + 7, 1, 1, 2)].concat();
    steps.extend(sample(EARTH, 2 * PERIOD, 2, 5, 18));
    let (_dir, capture) = run(&steps, None);
    let balancing = page(&capture, &Options::default()).balancing.unwrap();
    assert_eq!((balancing.log, balancing.unreadable), (None, None));
    let of = |processor: u8| {
        let slave = balancing.slaves.iter().find(|slave| slave.processor == processor).unwrap();
        slave.points.iter().map(|point| (point.2, point.3, point.4)).collect::<Vec<_>>()
    };
    assert_eq!(of(EARTH), [(2.5, 3, 0.5), (4.5, 5, 0.5)]);
    assert_eq!(of(AIR), [(0.5, 1, 0.5)]);
    // A point tells of the period before its end.
    let (from, to, ..) = balancing.slaves[0].points[1];
    let end = 2 * PERIOD + 6 * APART;
    assert!(to <= end && end - to < 100 && to - from == PERIOD, "{from} {to}");
    // Part of it.
    let options = Options { from_cycle: Some(PERIOD + PERIOD / 2), ..Options::default() };
    let part = page(&capture, &options).balancing.unwrap();
    let counts: Vec<_> = part.slaves.iter().map(|slave| slave.points.len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 1, "{counts:?}");
}

#[test]
fn a_sample_with_a_part_lost_is_none() {
    let mut steps = [1, 2, 3].map(|at: u8| sample(EARTH, u64::from(at) * PERIOD, at, at, 4)).concat();
    steps.push((2 * PERIOD + 3 * APART - 5, EARTH, GAP, 2));
    // Other classes tell nothing of the load.
    steps.push((2 * PERIOD + PERIOD / 2, EARTH, USER, MOVABLE));
    let (_dir, capture) = run(&steps, None);
    let balancing = page(&capture, &Options::default()).balancing.unwrap();
    let ready: Vec<_> = balancing.slaves[0].points.iter().map(|point| point.3).collect();
    assert_eq!((ready, balancing.slaves[0].lost), (vec![1, 3], 1));
}

/// A policy is asked what it would do by the same samples, and held against what the run's balancer did.
#[test]
fn a_policy_is_followed_through_a_run() {
    let slaves = [1, 2, 3, 4, 5u8];
    // The first has nine threads, then eight; the others one.
    let round = |at: u64, sequence: u8, first: u8| {
        let one =
            move |slave: u8| sample(slave, at + u64::from(slave) * 10, sequence, if slave == 1 { first } else { 1 }, 4);
        slaves.iter().flat_map(move |&slave| one(slave))
    };
    let steps: Vec<Step> =
        [(1, 9), (2, 8), (3, 8)].iter().flat_map(|&(at, first)| round(u64::from(at) * PERIOD, at, first)).collect();
    let log = "TIM: 4\nLNK: 0 0 0 0 0 0 0 0 0 0 (av 0)\nRQL: 9 1 1 1 1 (av 3)\n\
        move work from 1 to 2 to shorten its queue (mig #7)\nmig #7: 1-01-004 arrives at 2, time 6\n\
        TIM: 8\nLNK: 0 0 0 0 0 0 0 0 0 0 (av 0)\nRQL: 8 1 1 1 1 (av 2)\n\
        move work from 1 to 5 as thread 1-01-009 (mig #8)\n";
    let follow = |name: &str, log: Option<&str>| {
        let (_dir, capture) = run(&steps, log);
        let policy = named(name, &Values::DEFAULT, 1, Placement::default()).unwrap();
        replay(&capture, &verify(&capture).unwrap(), policy).unwrap()
    };
    let told = follow("report", Some(log));
    assert_eq!(told.rounds.iter().map(|round| round.load.time_ms).collect::<Vec<_>>(), [4, 8, 12]);
    assert_eq!(told.rounds[0].load.queues, [9, 1, 1, 1, 1]);
    let asked: Vec<_> = told.rounds.iter().flat_map(|round| &round.asked).collect();
    assert!(asked.iter().all(|asked| (asked.request.reason, asked.request.from) == (Reason::Compute, 1)), "{asked:?}");
    // The first one was made in the run too, and answered there; all others are the policy's own.
    let own: Vec<_> = asked.iter().map(|asked| asked.own.map(|own| own.number)).collect();
    assert_eq!((own[0], own[1..].iter().all(Option::is_none)), (Some(7), true), "{own:?}");
    assert!(matches!(asked[0].own.unwrap().answer, Some((6, Some(Answer::Moved(_))))));
    assert_eq!((told.counts.both, told.counts.own_only, told.counts.rounds), (1, 1, 3));
    assert_eq!((told.counts.requests, told.counts.samples_lost), (asked.len() as u64, 0));
    let lines = told.rounds.iter().flat_map(|round| round.entries()).map(|entry| entry.line(told.slaves).to_string());
    let text: String = lines.map(|line| line + "\n").collect();
    assert!(text.starts_with(&log[..log.find("TIM: 8").unwrap()].replace("#7", "#1")), "{text}");
    assert_eq!(Log::of(&text).unwrap().history.requests, told.counts.requests);
    // Without a balancer all are the policy's own; and one that moves nothing asks for nothing.
    let counts = follow("acknowledged", None).counts;
    assert!(counts.requests > 0 && (counts.both, counts.own_only) == (0, 0), "{counts:?}");
    assert_eq!(follow("none", Some(log)).counts.requests, 0);
}

#[test]
fn a_run_without_samples_or_with_a_damaged_log_is_refused() {
    let policy = || named("gain", &Values::DEFAULT, 1, Placement::default()).unwrap();
    let refused = |steps: &[Step], log: Option<&str>| {
        let (_dir, capture) = run(steps, log);
        replay(&capture, &verify(&capture).unwrap(), policy()).unwrap_err().to_string()
    };
    assert!(refused(&[(600_000, EARTH, USER, 1)], None).contains("--balance none"));
    let one = sample(EARTH, PERIOD, 1, 3, 10);
    let message = refused(&one, Some("TIM: ten\n"));
    assert!(message.contains("balance.log: line 1, column 6"), "{message}");
}

/// What was lost may have been the end of one sample and the beginning of another.
#[test]
fn a_loss_ends_the_sample_under_way() {
    let events = |lost: Option<usize>| {
        let mut samples = Samples::new(5);
        let parts = sample(EARTH, 10, 1, 3, 10);
        let taken = parts.iter().enumerate().filter_map(|(place, &(tick, smi, code, argument))| {
            let event = synthetic::event(tick, smi, code, argument);
            if lost == Some(place) {
                samples.take(tick, &Event { what: What::Gap(Some(14)), argument: None, ..event });
            }
            samples.take(tick, &event)
        });
        taken.count()
    };
    assert_eq!(events(None), 1);
    assert!((1..7).all(|place| events(Some(place)) == 0));
}

#[test]
fn a_log_is_shown_with_what_came_of_requests() {
    let (_dir, long) = balanced();
    let first = Options { to_cycle: Some(1), ..Options::default() };
    let told = page(&long, &first).balancing.unwrap().log.unwrap();
    assert_eq!((told.counts, told.requests.len()), (Counts::default(), 0), "nothing has happened in the first cycle");
    let page = page(&long, &Options::default());
    let told = page.balancing.unwrap().log.unwrap();
    let clock = u64::from(long.record.machine.clock_hz) / 1_000;
    assert_eq!(told.counts, Counts { requests: 3, moved: 1, refused: 1, open: 1, ..Counts::default() });
    let rows: Vec<_> = told.requests.iter().map(|row| (&row.reason[..], &row.answer[..], row.asked_cycle)).collect();
    let names = &long.record.machine.processors;
    let reasons = [
        "to shorten the queue".into(),
        format!("that thread: {}.1.5", names[1]),
        format!("to quieten {}–{}", names[1], names[2]),
    ];
    let answers = [format!("moved {}.1.4", names[1]), "refused".into(), "open".into()];
    let wanted: Vec<_> = (0..3).map(|at| (&reasons[at][..], &answers[at][..], [10, 10, 20][at] * clock)).collect();
    assert_eq!(rows, wanted);
    assert_eq!((told.moves.len(), told.moves[0].from, told.moves[0].to), (1, 1, 2));
    assert_eq!((told.moves[0].asked_cycle, told.moves[0].arrived_cycle), (10 * clock, 12 * clock));
    assert_eq!(told.remarks.len(), 1);
    assert!(told.remarks[0].starts_with("lost so far: 1 samples"), "{:?}", told.remarks);
}

#[test]
fn what_is_no_log_is_said_and_the_page_is_there() {
    let (_dir, capture) = run(&[], Some("TIM: soon\n"));
    let balancing = page(&capture, &Options::default()).balancing.unwrap();
    assert!(balancing.log.is_none() && balancing.slaves.is_empty());
    let said = balancing.unreadable.unwrap();
    assert!(said.starts_with("balance.log: line 1, column 6: expected"), "{said}");
    // Neither samples nor a log.
    let (_dir, capture) = run(&[], None);
    assert_eq!(page(&capture, &Options::default()).balancing, None);
}

#[test]
fn a_line_that_is_being_written_is_left_out() {
    let whole = Log::of(LOG).unwrap();
    for end in 0..LOG.len() {
        let log = Log::of(&LOG[..end]).unwrap_or_else(|error| panic!("{error}: {}", &LOG[..end]));
        assert!(whole.history.asked.len() >= log.history.asked.len());
    }
    assert_eq!(whole.history.asked.len(), 3);
}

#[test]
fn long_runs_stay_small_and_say_so() {
    let count = 3 * POINTS_MAX as u64;
    let steps: Vec<Step> = (1..=count).flat_map(|at| sample(EARTH, at * PERIOD, at as u8, (at % 7) as u8, 4)).collect();
    let requests: String = (1..=2 * REQUESTS_MAX)
        .map(|number| {
            format!("move work from 1 to 2 to shorten its queue (mig #{number})\nmig #{number}: expires at 1, time 1\n")
        })
        .collect();
    let (_dir, capture) = run(&steps, Some(&requests));
    let page = page(&capture, &Options::default());
    let balancing = page.balancing.unwrap();
    let points = &balancing.slaves[0].points;
    assert_eq!((points.len(), points[0].3), (POINTS_MAX, 3));
    assert!(points.iter().all(|point| (point.2, point.4) == (1.0, 0.5)), "means of what is the same");
    let told = balancing.log.unwrap();
    assert_eq!((told.requests.len(), told.counts.requests), (REQUESTS_MAX, 2 * REQUESTS_MAX as u64));
    assert_eq!(told.counts.expired, told.counts.requests);
    let left_out = |what: &str| page.left_out.iter().any(|line| line.starts_with(what));
    assert!(left_out("Load: 3 samples") && left_out("Requests: the first 300 of 600"), "{:?}", page.left_out);
}

#[test]
fn arguments_of_a_balancer_say_how_the_load_was_balanced() {
    for settings in [vec![], vec!["queue-over=1.5".to_string(), "period=2s".into()]] {
        let record = BalanceRecord { policy: "report".into(), sample_us: 200_000, settings };
        assert_eq!(BalanceRecord::of_arguments(&record.arguments()), Some(record));
    }
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    for arguments in [&[][..], &["report"], &["report", "soon"], &["report", "queue-over=1.5"]] {
        assert_eq!(BalanceRecord::of_arguments(&words(arguments)), None, "{arguments:?}");
    }
    // Of runs before there were settings.
    let old: BalanceRecord = serde_json::from_str(r#"{"policy":"gain","sample_us":200000}"#).unwrap();
    assert_eq!(old.settings, Vec::<String>::new());
}
