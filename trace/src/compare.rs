//! The first difference between two output folders. Engine and wall time don't count.

use std::io::{BufRead, BufReader};
use std::path::Path;

use itertools::Itertools;
use serde::Serialize;
use testbed_machine::printable;

use crate::capture::{verify, Capture, CaptureError, Context, RunRecord, CONSOLE, INPUT, MMI_RAW};
use crate::order::{events, Event};
use crate::summary::describe;

/// Compares two captures; one sentence for each kind of difference, the events first. Empty: they are equal.
///
/// # Errors
/// A file is missing or can't be read.
pub fn compare(a: &Capture, b: &Capture) -> Result<Vec<String>, CaptureError> {
    let mut differences = Vec::new();
    let (one, other) = (&a.record, &b.record);
    if one.machine.processors != other.machine.processors {
        differences.push(format!("processors: {:?} and {:?}", one.machine.processors, other.machine.processors));
        return Ok(differences);
    }
    differences.extend(first_event(a, b)?);
    differences.extend(first_word(a, b)?);
    for smi in a.smis() {
        differences.extend(first_pair(a, b, smi)?);
    }
    differences.extend(first_line(CONSOLE, a, b)?);
    let gave_input = |capture: &Capture| capture.dir.join(INPUT).is_file();
    match (gave_input(a), gave_input(b)) {
        (true, true) => differences.extend(first_line(INPUT, a, b)?),
        (false, false) => {}
        (first, _) => differences.push(format!("{INPUT}: only the {} has one", if first { "first" } else { "second" })),
    }
    differences.extend(records(one, other));
    Ok(differences)
}

fn first_event(a: &Capture, b: &Capture) -> Result<Option<String>, CaptureError> {
    let (mut left, mut right) = (events(a, &verify(a)?)?, events(b, &verify(b)?)?);
    for number in 0u64.. {
        let (one, other) = (left.next().transpose()?, right.next().transpose()?);
        match (&one, &other) {
            (None, None) => break,
            (Some(one), Some(other)) if same(one, other) => {}
            _ => {
                let show = |event: &Option<Event>, capture: &Capture| {
                    event.map_or("the trace ends".into(), |event| describe(&event, &capture.record))
                };
                return Ok(Some(format!("event {number}: {}; {}", show(&one, a), show(&other, b))));
            }
        }
    }
    Ok(None)
}

/// Bounds of ambiguous epochs depend on how long a run was, not on what happened.
fn same(one: &Event, other: &Event) -> bool {
    Event { epoch: other.epoch, ..*one } == *other && one.epoch.low() == other.epoch.low()
}

fn first_word(a: &Capture, b: &Capture) -> Result<Option<String>, CaptureError> {
    let (mut left, mut right) = (a.mmi()?, b.mmi()?);
    loop {
        let offset = left.offset();
        match (left.next().transpose()?, right.next().transpose()?) {
            (None, None) => return Ok(None),
            (one, other) if one == other => {}
            (one, other) => return Ok(Some(at_byte(MMI_RAW, offset, one, other))),
        }
    }
}

fn first_pair(a: &Capture, b: &Capture, smi: usize) -> Result<Option<String>, CaptureError> {
    let (mut left, mut right) = (a.pairs(smi)?, b.pairs(smi)?);
    loop {
        let offset = left.offset();
        let (one, other) = (left.next().transpose()?, right.next().transpose()?);
        if one.is_none() && other.is_none() {
            return Ok(None);
        }
        if one != other {
            let name = format!("trace/{}", a.record.machine.processors[smi]);
            return Ok(Some(at_byte(&name, offset, one.map(|pair| pair.pack()), other.map(|pair| pair.pack()))));
        }
    }
}

fn at_byte(name: &str, offset: u64, one: Option<u32>, other: Option<u32>) -> String {
    let show = |word: Option<u32>| word.map_or("the end".into(), |word| format!("{word:#010x}"));
    format!("{name}: byte {offset}: {} and {}", show(one), show(other))
}

