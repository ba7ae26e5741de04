//! `testbed bench trace`: how fast a large trace is read, checked and put in order, and in how much
//! memory, beside babeltrace2.
//!
//! Each subject is a process of its own, so that its CPU seconds and its memory are its own and counted by the kernel.

use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;
use testbed_machine::Machine;
use testbed_trace::capture::{sums_path, verify, Capture, RunRecord};
use testbed_trace::order::{events, Event, Events, OrderError, Ordered};
use testbed_trace::synthetic::{self, Mix};

use super::super::{grouped, scaled, Exit, Failure};
use super::row::median;

const FOLDER: &str = "out/bench-trace";
const ROUNDS: usize = 3;
/// Between two looks at a process.
const LOOK: Duration = Duration::from_millis(2);
/// Ticks in which the kernel tells CPU time: `USER_HZ`, 100 on every Linux.
const TICKS_A_SECOND: f64 = 100.0;
/// Events handed to the merge at a time.
const CHUNK: usize = 256;
/// Events of all streams that the merge alone works on, again and again.
const MERGED: u64 = 2_000_000;

/// Measures how traces are read, beside babeltrace2
#[derive(Args, Debug)]
pub struct Trace {
    /// Events in all streams together
    #[arg(long, default_value_t = 20_000_000)]
    events: u64,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// What a process of the bench does
    #[arg(long, hide = true)]
    only: Option<Subject>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// Both copies are compared, the trace is read and merged.
    Verified,
    /// The CTF trace alone, proven by its sums.
    Ctf,
    /// The MMI's words alone.
    Raw,
    /// Decoded events are merged.
    Merge,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// A CPU second.
    events: f64,
    /// Times babeltrace2's.
    ratio: Option<f64>,
    peak_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Report {
    streams: usize,
    events: u64,
    pairs: u64,
    /// Bytes an event, in the stream files, in `mmi.raw`, and of sums.
    stream_bytes: f64,
    mmi_bytes: f64,
    sums_bytes: f64,
    rows: Vec<Row>,
    failures: Vec<String>,
}

/// What a process took.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    seconds: f64,
    peak: u64,
}

impl Trace {
    pub fn run(&self) -> Result<Exit, Failure> {
        let folder = Path::new(FOLDER);
        match self.only {
            Some(Subject::Merge) => return merge(folder),
            Some(subject) => return read(folder, subject),
            None => {}
        }
        let machine = Machine::testbed6();
        let streams = machine.slaves();
        let record = synthetic::capture(folder, &machine, Mix::default(), 1, self.events / streams as u64)?;
        let report = report(folder, &record)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", text(&report))?;
        }
        Ok(if report.failures.is_empty() { Exit::Success } else { Exit::Negative })
    }
}

/// Measures all subjects in turn, round by round.
fn report(folder: &Path, record: &RunRecord) -> Result<Report, Failure> {
    let capture = Capture::open(folder)?;
    let integrity = verify(&capture)?;
    let count = events(&capture, &integrity)?.filter(|event| event.is_ok()).count() as u64;
    let pairs = record.ledger.iter().flat_map(|ledger| &ledger.smis).map(|line| u64::from(line.delivered)).sum();
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len()) as f64 / count as f64;
    let streams: Vec<_> = capture.smis().map(|smi| capture.stream_path(smi)).collect();
    let sums = streams.iter().chain([&capture.mmi_path()]).map(|path| size(sums_path(path))).sum();
    let subjects: [(&str, Option<Subject>); 5] = [
        ("testbed, both copies compared", Some(Subject::Verified)),
        ("testbed, CTF alone with sums", Some(Subject::Ctf)),
        ("testbed, mmi.raw alone with sums", Some(Subject::Raw)),
        ("babeltrace2", None),
        ("testbed, merge alone", Some(Subject::Merge)),
    ];
    let (mut taken, mut failures) = (vec![Vec::new(); subjects.len()], Vec::new());
    for _ in 0..ROUNDS {
        for ((name, subject), taken) in subjects.iter().zip(&mut taken) {
            match measure(*subject, folder) {
                Ok(one) => taken.push(one),
                Err(error) => failures.push(format!("{name}: {error}")),
            }
        }
    }
    failures.dedup();
    let rows = subjects.iter().zip(&taken).filter_map(|((name, subject), taken)| {
        let seconds = median(taken.iter().map(|taken| taken.seconds).collect())?;
        // The merge alone says what an event took.
        let events = if *subject == Some(Subject::Merge) { 1.0 / seconds } else { count as f64 / seconds };
        let peak_bytes = taken.iter().map(|taken| taken.peak).max().unwrap_or(0);
        Some(Row { name: name.to_string(), events, ratio: None, peak_bytes })
    });
    let mut rows: Vec<Row> = rows.collect();
    let peer = rows.iter().find(|row| row.name == "babeltrace2").map(|row| row.events);
    rows.iter_mut().for_each(|row| row.ratio = peer.map(|peer| row.events / peer));
    Ok(Report {
        streams: streams.len(),
        events: count,
        pairs,
        stream_bytes: streams.iter().cloned().map(size).sum(),
        mmi_bytes: size(capture.mmi_path()),
        sums_bytes: sums,
        rows,
        failures,
    })
}

