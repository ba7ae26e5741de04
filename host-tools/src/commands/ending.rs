//! How a run ended that `run` stopped: what the threads did is kept, who waits for whom is said,
//! and the exit code tells.

use std::io::Write;

use testbed_runner::files::Stored;
use testbed_runner::firmware::{self, Firmware};
use testbed_runner::lines::Lines;
use testbed_runner::look::look;
use testbed_runner::operator::Operator;
use testbed_runner::signals::{stop_flag, stop_flag_once};
use testbed_sim::engine::Engine;
use testbed_trace::capture::{Capture, Integrity, RunRecord, Stop};
use testbed_trace::waits::{text, waits, Verdict};

use super::{Exit, Failure};

/// Has Ctrl-C end the run in good order; a second one ends this program, unless it may be meant for
/// what runs on the machine.
pub fn stoppable(operator: Operator) -> Result<Operator, Failure> {
    let flag = if operator.is_terminal() { stop_flag() } else { stop_flag_once() };
    let stop = flag.map_err(|error| {
        Failure::new(Exit::Environment, format!("Ctrl-C can't be taken: {error}\n  help: check the system's limits"))
    })?;
    Ok(operator.with_stop(stop))
}

/// Keeps what every thread of a machine does that was stopped before its program was over.
pub fn keep(
    engine: &dyn Engine,
    capture: &Capture,
    built: &Firmware,
    files: &[Stored],
    operator: &Operator,
) -> Result<(), Failure> {
    if !capture.record.exits.is_empty() {
        return Ok(());
    }
    let (_, kernel) = built.kernel(engine.machine().ram_bytes)?;
    let root = firmware::root()?;
    let find = |name: Option<&str>| {
        let known = files.iter().find(|file| name.is_none_or(|name| name == file.name));
        known.and_then(|file| Lines::read(&file.bytes, &root))
    };
    Ok(look(engine, &kernel, operator.input(), &find).write(&capture.dir)?)
}

/// Says who waited for whom when the run was stopped. `asked`: its user has said for how long it was to run.
///
/// Who asks for a part of a run gets it, and that is a success. Without that a program that has not
/// ended is none, and neither is one that can never end, however short the time: scripts can rely
/// on it.
pub fn tell(out: &mut impl Write, capture: &Capture, integrity: &Integrity, asked: bool) -> Result<Exit, Failure> {
    let record: &RunRecord = &capture.record;
    if !record.exits.is_empty() {
        return Ok(Exit::Success);
    }
    let report = waits(capture, integrity)?;
    write!(out, "\n{}", text(&report))?;
    if !report.threads.is_empty() {
        let dir = capture.dir.display();
        writeln!(
            out,
            "\n`testbed analyse {dir} waits` says this again, `testbed trace {dir} --thread NAME` how it came"
        )?;
    }
    Ok(match (record.stopped, report.verdict) {
        (Some(Stop::User), _) => Exit::Interrupted,
        (_, Verdict::Deadlock) => Exit::Incomplete,
        _ if asked => Exit::Success,
        _ => Exit::Incomplete,
    })
}
