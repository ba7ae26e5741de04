//! Logs of balancers in a folder: the figures that are made of them, and how good their moves were.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use testbed_balance::log::parse::{parse, LogError};
use testbed_machine::{input, printable};
use testbed_trace::balance::{History, Quality};
use testbed_trace::capture::{Capture, BALANCE};

use super::balanced::{balanced, Numbers};
use crate::model::{Figure, Table};

/// The longest log that is read.
const LOG_BYTES: u64 = 64 << 20;
/// What the names of logs end with.
const EXTENSION: &str = "log";
/// Panels of a figure, at most: a policy's links take two.
const POLICIES_MOST: usize = 4;

/// Programs of which the report has figures: the name in logs' names, the program, its figures.
const PROGRAMS: [(&str, &str, Numbers); 5] = [
    ("compute", "synthetic", Numbers { queues: 42, links: Some(43), migrations: Some(44) }),
    ("pairs", "synthetic", Numbers { queues: 45, links: Some(46), migrations: Some(47) }),
    ("mixed", "synthetic", Numbers { queues: 48, links: None, migrations: None }),
    ("adder", "adder", Numbers { queues: 50, links: Some(51), migrations: Some(52) }),
    ("wator", "wator", Numbers { queues: 56, links: Some(57), migrations: Some(58) }),
];

/// Why logs can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    #[error("{}: cannot be read: {source}\n  help: give a folder of logs with --logs", printable(&path.to_string_lossy()))]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}\n  help: give logs as a balancer writes them, docs/balance.md shows one", printable(&path.to_string_lossy()))]
    Malformed { path: PathBuf, source: LogError },
    #[error("{}: the name is not PROGRAM-POLICY.log\n  help: the programs are {}", printable(&path.to_string_lossy()), PROGRAMS.map(|program| program.0).join(", "))]
    Name { path: PathBuf },
    #[error("{}: there is no log\n  help: give a folder with files as compute-report.log", printable(&path.to_string_lossy()))]
    None { path: PathBuf },
}

/// A log of a program under a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// Its place in the programs of which the report has figures.
    program: usize,
    /// The policy, of a run with the period of samples.
    policy: String,
    /// Policy and period of samples, of a run of the experiment.
    run: Option<(String, u32)>,
    history: History,
    /// Machine time of its run, and the times that it is held against: the program with no balancer, all
    /// threads on one processor, and with the best static placement known.
    times: Option<Times>,
    is_shown: bool,
}

/// Times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    pub seconds: f64,
    pub sequential: f64,
    pub best: Option<f64>,
}

/// A run under a policy.
pub struct Balanced<'a> {
    pub capture: &'a Capture,
    /// The program's name in logs' names.
    pub name: &'a str,
    pub policy: &'static str,
    pub period_us: u32,
    pub times: Option<Times>,
    /// Whether its log is drawn.
    pub is_shown: bool,
}

impl Balanced<'_> {
    /// Its log.
    ///
    /// # Errors
    /// It can't be read, or is none.
    pub fn read(self) -> Result<Log, LogsError> {
        let path = self.capture.dir.join(BALANCE);
        let program = PROGRAMS.iter().position(|known| known.0 == self.name);
        let Some(program) = program else { return Err(LogsError::Name { path }) };
        let policy = format!("{}, {} ms", self.policy, self.period_us / 1_000);
        let run = Some((self.policy.to_string(), self.period_us));
        Ok(Log { program, policy, run, history: history(path)?, times: self.times, is_shown: self.is_shown })
    }
}

/// How good the moves of a policy were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub program: String,
    pub policy: String,
    /// The policy's name and the period of samples in microseconds, of a run of the experiment.
    pub run: Option<(String, u32)>,
    #[serde(flatten)]
    pub quality: Quality,
    pub times: Option<Times>,
}

/// All logs of a folder, those of a program together.
///
/// # Errors
/// The folder or a log can't be read, or one is not named or not written as logs are.
pub fn read(folder: &Path) -> Result<Vec<Log>, LogsError> {
    let unreadable = |source| LogsError::Unreadable { path: folder.into(), source };
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            logs.push(of_file(path)?);
        }
    }
    if logs.is_empty() {
        return Err(LogsError::None { path: folder.into() });
    }
    logs.sort_by(|one, other| (one.program, &one.policy).cmp(&(other.program, &other.policy)));
    Ok(logs)
}

fn of_file(path: PathBuf) -> Result<Log, LogsError> {
    let name = path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.split_once('-'));
    let known = name.and_then(|(program, policy)| {
        let program = PROGRAMS.iter().position(|known| known.0 == program)?;
        Some((program, policy.to_string()))
    });
    let Some((program, policy)) = known else { return Err(LogsError::Name { path }) };
    Ok(Log { program, policy, run: None, history: history(path)?, times: None, is_shown: true })
}

