//! Descriptions: what is printed is read back the same; what is wrong is refused with place and remedy.

use proptest::prelude::*;
use testbed_machine::{Core, Machine, MachineError, Order, NAMED};

const GOOD: &str = r#"name = "m"
processors = ["master", "earth"]
ram = "1 MiB"
clock = "25 MHz"
[monitor]
tick = "1 us"
poll = "2 cycles"
smi_queue = 1024
mmi_queue = 512
port_queue = 512
port_cycles = "1 cycle"
order = "turns"
"#;

#[test]
fn the_named_machines_are_valid_and_carry_their_name() {
    for (name, text) in NAMED {
        let machine = Machine::parse(text, name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(machine.name, *name);
    }
    assert_eq!(Machine::named("testbed6"), Some(Machine::testbed6()));
    assert_eq!(Machine::named("report1991").unwrap().poll_cycles, 180);
    assert_eq!(Machine::named("ulx3s-85f").unwrap().ram_bytes, 64 << 10);
    assert_eq!(Machine::named("testbed2").unwrap().slaves(), 1);
}

#[test]
fn the_monitor_has_the_reports_defaults() {
    let short = GOOD.split("[monitor]").next().unwrap();
    assert_eq!(Machine::parse(short, "m").unwrap(), Machine::parse(GOOD, "m").unwrap());
}

/// Replaces `from` in the good description by `to`; the error must start with place and key, and contain the rest.
#[test]
fn faults_are_named_with_place_and_remedy() {
    let names17: Vec<_> = (0..17).map(|n| format!("\"p{n}\"")).collect();
    let too_many = format!("[{}]", names17.join(", "));
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("\"1 MiB\"", "\"3 MiB\"", "f:3:7: ram: ", &["not a power of two", "\"2 MiB\" or \"4 MiB\""]),
        ("\"1 MiB\"", "\"8 MiB\"", "f:3:7: ram: ", &["out of range", "8 KiB to 4 MiB"]),
        ("\"1 MiB\"", "\"1 KiB\"", "f:3:7: ram: ", &["out of range"]),
        ("\"1 MiB\"", "\"1 MB\"", "f:3:7: ram: ", &["unknown unit `MB`", "B, KiB, MiB"]),
        ("\"1 MiB\"", "\"much\"", "f:3:7: ram: ", &["does not start with a number"]),
        ("\"1 MiB\"", "1048576", "f:3:7: ram: ", &["1048576 has no unit", "ram = \"4 MiB\""]),
        ("\"1 MiB\"", "true", "f:3:7: ram: ", &["invalid type: boolean", "a quoted number with its unit"]),
        ("\"25 MHz\"", "\"2 GHz\"", "f:4:9: clock: ", &["out of range", "1 kHz to 1 GHz"]),
        ("\"25 MHz\"", "\"25\"", "f:4:9: clock: ", &["no unit", "MHz"]),
        ("[\"master\", \"earth\"]", "[]", "f:2:14: processors: ", &["0 processors", "1 to 16"]),
        ("[\"master\", \"earth\"]", &too_many, "f:2:14: processors: ", &["17 processors", "1 to 16"]),
        ("\"earth\"]", "\"master\"]", "f:2:25: processors: ", &["`master` is there twice"]),
        ("\"earth\"]", "\"metadata\"]", "f:2:25: processors: ", &["cannot be a name"]),
        ("\"earth\"]", "\"../x\"]", "f:2:25: processors: ", &["cannot be a name", "letters, digits"]),
        ("\"1 us\"", "\"1 ns\"", "f:6:8: monitor.tick: ", &["no whole number of cycles", "\"1 cycles\""]),
        ("\"1 us\"", "\"0 us\"", "f:6:8: monitor.tick: ", &["out of range", "1 to 65535 cycles"]),
        ("\"1 us\"", "\"1 s\"", "f:6:8: monitor.tick: ", &["25000000 cycles"]),
        ("\"2 cycles\"", "\"1 ns\"", "f:7:8: monitor.poll: ", &["no whole number of cycles", "\"2 cycles\""]),
        ("\"2 cycles\"", "\"1 cycle\"", "f:7:8: monitor.poll: ", &["out of range", "2 to"]),
        ("= 1024", "= 1000", "f:8:13: monitor.smi_queue: ", &["1000 entries", "a power of two from 8"]),
        ("= 512", "= -512", "f:9:13: monitor.mmi_queue: ", &["-512 entries"]),
        ("= 512", "= 65536", "f:9:13: monitor.mmi_queue: ", &["to 32768"]),
        ("= 512", "= \"512\"", "f:9:13: mmi_queue: ", &["invalid type: string", "mmi_queue = 512"]),
        (
            "queue = 512\nport_queue = 512",
            "queue = 512\nport_queue = 4",
            "f:10:14: monitor.port_queue: ",
            &["4 entries"],
        ),
        ("\"1 cycle\"", "\"0 cycles\"", "f:11:15: monitor.port_cycles: ", &["out of range", "1 to 65535 cycles"]),
        ("\"1 cycle\"", "1", "f:11:15: port_cycles: ", &["1 has no unit", "port_cycles = \"40 cycles\""]),
        ("\"turns\"", "\"age\"", "f:12:9: monitor.order: ", &["`age` is no order", "use \"turns\" or \"time\""]),
        (
            "[monitor]",
            "core = \"fast\"\n[monitor]",
            "f:5:8: core: ",
            &["`fast` is no core", "use \"multicycle\" or \"pipelined\""],
        ),
        ("ram =", "rams =", "f:3:1: rams: ", &["not a key here", "`ram`"]),
        ("mmi_queue", "mni_queue", "f:9:1: mni_queue: ", &["not a key here", "`mmi_queue`"]),
        ("ram = \"1 MiB\"\n", "", "f:1:1: ram: ", &["is missing", "ram = \"4 MiB\""]),
        ("ram =", "ram", "f:3:5: toml: ", &["machines/testbed6.toml"]),
        ("ram =", "name = \"twice\"\nram =", "f:3:1: toml: ", &["duplicate key"]),
    ];
    for (from, to, start, parts) in cases {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "`{from}` is not in the description");
        let error = Machine::parse(&text, "f").expect_err(&text).to_string();
        assert!(error.starts_with(start), "for {to}:\n{error}\nshould start with {start}");
        for part in *parts {
            assert!(error.contains(part), "for {to}:\n{error}\nlacks {part}");
        }
    }
}

