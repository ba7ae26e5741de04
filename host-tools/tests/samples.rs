//! What slaves tell of their load, against what the programs are known to do: who ran for how long,
//! how many were ready, and who sent how much to whom.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use testbed_balance::assess::Assessor;
use testbed_balance::summary::Summary;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::{Part, ONE_READY, WHOLE};
use testbed_kernel_core::task_graph::FIRST;
use testbed_trace::analysis::fact::ThreadState;
use testbed_trace::analysis::{analyse, Kind, Options};
use testbed_trace::capture::{verify, Capture};
use testbed_trace::order::{events, What};

use crate::common::root;

const SLAVES: u8 = 5;
/// Cycles of the default period.
const PERIOD: u32 = 25_000_000;

/// Runs a program with class `load` and gives the summary after each whole sample to `look`, with
/// its slave. Every sample has to be whole.
fn sampled(arguments: &[&str], place: Option<&str>, mut look: impl FnMut(u8, &Summary)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.arg("run").args(arguments).args(["--dgl", "load", "--out"]).arg(&out).current_dir(root());
    if let Some(place) = place {
        let path = folder.path().join("placement");
        fs::write(&path, place).unwrap();
        command.arg("--file").arg(&path);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    take_all(&out, &mut look);
    fs::read_to_string(out.join("console.txt")).unwrap()
}

fn take_all(folder: &Path, look: &mut impl FnMut(u8, &Summary)) {
    let capture = Capture::open(folder).unwrap();
    let integrity = verify(&capture).unwrap();
    let mut assessor = Assessor::new(SLAVES);
    for event in events(&capture, &integrity).unwrap() {
        let event = event.unwrap();
        assert!(!matches!(event.what, What::Gap(_)), "{event:?}");
        let What::Known(kind) = event.what else { continue };
        let Some(part) = Part::of(kind.code, event.argument.unwrap_or(0)) else { continue };
        let is_end = matches!(part, Part::End { .. });
        let is_whole = assessor.take(event.smi, event.index, part);
        assert_eq!(is_whole, is_end, "{event:?}");
        if is_whole {
            look(event.smi, assessor.summary());
        }
    }
    for slave in assessor.summary().processors() {
        assert_eq!(assessor.summary().slave(slave).lost, 0);
    }
}

/// The id within its process.
fn id(thread: ThreadNumber) -> u8 {
    thread.id() as u8
}

/// Whether a number is another one, but for so many hundredths.
fn is_near(value: u32, truth: u32, hundredths: u32) -> bool {
    value.abs_diff(truth) <= truth * hundredths / 100
}

#[test]
fn threads_that_compute_share_their_processor() {
    let mut samples = [0; SLAVES as usize + 1];
    sampled(&["synthetic", "4", "compute", "5000ms"], None, |slave, summary| {
        samples[usize::from(slave)] += 1;
        let load = summary.slave(slave);
        // Up to half a time-slice sooner or later, and the first sample tells of less.
        assert!(load.sequence == 0 || is_near(load.period, PERIOD, 3), "{load:?}");
        if slave != 1 || load.sequence == 0 || load.ready == 0 {
            assert!(slave == 1 || load.user == 0 && load.average == 0, "{slave} {load:?}");
            return;
        }
        assert!(is_near(u32::from(load.user), WHOLE, 4), "{load:?}");
        assert!(is_near(u32::from(load.average), 4 * u32::from(ONE_READY), 6), "{load:?}");
        assert_eq!(load.sent.iter().map(|traffic| traffic.sends).sum::<u32>(), 0);
        let workers: Vec<_> = summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST).collect();
        assert_eq!(workers.len(), 4);
        for thread in workers {
            assert!(is_near(u32::from(thread.share), WHOLE / 4, 12), "{thread:?}");
            assert!(thread.movable && thread.partners.is_empty(), "{thread:?}");
        }
    });
    assert!(samples[1..].iter().all(|&count| count == 5), "{samples:?}");
}

/// Two pairs: one on the first slave, one between the second and the third.
#[test]
fn messages_are_counted_where_they_go() {
    let places = [1, 1, 2, 3];
    let place: String = places.iter().zip(FIRST..).map(|(processor, id)| format!("place {id} {processor}\n")).collect();
    let (mut sends, mut local, mut remote) = (0u32, 0u32, 0u32);
    let console = sampled(
        &["synthetic", "2", "communicate", "40000", "8", "static", "placement"],
        Some(&place),
        |slave, summary| {
            let load = summary.slave(slave);
            for other in summary.processors().filter(|&other| other != slave) {
                let traffic = load.sent[usize::from(other)];
                let is_pair = [slave, other] == [2, 3] || [slave, other] == [3, 2];
                // Before the workers are placed the program's first thread does no more than fetch
                // pages.
                assert!(is_pair || traffic.sends == 0, "{slave} to {other}: {traffic:?}");
                assert!(is_near(traffic.bytes, 8 * traffic.sends, 1), "{traffic:?}");
                sends += traffic.sends;
            }
            for thread in summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST) {
                for partner in &thread.partners {
                    let pair = |thread| (id(thread) - FIRST) / 2;
                    assert_eq!(pair(partner.thread), pair(thread.thread), "{thread:?}");
                    assert_ne!(partner.thread, thread.thread);
                    assert!(is_near(partner.traffic.bytes, 8 * partner.traffic.sends, 1), "{thread:?}");
                    *(if pair(thread.thread) == 0 { &mut local } else { &mut remote }) += partner.traffic.sends;
                }
            }
        },
    );
    assert!(console.contains(", 80000 messages of 8 bytes"), "{console}");
    // Of the last period, which is not over when the program is, nobody is told: that may be half
    // of what the quicker pair does. Both partners count each message.
    let least = 40_000 / 4;
    println!("{sends} sends over the link, {local} local and {remote} remote messages");
    assert!((least..=48_000).contains(&sends), "{sends}");
    assert!((least..=48_000).contains(&(local / 2)), "{local}");
    assert!((least..=48_000).contains(&(remote / 2)), "{remote}");
}

