//! A table for gnuplot: numbers in columns, `?` for what there is not, and how to plot it in its head.

use std::io::{self, Write};

use super::words::{code, ticks_high};
use super::{ExportError, Pass, Sink, State, Step, Words, BUFFER};
use crate::capture::RunRecord;
use crate::order::Event;
use crate::summary::microseconds;

/// Names of the columns, from 1.
const COLUMNS: &[&str] = &[
    "us",
    "us_high",
    "smi",
    "code",
    "value",
    "running",
    "ready",
    "under_way",
    "lost",
    "certain",
    "event",
    "processor",
];

/// Writes the table.
pub struct Table<'a> {
    words: Words<'a>,
    out: io::BufWriter<Box<dyn Write + Send>>,
}

/// A number, or what gnuplot is told to take for a missing one.
fn cell(out: &mut impl Write, number: Option<u64>) -> io::Result<()> {
    match number {
        Some(number) => write!(out, " {number}"),
        None => out.write_all(b" ?"),
    }
}

impl<'a> Table<'a> {
    pub fn new(record: &'a RunRecord, out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut out = io::BufWriter::with_capacity(BUFFER, out);
        writeln!(out, "# {} on {}", record.program, record.machine.name)?;
        for (place, name) in COLUMNS.iter().enumerate() {
            write!(out, "{}{}:{name}", if place == 0 { "# " } else { " " }, place + 1)?;
        }
        writeln!(out, "\n# set datafile missing \"?\"")?;
        if let Some(name) = record.machine.processors.get(1) {
            writeln!(out, "# plot FILE using 1:($3 == 1 ? $7 : NaN) with steps title \"{name}: ready threads\"")?;
        }
        Ok(Table { words: Words::new(record), out })
    }

    fn row(&mut self, event: &Event, step: &Step, state: &State) -> io::Result<()> {
        let out = &mut self.out;
        let record = self.words.record;
        out.write_all(microseconds(event.ticks(), record).as_bytes())?;
        match ticks_high(event) {
            Some(high) => write!(out, " {}", microseconds(high, record))?,
            None => out.write_all(b" ?")?,
        }
        write!(out, " {} {}", event.smi, code(event))?;
        cell(out, event.value().map(u64::from))?;
        cell(out, step.running.map(u64::from))?;
        write!(out, " {} {}", state.ready(event.smi), state.under_way_from(event.smi))?;
        cell(out, state.lost(event.smi))?;
        let processor = self.words.processor(event.smi);
        writeln!(out, " {} \"{}\" \"{processor}\"", u8::from(event.is_certain()), event.what.name())
    }
}

impl Sink for Table<'_> {
    fn event(&mut self, event: &Event, step: &Step, state: &State, pass: Pass) -> Result<(), ExportError> {
        if pass == Pass::Shown {
            self.row(event, step, state)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}
