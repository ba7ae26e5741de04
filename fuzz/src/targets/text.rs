//! Texts in files: machine descriptions, `run.json`, metadata and replayed input.

use std::path::Path;

use testbed_machine::{Machine, MachineError, NAMED};
use testbed_trace::capture::{Capture, ExitRecord, Gift, RunRecord, Stop};
use testbed_trace::ledger::{Ledger, SmiLine, StationLine};

use super::target::{hold, placed, sober, Target};

/// Machine descriptions.
pub const MACHINE: Target = Target {
    name: "machine",
    what: "machine descriptions in TOML",
    words: &[
        "name",
        "processors",
        "ram",
        "clock",
        "board",
        "headless",
        "[monitor]",
        "tick",
        "poll",
        "smi_queue",
        "mmi_queue",
        "port_queue",
        "port_cycles",
        "order",
        "= ",
        "\"",
        "\"\"\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        "[[",
        "#",
        "\n",
        "\\u0000",
        "true",
        "1_0",
        "0x10",
        "1e9",
        "inf",
        "nan",
        "-1",
        "4 MiB",
        "25 MHz",
        "1 us",
        "1 cycles",
        "9999999999999999999999 s",
        "0.000000000000000001 s",
        "time",
        "turns",
        "..",
        "metadata",
        "\u{e9}",
        "\u{1b}[2J",
    ],
    seeds: || NAMED.iter().map(|(_, text)| text.as_bytes().to_vec()).collect(),
    check: |input| {
        let text = String::from_utf8_lossy(input);
        match Machine::parse(&text, "file") {
            Ok(machine) => {
                machine.check().map_err(|(key, fault)| format!("a machine whose {key} no machine has: {fault}"))?;
                let again = Machine::parse(&machine.to_toml(), "print");
                hold(again.as_ref().is_ok_and(|again| *again == machine), || format!("{machine:?}, printed: {again:?}"))
            }
            Err(MachineError::Invalid(error)) => {
                sober(&error.to_string())?;
                placed(&error.to_string(), "file:", text.lines().count())?;
                hold(!error.key.is_empty(), || format!("no key: {error}"))
            }
            Err(error) => Err(format!("another error: {error}")),
        }
    },
};

/// A record with something in every key.
fn record(machine: &Machine) -> RunRecord {
    let names = &machine.processors;
    let smi = |processor: &String| SmiLine { processor: processor.clone(), emitted: 7, ..SmiLine::default() };
    let station = |processor: &String| StationLine { processor: processor.clone(), ..StationLine::default() };
    RunRecord {
        complete: true,
        arguments: vec!["5".into(), "a b".into()],
        engine: "emulator".into(),
        files: vec!["hello".into(), "sh".into()],
        filters: vec!["count TIMER".into()],
        totals: Some(4096),
        cycles: 1_000_000,
        stopped: Some(Stop::Exit),
        instructions: names.iter().map(|_| 12_345).collect(),
        exits: vec![ExitRecord { processor: names[names.len() - 1].clone(), cycle: 900_000, code: 1 }],
        ledger: Some(Ledger {
            smis: names[1..].iter().map(smi).collect(),
            stations: names.iter().map(station).collect(),
        }),
        wall_seconds: 0.25,
        ..RunRecord::new(machine, "hello")
    }
}

/// The text of a record, as a run writes it.
fn written(record: &RunRecord) -> String {
    serde_json::to_string_pretty(record).expect("a record has string keys and finite numbers")
}

/// `run.json`.
pub const RECORD: Target = Target {
    name: "record",
    what: "run.json",
    words: &[
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "[",
        "{",
        "\"\"",
        "-1",
        "1e999",
        "0.5",
        "18446744073709551616",
        "\"exit\"",
        "\"limit\"",
        "\"tos94\"",
        "\"time\"",
        "\"attached\"",
        "\"../x\"",
        "\"metadata\"",
        "\"\\u001b\"",
        "\"\\ud800\"",
        ",",
        ":",
        "\"earth\"",
        "\"complete\": false,",
        "\"cycles\": 1,",
        "\u{1b}[2J",
    ],
    seeds: || {
        let machine = Machine::testbed6();
        let attached = RunRecord { engine: "attached".into(), ledger: None, ..record(&machine) };
        let two = Machine::named("testbed2").expect("it is known");
        [record(&machine), attached, record(&two), RunRecord::new(&machine, "x")]
            .iter()
            .map(|record| written(record).into_bytes())
            .collect()
    },
    check: |input| {
        let text = String::from_utf8_lossy(input);
        match RunRecord::parse(&text, Path::new("file")) {
            Ok(record) => {
                let machine = Machine::from(&record.machine);
                machine.check().map_err(|(key, fault)| format!("a machine whose {key} no machine has: {fault}"))?;
                // What follows from a record in every command.
                let _ = (record.last_epoch(), record.ledger.as_ref().map(Ledger::imbalances));
                let _ = record.instructions.iter().map(|count| u128::from(*count)).sum::<u128>();
                let again =
                    RunRecord::parse(&written(&record), Path::new("again")).map_err(|error| error.to_string())?;
                hold(again == record, || format!("{record:?}, written and read: {again:?}"))
            }
            Err(error) => {
                let error = error.to_string();
                sober(&error)?;
                hold(error.starts_with("file:"), || format!("no file: {error}"))?;
                let key = error["file:".len()..].split(": ").next().unwrap_or_default().trim();
                hold(!key.is_empty(), || format!("neither place nor key: {error}"))
            }
        }
    },
};

/// The metadata of a CTF trace.
pub const METADATA: Target = Target {
    name: "metadata",
    what: "metadata of a CTF trace",
    words: &[
        "machine",
        "clock_hz",
        "tick_cycles",
        "processors",
        "dgl",
        " = ",
        ";",
        "\"",
        "..",
        "metadata",
        "a/b",
        "0",
        "4294967296",
        "-1",
        "\n",
        "env {",
        "}",
        " := ",
        "typealias ",
        "struct {",
        "enum : word {",
        "integer { size = 16; };",
        "integer",
        "word",
        "align(8)",
        "/*",
        "*/",
        "//",
        "0x",
        "...",
        "be",
        "\u{1b}[2J",
        "a a",
        "\u{e9}",
    ],
    seeds: || {
        let text = |machine: Machine| {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let record = RunRecord::new(&machine, "x");
            drop(testbed_trace::capture::CaptureWriter::create(folder.path(), &machine, &record));
            std::fs::read(folder.path().join("trace/metadata")).expect("it is there")
        };
        NAMED.iter().filter_map(|(name, _)| Machine::named(name)).map(text).collect()
    },
    check: |input| match Capture::of_metadata(Path::new("folder"), &String::from_utf8_lossy(input)) {
        Ok(capture) => {
            let machine = Machine::from(&capture.record.machine);
            machine.check().map_err(|(key, fault)| format!("a machine whose {key} no machine has: {fault}"))?;
            let inside = capture.smis().all(|smi| {
                let path = capture.stream_path(smi);
                path.parent() == Some(Path::new("folder")) && path.file_name().is_some()
            });
            hold(inside, || format!("streams outside the folder: {:?}", capture.record.machine.processors))
        }
        Err(error) => {
            let error = error.to_string();
            sober(&error)?;
            hold(error.starts_with("folder/metadata: "), || format!("no file: {error}"))
        }
    },
};

/// What was given to a console.
pub const REPLAY: Target = Target {
    name: "replay",
    what: "files of --replay",
    words: &[
        "\\n",
        "\\x04",
        "\\x",
        "\\",
        "\\\\",
        "\\'",
        "\\u{1}",
        " ",
        "\n",
        "\r\n",
        "0 ",
        "65536 ",
        "18446744073709551616 ",
        "-1 ",
        "\u{e9}",
    ],
    seeds: || {
        let gifts = [(0, &b"ls\n"[..]), (65_536, b"\x00\xff\\'\""), (65_536, b""), (1 << 40, b"exit\r\n\x04")];
        let line = |(cycle, bytes): &(u64, &[u8])| Gift { cycle: *cycle, bytes: bytes.to_vec() }.line();
        vec![gifts.iter().map(line).collect::<String>().into_bytes(), line(&gifts[0]).into_bytes(), Vec::new()]
    },
    check: |input| {
        let text = String::from_utf8_lossy(input);
        match Gift::parse_all(&text, Path::new("file")) {
            Ok(gifts) => {
                hold(gifts.is_sorted_by_key(|gift| gift.cycle), || "cycles fall".into())?;
                hold(gifts.len() == text.lines().count(), || "a line has vanished".into())?;
                let written: String = gifts.iter().map(Gift::line).collect();
                let again = Gift::parse_all(&written, Path::new("again")).map_err(|error| error.to_string())?;
                hold(again == gifts, || format!("{gifts:?}, written and read: {again:?}"))
            }
            Err(error) => {
                sober(&error.to_string())?;
                placed(&error.to_string(), "file:", text.lines().count())
            }
        }
    },
};
