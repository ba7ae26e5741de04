//! VCD, with names of events as strings.

use std::io::{BufWriter, Write};

use vcd::{IdCode, SimulationCommand, TimescaleUnit, VarType, Writer};

use super::wave::{initial, File, Value, VARS};
use super::{ExportError, BUFFER};
use crate::capture::RunRecord;

/// Writes a VCD file.
pub struct Vcd {
    writer: Writer<BufWriter<Box<dyn Write + Send>>>,
    ids: Vec<Vec<IdCode>>,
}

impl Vcd {
    pub fn new(record: &RunRecord, out: Box<dyn Write + Send>) -> Result<Self, ExportError> {
        let mut writer = Writer::new(BufWriter::with_capacity(BUFFER, out));
        writer.version("testbed trace")?;
        writer.comment("events of one tick stand 1 ps apart, in order; count changes with every event")?;
        writer.timescale(1, TimescaleUnit::PS)?;
        let mut ids = Vec::new();
        for name in record.machine.processors.iter().skip(1) {
            writer.add_module(name)?;
            let mut scope = Vec::new();
            for var in VARS {
                let (kind, width) = if var.is_text { (VarType::String, 1) } else { (VarType::Reg, var.width) };
                scope.push(writer.add_var(kind, width, var.name, None)?);
            }
            writer.upscope()?;
            ids.push(scope);
        }
        writer.enddefinitions()?;
        writer.timestamp(0)?;
        writer.begin(SimulationCommand::Dumpvars)?;
        let mut vcd = Vcd { writer, ids };
        for scope in 0..vcd.ids.len() {
            for (var, value) in initial().into_iter().enumerate() {
                vcd.change(scope, var, value)?;
            }
        }
        vcd.writer.end()?;
        Ok(vcd)
    }
}

impl File for Vcd {
    fn time(&mut self, picoseconds: u64) -> Result<(), ExportError> {
        Ok(self.writer.timestamp(picoseconds)?)
    }

    fn change(&mut self, scope: usize, var: usize, value: Value) -> Result<(), ExportError> {
        let id = self.ids[scope][var];
        let width = VARS[var].width;
        match value {
            Value::Text(text) => self.writer.change_string(id, text)?,
            Value::Unknown if VARS[var].is_text => self.writer.change_string(id, "")?,
            Value::Unknown if width == 1 => self.writer.change_scalar(id, vcd::Value::X)?,
            Value::Unknown => self.writer.change_vector(id, [vcd::Value::X])?,
            Value::Number(number) if width == 1 => self.writer.change_scalar(id, number != 0)?,
            // Readers put zeros ahead of what is shorter than the variable. The library writes
            // digit by digit, which takes most of the time.
            Value::Number(number) => writeln!(self.writer.writer(), "b{number:b} {id}")?,
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.writer.flush()?)
    }
}
