//! The commands of `testbed`, and what they share: failures with exit codes, output that may end early.

pub mod analyse;
pub mod attach;
pub mod balance;
pub mod bench;
pub mod bsp;
pub mod classes;
pub mod compare;
pub mod conform;
pub mod console;
pub mod diff;
pub mod ending;
pub mod exec;
pub mod experiment;
pub mod faults;
pub mod forwarded;
pub mod getting;
pub mod lbsp;
pub mod left;
pub mod placement;
pub mod policy;
pub mod probe;
pub mod progress;
pub mod query;
pub mod report;
pub mod run;
pub mod serve;
pub mod source;
pub mod synth;
pub mod test;
pub mod tools;
pub mod top;
pub mod trace;
pub mod web;

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use testbed_experiments::error::ExperimentError;
use testbed_experiments::instrumentation::InstrumentationError;
use testbed_experiments::observed::ObserveError;
use testbed_experiments::overflow::trial::TrialError;
use testbed_host_tools::kernel_bench::BenchError;
use testbed_host_tools::top::app::TopError;
use testbed_host_tools::web::contents::ContentsError;
use testbed_machine::{Machine, MachineError};
use testbed_runner::drive::DriveError;
use testbed_runner::engines::OpenError;
use testbed_runner::files::FilesError;
use testbed_runner::filter::FilterError;
use testbed_runner::firmware::FirmwareError;
use testbed_runner::measurement::MeasurementError;
use testbed_runner::module::ModuleError;
use testbed_runner::signals;
use testbed_runner::tell;
use testbed_sim::load::LoadError;
use testbed_synth::SynthError;
use testbed_trace::analysis::AnalysisError;
use testbed_trace::balance::replay::ReplayError;
use testbed_trace::capture::{CaptureError, CaptureWriter, Claim, RunRecord};

/// How a command ended, as the exit code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Success = 0,
    /// `compare` found a difference, `test` a failure, `run` a program that ended with another code than 0.
    Negative = 1,
    // 2 is clap's: the command line can't be understood.
    /// An input is wrong: machine description, program, ELF file, folder.
    Input = 3,
    /// The machine misbehaved: the ledger does not balance, an engine failed.
    Machine = 4,
    /// This computer lacks something: a tool, disk space, permission.
    Environment = 5,
    /// `synth`: the bitstream would miss the machine's clock.
    Timing = 6,
    /// `run`: the program did not end, and nobody asked for a part of it only, or none of its threads
    /// can ever go on. `conform`: the run or its capture is not whole, or its event classes do not
    /// suffice.
    Incomplete = 7,
    /// `run`: Ctrl-C or `kill` ended it; the code that shells give.
    Interrupted = signals::INTERRUPTED as u8,
    /// Nobody read the output to its end: the code that shells give to who dies of SIGPIPE. What a command that
    /// judges would have said is not known, so this is no success; for others (`testbed trace DIR | head`) it is.
    Unread = 141,
}

/// Why a command did not come to its end; printed after `error: `.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
}

impl Failure {
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Failure { exit, message: message.to_string() }
    }
}

/// Errors of the library, each with the exit code of its class.
macro_rules! failures {
    ($($error:ty => $exit:expr;)*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let exit: fn(&$error) -> Exit = $exit;
                Failure::new(exit(&error), &error)
            }
        })*
    };
}

failures! {
    MachineError => |_| Exit::Input;
    LoadError => |_| Exit::Input;
    BenchError => |error| match error {
        BenchError::Capture(error) => of_capture(error),
        _ => Exit::Machine,
    };
    AnalysisError => |error| match error {
        AnalysisError::Capture(error) => of_capture(error),
        _ => Exit::Input,
    };
    ReplayError => |error| match error {
        ReplayError::Capture(error) => of_capture(error),
        _ => Exit::Input,
    };
    OpenError => of_open;
    ObserveError => of_observe;
    InstrumentationError => of_instrumentation;
    FilterError => |_| Exit::Input;
    TopError => |error| match error {
        TopError::Capture(error) => of_capture(error),
        TopError::Terminal(_) | TopError::Output(_) => Exit::Environment,
        TopError::NotBegun => Exit::Input,
    };
    SynthError => |error| match error {
        SynthError::Slow { .. } => Exit::Timing,
        SynthError::Missing { .. } | SynthError::Peer(_) | SynthError::Io { .. } => Exit::Environment,
        SynthError::Failed { .. } | SynthError::Report(..) | SynthError::Stopped(_) => Exit::Environment,
        _ => Exit::Input,
    };
    FirmwareError => of_firmware;
    CaptureError => of_capture;
    FilesError => of_files;
    DriveError => of_drive;
    MeasurementError => of_measurement;
    ContentsError => |error| match error {
        ContentsError::Firmware(error) => of_firmware(error),
        ContentsError::Load(_) | ContentsError::Module(ModuleError::Build(_)) => Exit::Input,
        ContentsError::Module(_) => Exit::Environment,
    };
}

/// Where the output of a program goes: `out`, or a folder of its name.
fn output_folder(out: Option<&Path>, program: &Path) -> PathBuf {
    let named = || Path::new("out").join(program.file_stem().unwrap_or_default());
    out.map_or_else(named, Path::to_path_buf)
}

