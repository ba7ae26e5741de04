//! FST, with names of events as ASCII in vectors, since the writer knows no strings.

use std::io::Write;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError,
};

use super::wave::{initial, File, Value, NAME_MAX, VARS};
use super::{ExportError, WriteSeek};
use crate::capture::RunRecord;

/// Bytes of changes that are held in memory before they are written.
const HELD: usize = 32 << 20;
/// The file's unit of time is 10 to this power of a second.
const PICOSECOND: i8 = -12;

impl From<FstWriteError> for ExportError {
    fn from(error: FstWriteError) -> Self {
        match error {
            FstWriteError::Io(error) => ExportError::Io(error),
            error => ExportError::Format(format!("cannot write FST: {error}")),
        }
    }
}

/// Writes an FST file.
pub struct Fst {
    writer: FstBodyWriter<Box<dyn WriteSeek>>,
    ids: Vec<Vec<FstSignalId>>,
    /// Some time has been written.
    has_time: bool,
}

impl Fst {
    pub fn new(record: &RunRecord, out: Box<dyn WriteSeek>) -> Result<Self, ExportError> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: PICOSECOND,
            version: "testbed trace".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut head = FstHeaderWriter::new(out, &info)?;
        let mut ids = Vec::new();
        for name in record.machine.processors.iter().skip(1) {
            head.scope(name, "", FstScopeType::Module)?;
            let mut scope = Vec::new();
            for var in VARS {
                let kind = FstSignalType::bit_vec(var.width);
                scope.push(head.var(var.name, kind, FstVarType::Reg, FstVarDirection::Implicit, None)?);
            }
            head.up_scope()?;
            ids.push(scope);
        }
        let mut fst = Fst { writer: head.finish()?, ids, has_time: false };
        for scope in 0..fst.ids.len() {
            for (var, value) in initial().into_iter().enumerate() {
                fst.change(scope, var, value)?;
            }
        }
        Ok(fst)
    }
}

/// `number` as digits, most significant first, as many as `digits` has.
fn binary(number: u64, digits: &mut [u8]) {
    for (bit, digit) in digits.iter_mut().rev().enumerate() {
        *digit = b'0' + (number >> bit & 1) as u8;
    }
}

impl File for Fst {
    fn time(&mut self, picoseconds: u64) -> Result<(), ExportError> {
        // The writer can only begin a section where a new time begins.
        if self.writer.size() >= HELD {
            self.writer.flush()?;
        }
        self.has_time = true;
        Ok(self.writer.time_change(picoseconds)?)
    }

    fn change(&mut self, scope: usize, var: usize, value: Value) -> Result<(), ExportError> {
        let width = VARS[var].width as usize;
        let mut digits = [b'x'; 8 * NAME_MAX];
        match value {
            Value::Unknown => {}
            Value::Number(number) => binary(number, &mut digits[..width]),
            Value::Text(text) => {
                // As in Verilog: the last character in the lowest bits, zeros ahead.
                let ahead = NAME_MAX - text.len().min(NAME_MAX);
                for (place, digits) in digits.chunks_exact_mut(8).enumerate() {
                    let character = place.checked_sub(ahead).map_or(0, |place| text.as_bytes()[place]);
                    binary(character.into(), digits);
                }
            }
        }
        Ok(self.writer.signal_change(self.ids[scope][var], &digits[..width])?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        if !self.has_time {
            // Readers take a file without any time for a broken one.
            self.time(1)?;
        }
        let mut out = self.writer.finish()?;
        Ok(out.flush()?)
    }
}
