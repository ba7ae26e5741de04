//! The file of a measurement: its plan in the first line, then a line for each part that is done.
//! It only grows, by whole lines, so whatever interrupts a measurement leaves all parts before.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::plan::{PartName, Plan};
use crate::tally::Tally;

/// Its name in the output folder.
pub const RECORD: &str = "probe.jsonl";
/// Bytes of a record that is read, at most.
const RECORD_BYTES: u64 = 1 << 30;
/// Characters of what is said to be wrong with a line, at most.
const BRIEF: usize = 200;
/// What the first line says beside the plan.
const FORM: &str = "testbed probe 1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    form: String,
    plan: Plan,
}

/// A part that is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub part: PartName,
    pub tally: Tally,
}

/// What a record holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub plan: Plan,
    pub done: Vec<Line>,
}

/// Why a record can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{path}: {source}\n  help: measure into a folder that can be written, with --out", path = .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is being written by another measurement\n  help: wait for its end, or measure into another folder with --out", path = .path.display())]
    Busy { path: PathBuf },
    #[error("{path}:{line}: {what}\n  help: measure into another folder with --out, or begin anew with --overwrite", path = .path.display())]
    Line { path: PathBuf, line: usize, what: String },
    #[error("{path} is of another measurement: {what}\n  help: give the same options to go on with it, measure into another folder with --out, or begin anew with --overwrite", path = .path.display())]
    Other { path: PathBuf, what: String },
}

/// A record that grows.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    file: File,
    plan: Plan,
    done: Vec<Line>,
}

impl Record {
    /// Opens the record of this plan in a folder, which is made if need be, with what is done of it.
    /// A last line that is not whole is dropped: its part was being written when it was interrupted.
    ///
    /// # Errors
    /// The file can't be read or written, is none, or is that of another plan.
    pub fn open(folder: &Path, plan: &Plan, anew: bool) -> Result<Record, RecordError> {
        let path = folder.join(RECORD);
        let of = |source: io::Error| RecordError::Io { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(of)?;
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(of)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(RecordError::Busy { path }),
            Err(TryLockError::Error(error)) => return Err(of(error)),
            Ok(()) => {}
        }
        if anew {
            file.set_len(0).map_err(of)?;
        }
        let mut bytes = Vec::new();
        (&file).take(RECORD_BYTES).read_to_end(&mut bytes).map_err(of)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let done =
            match read(&bytes[..whole]).map_err(|(line, what)| RecordError::Line { path: path.clone(), line, what })? {
                Some(Content { plan: found, done }) => {
                    if let Some(what) = difference(&found, plan) {
                        return Err(RecordError::Other { path, what });
                    }
                    done
                }
                None => Vec::new(),
            };
        file.set_len(whole as u64).map_err(of)?;
        file.seek(SeekFrom::Start(whole as u64)).map_err(of)?;
        let mut record = Record { path, file, plan: plan.clone(), done };
        if whole == 0 {
            record.put(&First { form: FORM.into(), plan: plan.clone() })?;
        }
        Ok(record)
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn done(&self) -> &[Line] {
        &self.done
    }

    /// Adds a part that is done.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn add(&mut self, part: PartName, tally: Tally) -> Result<(), RecordError> {
        let line = Line { part, tally };
        self.put(&line)?;
        self.done.push(line);
        Ok(())
    }

    fn put(&mut self, line: &impl Serialize) -> Result<(), RecordError> {
        let of = |source: io::Error| RecordError::Io { path: self.path.clone(), source };
        let mut text = serde_json::to_string(line).map_err(|error| of(error.into()))?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush()).map_err(of)
    }
}

/// What whole lines say: the plan and what is done of it, nothing if there is no line, or which line
/// is wrong and why.
///
/// # Errors
/// The number of the line, from 1, and what is wrong.
pub fn read(bytes: &[u8]) -> Result<Option<Content>, (usize, String)> {
    lines(bytes).map_err(|(line, what)| (line, brief(&what)))
}

/// What is wrong, without what a foreign file could do to a terminal.
fn brief(what: &str) -> String {
    what.chars().filter(|letter| !letter.is_control()).take(BRIEF).collect()
}

fn lines(bytes: &[u8]) -> Result<Option<Content>, (usize, String)> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    let Some((_, first)) = lines.next() else { return Ok(None) };
    let first: First = serde_json::from_slice(first).map_err(|error| (1, error.to_string()))?;
    if first.form != FORM {
        return Err((1, "it is no record of this version".into()));
    }
    let Plan { hosts, sizes, probes, rate } = first.plan;
    let sizes: Vec<u32> = sizes.into_iter().map(u32::from).collect();
    let plan = Plan::new(hosts, &sizes, probes, rate).map_err(|error| (1, error.to_string()))?;
    let mut expected: BTreeSet<PartName> = plan.parts().into_iter().collect();
    let mut done = Vec::new();
    for (index, line) in lines {
        let wrong = |what: String| (index + 1, what);
        let line: Line = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        if !expected.remove(&line.part) {
            return Err(wrong("this part is none of the plan's, or is there twice".into()));
        }
        let probes = plan.probes_of(&line.part) as usize;
        if let Some(what) = line.tally.wrong(line.part.packet_bytes.into(), probes) {
            return Err(wrong(what.into()));
        }
        done.push(line);
    }
    Ok(Some(Content { plan, done }))
}

/// In what two plans differ.
fn difference(found: &Plan, wanted: &Plan) -> Option<String> {
    let differ = |what: &str, found: String, wanted: String| format!("its {what} {found}, and now {wanted}");
    if found.hosts != wanted.hosts {
        return Some(differ("peers are", found.hosts.join(", "), wanted.hosts.join(", ")));
    }
    if found.sizes != wanted.sizes {
        return Some(differ("packet sizes are", format!("{:?}", found.sizes), format!("{:?}", wanted.sizes)));
    }
    if found.probes != wanted.probes {
        return Some(differ("packets of each size are", found.probes.to_string(), wanted.probes.to_string()));
    }
    (found.rate != wanted.rate).then(|| differ("bytes a second are", found.rate.to_string(), wanted.rate.to_string()))
}