/// Starts a capture in the folder that was claimed. A folder that was `chosen` by the user is
/// replaced; in one that has the program's name only because nothing else was said, an earlier run
/// is kept beside it.
fn begin(
    claim: Claim,
    chosen: bool,
    machine: &Machine,
    record: &RunRecord,
) -> Result<(Claim, CaptureWriter), CaptureError> {
    if chosen {
        let writer = claim.writer(machine, record)?;
        return Ok((claim, writer));
    }
    let (claim, writer, kept) = claim.writer_keeping(machine, record)?;
    if let Some(kept) = kept {
        tell!("the earlier run is kept in {}", kept.display());
    }
    Ok((claim, writer))
}

fn of_firmware(error: &FirmwareError) -> Exit {
    match error {
        FirmwareError::UnknownProgram { .. } | FirmwareError::Build(_) => Exit::Input,
        _ => Exit::Environment,
    }
}

fn of_files(error: &FilesError) -> Exit {
    match error {
        FilesError::Firmware(error) => of_firmware(error),
        _ => Exit::Input,
    }
}

fn of_open(error: &OpenError) -> Exit {
    match error {
        OpenError::Unknown { .. } | OpenError::NoWaves { .. } => Exit::Input,
        OpenError::Engine { .. } => Exit::Environment,
    }
}

fn of_measurement(error: &MeasurementError) -> Exit {
    match error {
        MeasurementError::Files(error) => of_files(error),
        MeasurementError::Open(error) => of_open(error),
        MeasurementError::Capture(error) => of_capture(error),
        MeasurementError::Drive(error) => of_drive(error),
        MeasurementError::NoLog => Exit::Input,
    }
}

fn of_trial(error: &TrialError) -> Exit {
    match error {
        TrialError::Capture(error) => of_capture(error),
        TrialError::Io { .. } => Exit::Environment,
        _ => Exit::Machine,
    }
}

fn of_observe(error: &ObserveError) -> Exit {
    match error {
        ObserveError::Capture(error) => of_capture(error),
        _ => Exit::Input,
    }
}

fn of_instrumentation(error: &InstrumentationError) -> Exit {
    match error {
        InstrumentationError::Firmware(error) => of_firmware(error),
        InstrumentationError::Kernel { .. } => Exit::Environment,
    }
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Io(error) => error.into(),
            error => Failure::new(of_experiment(&error), error),
        }
    }
}

fn of_experiment(error: &ExperimentError) -> Exit {
    match error {
        ExperimentError::Machine(_) | ExperimentError::Option(_) | ExperimentError::Logs(_) => Exit::Input,
        ExperimentError::Open(error) => of_open(error),
        ExperimentError::Firmware(error) => of_firmware(error),
        ExperimentError::Files(error) => of_files(error),
        ExperimentError::Measurement(error) => of_measurement(error),
        ExperimentError::Capture(error) => of_capture(error),
        ExperimentError::Trial(error) => of_trial(error),
        ExperimentError::Observe(error) => of_observe(error),
        ExperimentError::Instrumentation(error) => of_instrumentation(error),
        ExperimentError::Engine(_) | ExperimentError::Page(_) | ExperimentError::Failed { .. } => Exit::Machine,
        ExperimentError::Unwritable { .. } | ExperimentError::Io(_) => Exit::Environment,
    }
}

fn of_drive(error: &DriveError) -> Exit {
    match error {
        DriveError::Engine(_) => Exit::Machine,
        DriveError::Capture(error) => of_capture(error),
    }
}

fn of_capture(error: &CaptureError) -> Exit {
    match error {
        CaptureError::NotOurs(_) | CaptureError::Foreign(_) | CaptureError::NoRun(_) => Exit::Input,
        CaptureError::Busy(_) | CaptureError::Attached(_) => Exit::Input,
        CaptureError::Record { .. } | CaptureError::Key { .. } => Exit::Input,
        CaptureError::Input { .. } | CaptureError::Printed { .. } => Exit::Input,
        CaptureError::Metadata { .. } | CaptureError::Wave { .. } => Exit::Input,
        CaptureError::Io { source, .. } if is_input(source.kind()) => Exit::Input,
        CaptureError::Io { .. } => Exit::Environment,
        CaptureError::Protocol { .. } => Exit::Machine,
    }
}

/// Whether a file that can't be read is not the one that was meant, rather than this computer at fault.
fn is_input(kind: ErrorKind) -> bool {
    use ErrorKind::{FileTooLarge, InvalidData, InvalidInput, IsADirectory, NotFound};
    matches!(kind, FileTooLarge | InvalidData | InvalidInput | IsADirectory | NotFound)
}

/// Of output that nobody reads any more nothing is said.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure { exit: Exit::Unread, message: String::new() },
            ErrorKind::StorageFull => {
                Failure::new(Exit::Environment, "cannot write the output: the disk is full\n  help: free some space")
            }
            _ => Failure::new(Exit::Environment, format!("cannot write the output: {error}")),
        }
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `12_345_678.0` as `12.3 M`.
pub fn scaled(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.2} G", n / 1e9),
        n if n >= 1e6 => format!("{:.2} M", n / 1e6),
        n if n >= 1e3 => format!("{:.1} k", n / 1e3),
        n => format!("{n:.1} "),
    }
}
