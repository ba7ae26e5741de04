//! Whether a record is one that a run can leave: all that reads a folder relies on it.

use testbed_definitions::event::{DIAG_PROFILE, DIAG_READY};
use testbed_definitions::{file, limits};
use testbed_machine::{brief, Fault, Machine};

use super::RunRecord;

/// Cycles of a run, at most: every number of a record is then one that scripts of a page hold
/// exactly. It is eleven years of a machine at 25 MHz.
pub const CYCLES_MAX: u64 = 1 << 53;
/// Bytes of `run.json`, at most; one with the longest arguments and all files has a tenth of it.
pub(super) const RECORD_BYTES: u64 = 1 << 20;
/// Bytes of a text in the record, at most: paths are no longer.
const TEXT_BYTES: usize = 4096;

/// Checks a record.
///
/// # Errors
/// The first key that is wrong, such as `machine.processors[3]`, and why.
pub(super) fn check(record: &RunRecord) -> Result<(), (String, Fault)> {
    Machine::from(&record.machine).check().map_err(|(key, fault)| (format!("machine.{key}"), fault))?;
    let both = DIAG_PROFILE | DIAG_READY;
    let counted = record.complete && !record.is_attached();
    at("dgl", record.dgl & both != both, || {
        (
            "it has the classes profile and ready, whose words look alike".into(),
            format!("leave out {DIAG_PROFILE} or {DIAG_READY}"),
        )
    })?;
    at("cycles", record.cycles <= CYCLES_MAX, || {
        (format!("{} cycles are more than a run can have", record.cycles), format!("use 0 to {CYCLES_MAX}"))
    })?;
    at("wall_seconds", record.wall_seconds >= 0.0, || {
        ("time that runs backwards".into(), "use 0 or more seconds".into())
    })?;
    texts(record)?;
    instructions(record, counted)?;
    exits(record, counted)?;
    ledger(record)
}

/// `Err` with `fault`, a message and a remedy, if the value of `key` is not `sound`.
fn at(key: &str, sound: bool, fault: impl FnOnce() -> (String, String)) -> Result<(), (String, Fault)> {
    match sound {
        true => Ok(()),
        false => {
            let (message, remedy) = fault();
            Err((key.into(), Fault { message, remedy }))
        }
    }
}

/// A foreign text as a message shows it.
fn shown(text: &str) -> String {
    format!("`{}`", brief(text))
}

/// Names and words that messages and pages show.
fn texts(record: &RunRecord) -> Result<(), (String, Fault)> {
    for (key, text) in [("program", &record.program), ("engine", &record.engine)] {
        let sound = text.len() <= TEXT_BYTES && !text.chars().any(char::is_control);
        at(key, sound, || {
            let remedy = format!("use at most {TEXT_BYTES} bytes without control characters");
            (format!("{} cannot be shown", shown(text)), remedy)
        })?;
    }
    at("files", record.files.len() <= limits::FILES, || {
        (format!("{} files", record.files.len()), format!("name at most {}", limits::FILES))
    })?;
    for (number, name) in record.files.iter().enumerate() {
        at(&format!("files[{number}]"), file::is_name(name.as_bytes()), || {
            let remedy = format!("use 1 to {} printable characters without blanks and slashes", file::NAME_BYTES);
            (format!("no file can be called {}", shown(name)), remedy)
        })?;
    }
    Ok(())
}

fn instructions(record: &RunRecord, counted: bool) -> Result<(), (String, Fault)> {
    let (found, processors) = (record.instructions.len(), record.machine.processors.len());
    at("instructions", found == 0 || found == processors, || {
        (format!("counts of {found} processors"), format!("use one for each of the machine's {processors}, or none"))
    })?;
    let most = if counted { record.cycles } else { CYCLES_MAX };
    let over = record.instructions.iter().position(|count| *count > most);
    at(&format!("instructions[{}]", over.unwrap_or(0)), over.is_none(), || {
        ("a processor retires at most one instruction a cycle".into(), format!("use 0 to {most}"))
    })
}

fn exits(record: &RunRecord, counted: bool) -> Result<(), (String, Fault)> {
    let processors = &record.machine.processors;
    let most = if counted { record.cycles } else { CYCLES_MAX };
    for (number, exit) in record.exits.iter().enumerate() {
        let key = format!("exits[{number}]");
        at(&format!("{key}.processor"), processors.contains(&exit.processor), || {
            let remedy = format!("use one of {}", processors.join(", "));
            (format!("{} is no processor of the machine", shown(&exit.processor)), remedy)
        })?;
        let is_first = record.exits[..number].iter().all(|other| other.processor != exit.processor);
        at(&format!("{key}.processor"), is_first, || {
            ("a second exit of the same processor".into(), "leave in its first".into())
        })?;
        at(&format!("{key}.cycle"), exit.cycle <= most, || {
            (format!("cycle {} is behind the end of the run", exit.cycle), format!("use 0 to {most}"))
        })?;
    }
    Ok(())
}

/// Lines have the machine's processors in their order.
fn ledger(record: &RunRecord) -> Result<(), (String, Fault)> {
    let Some(ledger) = &record.ledger else { return Ok(()) };
    let processors = &record.machine.processors;
    let smis: Vec<_> = ledger.smis.iter().map(|line| &line.processor).collect();
    let stations: Vec<_> = ledger.stations.iter().map(|line| &line.processor).collect();
    for (part, found, names, may_lack) in
        [("smis", smis, &processors[1..], false), ("stations", stations, &processors[..], true)]
    {
        at(&format!("ledger.{part}"), found.len() == names.len() || may_lack && found.is_empty(), || {
            (format!("lines of {} processors", found.len()), format!("use one for each of {}", names.join(", ")))
        })?;
        let other = found.iter().zip(names).position(|(found, name)| *found != name).unwrap_or(found.len());
        at(&format!("ledger.{part}[{other}].processor"), other == found.len(), || {
            (format!("{} is not the processor of this line", shown(found[other])), format!("use {}", names[other]))
        })?;
    }
    Ok(())
}
