//! The test binaries of the workspace, as cargo would start them.
//!
//! `cargo test` starts every test binary by a *runner*, and this program is that runner: the hidden
//! command `collect` appends a note to a file instead of starting it. So [`super::schedule`] can
//! start the binaries in another order and several at a time, each in the folder and with the
//! environment that cargo gives it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::commands::{Exit, Failure};

/// Notes a test binary for `testbed test`
#[derive(Args, Debug)]
pub struct Collect {
    /// File to append the note to
    notes: PathBuf,
    /// The test binary and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// A test binary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Binary {
    /// The package, and the target in it.
    pub package: String,
    pub target: String,
    pub program: PathBuf,
    /// Folder in which it is started.
    folder: PathBuf,
    environment: BTreeMap<String, String>,
}

/// The name that rustdoc gives to every test in a comment. It removes the binary soon.
const IN_COMMENT: &str = "rust_out";

impl Binary {
    /// The binaries that were noted in the file `path`.
    ///
    /// # Errors
    /// The file can't be read, or holds something else.
    pub fn read(path: &Path) -> io::Result<Vec<Binary>> {
        fs::read_to_string(path)?.lines().map(|line| serde_json::from_str(line).map_err(io::Error::from)).collect()
    }

    /// A command that starts it as cargo would.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env_clear().envs(&self.environment);
        command
    }
}

/// The setting by which cargo starts test binaries through this program, which notes them in `notes`.
///
/// # Errors
/// The system does not say where this program is.
pub fn runner(notes: &Path) -> io::Result<OsString> {
    let words = [std::env::current_exe()?, "collect".into(), notes.to_path_buf()];
    let words = words.map(|word| toml::Value::String(word.to_string_lossy().into_owned()));
    Ok(format!("target.'cfg(all())'.runner={}", toml::Value::Array(words.into())).into())
}

impl Collect {
    /// Returns the exit code of a test that stands in a comment, which runs now; else 0.
    pub fn run(&self) -> Result<u8, Failure> {
        let program = Path::new(&self.command[0]);
        let failure = |what: &str, path: &Path, error: io::Error| {
            Failure::new(Exit::Environment, format!("cannot {what} {}: {error}", path.display()))
        };
        if program.file_stem().is_some_and(|name| name == IN_COMMENT) {
            let status = Command::new(program).args(&self.command[1..]).status();
            let status = status.map_err(|error| failure("start", program, error))?;
            return Ok(status.code().and_then(|code| code.try_into().ok()).unwrap_or(u8::MAX));
        }
        let folder = std::env::current_dir().map_err(|error| failure("find the folder of", program, error))?;
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let environment = variables.filter_map(|(name, value)| Some((name, value.into_string().ok()?))).collect();
        let binary = Binary { package, target: target(program), program: folder.join(program), folder, environment };
        let line = serde_json::to_string(&binary).map_err(io::Error::from).map(|line| line + "\n");
        let mut file = OpenOptions::new().append(true).open(&self.notes);
        let written = line
            .and_then(|line| file.as_mut().map_err(|error| io::Error::from(error.kind()))?.write_all(line.as_bytes()));
        written.map_err(|error| failure("write to", &self.notes, error))?;
        Ok(0)
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

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A shell script that stands for a test binary.
    pub fn script(folder: &Path, text: &str) -> Binary {
        use std::os::unix::fs::PermissionsExt;
        let program = folder.join("script");
        fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let environment = BTreeMap::from([("GIVEN".into(), "yes".into())]);
        Binary { package: "package".into(), target: "script".into(), program, folder: folder.into(), environment }
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
    fn a_binary_is_noted_with_its_folder_and_environment_and_not_started() {
        let notes = tempfile::NamedTempFile::new().unwrap();
        let command = vec![OsString::from("no/such/name-0123456789abcdef")];
        assert_eq!(Collect { notes: notes.path().into(), command }.run().unwrap(), 0);
        let [binary] = Binary::read(notes.path()).unwrap().try_into().unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!((binary.target.as_str(), &binary.folder), ("name", &here));
        assert_eq!(binary.program, here.join("no/such/name-0123456789abcdef"));
        assert_eq!(binary.environment.get("PATH"), std::env::var("PATH").ok().as_ref());
    }

    #[test]
    fn a_test_in_a_comment_runs_at_once() {
        let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        let program = folder.path().join(IN_COMMENT);
        fs::rename(script(folder.path(), "exit $1").program, &program).unwrap();
        let command = vec![program.into_os_string(), "7".into()];
        assert_eq!(Collect { notes: notes.path().into(), command }.run().unwrap(), 7);
        assert!(Binary::read(notes.path()).unwrap().is_empty());
    }
}
