//! TSDL metadata of the CTF folder.

use testbed_machine::Machine;

/// The `metadata` file: every stream file is one packet without header, of 4-byte events.
///
/// The clock's frequency is the tick's, to the nearest hertz; `tick_cycles` and `clock_hz` in `env` are exact.
pub fn metadata(machine: &Machine) -> String {
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
    )
}
