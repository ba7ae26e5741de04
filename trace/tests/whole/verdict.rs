//! What `conform` says of whole runs, of those that are not, and of those that recorded too little.

use std::fs;
use std::path::Path;

use testbed_definitions::event::{self, DIAG_DEFAULT, DIAG_PROFILE, DIAG_READY, DIAG_TIMER, DIAG_USER};
use testbed_trace::capture::{Capture, RunRecord, Stop, MMI_RAW};
use testbed_trace::conform::{conform, Conformance, Verdict};

use crate::analysis::scripts::{
    plain, remote_receiver_first, remote_receiver_late, runs, Step, AIR, CLASSES, EARTH, FIRST, GAP,
};
use crate::report::runs::{write, PERIOD};

/// Long enough that what waits in the beginning has waited long.
const END: u64 = 100_000_000;

/// Messages from earth to air, in both orders, again and again.
fn good(rounds: u64) -> Vec<Step> {
    let script = |round| if round % 2 == 0 { remote_receiver_first() } else { remote_receiver_late() };
    let later = |round| move |(cycle, smi, code, second)| (cycle + round * PERIOD, smi, code, second);
    (0..rounds).flat_map(|round| script(round).into_iter().map(later(round))).collect()
}

fn of(dir: &Path) -> Conformance {
    conform(&Capture::open(dir).unwrap()).unwrap()
}

/// What is said of a run of these events that ended by itself.
fn judged(steps: &[Step], dgl: u32) -> Conformance {
    let dir = tempfile::tempdir().unwrap();
    conform(&write(dir.path(), "script", &[], dgl, steps, END)).unwrap()
}

/// What is said of a good run after this change of its record.
fn changed(change: impl FnOnce(&mut RunRecord)) -> Conformance {
    let dir = tempfile::tempdir().unwrap();
    let mut record = write(dir.path(), "script", &[], CLASSES, &good(8), END).record;
    change(&mut record);
    record.write(dir.path()).unwrap();
    of(dir.path())
}

#[track_caller]
fn is_incomplete(found: &Conformance, why: &str) {
    assert_eq!(found.verdict(), Verdict::Incomplete, "{found:#?}");
    assert!(found.incomplete.iter().any(|line| line.contains(why)), "no `{why}` in {:?}", found.incomplete);
}

#[test]
fn a_whole_run_conforms() {
    let found = judged(&good(8), CLASSES);
    assert_eq!((found.verdict(), found.incomplete, found.waiting), (Verdict::Conforms, vec![], vec![]));
    assert!(found.events > 100);
}

#[test]
fn a_deviation_counts_more_than_anything_that_is_missing() {
    let mut steps = good(8);
    steps.retain(|step| (step.1, step.2) != (AIR, event::RX_FOCUS));
    assert_eq!(judged(&steps, CLASSES).verdict(), Verdict::Deviates);
}

#[test]
fn a_capture_that_was_emptied_is_incomplete() {
    for streams in 0..=2 {
        let dir = tempfile::tempdir().unwrap();
        let capture = write(dir.path(), "script", &[], CLASSES, &good(8), END);
        fs::write(dir.path().join(MMI_RAW), "").unwrap();
        for smi in 1..=streams {
            fs::write(capture.stream_path(smi), "").unwrap();
        }
        let found = of(dir.path());
        let missing = found.incomplete.iter().filter(|line| line.contains("are missing here")).count();
        assert_eq!(missing, streams, "{found:#?}");
        let wanted = if streams == 0 { Verdict::Conforms } else { Verdict::Incomplete };
        assert_eq!(found.verdict(), wanted);
    }
}

/// The end of both copies is gone, and no sum says so: only the hardware's count does.
#[test]
fn a_capture_that_was_cut_short_is_incomplete() {
    let found = changed(|record| record.ledger.as_mut().unwrap().smis[0].delivered += 5);
    is_incomplete(&found, "5 are missing here");
}

#[test]
fn runs_without_an_end_are_incomplete() {
    is_incomplete(&changed(|record| record.stopped = Some(Stop::Limit)), "was cut in cycle 100000000");
    is_incomplete(&changed(|record| (record.complete, record.ledger) = (false, None)), "was killed");
    is_incomplete(&changed(|record| record.engine = "attached".into()), "through a port");
}

#[test]
fn a_run_that_lost_events_is_incomplete() {
    let mut steps = good(8);
    steps.push((5 * PERIOD - 5, AIR, GAP, 12));
    steps.sort_by_key(|step| step.0);
    is_incomplete(&judged(&steps, CLASSES), "12 events were discarded");
}

#[test]
fn a_thread_left_waiting_makes_a_run_incomplete() {
    let waits = [runs(100, EARTH, FIRST), (200, EARTH, event::BLOCKED, 26)];
    let found = judged(&waits, CLASSES);
    assert_eq!(found.verdict(), Verdict::Incomplete);
    assert_eq!((found.waiting[0].thread, found.waiting[0].what.as_str()), (FIRST, "for console input"));
    // Not for long, or not any more.
    let late = [runs(END - 1_000, EARTH, FIRST), (END - 900, EARTH, event::BLOCKED, 26)];
    assert_eq!(judged(&late, CLASSES).verdict(), Verdict::Conforms);
    let over = [waits.to_vec(), vec![(300, EARTH, event::EXIT, FIRST)]].concat();
    assert_eq!(judged(&over, CLASSES).verdict(), Verdict::Conforms);
}

#[test]
fn without_the_classes_there_is_no_verdict() {
    for (dgl, why) in [(DIAG_READY, "since ready excludes it"), (DIAG_USER | DIAG_TIMER, "profile is missing"), (0, "")]
    {
        let found = judged(&[plain(100, EARTH, event::USER)], dgl);
        assert_eq!(found.verdict(), Verdict::NoVerdict);
        let told = found.no_verdict.unwrap();
        assert!(told.contains(why) && told.contains("--dgl profile"), "{told}");
    }
    // Enough for most, and what it is not enough for is said.
    let told = |dgl| judged(&good(8), dgl).unchecked.keys().any(|what| what.contains("class detail is missing"));
    assert!(told(DIAG_DEFAULT) && told(DIAG_PROFILE) && !told(CLASSES));
}

#[test]
fn what_the_filter_took_out_is_no_deviation() {
    let filtered = |steps: &[Step]| {
        let dir = tempfile::tempdir().unwrap();
        let mut record = write(dir.path(), "script", &[], CLASSES, steps, END).record;
        record.ledger.as_mut().unwrap().smis[1].filtered = 4;
        record.write(dir.path()).unwrap();
        of(dir.path())
    };
    let mut steps = good(8);
    assert_eq!(filtered(&steps).verdict(), Verdict::Conforms);
    steps.retain(|step| (step.1, step.2) != (AIR, event::RX_FOCUS));
    let found = filtered(&steps);
    assert!(!found.deviations.is_empty() && found.no_verdict.as_ref().is_some_and(|why| why.contains("4 words")));
    assert_eq!(found.verdict(), Verdict::NoVerdict);
}
