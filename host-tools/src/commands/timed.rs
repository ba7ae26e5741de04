//! What `testbed test` says at its end: how long each test binary took, and which tests were left out.
//!
//! `cargo test` starts every test binary by a *runner*, and this program is that runner: the hidden
//! command `timed` starts the binary, waits for it, and appends a note to a file.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{Exit, Failure};

/// Runs a test binary for `testbed test`, and notes how long it took
#[derive(Args, Debug)]
pub struct Timed {
    /// File to append the note to
    notes: PathBuf,
    /// The test binary and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// What is known of a test binary that has run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The package, and the target in it.
    pub package: String,
    pub target: String,
    pub seconds: f64,
    /// Names of the ignored tests, which did not run.
    pub left_out: Vec<String>,
}

impl Note {
    /// The notes in the file `path`, in the order in which the binaries ran.
    ///
    /// # Errors
    /// The file can't be read, or holds something else.
    pub fn read(path: &Path) -> io::Result<Vec<Note>> {
        fs::read_to_string(path)?.lines().map(|line| serde_json::from_str(line).map_err(io::Error::from)).collect()
    }

    fn append(&self, path: &Path) -> io::Result<()> {
        let line = serde_json::to_string(self)? + "\n";
        OpenOptions::new().append(true).open(path)?.write_all(line.as_bytes())
    }
}

/// The setting by which cargo starts test binaries through this program, which notes them in `notes`.
///
/// # Errors
/// The system does not say where this program is.
pub fn runner(notes: &Path) -> io::Result<OsString> {
    let words = [std::env::current_exe()?, "timed".into(), notes.to_path_buf()];
    let words = words.map(|word| toml::Value::String(word.to_string_lossy().into_owned()));
    Ok(format!("target.'cfg(all())'.runner={}", toml::Value::Array(words.into())).into())
}

impl Timed {
    /// Returns the exit code of the test binary.
    pub fn run(&self) -> Result<u8, Failure> {
        let program = Path::new(&self.command[0]);
        let failure = |what: &str, path: &Path, error: io::Error| {
            Failure::new(Exit::Environment, format!("cannot {what} {}: {error}", path.display()))
        };
        let started = Instant::now();
        let status = Command::new(program)
            .args(&self.command[1..])
            .status()
            .map_err(|error| failure("start", program, error))?;
        let seconds = started.elapsed().as_secs_f64();
        let left_out = self.left_out().map_err(|error| failure("list the tests of", program, error))?;
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let note = Note { package, target: target(program), seconds, left_out };
        note.append(&self.notes).map_err(|error| failure("write to", &self.notes, error))?;
        if status.code().is_none() {
            eprintln!("{}: {status}", program.display());
        }
        Ok(status.code().and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX))
    }

    /// The tests that are ignored, unless they ran too.
    fn left_out(&self) -> io::Result<Vec<String>> {
        let arguments = &self.command[1..];
        if arguments.iter().any(|argument| argument == "--include-ignored" || argument == "--ignored") {
            return Ok(Vec::new());
        }
        let listed = Command::new(&self.command[0]).args(arguments).args(["--list", "--ignored"]).output()?;
        let text = String::from_utf8_lossy(&listed.stdout);
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect())
    }
}

/// The name of the target that `program` was built from: its file name without cargo's hash.
fn target(program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    match name.rsplit_once('-') {
        Some((target, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => target.into(),
        _ => name.into(),
    }
}

/// A table of all binaries, the longest first, and a list of the tests that did not run.
pub fn summary(mut notes: Vec<Note>) -> String {
    notes.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let mut text = String::from("\nseconds  tests of\n");
    let mut line = |seconds: f64, what: &str| writeln!(text, "{seconds:7.1}  {what}").expect("text takes all");
    for note in &notes {
        line(note.seconds, &format!("{} {}", note.package, note.target));
    }
    line(notes.iter().map(|note| note.seconds).sum(), "all together");
    let left: Vec<_> = notes.iter().flat_map(|note| note.left_out.iter().map(move |name| (note, name))).collect();
    if !left.is_empty() {
        writeln!(text, "\n{} tests were skipped; `cargo testbed test --long` runs them too:", left.len())
            .expect("text takes all");
        for (note, name) in left {
            writeln!(text, "  {} {}: {name}", note.package, note.target).expect("text takes all");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(target: &str, seconds: f64, left_out: &[&str]) -> Note {
        let left_out = left_out.iter().map(|name| (*name).into()).collect();
        Note { package: "sim".into(), target: target.into(), seconds, left_out }
    }

    #[test]
    fn names_lose_cargos_hash_only() {
        for (path, name) in [
            ("/a/deps/programs-0123456789abcdef", "programs"),
            ("/a/deps/two-words-0123456789abcdef", "two-words"),
            ("/a/two-words", "two-words"),
        ] {
            assert_eq!(target(Path::new(path)), name);
        }
    }

    #[test]
    fn the_longest_comes_first_and_what_was_left_out_is_named_and_counted() {
        let notes = vec![note("short", 0.25, &["one", "two"]), note("long", 100.0, &[])];
        let text = summary(notes.clone());
        let lines: Vec<_> = text.lines().skip(2).collect();
        let expected = ["  100.0  sim long", "    0.2  sim short", "  100.2  all together", ""];
        assert_eq!(lines[..4], expected, "{text}");
        assert!(lines[4].starts_with("2 tests were skipped"), "{text}");
        assert_eq!(lines[5..], ["  sim short: one", "  sim short: two"]);
        assert!(!summary(notes[1..].to_vec()).contains("skipped"));
    }

    /// A shell script stands for a test binary.
    #[test]
    fn a_binary_is_run_with_its_arguments_and_noted_with_its_code() {
        let notes = tempfile::NamedTempFile::new().unwrap();
        let run = |words: &[&str]| {
            let command = ["/bin/sh", "-c"].iter().chain(words).map(OsString::from).collect();
            Timed { notes: notes.path().into(), command }.run().unwrap()
        };
        let script = r#"for word; do [ "$word" = --list ] && echo "slow: test"; done; exit 7"#;
        assert_eq!(run(&[script, "name", "filter"]), 7);
        assert_eq!(run(&[script, "name", "--include-ignored"]), 7);
        let notes = Note::read(notes.path()).unwrap();
        assert_eq!(notes.iter().map(|note| note.left_out.len()).collect::<Vec<_>>(), [1, 0], "{notes:?}");
        assert!(notes.iter().all(|note| note.target == "sh"));
    }
}
