//! The balancer's log of a run, read again whenever it has grown.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use testbed_definitions::limits::FILE_BYTES;
use testbed_trace::balance::log::Log;
use testbed_trace::capture::{RunRecord, BALANCE};

use super::screen::Requests;

/// The log as it was when it was last read.
#[derive(Default)]
pub struct FollowedLog {
    length: u64,
    /// Nothing, as long as there is no file; else what it says, or why it can't be read.
    read: Option<Result<Log, String>>,
}

impl FollowedLog {
    /// Reads the log of a run in this folder, if there is a balancer and the log is not as it was.
    pub fn look(&mut self, dir: &Path, record: &RunRecord) {
        if record.balance.is_none() {
            return;
        }
        let path = dir.join(BALANCE);
        let Ok(metadata) = fs::metadata(&path) else {
            *self = FollowedLog::default();
            return;
        };
        if self.read.is_some() && metadata.len() == self.length {
            return;
        }
        self.length = metadata.len();
        let mut bytes = Vec::new();
        // A file of the machine's is never longer.
        let read = File::open(&path).and_then(|file| file.take(FILE_BYTES as u64).read_to_end(&mut bytes));
        self.read = Some(match read {
            Ok(_) => Log::of(&String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        });
    }

    /// What had come of a run's requests until this cycle; `None` without a balancer.
    pub fn requests(&self, record: &RunRecord, cycle: u64) -> Option<Requests> {
        record.balance.as_ref()?;
        let milliseconds = cycle.saturating_mul(1_000) / u64::from(record.machine.clock_hz).max(1);
        Some(match &self.read {
            None => Requests::NoLog,
            Some(Err(error)) => Requests::Unreadable(error.clone()),
            Some(Ok(log)) => Requests::Known(log.history.counts(milliseconds)),
        })
    }
}
