//! Why an experiment did not come to its end.

use std::io;
use std::path::{Path, PathBuf};

use testbed_machine::MachineError;
use testbed_runner::engines::OpenError;
use testbed_runner::files::FilesError;
use testbed_runner::firmware::FirmwareError;
use testbed_runner::measurement::MeasurementError;
use testbed_sim::engine::EngineError;
use testbed_trace::capture::CaptureError;

use crate::balance::logs::LogsError;
use crate::instrumentation::InstrumentationError;
use crate::observed::ObserveError;
use crate::overflow::trial::TrialError;
use crate::page::PageError;

/// Why an experiment did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Firmware(#[from] FirmwareError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Measurement(#[from] MeasurementError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Observe(#[from] ObserveError),
    #[error(transparent)]
    Instrumentation(#[from] InstrumentationError),
    #[error(transparent)]
    Logs(#[from] LogsError),
    #[error(transparent)]
    Page(#[from] PageError),
    /// An option that says nothing.
    #[error("{0}")]
    Option(String),
    #[error("{}: {what}\n  help: its console is in {}", folder.display(), console.display())]
    Failed { folder: PathBuf, what: String, console: PathBuf },
    #[error("{}: cannot be written: {source}\n  help: give another folder with --out, or free some space", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ExperimentError {
    /// Makes the error that nothing can be left at `path`.
    pub fn unwritable(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| ExperimentError::Unwritable { path: path.into(), source }
    }
}
