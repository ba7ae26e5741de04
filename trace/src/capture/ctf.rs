//! TSDL metadata of the CTF folder.

use testbed_machine::{brief, Machine};

use super::MachineRecord;

/// Bytes of the metadata, at most: with the longest names there are 2,000.
pub(super) const METADATA_BYTES: u64 = 1 << 16;

/// The `metadata` file: every stream file is one packet without header, of 4-byte events.
///
/// The clock's frequency is the tick's, to the nearest hertz; `tick_cycles` and `clock_hz` in `env` are exact.
/// So are `processors`, in the order of their numbers, and `dgl`, the event classes, which decide how words are read as events:
/// with them the folder can be read by itself.
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

stream {{
	event.header := struct {{ stamp time; }};
}};

event {{
	name = pair;
	fields := struct {{ word datum; }};
}};
"#,
        name = machine.name,
        clock_hz = machine.clock_hz,
        tick_cycles = machine.tick_cycles,
        processors = machine.processors.join(" "),
    )
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

    #[test]
    fn what_is_missing_is_named() {
        let text = metadata(&Machine::testbed6(), 1).replace("processors", "cores");
        assert_eq!(described(&text).unwrap_err(), "`env` does not say `processors`");
        let text = metadata(&Machine::testbed6(), 1).replace("clock_hz = 25000000", "clock_hz = x");
        assert!(described(&text).unwrap_err().contains("clock_hz = x"));
    }
}