fn text(report: &Report) -> String {
    let mut out = format!(
        "reading {} events ({} pairs) of {} streams in order, with silences of up to a thousand wraps\n",
        grouped(report.events),
        grouped(report.pairs),
        report.streams
    );
    for row in &report.rows {
        let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.1} x babeltrace2"));
        let rate = format!("{}events", scaled(row.events));
        let memory = row.peak_bytes as f64 / f64::from(1 << 20);
        out += &format!("  {:<34} {rate:>14} a CPU second  {ratio:>18}  {memory:>7.1} MiB\n", row.name);
    }
    out += &format!(
        "stored: {:.2} bytes an event in the streams, {:.2} in mmi.raw, {:.3} of sums\n",
        report.stream_bytes, report.mmi_bytes, report.sums_bytes
    );
    report.failures.iter().for_each(|failure| out += &format!("failed: {failure}\n"));
    out
}

/// Runs one subject as a process.
fn measure(subject: Option<Subject>, folder: &Path) -> Result<Taken, String> {
    let Some(subject) = subject else {
        let mut command = Command::new("babeltrace2");
        command.args(["--component", "sink.utils.dummy"]).arg(folder.join("trace"));
        return run(command).map_err(|error| format!("{error}; apt-get install babeltrace2")).map(|(taken, _)| taken);
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = subject.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default();
    let mut command = Command::new(own);
    command.args(["bench", "trace", "--only", &name]);
    let (taken, said) = run(command)?;
    if subject == Subject::Merge {
        let seconds = said.trim().parse().map_err(|_| format!("it said `{}`", said.trim()))?;
        return Ok(Taken { seconds, ..taken });
    }
    Ok(taken)
}

/// Runs a command to its end. Returns what it took and said.
fn run(mut command: Command) -> Result<(Taken, String), String> {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
    let mut child = spawned.map_err(|error| error.to_string())?;
    let taken = watch(&child);
    let output = child.stdout.take().map(io::read_to_string);
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(status.to_string());
    }
    let said = output.transpose().map_err(|error| error.to_string())?.unwrap_or_default();
    Ok((taken.ok_or("the kernel does not tell its CPU time (/proc)")?, said))
}

/// Looks at a process until it has ended but is still there. It must not say more than fits a pipe.
fn watch(child: &Child) -> Option<Taken> {
    let folder = PathBuf::from(format!("/proc/{}", child.id()));
    let mut taken = Taken::default();
    loop {
        let status = fs::read_to_string(folder.join("status")).ok()?;
        if let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            taken.peak = line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024;
        }
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        // The name, in brackets, may hold anything; the state is the first field behind it.
        let fields: Vec<_> = stat.rsplit(')').next()?.split_ascii_whitespace().collect();
        if fields.first() == Some(&"Z") {
            let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
            taken.seconds = ticks as f64 / TICKS_A_SECOND;
            return Some(taken);
        }
        std::thread::sleep(LOOK);
    }
}

/// In a process of its own: reads the whole trace in order.
fn read(folder: &Path, subject: Subject) -> Result<Exit, Failure> {
    let capture = match subject {
        Subject::Ctf => Capture::of_ctf(&folder.join("trace"))?,
        Subject::Raw => {
            let record = RunRecord::read(folder)?;
            Capture::of_mmi(&folder.join("mmi.raw"), &(&record.machine).into(), record.dgl)
        }
        _ => Capture::open(folder)?,
    };
    let integrity = verify(&capture)?;
    let (mut certain, mut all) = (0u64, 0u64);
    for event in events(&capture, &integrity)? {
        all += 1;
        certain += u64::from(event?.is_certain());
    }
    // Behind losses some are doubtful.
    if !integrity.is_whole() || certain < all - all / 1_000 {
        let message = format!("{certain} of {all} events are certain, {} damage", integrity.damage.len());
        return Err(Failure::new(Exit::Machine, message));
    }
    Ok(Exit::Success)
}

/// Events in memory, handed out as a decoder does.
struct Decoded<'a>(std::slice::Chunks<'a, Event>);

impl Events for Decoded<'_> {
    fn more(&mut self, events: &mut Vec<Event>) -> Result<bool, OrderError> {
        let chunk = self.0.next();
        events.extend_from_slice(chunk.unwrap_or_default());
        Ok(chunk.is_some())
    }
}

/// In a process of its own: merges decoded events, and says the CPU seconds that each took.
fn merge(folder: &Path) -> Result<Exit, Failure> {
    let capture = Capture::open(folder)?;
    let integrity = verify(&capture)?;
    let mut streams = vec![Vec::new(); capture.smis().len()];
    for event in events(&capture, &integrity)?.take(MERGED as usize) {
        let event = event?;
        streams[usize::from(event.smi) - 1].push(event);
    }
    let (mut merged, before) = (0u64, own_seconds()?);
    for _ in 0..10 {
        let sources = streams.iter().map(|stream| Box::new(Decoded(stream.chunks(CHUNK))) as Box<dyn Events>);
        for event in Ordered::merge(sources.collect()) {
            merged += 1;
            black_box(event?);
        }
    }
    writeln!(io::stdout(), "{:e}", (own_seconds()? - before) / merged as f64)?;
    Ok(Exit::Success)
}

/// CPU seconds of this thread so far.
fn own_seconds() -> Result<f64, Failure> {
    let path = "/proc/thread-self/schedstat";
    let nanoseconds = fs::read_to_string(path).ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map(|nanoseconds| nanoseconds / 1e9).ok_or_else(|| {
        Failure::new(
            Exit::Environment,
            format!("cannot read {path}\n  help: this bench needs Linux with scheduler statistics"),
        )
    })
}
