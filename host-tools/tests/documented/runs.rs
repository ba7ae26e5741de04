//! What commands print.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::root;

/// What stands between the commands of a marker.
const THEN: &str = ", then testbed ";

/// The folder of a run, which is made once for all blocks.
fn folder(command: &str) -> Result<PathBuf, String> {
    static RUNS: Mutex<BTreeMap<String, TempDir>> = Mutex::new(BTreeMap::new());
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if !runs.contains_key(command) {
        let made = tempfile::tempdir().map_err(|error| error.to_string())?;
        output(&format!("{command} --out {}", made.path().join("run").display()))?;
        runs.insert(command.into(), made);
    }
    Ok(runs[command].path().join("run"))
}

/// What `testbed COMMAND` prints; of several commands, the last one.
pub fn output(command: &str) -> Result<String, String> {
    let (runs, last) = command.rsplit_once(THEN).unwrap_or(("", command));
    let mut folders = BTreeMap::new();
    for (run, name) in runs.split(THEN).filter(|run| !run.is_empty()).zip(["DIR", "DIR2"]) {
        folders.insert(name, folder(run)?.display().to_string());
    }
    let words = last.split_whitespace().map(|word| folders.get(word).map_or(word, String::as_str));
    let run = Command::new(env!("CARGO_BIN_EXE_testbed")).args(words).current_dir(root()).output();
    let run = run.map_err(|error| error.to_string())?;
    // `diff` ends with 1 where there is something to show.
    let is_good = run.status.success() || last.starts_with("diff ") && run.status.code() == Some(1);
    if !is_good {
        return Err(format!("testbed {command}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)));
    }
    String::from_utf8(run.stdout).map_err(|error| error.to_string())
}
