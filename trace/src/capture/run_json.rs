//! `run.json` as a file.

#[cfg(feature = "files")]
use std::fs::{self, File};
#[cfg(feature = "files")]
use std::io::Write;
use std::path::Path;

use testbed_machine::brief;

use super::check::{check, RECORD_BYTES};
use super::error::{CaptureError, Context};
use super::files::Files;
use super::record::RunRecord;
use super::RUN_JSON;

impl RunRecord {
    /// Reads `dir/run.json`.
    ///
    /// # Errors
    /// No such file, or not a record that a run can leave; see [`RunRecord::parse`].
    pub fn read(dir: &Path) -> Result<Self, CaptureError> {
        RunRecord::read_in(&Files::default(), dir)
    }

    /// Reads `dir/run.json` among `files`.
    ///
    /// # Errors
    /// As [`RunRecord::read`].
    pub fn read_in(files: &Files, dir: &Path) -> Result<Self, CaptureError> {
        let path = dir.join(RUN_JSON);
        let text = match files.text(&path, RECORD_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(CaptureError::NoRun(dir.into())),
            other => other.at("read", &path)?,
        };
        RunRecord::parse(&text, &path)
    }

    /// Reads a record from the text of a `run.json` that errors call `path`. A record that comes
    /// out is one that a run can leave: its machine is one that can be described, its cycles,
    /// instructions, exits and ledger fit the machine and each other.
    ///
    /// # Errors
    /// Not a record, with line, column and key; or one that no run leaves, with the key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CaptureError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let wrong = |key: String, error: serde_json::Error| {
            let at = if key == "." { String::new() } else { format!("{key}: ") };
            let message = brief(&format!("{at}{error}"));
            CaptureError::Record { path: path.into(), line: error.line(), column: error.column(), message }
        };
        let record: RunRecord = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| wrong(error.path().to_string(), error.into_inner()))?;
        reader.end().map_err(|error| wrong(".".into(), error))?;
        check(&record).map_err(|(key, fault)| CaptureError::Key { path: path.into(), key, fault })?;
        Ok(record)
    }

    /// The text of its `run.json`.
    pub(super) fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a record has string keys and finite numbers") + "\n"
    }

    /// Writes `dir/run.json` so that a reader sees the old or the new one, never a part.
    ///
    /// # Errors
    /// The folder can't be written to, or the disk is full.
    #[cfg(feature = "files")]
    pub fn write(&self, dir: &Path) -> Result<(), CaptureError> {
        let path = dir.join(RUN_JSON);
        let temporary = dir.join(".run.json.new");
        let text = self.text();
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&temporary)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&temporary, &path)
        };
        write().at("write", &path)
    }
}
