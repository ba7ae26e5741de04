//! A run that `top` itself has started: another process of the same program.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use testbed_trace::capture::{RunRecord, RUN_JSON};

/// Which `run.json` a folder has: it is replaced, never changed.
type Mark = Option<(u64, i64, i64)>;

/// A run under way. It ends with this.
pub struct Started {
    child: Child,
    dir: PathBuf,
    /// The record that the folder had before.
    before: Mark,
    output: Option<JoinHandle<String>>,
    errors: Option<JoinHandle<()>>,
    said: Arc<Mutex<String>>,
    ended: Option<ExitStatus>,
}

/// What a run left when it had ended.
pub struct Left {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output and to standard error.
    pub output: String,
    pub errors: String,
}

fn mark(dir: &Path) -> Mark {
    let metadata = fs::metadata(dir.join(RUN_JSON)).ok()?;
    Some((metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
}

impl Started {
    /// Starts this program again with these arguments, which write to `dir`.
    ///
    /// # Errors
    /// It can't be started.
    pub fn new(arguments: &[OsString], dir: &Path) -> io::Result<Self> {
        let before = mark(dir);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let said = Arc::new(Mutex::new(String::new()));
        let output = child.stdout.take().map(|mut stdout| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read until an error is what there is.
                let _ = stdout.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        let errors = child.stderr.take().map(|stderr| {
            let said = Arc::clone(&said);
            thread::spawn(move || collect(stderr, &said))
        });
        Ok(Started { child, dir: dir.into(), before, output, errors, said, ended: None })
    }

    /// Whether the folder holds this run, and not an earlier one.
    pub fn has_begun(&self) -> bool {
        let now = mark(&self.dir);
        now.is_some() && now != self.before
    }

    /// The last line that it said while it was being prepared.
    pub fn last_words(&self) -> String {
        let said = self.said.lock().map(|said| said.clone()).unwrap_or_default();
        said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("building the firmware").trim().into()
    }

    /// Whether it has ended.
    ///
    /// # Errors
    /// The system does not say.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        self.ended = match self.ended {
            None => self.child.try_wait()?,
            ended => ended,
        };
        Ok(self.ended.is_some())
    }

    /// What it left. If it goes on it is ended; if nothing but its summary is due, that is waited for.
    ///
    /// # Errors
    /// It can't be waited for.
    pub fn finish(mut self) -> io::Result<Left> {
        let is_over = self.has_begun() && RunRecord::read(&self.dir).is_ok_and(|record| record.complete);
        let went_on = !is_over && !self.has_ended()?;
        if went_on {
            self.child.kill()?;
        }
        let status = self.child.wait()?;
        let output = self.output.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        if let Some(reader) = self.errors.take() {
            let _ = reader.join();
        }
        let errors = self.said.lock().map(|said| said.clone()).unwrap_or_default();
        Ok(Left { code: status.code().filter(|_| !went_on), output, errors })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Nobody would see it any more. Of one that has ended this does nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(mut from: impl Read, said: &Mutex<String>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if let Ok(mut said) = said.lock() {
            said.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}