fn history(path: PathBuf) -> Result<History, LogsError> {
    let bytes = match input::bytes(&path, LOG_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(LogsError::Unreadable { path, source }),
    };
    match parse(&String::from_utf8_lossy(&bytes)) {
        Ok(entries) => Ok(History::of(&entries)),
        Err(source) => Err(LogsError::Malformed { path, source }),
    }
}

/// Puts the logs of a program together, as they came.
pub fn sort(logs: &mut [Log]) {
    logs.sort_by_key(|log| log.program);
}

/// The figures of all programs of which there are logs.
pub fn figures(logs: &[Log]) -> Vec<Figure> {
    let of = |(place, (_, program, numbers)): (usize, &(&str, &str, Numbers))| {
        let own = logs.iter().filter(|log| log.program == place && log.is_shown).take(POLICIES_MOST);
        let own: Vec<_> = own.map(|log| (log.policy.as_str(), &log.history)).collect();
        if own.is_empty() {
            Vec::new()
        } else {
            balanced(*numbers, program, &own)
        }
    };
    PROGRAMS.iter().enumerate().flat_map(of).collect()
}

/// How good the moves of all logs were.
pub fn rows(logs: &[Log]) -> Vec<Row> {
    let row = |log: &Log| Row {
        program: PROGRAMS[log.program].0.into(),
        policy: log.policy.clone(),
        run: log.run.clone(),
        quality: log.history.quality(),
        times: log.times,
    };
    logs.iter().map(row).collect()
}

/// The same as a table.
pub fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        let Quality { moves, failed, hits, useless, level_ms } = row.quality;
        vec![
            row.program.clone(),
            row.policy.clone(),
            moves.to_string(),
            failed.to_string(),
            hits.map_or("-".into(), |hits| format!("{:.0} %", 100.0 * hits)),
            useless.to_string(),
            level_ms.map_or("never".into(), |level| format!("{:.1} s", level as f64 / 1e3)),
            row.times.map_or("-".into(), |times| format!("{:.2}", times.seconds)),
            row.times.map_or("-".into(), |times| format!("{:.0} %", 100.0 * times.seconds / times.sequential)),
            row.times
                .and_then(|times| Some(format!("{:+.0} %", 100.0 * (times.seconds / times.best? - 1.0))))
                .unwrap_or("-".into()),
        ]
    };
    Table {
        title: "How good the moves were".into(),
        explanation: "A move hits if what it was for is better on average in the two summaries behind it than in the one from which it was decided: the evenness of the queues, \
                      the messages of the link, or, of a thread that was named, either evenness or all messages. It was useless if its thread had left the same processor \
                      within the last two seconds. The load is level when the longest queue is at most one above the shortest, in two summaries.\n\
                      Of sequential: the time beside that with all threads on one processor and no balancer; of the policy none it is what samples and the balancer cost. \
                      Regret: the time above that with the best static placement known."
            .into(),
        columns: ["program", "policy", "moves", "requests without", "hits", "useless", "level at", "seconds", "of sequential", "regret"].map(String::from).into(),
        rows: rows.iter().map(cells).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "TIM: 1000\nLNK: 0 0 0 0 0 0 0 0 0 0 (av 0)\nRQL: 9 1 1 1 1 (av 3)\n";

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    #[test]
    fn logs_are_read_by_their_names() {
        let files = [("wator-gain.log", LOG), ("compute-report.log", LOG), ("mixed-gain.log", LOG), ("notes.txt", "")];
        let dir = folder(&files);
        let logs = read(dir.path()).unwrap();
        let found = rows(&logs);
        let names: Vec<_> = found.iter().map(|row| (row.program.as_str(), row.policy.as_str())).collect();
        assert_eq!(names, [("compute", "report"), ("mixed", "gain"), ("wator", "gain")]);
        let numbers: Vec<_> = figures(&logs).iter().map(|figure| figure.number).collect();
        assert_eq!(numbers, [42, 43, 44, 48, 56, 57, 58]);
        assert_eq!(table(&found).rows[0], ["compute", "report", "0", "0", "-", "0", "never", "-", "-", "-"]);
    }

    #[test]
    fn what_is_no_log_is_named_with_a_remedy() {
        let error = |files: &[(&str, &str)]| read(folder(files).path()).unwrap_err().to_string();
        for (files, words) in [
            (&[("compute-report.log", "TIM: x\n")][..], "compute-report.log: line 1, column 6"),
            (&[("crowd-report.log", LOG)], "the name is not PROGRAM-POLICY.log"),
            (&[("notes.txt", "")], "there is no log"),
        ] {
            let error = error(files);
            assert!(error.contains(words) && error.contains("help:"), "{error}");
        }
        assert!(read(Path::new("/nowhere")).unwrap_err().to_string().contains("/nowhere: cannot be read"));
    }
}
