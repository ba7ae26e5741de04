//! Machines that order by time: what leaves by the trace port is the ordered trace, on every engine
//! and however slow the port is.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use testbed_trace::capture::{verify, Capture};
use testbed_trace::order::{events, Event, What};

use crate::common::root;

/// Runs `testbed run` with `arguments` into `folder`, and opens what it leaves, which must be sound.
pub fn run(arguments: &[&str], folder: &Path) -> (Capture, Vec<Event>) {
    let command = ["run"].iter().chain(arguments).copied().chain(["--out", folder.to_str().unwrap()]);
    let output = Command::new(env!("CARGO_BIN_EXE_testbed")).args(command).current_dir(root()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "testbed run {}:\n{text}", arguments.join(" "));
    let capture = Capture::open(folder).unwrap();
    let integrity = verify(&capture).unwrap();
    assert!(integrity.damage.is_empty(), "{:?}", integrity.damage);
    let events = events(&capture, &integrity).unwrap().collect::<Result<_, _>>().unwrap();
    (capture, events)
}

/// The places of pairs in `mmi.raw`, one after the other: SMI, and number among its pairs.
fn places(capture: &Capture) -> Vec<(u8, u64)> {
    let mut numbers = [0; 16];
    let mut reader = capture.mmi().unwrap();
    let mut places = Vec::new();
    while let Some(pair) = reader.next_pair() {
        let (smi, _) = pair.unwrap().unwrap();
        places.push((smi as u8, numbers[smi]));
        numbers[smi] += 1;
    }
    places
}

/// The raw words have the order that merging gives.
fn assert_ordered(capture: &Capture, events: &[Event]) {
    let merged: Vec<_> = events.iter().map(|event| (event.smi, event.index)).collect();
    // Markers of wraps and second words are no events.
    let firsts: HashSet<_> = merged.iter().copied().collect();
    let raw: Vec<_> = places(capture).into_iter().filter(|place| firsts.contains(place)).collect();
    let differs = raw.iter().zip(&merged).position(|(raw, merged)| raw != merged);
    assert_eq!(differs.map(|at| (raw[at], merged[at], events[at])), None, "raw, merged and event");
    assert_eq!(raw.len(), merged.len());
    let changes = merged.windows(2).filter(|two| two[0].0 != two[1].0).count();
    assert!(merged.len() > 500 && changes > 100, "{} events, {changes} changes of SMI", merged.len());
}

#[test]
fn what_leaves_in_order_of_time_is_the_merged_trace_on_both_engines() {
    let folder = tempfile::tempdir().unwrap();
    let program = ["crossing", "40", "--order", "time"];
    let (capture, events) = run(&program, &folder.path().join("whole"));
    assert_ordered(&capture, &events);
    let text = fs::read_to_string(folder.path().join("whole/run.json")).unwrap();
    assert!(text.contains("\"order\": \"time\""), "{text}");

    // As far as compiled Verilog comes in a test's time; cut in the middle of traffic.
    let raw = ["emulator", "verilator"].map(|engine| {
        let folder = folder.path().join(engine);
        let (capture, events) = run(&[&program[..], &["--engine", engine, "--cycles", "1500001"]].concat(), &folder);
        assert_ordered(&capture, &events);
        fs::read(folder.join("mmi.raw")).unwrap()
    });
    assert!(raw[0] == raw[1], "the engines differ");
}

#[test]
fn what_a_slow_port_does_not_take_is_counted_by_gap_markers_and_nothing_else_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("slow.toml");
    let text = fs::read_to_string(root().join("machines/testbed6.toml")).unwrap();
    let small = text.replace("smi_queue = 1024", "smi_queue = 16");
    assert_ne!(small, text);
    fs::write(&machine, small + "port_queue = 8\nport_cycles = \"300 cycles\"\norder = \"time\"\n").unwrap();
    let (capture, events) =
        run(&["crossing", "40", "--machine", machine.to_str().unwrap()], &folder.path().join("out"));
    assert_ordered(&capture, &events);
    let mut counted = [0u64; 16];
    for event in events {
        if let What::Gap(count) = event.what {
            counted[usize::from(event.smi)] += u64::from(count.unwrap());
        }
    }
    let ledger = capture.record.ledger.unwrap();
    let dropped: Vec<_> = ledger.smis.iter().map(|line| u64::from(line.dropped)).collect();
    assert_eq!(counted[1..=dropped.len()], dropped, "gap markers and DROPPED");
    assert!(dropped.iter().filter(|dropped| **dropped > 10).count() > 1, "the port was too slow: {dropped:?}");
}
