//! Waves of a run: where they go, and what they show.

use std::path::PathBuf;

use clap::Args;
use testbed_runner::{engines, tell};
use testbed_sim::waves::Waves;
use testbed_trace::capture::RunRecord;

use super::super::{grouped, Exit, Failure};

/// Options for waves.
#[derive(Args, Debug)]
pub struct WaveOptions {
    /// Write waves to this VCD file (engines verilator, rust-hdl)
    #[arg(long, value_name = "FILE", conflicts_with = "fst")]
    vcd: Option<PathBuf>,
    /// Write waves to this FST file (engine verilator)
    #[arg(long, value_name = "FILE")]
    fst: Option<PathBuf>,
    /// First cycle of the waves
    #[arg(long, default_value_t = 0, value_name = "CYCLE")]
    wave_from: u64,
    /// Cycles that the waves show
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    wave_cycles: u64,
    /// Instance that the waves show, such as top.processors$1, with all below it [default: everything]
    #[arg(long, default_value = "", hide_default_value = true, value_name = "PATH")]
    wave_scope: String,
}

impl WaveOptions {
    /// What `engine` is to write; `None` if nothing. Engines tell FST from VCD by the file's name, so
    /// the name has to fit the option.
    pub fn of(&self, engine: &str) -> Result<Option<Waves>, Failure> {
        let Some(path) = self.vcd.as_ref().or(self.fst.as_ref()) else { return Ok(None) };
        if engine == "emulator" {
            return Err(engines::OpenError::NoWaves { name: engine.into() }.into());
        }
        if self.fst.is_some() && engine != "verilator" {
            let message = format!("the {engine} engine cannot write FST\n  help: add --engine verilator, or use --vcd");
            return Err(Failure::new(Exit::Input, message));
        }
        let named_fst = path.extension().is_some_and(|extension| extension == "fst");
        if named_fst != self.fst.is_some() {
            let option = if named_fst { "--vcd" } else { "--fst" };
            let message = format!(
                "{option}: the name {} is not one of such a file\n  help: names of FST files end in .fst, those of others do not",
                path.display()
            );
            return Err(Failure::new(Exit::Input, message));
        }
        let (from, until) = (self.wave_from, self.wave_from.saturating_add(self.wave_cycles));
        Ok(Some(Waves { path: path.clone(), from, until, scope: self.wave_scope.clone(), depth: 0 }))
    }

    /// Says that there are no waves, if the run was over before they began.
    pub fn check(&self, record: &RunRecord) {
        if let Some(path) = self.vcd.as_ref().or(self.fst.as_ref()).filter(|_| record.cycles <= self.wave_from) {
            tell!(
                "warning: {} was not written: the run was over in cycle {}, before --wave-from {}\n  help: give an earlier cycle",
                path.display(),
                grouped(record.cycles),
                grouped(self.wave_from)
            );
        }
    }
}
