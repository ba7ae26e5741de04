//! Parquet: a row an event, written by row groups.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::state::thread_of;
use super::words::{code, epoch_high, key, ticks_high};
use super::{ExportError, Pass, Sink, State, Step, Words};
use crate::capture::RunRecord;
use crate::order::Event;

/// Rows that are held in memory before they are written.
pub const ROWS: usize = 1 << 17;
/// Texts that are kept so as to be made only once.
const DETAILS_MAX: usize = 1 << 16;

/// Columns in order; `docs/trace.md` says what they mean.
const SCHEMA: &str = "message event {
    required int64 number (INTEGER(64, false));
    required double us;
    optional double us_high;
    required int64 ticks (INTEGER(64, false));
    optional int64 ticks_high (INTEGER(64, false));
    required int64 epoch (INTEGER(64, false));
    optional int64 epoch_high (INTEGER(64, false));
    required int32 tick (INTEGER(16, false));
    required binary processor (STRING);
    required int32 smi (INTEGER(8, false));
    required int64 pair (INTEGER(64, false));
    required binary event (STRING);
    required int32 code (INTEGER(16, false));
    optional int32 value (INTEGER(32, false));
    optional int32 thread (INTEGER(16, false));
    optional int32 running (INTEGER(16, false));
    required binary detail (STRING);
    required boolean certain;
    required boolean doubtful;
}";

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast() {
                Ok(error) => ExportError::Io(*error),
                Err(error) => ExportError::Format(error.to_string()),
            },
            error => ExportError::Format(format!("cannot write Parquet: {error}")),
        }
    }
}

/// Values of one column; for an optional one with a level a row.
struct Column<T: DataType> {
    values: Vec<T::T>,
    levels: Option<Vec<i16>>,
}

impl<T: DataType> Column<T> {
    fn new(optional: bool) -> Self {
        Column { values: Vec::new(), levels: optional.then(Vec::new) }
    }

    fn push(&mut self, value: impl Into<Option<T::T>>) {
        let value = value.into();
        if let Some(levels) = &mut self.levels {
            levels.push(value.is_some().into());
        }
        self.values.extend(value);
    }
}

/// A column of any type, on its way to the file.
trait Stored {
    fn write(&mut self, writer: SerializedColumnWriter) -> Result<(), ParquetError>;
}

impl<T: DataType> Stored for Column<T> {
    fn write(&mut self, mut writer: SerializedColumnWriter) -> Result<(), ParquetError> {
        writer.typed::<T>().write_batch(&self.values, self.levels.as_deref(), None)?;
        writer.close()?;
        self.values.clear();
        self.levels.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}

/// The rows of one row group, by column.
struct Rows {
    number: Column<Int64Type>,
    us: Column<DoubleType>,
    us_high: Column<DoubleType>,
    ticks: Column<Int64Type>,
    ticks_high: Column<Int64Type>,
    epoch: Column<Int64Type>,
    epoch_high: Column<Int64Type>,
    tick: Column<Int32Type>,
    processor: Column<ByteArrayType>,
    smi: Column<Int32Type>,
    pair: Column<Int64Type>,
    event: Column<ByteArrayType>,
    code: Column<Int32Type>,
    value: Column<Int32Type>,
    thread: Column<Int32Type>,
    running: Column<Int32Type>,
    detail: Column<ByteArrayType>,
    certain: Column<BoolType>,
    doubtful: Column<BoolType>,
}

impl Rows {
    fn new() -> Self {
        Rows {
            number: Column::new(false),
            us: Column::new(false),
            us_high: Column::new(true),
            ticks: Column::new(false),
            ticks_high: Column::new(true),
            epoch: Column::new(false),
            epoch_high: Column::new(true),
            tick: Column::new(false),
            processor: Column::new(false),
            smi: Column::new(false),
            pair: Column::new(false),
            event: Column::new(false),
            code: Column::new(false),
            value: Column::new(true),
            thread: Column::new(true),
            running: Column::new(true),
            detail: Column::new(false),
            certain: Column::new(false),
            doubtful: Column::new(false),
        }
    }

