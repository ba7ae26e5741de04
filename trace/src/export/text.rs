//! Formats of lines: text, CSV, JSON, JSON lines.

use std::io::{self, Write};

use serde::Serialize;

use super::words::epoch_high;
use super::{ExportError, Format, Pass, Sink, State, Step, Words, BUFFER};
use crate::capture::RunRecord;
use crate::order::Event;
use crate::summary::{describe, microseconds};

/// Writes a line an event.
pub struct Lines<'a> {
    words: Words<'a>,
    format: Format,
    out: io::BufWriter<Box<dyn Write + Send>>,
    first: bool,
}

impl<'a> Lines<'a> {
    pub fn new(record: &'a RunRecord, format: Format, out: Box<dyn Write + Send>) -> io::Result<Self> {
        let mut out = io::BufWriter::with_capacity(BUFFER, out);
        match format {
            Format::Csv => writeln!(out, "us,epoch,epoch_high,tick,processor,event,value,detail,certain")?,
            Format::Json => out.write_all(b"[")?,
            _ => {}
        }
        Ok(Lines { words: Words::new(record), format, out, first: true })
    }

    fn csv(&mut self, event: &Event) -> io::Result<()> {
        let row = Row::new(event, &mut self.words);
        let out = &mut self.out;
        write!(out, "{},{},", row.us, row.epoch)?;
        // Empty if nothing bounds it.
        row.epoch_high.map_or(Ok(()), |high| write!(out, "{high}"))?;
        write!(out, ",{},{},{},", row.tick, row.processor, row.event)?;
        row.value.map_or(Ok(()), |value| write!(out, "{value}"))?;
        // Only `detail` can hold a comma, and nothing holds a quote.
        writeln!(out, ",\"{}\",{}", row.detail, row.certain)
    }

    fn json(&mut self, event: &Event) -> io::Result<()> {
        let row = Row::new(event, &mut self.words);
        serde_json::to_writer(&mut self.out, &row).map_err(io::Error::from)
    }
}

impl Sink for Lines<'_> {
    fn event(&mut self, event: &Event, _: &Step, _: &State, pass: Pass) -> Result<(), ExportError> {
        if pass != Pass::Shown {
            return Ok(());
        }
        match self.format {
            Format::Csv => self.csv(event)?,
            Format::Json => {
                self.out.write_all(if self.first { b"\n" } else { b",\n" })?;
                self.json(event)?;
            }
            Format::JsonLines => {
                self.json(event)?;
                self.out.write_all(b"\n")?;
            }
            _ => writeln!(self.out, "{}", describe(event, self.words.record))?,
        }
        self.first = false;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if self.format == Format::Json {
            self.out.write_all(b"\n]\n")?;
        }
        Ok(self.out.flush()?)
    }
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
    processor: &'a str,
    event: &'static str,
    value: Option<u32>,
    detail: &'a str,
    certain: bool,
}

impl<'a> Row<'a> {
    fn new(event: &Event, words: &'a mut Words) -> Self {
        let us = microseconds(event.ticks(), words.record);
        let (processor, detail) = words.both(event);
        Row {
            us,
            epoch: event.epoch.low(),
            epoch_high: epoch_high(event),
            tick: event.time,
            processor,
            event: event.what.name(),
            value: event.value(),
            detail,
            certain: event.is_certain(),
        }
    }
}