#[test]
fn an_unknown_machine_lists_the_known_ones() {
    let error = Machine::load("testbed7").unwrap_err();
    assert!(matches!(error, MachineError::Unknown { .. }));
    assert!(error.to_string().contains("testbed6, testbed2, ulx3s-85f, report1991"), "{error}");
}

#[test]
fn a_headless_machine_has_one_slave() {
    let machine = Machine::named("hx8k-evn").unwrap();
    assert_eq!((machine.instance(0), machine.instance(1), machine.console(), machine.slaves()), (None, Some(0), 1, 1));
    let full = Machine::named("testbed2").unwrap();
    assert_eq!((full.instance(0), full.instance(1), full.console()), (Some(0), Some(1), 0));
    let text = machine.to_toml().replace("\"host\", ", "");
    let error = Machine::parse(&text, "f").unwrap_err().to_string();
    assert!(error.contains("headless: a machine whose master is no processor has one that is, not 0"), "{error}");
    assert!(error.contains("name two processors"), "{error}");
}

fn machine() -> impl Strategy<Value = Machine> {
    let name = "[A-Za-z0-9_-]{1,12}".prop_filter("reserved", |name| name != "metadata");
    (
        (name.clone(), proptest::option::of(name.clone()), prop::collection::hash_set(name, 1..=16)),
        (1_000u32..=1_000_000_000, 14u32..=22, 3u32..=15, 3u32..=15),
        (1u32..=65_535, 2u32..=65_535),
        (3u32..=15, 1u32..=65_535, prop::sample::select(Order::ALL.to_vec()), prop::sample::select(Core::ALL.to_vec())),
    )
        .prop_map(|((name, board, processors), (clock_hz, ram, smi, mmi), (tick_cycles, poll_cycles), port)| {
            let processors: Vec<_> = processors.into_iter().collect();
            Machine {
                name,
                clock_hz,
                headless: processors.len() == 2,
                core: port.3,
                processors,
                ram_bytes: 1 << ram,
                smi_queue: 1 << smi,
                mmi_queue: 1 << mmi,
                tick_cycles,
                poll_cycles,
                port_queue: 1 << port.0,
                port_cycles: port.1,
                order: port.2,
                board,
            }
        })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(machine in machine()) {
        let text = machine.to_toml();
        let back = Machine::parse(&text, "printed").map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(back, machine);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,200}") {
        let _ = Machine::parse(&text, "any");
    }
}
