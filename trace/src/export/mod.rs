//! An ordered trace in the forms that other tools read.
//!
//! | format | module | one event is |
//! |---|---|---|
//! | text, CSV, JSON, JSON lines | `text` | a line |
//! | gnuplot | `gnuplot` | a line of a table |
//! | Parquet | `parquet` | a row |
//! | VCD, FST | `wave`, `vcd`, `fst` | a change of its processor's variables |
//! | Perfetto | `perfetto` | an instant, or an end of a slice |
//!
//! [`export`] takes events in order and writes them; memory does not grow with the trace. What
//! [`Filter`] keeps out is not shown, but still counts for what is derived from all events: which
//! thread runs, what is ready, what is under way.
//!
//! No format places an event silently of which the epoch or the decoding is not proven: it has both bounds and a flag.
//! Losses are events of their own, with their count.

mod filter;
mod format;
mod fst;
mod gnuplot;
#[cfg(feature = "parquet")]
mod parquet;
mod perfetto;
mod sink;
mod state;
mod text;
mod vcd;
mod wave;
mod words;

pub use filter::{Choice, Filter, FilterError, Pass};
pub use format::Format;
pub use sink::{ExportError, WriteSeek};
use sink::{Sink, BUFFER};
pub use state::{Message, State, Step};
pub use words::Words;

use std::io::Write;

use crate::capture::RunRecord;
use crate::order::{Event, OrderError};

/// Where an export goes.
pub enum Target {
    /// A pipe or terminal; not for formats that [need a file](Format::needs_file).
    Stream(Box<dyn Write + Send>),
    File(Box<dyn WriteSeek>),
}

impl Target {
    fn stream(self) -> Box<dyn Write + Send> {
        match self {
            Target::Stream(out) => out,
            Target::File(out) => Box::new(out),
        }
    }
}

fn sink<'a>(
    record: &'a RunRecord,
    filter: &'a Filter,
    format: Format,
    target: Target,
) -> Result<Box<dyn Sink + 'a>, ExportError> {
    Ok(match format {
        Format::Text | Format::Csv | Format::Json | Format::JsonLines => {
            Box::new(text::Lines::new(record, format, target.stream())?)
        }
        Format::Gnuplot => Box::new(gnuplot::Table::new(record, target.stream())?),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet::Table::new(record, target.stream())?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => {
            let message = "Parquet is not among the formats here\n  help: choose another one, such as csv";
            return Err(ExportError::Format(message.into()));
        }
        Format::Perfetto => Box::new(perfetto::Perfetto::new(record, filter, target.stream())?),
        Format::Vcd => Box::new(wave::Waves::new(record, Box::new(vcd::Vcd::new(record, target.stream())?))),
        Format::Fst => match target {
            Target::File(out) => Box::new(wave::Waves::new(record, Box::new(fst::Fst::new(record, out)?))),
            Target::Stream(_) => {
                let message = "FST can only be written to a file\n  help: name one with -o";
                return Err(ExportError::Format(message.into()));
            }
        },
    })
}

/// What an export has shown and kept out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Events that were written.
    pub shown: u64,
    /// Events that were read.
    pub read: u64,
    /// Events that `certain` kept out, but nothing else would have.
    pub unproven: u64,
    /// Whether the thread that was asked for occurs at all.
    pub thread_seen: bool,
}

/// Writes those of `events` (in order) that pass `filter` to `target`. `whole`: the capture has no
/// damage, so that reading can stop at the end of the time slice.
///
/// # Errors
/// An event can't be read, the target can't be written, or the format can't hold the trace.
pub fn export(
    events: impl Iterator<Item = Result<Event, OrderError>>,
    record: &RunRecord,
    filter: &Filter,
    format: Format,
    target: Target,
    whole: bool,
) -> Result<Exported, ExportError> {
    let mut sink = sink(record, filter, format, target)?;
    let mut state = State::new(record.machine.processors.len());
    let mut exported = Exported::default();
    for event in events {
        let event = event?;
        if whole && filter.is_over(&event) {
            break;
        }
        let step = state.add(&event);
        exported.read += 1;
        exported.thread_seen |= filter.names_thread(&event, &step);
        let pass = filter.pass(&event, &step);
        exported.shown += u64::from(pass == Pass::Shown);
        exported.unproven += u64::from(pass == Pass::Scope && filter.is_unproven(&event, &step));
        sink.event(&event, &step, &state, pass)?;
    }
    sink.finish()?;
    Ok(exported)
}
