//! TSDL metadata of the CTF folder.

use std::fmt::Write;

use testbed_definitions::event::{KINDS, MORE, SCHEDULE, THREAD_MASK};
use testbed_definitions::filter::total_marker;
use testbed_definitions::monitor::{GAP_MARKER, WRAP_MARKER};
use testbed_machine::{brief, Machine};

use super::meaning::Meaning;
use super::tsdl::Value;
use super::MachineRecord;
use crate::order::Convention;

/// Bytes of the metadata, at most: with the longest names there are 4,000.
pub(super) const METADATA_BYTES: u64 = 1 << 16;

/// The `metadata` file: every stream file is one packet without header, of 4-byte events.
///
/// The clock's frequency is the tick's, to the nearest hertz; `tick_cycles` and `clock_hz` in `env`
/// are exact. So are `processors`, in the order of their numbers, and `dgl`, the event classes,
/// which decide how words are read as events: with them the folder can be read by itself.
///
/// The datum is an enumeration, so that other tools show names. It names words, not events: the
/// second word of an event is a datum like any other, and where it happens to equal a code it has
/// that code's name.
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
typealias enum : word {{
{names}}} := named;

stream {{
	event.header := struct {{ stamp time; }};
}};

event {{
	name = pair;
	fields := struct {{ named datum; }};
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

/// Whether this means what [`metadata`] gives, whatever names of words it has: there may have been
/// others, or none, when the run was made. Blanks, comments, the order of what is said, and names
/// of types mean nothing.
pub fn is_of_run(text: &str, machine: &Machine, dgl: u32) -> bool {
    Meaning::of(text).is_ok_and(|meaning| Meaning::of(&metadata(machine, dgl)) == Ok(meaning))
}

/// Machine and event classes from the metadata of a trace: as much as it takes to read its events.
///
/// # Errors
/// It is no TSDL, its events are others than ours, or `env` does not say what it should: where, and what.
pub fn described(metadata: &str) -> Result<(MachineRecord, u32), String> {
    let meaning = Meaning::of(metadata)?;
    let number = |key: &str| {
        let value = meaning.env(key)?;
        let number = if let Value::Number(number) = value { u32::try_from(*number).ok() } else { None };
        number.ok_or_else(|| format!("`{key} = {}` is no number that it can be", brief(&text(value))))
    };
    let processors: Vec<String> = text(meaning.env("processors")?).split_whitespace().map(Into::into).collect();
    let machine = MachineRecord {
        name: text(meaning.env("machine")?),
        clock_hz: number("clock_hz")?,
        tick_cycles: number("tick_cycles")?,
        processors,
        ..MachineRecord::from(&Machine::testbed6())
    };
    Machine::from(&machine).check().map_err(|(key, fault)| format!("{key}: {}: {}", fault.message, fault.remedy))?;
    let dgl = number("dgl")?;
    if !meaning.has_our_events() {
        let ours = "a stamp in the header and one field, 16 bits each, unsigned, the low byte first, and nothing else";
        return Err(format!("its events are others than a Testbed's, which have {ours}"));
    }
    Ok((machine, dgl))
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Word(text) => text.clone(),
        Value::Number(number) => number.to_string(),
    }
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

    /// Metadata of before there were names, and with those of other kinds of events, are a run's
    /// too; any other change is none.
    #[test]
    fn names_may_be_others() {
        let machine = Machine::testbed6();
        let text = metadata(&machine, 13);
        assert!(text.contains("\t\"COMMS\" = 0x8110,\n") && text.contains("\t\"TRAP7\" = 0x0007,\n"), "{text}");
        let begin = text.find("typealias enum").unwrap();
        let end = text.find("} := named;\n").unwrap() + "} := named;\n".len();
        let plain = format!("{}{}", &text[..begin], &text[end..]).replace("named datum", "word datum");
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

    /// As another program may write the same.
    const FOREIGN: &str = r#"// Written by hand.
typealias integer { base = hexadecimal; signed = 0; align = 0x8; size = 020; } := u16le;
event { fields := struct { enum : u16le { "A" = 1, "B", } datum; }; id = 0; name = "pair"; };
clock { description = "another"; freq = 1000000; offset = 0; name = "global"; };
stream { id = 0; event.header := struct {
    integer { map = clock . global . value; size = 16u; align = 8; byte_order = native; } time;
}; };
env { tick_cycles = 25; dgl = 13; processors = "master earth air fire water space";
    machine = "testbed6"; clock_hz /* Hz */ = 25000000; };
trace { byte_order = le; minor = 8; major = 1; };"#;

    #[test]
    fn metadata_of_equal_meaning_are_taken() {
        let machine = Machine::testbed6();
        assert_eq!(described(FOREIGN), Ok(((&machine).into(), 13)));
        assert!(is_of_run(FOREIGN, &machine, 13), "{:?}", Meaning::of(FOREIGN));
        // Other packing of bits, other blocks.
        for (old, new) in [
            ("size = 020", "size = 32"),
            ("signed = 0", "signed = true"),
            ("byte_order = le", "byte_order = be"),
            ("datum; }; id", "datum; u16le more; }; id"),
            ("stream { id", "stream { packet.context := struct { u16le size; }; id"),
            ("trace {", "trace { packet.header := struct { u16le magic; };"),
        ] {
            let other = FOREIGN.replace(old, new);
            assert!(other != FOREIGN && !is_of_run(&other, &machine, 13), "{new}");
            assert!(described(&other).unwrap_err().contains("its events are others"), "{new}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (old, new, expected) in [
            ("dgl = 13", "dgl 13", "line 8, column 29: `=` or `:=` is expected"),
            ("dgl = 13", "dgl = 13; dgl = 5", "line 8, column 35: `dgl` is said a second time"),
            ("u16le {", "word {", "line 3, column 1: there is no type `word`"),
            ("trace {", "env {}; trace {", "line 10, column 1: there is a second `env`"),
        ] {
            assert_eq!(described(&FOREIGN.replace(old, new)).unwrap_err(), expected);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let text = metadata(&Machine::testbed6(), 1).replace("processors", "cores");
        assert_eq!(described(&text).unwrap_err(), "`env` does not say `processors`");
        let text = metadata(&Machine::testbed6(), 1).replace("clock_hz = 25000000", "clock_hz = x");
        assert!(described(&text).unwrap_err().contains("clock_hz = x"));
    }
}
