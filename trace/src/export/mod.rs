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
//! [`export`] takes events in order and writes them; memory does not grow with the trace. What [`Filter`] keeps out is not
//! shown, but still counts for what is derived from all events: which thread runs, what is ready, what is under way.
//!
//! No format places an event silently of which the epoch or the decoding is not proven: it has both bounds and a flag.
//! Losses are events of their own, with their count.

mod filter;
mod fst;
mod gnuplot;
#[cfg(feature = "parquet")]
mod parquet;
mod perfetto;
mod state;
mod text;
mod vcd;
mod wave;
mod words;

pub use filter::{Choice, Filter, FilterError, Pass};
pub use state::{Message, State, Step};
pub use words::Words;

use std::io::{self, Seek, Write};

use crate::capture::RunRecord;
use crate::order::{Event, OrderError};

/// Bytes written at a time.
const BUFFER: usize = 1 << 16;

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Text,
    Csv,
    Json,
    JsonLines,
    Gnuplot,
    Parquet,
    Vcd,
    Fst,
    Perfetto,
}

impl Format {
    /// Every format, with its name on the command line.
    pub const ALL: [(&'static str, Format); 9] = [
        ("text", Format::Text),
        ("csv", Format::Csv),
        ("json", Format::Json),
        ("jsonl", Format::JsonLines),
        ("gnuplot", Format::Gnuplot),
        ("perfetto", Format::Perfetto),
        ("parquet", Format::Parquet),
        ("vcd", Format::Vcd),
        ("fst", Format::Fst),
    ];

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(own, _)| *own == name).map(|(_, format)| *format)
    }

    /// The names of all formats, for messages.
    pub fn names() -> String {
        Self::ALL.map(|(name, _)| name).join(", ")
    }

    /// Whether what is written is nothing for a terminal.
    pub fn is_binary(self) -> bool {
        matches!(self, Format::Parquet | Format::Perfetto | Format::Fst)
    }

    /// Whether it can only go to a file, since places before the end are written last.
    pub fn needs_file(self) -> bool {
        self == Format::Fst
    }
}

/// A file, or memory, in which places before the end can be written to.
pub trait WriteSeek: Write + Seek + Send {}
impl<T: Write + Seek + Send> WriteSeek for T {}

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

/// Why an export stops early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace can't be read further.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The output can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format has no way to say it; the text says what and what helps.
    #[error("{0}")]
    Format(String),
}

/// An export under way.
trait Sink {
    /// Takes the next event of the trace. `pass`: how far the filter lets it.
    fn event(&mut self, event: &Event, step: &Step, state: &State, pass: Pass) -> Result<(), ExportError>;
    /// Writes what is still due.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
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

/// Writes those of `events` (in order) that pass `filter` to `target`. `whole`: the capture has no damage, so that reading can stop at
/// the end of the time slice.
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
