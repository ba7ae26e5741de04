//! An output folder belongs to one run at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use testbed_machine::{input, Machine};

use super::check::RECORD_BYTES;
use super::error::{CaptureError, Context};
use super::{CaptureWriter, RunRecord, ATTACHED, LOCK, MMI_RAW, RUN_JSON};

/// How often a lock that is held is tried again, and after which time.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Makes the file `path` if it isn't there, and locks it for as long as it is open. `None`: another process has it.
///
/// # Errors
/// It can't be made, or locks are not to be had there.
pub fn hold(path: &Path) -> io::Result<Option<File>> {
    let lock = File::create(path)?;
    // A process that this one is about to start holds a copy of an earlier lock for a moment.
    for _ in 1..ATTEMPTS {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(source)) => return Err(source),
        }
    }
    Ok(None)
}

/// Whether the folder's record says that a board sent what it holds; also a record that is refused otherwise.
fn is_attached(dir: &Path) -> bool {
    let text = input::text(&dir.join(RUN_JSON), RECORD_BYTES).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|record| record["engine"] == ATTACHED)
}

/// The right to write to a folder, which others are refused until this and the writer made from it are gone.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(super) dir: PathBuf,
    /// Open and locked; the lock goes with the last handle, also when the process is killed.
    _lock: Arc<File>,
}

impl Claim {
    /// Claims `dir`, making it if it isn't there. What is in it stays as it is.
    ///
    /// # Errors
    /// Another run has it, it holds files of others, or what a board sent, or it can't be written to.
    pub fn new(dir: &Path) -> Result<Self, CaptureError> {
        let claim = Self::replacing(dir)?;
        // A run can be repeated, what a board did can't.
        let is_empty = fs::metadata(dir.join(MMI_RAW)).map_or(true, |file| file.len() == 0);
        match is_empty || !is_attached(dir) {
            true => Ok(claim),
            false => Err(CaptureError::Attached(dir.into())),
        }
    }

    /// The same, though it may hold what a board sent.
    ///
    /// # Errors
    /// As [`Claim::new`] otherwise.
    pub fn replacing(dir: &Path) -> Result<Self, CaptureError> {
        fs::create_dir_all(dir).at("create the folder", dir)?;
        let entries = fs::read_dir(dir).at("read the folder", dir)?;
        let holds_files = entries.flatten().any(|entry| entry.file_name() != LOCK);
        if holds_files && !dir.join(RUN_JSON).is_file() {
            return Err(CaptureError::NotOurs(dir.into()));
        }
        let path = dir.join(LOCK);
        match hold(&path).at("lock", &path)? {
            Some(lock) => Ok(Claim { dir: dir.into(), _lock: Arc::new(lock) }),
            None => Err(CaptureError::Busy(dir.into())),
        }
    }

    /// Clears what an earlier run left and starts a capture; see [`CaptureWriter::create`].
    ///
    /// # Errors
    /// As [`CaptureWriter::create`].
    pub fn writer(&self, machine: &Machine, record: &RunRecord) -> Result<CaptureWriter, CaptureError> {
        CaptureWriter::start(self.clone(), machine, record)
    }
}
