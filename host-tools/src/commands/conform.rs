//! `testbed conform`: a run's events against the protocols' state machines.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_trace::capture::{is_held, Capture, RunRecord};
use testbed_trace::conform::{conform, Conformance, Verdict, Waiting};
use testbed_trace::summary::{describe, microseconds, processor_name, thread_name};

use super::{grouped, Exit, Failure};

/// Threads that wait at the end, of which each has a line.
const WAITING: usize = 16;

/// Holds a run's events against the protocols' state machines (the report's Figures 5 to 8 and what was added).
///
/// Says which event deviates, and what was expected in its place. A run that was cut, lacks events
/// or left threads waiting is incomplete, and without class profile there is no verdict; both have
/// exit code 7. Runs with `--dgl profile+timer+user+detail` are checked most closely.
#[derive(Args, Debug)]
pub struct Conform {
    /// The folder that `run` left
    dir: PathBuf,
}

impl Conform {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        if is_held(&self.dir) {
            let dir = self.dir.display();
            let help = "wait until it is over, or follow it with `testbed top`";
            return Err(Failure::new(Exit::Incomplete, format!("{dir}: a run is still writing to it\n  help: {help}")));
        }
        let found = conform(&capture)?;
        let mut out = io::stdout().lock();
        write!(out, "{}", text(&found, &capture.record))?;
        Ok(match found.verdict() {
            Verdict::Conforms => Exit::Success,
            Verdict::Deviates => Exit::Negative,
            Verdict::Incomplete | Verdict::NoVerdict => Exit::Incomplete,
        })
    }
}

/// What was found, the verdict last.
fn text(found: &Conformance, record: &RunRecord) -> String {
    let mut lines = Vec::new();
    for deviation in &found.deviations {
        let event = describe(&deviation.event, record);
        lines.push(format!("event {}: {}", deviation.number, event.trim_start()));
        lines.push(format!("  {}; expected: {}", deviation.what, deviation.expected));
    }
    lines.extend(found.unchecked.iter().map(|(what, count)| format!("not checked, {}: {what}", grouped(*count))));
    lines.extend(found.incomplete.iter().map(|why| format!("incomplete: {why}")));
    lines.extend(waiting(found, record));
    lines.extend(found.no_verdict.iter().map(|why| format!("no verdict: {why}")));
    let verdict = match (found.verdict(), found.deviations.len()) {
        (Verdict::NoVerdict, _) => "no verdict".into(),
        (Verdict::Incomplete, _) => "incomplete, and nothing deviates in what is there".into(),
        (Verdict::Conforms, _) => "conforms".into(),
        (Verdict::Deviates, 1) => "1 deviation".into(),
        (Verdict::Deviates, more) => format!("{more} deviations"),
    };
    lines.push(format!(
        "{verdict}: {} events, {} lives of threads, {} requests, {} packets served, {} migrations, {} page faults",
        grouped(found.events),
        grouped(found.threads),
        grouped(found.requests),
        grouped(found.packets),
        grouped(found.migrations),
        grouped(found.faults)
    ));
    lines.join("\n") + "\n"
}

/// A line for each thread that waits at the end, as far as they are not too many.
fn waiting(found: &Conformance, record: &RunRecord) -> Vec<String> {
    let line = |one: &Waiting| {
        format!(
            "incomplete: thread {} on {} waits {} since {} us (event {})",
            thread_name(one.thread, record),
            processor_name(one.since.smi, record),
            one.what,
            microseconds(one.since.ticks(), record),
            one.number
        )
    };
    let mut lines: Vec<_> = found.waiting.iter().take(WAITING).map(line).collect();
    if let more @ 1.. = found.waiting.len().saturating_sub(WAITING) {
        lines.push(format!("incomplete: {more} more threads wait"));
    }
    lines
}
