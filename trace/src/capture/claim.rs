//! An output folder belongs to one run at a time.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{renameat_with, RenameFlags, CWD};
use testbed_machine::input;

use super::check::RECORD_BYTES;
use super::error::{CaptureError, Context};
use super::{sums_path, RunRecord, ATTACHED, LOCK, METADATA, MMI_RAW, RUN_JSON, TRACE};

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

/// Whether a run is writing to the folder now: its streams then end at different moments.
pub fn is_held(dir: &Path) -> bool {
    File::open(dir.join(LOCK)).is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
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
    /// What an earlier run left in `trace/`.
    pub(super) streams: Vec<PathBuf>,
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
        let Some(lock) = hold(&path).at("lock", &path)? else { return Err(CaptureError::Busy(dir.into())) };
        let streams = if holds_files { earlier_streams(dir)? } else { Vec::new() };
        Ok(Claim { dir: dir.into(), streams, _lock: Arc::new(lock) })
    }

    /// Moves what an earlier run has left in the folder to one beside it, called as this one with a
    /// number behind it that is higher than any other: there is no moment without a folder of this
    /// name. Returns the new claim, which is for as long as the first, and where the earlier run is
    /// now, if there was one.
    pub(super) fn keep_earlier(self, record: &RunRecord) -> Result<(Claim, Option<PathBuf>), CaptureError> {
        if !self.dir.join(RUN_JSON).is_file() {
            return Ok((self, None));
        }
        let beside = make_numbered(&self.dir)?;
        let claim = Claim::replacing(&beside)?;
        // Whoever follows the folder finds a run in it at once.
        RunRecord { complete: false, ..record.clone() }.write(&beside)?;
        exchange(&beside, &self.dir).at("exchange with the folder of the earlier run", &beside)?;
        Ok((Claim { dir: self.dir.clone(), ..claim }, Some(beside)))
    }
}

/// The files of the earlier run in `dir/trace`.
///
/// # Errors
/// `run.json` is not of a run, or others' files are there: they would be lost.
fn earlier_streams(dir: &Path) -> Result<Vec<PathBuf>, CaptureError> {
    let stranger = |path: PathBuf| Err(CaptureError::Foreign(path));
    let Ok(record) = RunRecord::read(dir) else { return stranger(dir.join(RUN_JSON)) };
    let trace = dir.join(TRACE);
    match fs::symlink_metadata(&trace) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(found) if found.is_dir() => {}
        _ => return stranger(trace),
    }
    let names = record.machine.processors.iter().map(String::as_str).chain([METADATA]);
    let own: Vec<PathBuf> = names.map(|name| trace.join(name)).flat_map(|path| [sums_path(&path), path]).collect();
    let entries = fs::read_dir(&trace).at("read the folder", &trace)?;
    let found = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    let found = found.at("read the folder", &trace)?;
    match found.iter().find(|path| !own.contains(path) || path.is_dir()) {
        Some(path) => stranger(path.clone()),
        None => Ok(found),
    }
}

/// Makes an empty folder beside `dir`, called as that with a dot and a number behind it.
fn make_numbered(dir: &Path) -> Result<PathBuf, CaptureError> {
    // A path such as `..` has no name, and one without a slash no parent.
    let dir = match dir.file_name() {
        Some(_) => dir.to_path_buf(),
        None => dir.canonicalize().at("find the folder", dir)?,
    };
    let parent = dir.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let (Some(parent), Some(name)) = (parent, dir.file_name()) else {
        return Err(io::Error::from(ErrorKind::InvalidInput)).at("number the folder", &dir);
    };
    let mut prefix = name.to_os_string();
    prefix.push(".");
    let number = |entry: OsString| -> Option<u64> {
        let rest = entry.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes())?;
        std::str::from_utf8(rest).ok()?.parse().ok()
    };
    let entries = fs::read_dir(parent).at("read the folder", parent)?;
    let highest = entries.flatten().filter_map(|entry| number(entry.file_name())).max().unwrap_or(0);
    for number in highest.saturating_add(1).. {
        let mut name = prefix.clone();
        name.push(number.to_string());
        let path = parent.join(name);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            // Another run was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).at("create the folder", &path),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists)).at("number the folder", &dir)
}

/// Gives two folders each other's names: at once where the file system can, else one after the other.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    if renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    let mut between = one.as_os_str().to_os_string();
    between.push(".moving");
    fs::rename(other, &between)?;
    fs::rename(one, other)?;
    fs::rename(&between, one)
}
