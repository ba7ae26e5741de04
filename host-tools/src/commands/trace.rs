//! `testbed trace`: the ordered events of an output folder as text, CSV or JSON.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use testbed_host_tools::capture::{verify, Capture, Integrity, RunRecord};
use testbed_host_tools::order::{events, Epoch, Event};
use testbed_host_tools::summary::{describe, detail, microseconds, processor_name};

use super::{Exit, Failure};

/// Formats that exist.
const FORMATS: &str = "text, csv, json";

/// Prints the ordered events of a run.
#[derive(Args, Debug)]
pub struct Trace {
    /// The folder that `run` left
    dir: PathBuf,
    /// text, csv or json
    #[arg(long, default_value = "text")]
    format: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy)]
enum Format {
    Text,
    Csv,
    Json,
}

impl Trace {
    pub fn run(&self) -> Result<Exit, Failure> {
        let format = match self.format.as_str() {
            "text" => Format::Text,
            "csv" => Format::Csv,
            "json" => Format::Json,
            other => {
                let message = format!("the format `{other}` does not exist\n  help: use one of {FORMATS}");
                return Err(Failure::new(Exit::Input, message));
            }
        };
        let capture = Capture::open(&self.dir)?;
        let integrity = verify(&capture)?;
        warn(&capture, &integrity);
        let mut out: Box<dyn Write> = match &self.output {
            None => Box::new(io::stdout().lock()),
            Some(path) if capture.owns(path) => {
                let message = format!(
                    "{} is a part of the output folder itself\n  help: give another name with -o",
                    path.display()
                );
                return Err(Failure::new(Exit::Input, message));
            }
            Some(path) => Box::new(File::create(path).map_err(|error| {
                let message =
                    format!("cannot create {}: {error}\n  help: check the path given with -o", path.display());
                Failure::new(Exit::Environment, message)
            })?),
        };
        let mut out = BufWriter::with_capacity(1 << 16, &mut out);
        write(&capture, &integrity, format, &mut out)?;
        out.flush()?;
        Ok(if integrity.damage.is_empty() { Exit::Success } else { Exit::Negative })
    }
}

/// Says on standard error what keeps a capture from being whole.
pub fn warn(capture: &Capture, integrity: &Integrity) {
    if !capture.record.complete {
        eprintln!("note: {}: the run did not come to its end; this is a prefix of it", capture.dir.display());
    }
    for torn in &integrity.torn {
        eprintln!("note: {torn}");
    }
    for damage in &integrity.damage {
        eprintln!("warning: {damage}");
    }
}

fn write(capture: &Capture, integrity: &Integrity, format: Format, out: &mut impl Write) -> Result<(), Failure> {
    let record = &capture.record;
    match format {
        Format::Text => {}
        Format::Csv => writeln!(out, "us,epoch,epoch_high,tick,processor,event,value,detail,certain")?,
        Format::Json => out.write_all(b"[")?,
    }
    let mut first = true;
    for event in events(capture, integrity)? {
        let event = event?;
        match format {
            Format::Text => writeln!(out, "{}", describe(&event, record))?,
            Format::Csv => csv(&event, record, out)?,
            Format::Json => {
                out.write_all(if first { b"\n" } else { b",\n" })?;
                serde_json::to_writer(&mut *out, &Row::new(&event, record)).map_err(io::Error::from)?;
            }
        }
        first = false;
    }
    if matches!(format, Format::Json) {
        out.write_all(b"\n]\n")?;
    }
    Ok(())
}

/// Upper bound of the epoch as CSV shows it: empty if there is none.
fn csv(event: &Event, record: &RunRecord, out: &mut impl Write) -> io::Result<()> {
    let row = Row::new(event, record);
    let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    // Only `detail` can hold a comma, and nothing holds a quote.
    writeln!(
        out,
        "{},{},{},{},{},{},{},\"{}\",{}",
        row.us,
        row.epoch,
        number(row.epoch_high),
        row.tick,
        row.processor,
        row.event,
        number(row.value.map(u64::from)),
        row.detail,
        row.certain
    )
}

/// An event as JSON.
#[derive(Serialize)]
struct Row<'a> {
    /// Microseconds since the start as a decimal string, exact.
    us: String,
    /// The epoch, or its lower bound.
    epoch: u64,
    /// The same if certain; `null` if nothing bounds it.
    epoch_high: Option<u64>,
    tick: u16,
    processor: String,
    event: &'a str,
    value: Option<u32>,
    detail: String,
    certain: bool,
}

impl<'a> Row<'a> {
    fn new(event: &Event, record: &RunRecord) -> Self {
        Row {
            us: microseconds(event.ticks(), record),
            epoch: event.epoch.low(),
            epoch_high: match event.epoch {
                Epoch::Certain(epoch) => Some(epoch),
                Epoch::Ambiguous { high, .. } => high,
            },
            tick: event.time,
            processor: processor_name(event.smi, record),
            event: event.what.name(),
            value: event.value(),
            detail: detail(event, record),
            certain: event.is_certain(),
        }
    }
}
