//! Runs that are made to measure something.

use std::path::Path;

use testbed_machine::Machine;
use testbed_sim::load::Boot;
use testbed_trace::capture::{BalanceRecord, Capture, CaptureError, CaptureWriter, KernelKind, RunRecord, BALANCE};

use crate::drive::{drive, DriveError};
use crate::engines::{self, OpenError};
use crate::files::{FilesError, Stored};
use crate::firmware::Firmware;
use crate::image;
use crate::operator::Operator;
use crate::taking::balance_log;

/// Why a measurement has no run.
#[derive(Debug, thiserror::Error)]
pub enum MeasurementError {
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(transparent)]
    Drive(#[from] DriveError),
    #[error("the balancer has left no log: it had not begun when the run was over\n  help: let the run take longer")]
    NoLog,
}

/// A run that a measurement makes, with the seed, classes and arguments of its `Boot`.
pub struct Measurement<'a> {
    pub machine: &'a Machine,
    pub engine: &'a str,
    pub kernel: KernelKind,
    /// The first is started.
    pub programs: &'a [&'a str],
    /// Files beside them.
    pub files: &'a [Stored],
    pub folder: &'a Path,
    /// When it is given up, in machine cycles.
    pub limit: u64,
}

impl Measurement<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().copied().chain(self.files.iter().map(|file| file.name.as_str()))
    }

    /// Runs it into its folder; if its load is balanced, with the balancer's log.
    ///
    /// # Errors
    /// A program is missing or too large, the engine can't be opened or fails, or the folder can't be written.
    pub fn run(&self, built: &Firmware, boot: Boot) -> Result<Capture, MeasurementError> {
        let image = image::of_programs(built, self.machine, self.programs, self.files, &boot)?;
        let mut engine = engines::open(self.engine, self.machine, &image, None)?;
        let balance = BalanceRecord::of_arguments(&boot.balancer);
        let is_balanced = balance.is_some();
        let record = RunRecord {
            balance,
            arguments: boot.arguments,
            engine: engine.name().into(),
            seed: boot.seed,
            kernel: Some(self.kernel),
            files: self.names().map(String::from).collect(),
            dgl: boot.dgl,
            ..RunRecord::new(self.machine, self.programs[0])
        };
        let writer = CaptureWriter::create(self.folder, self.machine, &record)?;
        let record = drive(engine.as_mut(), writer, record, self.limit, &mut Operator::nobody(), |_| ())?;
        if is_balanced {
            let (_, kernel) = built.kernel(self.machine.ram_bytes).map_err(FilesError::from)?;
            let log = balance_log(engine.as_ref(), &kernel).ok_or(MeasurementError::NoLog)?;
            let path = self.folder.join(BALANCE);
            std::fs::write(&path, log).map_err(|source| CaptureError::Io { path, doing: "write", source })?;
        }
        Ok(Capture::of_run(self.folder, record))
    }
}
