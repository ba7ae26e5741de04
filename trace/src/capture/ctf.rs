//! TSDL metadata of the CTF folder.

use std::fmt::Write;

use testbed_definitions::event::{KINDS, MORE, SCHEDULE, THREAD_MASK};
use testbed_definitions::filter::total_marker;
use testbed_definitions::monitor::{GAP_MARKER, WRAP_MARKER};
use testbed_machine::{brief, Machine};

use super::MachineRecord;
use crate::order::Convention;

/// The lines between which the names of words stand, and how the datum is declared with them and without.
const NAMES_BEGIN: &str = "typealias enum : word {";
const NAMES_END: &str = "} := named;";
const NAMED: &str = "struct { named datum; }";
const PLAIN: &str = "struct { word datum; }";

/// Bytes of the metadata, at most: with the longest names there are 4,000.
pub(super) const METADATA_BYTES: u64 = 1 << 16;

/// The `metadata` file: every stream file is one packet without header, of 4-byte events.
///
/// The clock's frequency is the tick's, to the nearest hertz; `tick_cycles` and `clock_hz` in `env` are exact.
/// So are `processors`, in the order of their numbers, and `dgl`, the event classes, which decide how words are read as events:
/// with them the folder can be read by itself.
///
/// The datum is an enumeration, so that other tools show names. It names words, not events: the second word of an event is a datum like any
/// other, and where it happens to equal a code it has that code's name.
pub fn metadata(machine: &Machine, dgl: u32) -> String {
    let frequency = (u64::from(machine.clock_hz) * 2 / u64::from(machine.tick_cycles)).div_ceil(2).max(1);
    format!(
        r#"/* CTF 1.8 */
trace {{
	major = 1;
	minor = 8;
	byte_order = le;
}};

env {{
	machine = "{name}";
	clock_hz = {clock_hz};
	tick_cycles = {tick_cycles};
	processors = "{processors}";
	dgl = {dgl};
}};

clock {{
	name = global;
	description = "the global clock, common to all SMIs";
	freq = {frequency};
}};

typealias integer {{ size = 16; align = 8; signed = false; map = clock.global.value; }} := stamp;
typealias integer {{ size = 16; align = 8; signed = false; base = 16; }} := word;
{NAMES_BEGIN}
{names}{NAMES_END}

stream {{
	event.header := struct {{ stamp time; }};
}};

event {{
	name = pair;
	fields := {NAMED};
}};
"#,
        name = machine.name,
        clock_hz = machine.clock_hz,
        tick_cycles = machine.tick_cycles,
        processors = machine.processors.join(" "),
        names = names(dgl),
    )
}

/// The names of words under these event classes, a line each.
fn names(dgl: u32) -> String {
    let mut lines = String::new();
    let mut name = |name: &str, first: u16, last: u16| {
        let line = match first == last {
            true => writeln!(lines, "\t\"{name}\" = {first:#06x},"),
            false => writeln!(lines, "\t\"{name}\" = {first:#06x} ... {last:#06x},"),
        };
        line.expect("a String takes everything");
    };
    match Convention::of(dgl) {
        Convention::Profile => {
            for kind in KINDS {
                let code = kind.code | if kind.argument.is_some() { MORE } else { 0 };
                name(kind.name, code, code);
            }
            name("SCHEDULE", SCHEDULE, SCHEDULE | THREAD_MASK);
        }
        Convention::Ready => {
            name("LEAVES", 0, THREAD_MASK);
            name("JOINS", SCHEDULE, SCHEDULE | THREAD_MASK);
        }
    }
    let marker = |marker: u8, low: u16| u16::from(marker) << 8 | low;
    name("WRAP", marker(WRAP_MARKER, 0), marker(WRAP_MARKER, 0xff));
    name("GAP", marker(GAP_MARKER, 0), total_marker(0, 0) - 1);
    name("TOTAL", total_marker(0, 0), marker(GAP_MARKER, 0xff));
    lines
}

/// Whether this is what [`metadata`] gives, whatever names of words it has: there may have been others, or none, when the run was made.
pub fn is_of_run(text: &str, machine: &Machine, dgl: u32) -> bool {
    without_names(text) == without_names(&metadata(machine, dgl))
}

fn without_names(text: &str) -> String {
    let rest = match (text.split_once(NAMES_BEGIN), text.split_once(&format!("{NAMES_END}\n"))) {
        (Some((before, names)), Some((_, after))) if names.len() > after.len() => format!("{before}{after}"),
        _ => text.into(),
    };
    rest.replace(NAMED, PLAIN)
}

/// Machine and event classes from the metadata of a trace: as much as it takes to read its events.
pub fn described(metadata: &str) -> Result<(MachineRecord, u32), String> {
    let value = |key: &str| {
        let line = metadata.lines().find_map(|line| line.trim().strip_prefix(key)?.trim_start().strip_prefix('='));
        let value = line.map(|value| value.trim().trim_end_matches(';').trim_matches('"').to_string());
        value.ok_or_else(|| format!("`env` does not say `{key}`"))
    };
    let number = |key: &str| {
        let text = value(key)?;
        text.parse::<u32>().map_err(|_| format!("`{key} = {}` is no number that it can be", brief(&text)))
    };
    let processors: Vec<String> = value("processors")?.split_whitespace().map(Into::into).collect();
    let machine = MachineRecord {
        name: value("machine")?,
        clock_hz: number("clock_hz")?,
        tick_cycles: number("tick_cycles")?,
        processors,
        ..MachineRecord::from(&Machine::testbed6())
    };
    Machine::from(&machine).check().map_err(|(key, fault)| format!("{key}: {}: {}", fault.message, fault.remedy))?;
    Ok((machine, number("dgl")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_metadata_say_is_read_back() {
        let machine = Machine::testbed6();
        let (described, dgl) = described(&metadata(&machine, 13)).unwrap();
        assert_eq!((described, dgl), ((&machine).into(), 13));
    }

    /// Metadata of before there were names, and with those of other kinds of events, are a run's too; any other change is none.
    #[test]
    fn names_may_be_others() {
        let machine = Machine::testbed6();
        let text = metadata(&machine, 13);
        assert!(text.contains("\t\"COMMS\" = 0x8110,\n") && text.contains("\t\"TRAP7\" = 0x0007,\n"), "{text}");
        let plain = without_names(&text);
        assert!(!plain.contains("COMMS") && plain.contains("\nstream {"), "{plain}");
        for same in [&text, &plain, &text.replace("COMMS", "SENT")] {
            assert!(is_of_run(same, &machine, 13));
        }
        for other in
            [plain.replace("freq = ", "freq = 1"), text.replace("align = 8", "align = 16"), text.replace("};", "")]
        {
            assert!(!is_of_run(&other, &machine, 13), "{other}");
        }
        assert!(!is_of_run(&text, &machine, 5));
    }

    #[test]
    fn what_is_missing_is_named() {
        let text = metadata(&Machine::testbed6(), 1).replace("processors", "cores");
        assert_eq!(described(&text).unwrap_err(), "`env` does not say `processors`");
        let text = metadata(&Machine::testbed6(), 1).replace("clock_hz = 25000000", "clock_hz = x");
        assert!(described(&text).unwrap_err().contains("clock_hz = x"));
    }
}
