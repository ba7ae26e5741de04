//! A run that `top` itself has started: another process of the same program.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rustix::process::{kill_process, Pid, Signal};
use testbed_trace::capture::{RunRecord, RUN_JSON};

/// Which `run.json` a folder has: it is replaced, never changed.
type Mark = Option<(u64, i64, i64)>;

/// A run under way. It ends with this.
pub struct Started {
    /// Bytes for its console, if it has one.
    keys: Option<Sender<Vec<u8>>>,
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
    /// Starts this program again with these arguments, which write to `dir`. What it says is kept.
    ///
    /// # Errors
    /// It can't be started.
    pub fn new(arguments: &[OsString], dir: &Path) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).stdin(Stdio::null());
        Self::start(command, dir, false)
    }

    /// Starts it with a console at which [`Started::give`] types; what it says is passed on as it
    /// comes. It has a process group of its own: Ctrl-C in our terminal is for us only, and
    /// [`Started::ask_to_end`] passes it on.
    ///
    /// # Errors
    /// It can't be started.
    pub fn at_console(arguments: &[OsString], dir: &Path) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).stdin(Stdio::piped()).process_group(0);
        Self::start(command, dir, true)
    }

    fn start(mut command: Command, dir: &Path, passes: bool) -> io::Result<Self> {
        let before = mark(dir);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let said = Arc::new(Mutex::new(String::new()));
        let output = child.stdout.take().map(|stdout| thread::spawn(move || output(stdout, passes)));
        let errors = child.stderr.take().map(|stderr| {
            let said = Arc::clone(&said);
            thread::spawn(move || collect(stderr, &said, passes))
        });
        // By a thread, so that nobody waits for a run that does not read.
        let keys = child.stdin.take().map(|mut stdin| {
            let (keys, typed) = mpsc::channel::<Vec<u8>>();
            thread::spawn(move || typed.iter().try_for_each(|bytes| stdin.write_all(&bytes)));
            keys
        });
        Ok(Started { keys, child, dir: dir.into(), before, output, errors, said, ended: None })
    }

    /// Types at its console. Of a run that has none, or has ended, this does nothing.
    pub fn give(&self, bytes: Vec<u8>) {
        if let Some(keys) = &self.keys {
            let _ = keys.send(bytes);
        }
    }

    /// Asks it to end in good order, as Ctrl-C does; asked again, it ends at once.
    ///
    /// # Errors
    /// The system refuses.
    pub fn ask_to_end(&mut self) -> io::Result<()> {
        if !self.has_ended()? {
            // It has not been waited for, so its number is nobody else's.
            kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        }
        Ok(())
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

/// All that a run prints, or nothing of what is passed on.
fn output(mut from: impl Read, passes: bool) -> String {
    let mut bytes = Vec::new();
    // What was read until an error is what there is; if nobody reads ours any more, it is read all the same.
    let _ = match passes {
        true => io::copy(&mut from, &mut io::stdout()).or_else(|_| io::copy(&mut from, &mut io::sink())),
        false => from.read_to_end(&mut bytes).map(|count| count as u64),
    };
    String::from_utf8_lossy(&bytes).into_owned()
}

fn collect(mut from: impl Read, said: &Mutex<String>, passes: bool) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if passes {
            let _ = io::stderr().write_all(&bytes[..count]);
        }
        if let Ok(mut said) = said.lock() {
            said.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}
