//! What slaves tell of their load, against what the programs are known to do: who ran for how long,
//! how many were ready, and who sent how much to whom.

use std::fs;
use std::path::Path;
use std::process::Command;

use testbed_balance::assess::Assessor;
use testbed_balance::summary::Summary;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::{Part, ONE_READY, WHOLE};
use testbed_kernel_core::task_graph::FIRST;
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
        let What::Known(kind) = event.what else { panic!("{event:?}") };
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
