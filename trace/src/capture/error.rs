//! Why a capture can't be written or read.

use std::io;
use std::path::{Path, PathBuf};

use testbed_machine::Fault;

/// Every message names the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    #[error("cannot {doing} {}: {source}\n  help: {}", path.display(), help(.source))]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "{} holds other files and no run.json\n  help: give a new or empty folder with --out, or one that `run` made",
        .0.display()
    )]
    NotOurs(PathBuf),
    #[error("{} is not what a run has left here, and would be lost\n  help: move it away, or give another folder with --out", .0.display())]
    Foreign(PathBuf),
    #[error(
        "another run is writing to {}\n  help: wait until it has ended, or give another folder with --out",
        .0.display()
    )]
    Busy(PathBuf),
    #[error(
        "{} holds what a board sent, which can't be made again\n  help: give another folder with --out, or remove it; `attach` takes --overwrite too",
        .0.display()
    )]
    Attached(PathBuf),
    #[error("{} is no output folder: it has no run.json\n  help: give the folder that `testbed run` named", .0.display())]
    NoRun(PathBuf),
    #[error("{}:{line}:{column}: {message}\n  help: the file is not as `testbed run` writes it; run again", path.display())]
    Record { path: PathBuf, line: usize, column: usize, message: String },
    #[error(
        "{}: {key}: {}\n  help: {}; the file is not as `testbed run` writes it: run again, or copy the folder anew",
        path.display(), .fault.message, .fault.remedy
    )]
    Key { path: PathBuf, key: String, fault: Fault },
    #[error("{}:{line}: {message}\n  help: give the file `input` of a folder that `testbed run --input` left", path.display())]
    Input { path: PathBuf, line: usize, message: String },
    #[error("{}:{line}: {message}\n  help: give a folder with `console.log` as `testbed run` left it; run again", path.display())]
    Printed { path: PathBuf, line: usize, message: String },
    #[error("{}: {message}\n  help: give the folder `trace/` of a run of this version, or its `mmi.raw` and machine", path.display())]
    Metadata { path: PathBuf, message: String },
    #[error("{}: {message}\n  help: record waves that show the MMI with --vcd (FST cannot be read), for instance with --wave-scope top.mmi", path.display())]
    Wave { path: PathBuf, message: String },
    #[error("the engine delivered {what} at cycle {cycle}\n  help: this is a fault in the engine or the hardware; keep the folder and report it")]
    Protocol { what: String, cycle: u64 },
}

fn help(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full; free some space, or give another folder with --out",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "the folder can't be written to; give another one with --out"
        }
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::NotADirectory => "a part of the path is a file; give another folder",
        io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidData => "give a file that `testbed run` left",
        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => "give a file that `testbed run` left, on a disk",
        _ => "check the disk and the path",
    }
}

/// Adds what was being done, and to which file.
pub(crate) trait Context<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, CaptureError>;
}

impl<T> Context<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, CaptureError> {
        self.map_err(|source| CaptureError::Io { doing, path: path.into(), source })
    }
}