    /// In the schema's order.
    fn columns(&mut self) -> [&mut dyn Stored; 19] {
        [
            &mut self.number,
            &mut self.us,
            &mut self.us_high,
            &mut self.ticks,
            &mut self.ticks_high,
            &mut self.epoch,
            &mut self.epoch_high,
            &mut self.tick,
            &mut self.processor,
            &mut self.smi,
            &mut self.pair,
            &mut self.event,
            &mut self.code,
            &mut self.value,
            &mut self.thread,
            &mut self.running,
            &mut self.detail,
            &mut self.certain,
            &mut self.doubtful,
        ]
    }
}

/// Writes a Parquet file.
pub struct Table<'a> {
    words: Words<'a>,
    writer: SerializedFileWriter<Box<dyn Write + Send>>,
    rows: Rows,
    processors: Vec<ByteArray>,
    /// By name's address: names are constants.
    names: HashMap<*const u8, ByteArray>,
    details: HashMap<(u16, u32), ByteArray>,
}

impl<'a> Table<'a> {
    pub fn new(record: &'a RunRecord, out: Box<dyn Write + Send>) -> Result<Self, ExportError> {
        let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema of the format's own grammar"));
        let machine = &record.machine;
        let facts = [
            ("program", record.program.clone()),
            ("engine", record.engine.clone()),
            ("machine", machine.name.clone()),
            ("clock_hz", machine.clock_hz.to_string()),
            ("tick_cycles", machine.tick_cycles.to_string()),
            ("complete", record.complete.to_string()),
        ];
        let facts = facts.map(|(key, value)| KeyValue::new(format!("testbed.{key}"), value));
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("testbed".into())
            .set_key_value_metadata(Some(facts.into()));
        // They grow by little from row to row, and hardly repeat.
        for column in ["number", "ticks", "ticks_high", "pair", "epoch", "epoch_high"] {
            let path = ColumnPath::from(column);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
        for column in ["us", "us_high"] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), false);
        }
        let properties = properties.build();
        let words = Words::new(record);
        let processors = (0..16).map(|smi| words.processor(smi).into()).collect();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Table { words, writer, rows: Rows::new(), processors, names: HashMap::new(), details: HashMap::new() })
    }

    fn row(&mut self, event: &Event, step: &Step) {
        let rows = &mut self.rows;
        rows.number.push(step.number as i64);
        rows.us.push(self.words.microseconds(event.ticks()));
        let high = ticks_high(event);
        rows.us_high.push(high.map(|high| self.words.microseconds(high)));
        rows.ticks.push(event.ticks() as i64);
        rows.ticks_high.push(high.map(|high| high as i64));
        rows.epoch.push(event.epoch.low() as i64);
        rows.epoch_high.push(epoch_high(event).map(|high| high as i64));
        rows.tick.push(i32::from(event.time));
        rows.processor.push(self.processors[usize::from(event.smi & 15)].clone());
        rows.smi.push(i32::from(event.smi));
        rows.pair.push(event.index as i64);
        let name = event.what.name();
        rows.event.push(self.names.entry(name.as_ptr()).or_insert_with(|| name.into()).clone());
        rows.code.push(i32::from(code(event)));
        rows.value.push(event.value().map(|value| value as i32));
        rows.thread.push(thread_of(event).map(i32::from));
        rows.running.push(step.running.map(i32::from));
        if self.details.len() >= DETAILS_MAX {
            self.details.clear();
        }
        let words = &mut self.words;
        let detail = self.details.entry(key(event)).or_insert_with(|| words.detail(event).into());
        rows.detail.push(detail.clone());
        rows.certain.push(event.is_certain());
        rows.doubtful.push(event.doubtful);
    }

    fn group(&mut self) -> Result<(), ExportError> {
        let mut group = self.writer.next_row_group()?;
        for column in self.rows.columns() {
            let writer = group.next_column()?.expect("as many columns as the schema has");
            column.write(writer)?;
        }
        group.close()?;
        Ok(())
    }
}

impl Sink for Table<'_> {
    fn event(&mut self, event: &Event, step: &Step, _: &State, pass: Pass) -> Result<(), ExportError> {
        if pass == Pass::Shown {
            self.row(event, step);
            if self.rows.number.values.len() == ROWS {
                self.group()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if !self.rows.number.values.is_empty() {
            self.group()?;
        }
        let mut out = self.writer.into_inner()?;
        Ok(out.flush()?)
    }
}