/// So few units of work a round that the thread with three partners communicates most of the time.
const LITTLE_WORK: u32 = 3;

/// Five threads in step with each other, each on a slave of its own, that have one, two and three
/// partners, and so many units of work a round.
fn grid(work: u32) -> String {
    let threads = (FIRST..).take(5).map(|id| format!("work {id} {work}\n")).collect::<String>();
    format!(
        "taskgraph 1\nthreads 5\nphase 40000\n{threads}\
         link 2 3 1 0\nlink 2 4 1 0\nlink 3 5 1 0\nlink 4 5 1 0\nlink 4 6 1 0\nend\n"
    )
}

/// A slave looks at short windows of what its threads do: what it tells of their time and their
/// messages is what the whole trace shows. Windows that begin when a message has come, or are over
/// when it has been answered, show many messages and little work.
#[test]
fn windows_show_what_the_whole_trace_does() {
    for work in [LITTLE_WORK, 6, 12] {
        told_of_grid_is_true(work);
    }
}

fn told_of_grid_is_true(work: u32) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let places = (FIRST..).take(5).enumerate().map(|(at, id)| format!("place {id} {}\n", at + 1)).collect::<String>();
    let out = folder.path().join("run");
    let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .args(["run", "taskgraph", "grid", "static", "placement", "--for", "4100ms"])
        .args(["--dgl", "load+profile+timer+user", "--out"])
        .arg(&out)
        .args([&"--file".into(), &file("grid", &grid(work)), &"--file".into(), &file("placement", &places)])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // What slaves tell: of each thread its share, and messages with each partner, of so many cycles.
    let (mut shares, mut messages) = (BTreeMap::<u8, Vec<u16>>::new(), BTreeMap::<(u8, u8), [u64; 2]>::new());
    take_all(&out, &mut |slave, summary| {
        let load = summary.slave(slave);
        if load.sequence == 0 || load.told != load.sampled {
            return;
        }
        for thread in summary.threads_on(slave).filter(|thread| id(thread.thread) >= FIRST) {
            shares.entry(id(thread.thread)).or_default().push(thread.share);
            for partner in &thread.partners {
                let told = messages.entry((id(thread.thread), id(partner.thread))).or_default();
                *told = [told[0] + u64::from(partner.traffic.sends), told[1] + u64::from(load.span)];
            }
        }
    });
    let capture = Capture::open(&out).unwrap();
    let options =
        Options { kinds: vec![Kind::Threads, Kind::Links], from_cycle: Some(PERIOD.into()), ..Options::default() };
    let report = analyse(&capture, &options).unwrap();
    let cycles = report.range.to_cycle - report.range.from_cycle;
    for thread in report.threads.unwrap().threads {
        let id = ThreadNumber::from_bits(thread.thread).id() as u8;
        let Some(told) = shares.get(&id) else { continue };
        let told = told.iter().map(|&share| u32::from(share)).sum::<u32>() / told.len() as u32;
        let ran = thread.states[&ThreadState::Running] * u64::from(WHOLE) / thread.elapsed_cycles;
        println!("thread {id}: it ran for {ran} of {WHOLE} parts, its slave tells of {told}");
        // What is counted goes a longer way than what is not, so this one is told at less than it runs.
        let hardly_works = (work, id) == (LITTLE_WORK, FIRST + 2);
        assert!(is_near(told, ran as u32, if hardly_works { 25 } else { 20 }), "thread {id}");
    }
    assert_eq!((shares.len(), messages.len()), (5, 10));
    let sent: u64 = report.links.unwrap().links.iter().map(|link| link.communications).sum();
    // Each of five links, and both ends tell of it.
    let truth = sent as f64 / 5.0 / cycles as f64;
    let mut all = 0.0;
    for (pair, [count, span]) in messages {
        let ratio = count as f64 / span as f64 / truth;
        println!("{pair:?}: {ratio:.2} times as many messages as there were");
        assert!((0.6..=1.4).contains(&ratio), "{pair:?}");
        all += ratio / 10.0;
    }
    println!("in all {all:.2} times as many");
    assert!((0.85..=1.15).contains(&all), "{all}");
}

/// The engines agree while agents count, and on what they tell.
#[test]
fn verilator_tells_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let run = |engine: &str| {
        let out = folder.path().join(engine);
        let script = ["sample 20000;", "run", "synthetic", "6", "mixed", "180", "random"];
        let output = Command::new(env!("CARGO_BIN_EXE_testbed"))
            .args(["run", "sh"])
            .args(script)
            .args(["--file", "synthetic", "--dgl", "load+timer", "--engine", engine, "--for", "120ms", "--out"])
            .arg(&out)
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let words = fs::read(out.join("mmi.raw")).unwrap();
        let mut samples = 0;
        take_all(&out, &mut |_, _| samples += 1);
        assert!(samples >= 5 * 4, "{samples} samples");
        words
    };
    assert!(run("emulator") == run("verilator"), "the engines differ");
}