/// The first difference between two text files of this name.
fn first_line(name: &str, a: &Capture, b: &Capture) -> Result<Option<String>, CaptureError> {
    let open = |capture: &Capture, path: &Path| {
        let file = capture.files().open(path).at("open", path)?;
        Ok::<_, CaptureError>(BufReader::new(file).split(b'\n'))
    };
    let paths = [a, b].map(|capture| capture.dir.join(name));
    let (mut left, mut right) = (open(a, &paths[0])?, open(b, &paths[1])?);
    for number in 1u64.. {
        let read = |line: Option<std::io::Result<Vec<u8>>>, path: &Path| line.transpose().at("read", path);
        let (one, other) = (read(left.next(), &paths[0])?, read(right.next(), &paths[1])?);
        if one.is_none() && other.is_none() {
            break;
        }
        if one != other {
            let show = |line: Option<Vec<u8>>| {
                line.map_or("the end".into(), |line| format!("`{}`", printable(&String::from_utf8_lossy(&line))))
            };
            return Ok(Some(format!("{name}: line {number}: {} and {}", show(one), show(other))));
        }
    }
    Ok(None)
}

fn records(one: &RunRecord, other: &RunRecord) -> Vec<String> {
    let mut differences = Vec::new();
    let mut check = |what: &str, a: String, b: String| {
        if a != b {
            differences.push(format!("{what}: {a} and {b}"));
        }
    };
    let kernel = |record: &RunRecord| record.kernel_name().to_string();
    check("program", one.program.clone(), other.program.clone());
    check("arguments", format!("{:?}", one.arguments), format!("{:?}", other.arguments));
    check("seed", one.seed.to_string(), other.seed.to_string());
    check("kernel", kernel(one), kernel(other));
    check("event classes", format!("{:#x}", one.dgl), format!("{:#x}", other.dgl));
    check("files", one.files.join(", "), other.files.join(", "));
    check("complete", one.complete.to_string(), other.complete.to_string());
    check("final cycle", one.cycles.to_string(), other.cycles.to_string());
    check("instructions", format!("{:?}", one.instructions), format!("{:?}", other.instructions));
    let exits = |record: &RunRecord| {
        let exit = |exit: &crate::capture::ExitRecord| format!("{} {} at {}", exit.processor, exit.code, exit.cycle);
        record.exits.iter().map(exit).join(", ")
    };
    check("exits", exits(one), exits(other));
    let (Some(one), Some(other)) = (&one.ledger, &other.ledger) else { return differences };
    for (a, b) in one.smis.iter().zip(&other.smis) {
        differences.extend(fields("ledger", &a.processor, a, b));
    }
    for (a, b) in one.stations.iter().zip(&other.stations) {
        differences.extend(fields("bus counters", &a.processor, a, b));
    }
    differences
}

/// The counters of one processor that differ, in one sentence.
fn fields(what: &str, processor: &str, a: &impl Serialize, b: &impl Serialize) -> Option<String> {
    let (a, b) = (value(a), value(b));
    let names = a.as_object().into_iter().flat_map(|fields| fields.keys());
    let differing = names.filter(|name| a[*name] != b[*name]);
    let differing = differing.map(|name| format!("{name} {} and {}", a[name], b[name])).join(", ");
    (!differing.is_empty()).then(|| format!("{what} of {processor}: {differing}"))
}

fn value(counters: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(counters).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::StationLine;

    #[test]
    fn only_the_counters_that_differ_are_named() {
        let one = StationLine { tx_packets: 13, rx_packets: 27, ..StationLine::default() };
        let other = StationLine { tx_packets: 13, rx_packets: 26, ..StationLine::default() };
        assert_eq!(fields("bus counters", "air", &one, &one), None);
        let text = fields("bus counters", "air", &one, &other);
        assert_eq!(text.as_deref(), Some("bus counters of air: rx_packets 27 and 26"));
    }
}
