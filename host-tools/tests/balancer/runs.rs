//! Runs with a balancer, and what they leave.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testbed_balance::log::parse::parse;
use testbed_balance::log::{Entry, REMARK};
use testbed_balance::request::Answer;
use testbed_trace::capture::{RunRecord, BALANCE, CONSOLE};

use crate::common::root;

pub fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(root()).output().unwrap()
}

/// What a run has left.
pub struct Left {
    pub folder: tempfile::TempDir,
    pub console: String,
    /// Empty if there is none.
    pub log: String,
    /// What it said on standard error.
    pub said: String,
}

impl Left {
    pub fn entries(&self) -> Vec<Entry> {
        parse(&self.log).unwrap_or_else(|error| panic!("{error}\n{}", self.log))
    }

    pub fn rounds(&self) -> usize {
        self.entries().iter().filter(|entry| matches!(entry, Entry::Time(_))).count()
    }

    /// Threads that have arrived, and where.
    pub fn moves(&self) -> Vec<(String, u8)> {
        let moved = self.entries().into_iter().filter_map(|entry| match entry {
            Entry::Answer { answer: Some(Answer::Moved(thread)), at, .. } => Some((thread, at)),
            _ => None,
        });
        moved.map(|(thread, at)| (format!("{}-{:02}-{:03}", thread.home(), thread.place(), thread.id()), at)).collect()
    }

    /// Lines of the console that depend neither on how long it took nor on the processor to which the
    /// printing thread had moved.
    pub fn results(&self) -> Vec<&str> {
        let lines = self.console.lines().filter(|line| !line.contains(": took "));
        lines.map(|line| line.split_once(": ").map_or(line, |(_, printed)| printed)).collect()
    }

    pub fn took_ms(&self) -> u32 {
        let took = self.console.lines().find_map(|line| line.split_once(": took ")).unwrap().1;
        took.split(' ').next().unwrap().parse().unwrap()
    }

    pub fn remarks(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.log.lines().filter(|line| line.starts_with(REMARK))
    }

    pub fn record(&self) -> RunRecord {
        RunRecord::read(self.folder.path()).unwrap()
    }
}

/// Runs a program, in words, with further options. It has to succeed.
#[track_caller]
pub fn run(words: &str, more: &[&str]) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments: Vec<_> = ["run"].into_iter().chain(words.split(' ')).chain(more.iter().copied()).collect();
    arguments.extend(["--out", folder.path().to_str().unwrap()]);
    let output = testbed(&arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}\n{}", String::from_utf8_lossy(&output.stdout));
    let log = fs::read_to_string(folder.path().join(BALANCE)).unwrap_or_default();
    let console = fs::read_to_string(folder.path().join(CONSOLE)).unwrap();
    Left { folder, console, log, said }
}

/// A placement for `static` of the threads 2 to 9 of the first program on the first slave.
pub const PLACEMENT: &str =
    "# all but the first two\n1-01-004 2\n1-01-005 3\n1-01-006 4\n1-01-007 5\n1-01-008 2 # far\n";

/// The lines of [`PLACEMENT`] whose threads `synthetic` has, which is started by these words: from 2
/// on, as many as the second word says.
pub fn placed(words: &str) -> String {
    let threads: u32 = words.split(' ').nth(1).unwrap().parse().unwrap();
    let is_there = |line: &&str| line[5..8].parse().is_ok_and(|thread: u32| thread < threads + 2);
    PLACEMENT.lines().filter(is_there).map(|line| format!("{line}\n")).collect()
}

pub fn placement(folder: &Path, text: &str) -> String {
    let path = folder.join("places");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().into()
}

/// A command ends with the exit code of a wrong input, says these texts, and what would help.
#[track_caller]
pub fn refused(arguments: &[&str], wanted: &[&str]) {
    let output = testbed(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {error}");
    assert!(error.contains("\n  help: "), "{error}");
    for text in wanted {
        assert!(error.contains(text), "{arguments:?}: no `{text}` in\n{error}");
    }
}
