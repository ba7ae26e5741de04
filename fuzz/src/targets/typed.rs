//! What somebody types: on the command line, to the shell, and as a task graph.

use testbed_definitions::packet::STATIONS_MAX;
use testbed_kernel_core::filter::classes;
use testbed_kernel_core::task_graph::generate::generate;
use testbed_kernel_core::task_graph::line::Lines;
use testbed_kernel_core::task_graph::parse::Reader;
use testbed_kernel_core::task_graph::Graph;
use testbed_machine::units::{self, BYTES, CYCLES, HERTZ, TIME};
use testbed_machine::Machine;
use testbed_trace::capture::RunRecord;
use testbed_trace::export::{Choice, Filter};

use super::target::{hold, placed, Target};

/// What somebody types.
pub const COMMAND_LINE: Target = Target {
    name: "command-line",
    what: "quantities, event classes and slices of the command line and the shell",
    words: &[
        "pass ",
        "drop ",
        "count ",
        "TIMER",
        "SCHEDULE",
        "USER",
        ",",
        "/",
        "0x",
        "0xffff",
        "65536",
        "+",
        "none",
        "profile",
        "ready",
        "timer",
        "user",
        "detail",
        "ms",
        "us",
        "s",
        "MiB",
        "cycles",
        ".",
        "_",
        "-",
        "=",
        "earth",
        "earth.1.1",
        ".64.1",
        "TRAP7",
        " ",
        "\u{e9}",
        "\u{1b}[2J",
    ],
    seeds: || {
        let texts = [
            "drop TIMER,0x0200/0xff00",
            "count SCHEDULE/0x4000",
            "profile+timer+user",
            "0x1d",
            "500ms",
            "1.5 us",
            "4 MiB",
            "25MHz",
            "36 cycles",
            "earth,air",
            "earth.1.2",
            "COMMS,COMMR",
            "a=b/c.txt=d",
            "4294967295",
        ];
        texts.map(|text| text.as_bytes().to_vec()).to_vec()
    },
    check: |input| {
        let text = String::from_utf8_lossy(input).into_owned();
        for kinds in [BYTES, HERTZ, TIME, CYCLES] {
            if let Ok(value) = units::parse(&text, kinds) {
                let again = units::parse(&units::print(value, kinds), kinds);
                hold(again == Ok(value), || format!("{value}, printed and read: {again:?}"))?;
                let _ = units::cycles(value, u32::MAX);
            }
        }
        if let Ok(found) = classes(&text) {
            hold(classes(&found.to_string()) == Ok(found), || format!("the classes {found} are none"))?;
        }
        let record = RunRecord::new(&Machine::testbed6(), "x");
        let choices = [
            Choice { from: Some(&text), ..Choice::default() },
            Choice { to: Some(&text), ..Choice::default() },
            Choice { processor: Some(&text), ..Choice::default() },
            Choice { event: Some(&text), ..Choice::default() },
            Choice { thread: Some(&text), ..Choice::default() },
        ];
        for choice in choices {
            if let Err(error) = Filter::new(&choice, &record) {
                hold(error.to_string().contains("\n  help: "), || format!("no remedy: {error}"))?;
            }
        }
        Ok(())
    },
};

/// Reads a task graph as the program does: byte by byte.
fn graph(input: &[u8]) -> Result<Box<Graph>, String> {
    let mut graph = Box::new(Graph::EMPTY);
    let mut reader = Reader::new(&mut graph, STATIONS_MAX as u8);
    let (mut lines, mut taken) = (Lines::default(), Ok(()));
    let mut take = |line: Option<&[u8]>| {
        if taken.is_ok() {
            taken = reader.line(line).map_err(|fault| fault.to_string());
        }
    };
    input.iter().for_each(|&byte| lines.put(byte, &mut take));
    lines.end(&mut take);
    taken?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(graph)
}

/// Files of the program `taskgraph`.
pub const TASK_GRAPH: Target = Target {
    name: "task-graph",
    what: "files of the program `taskgraph`",
    words: &[
        "taskgraph 1",
        "threads ",
        "place ",
        "phase ",
        "work ",
        "link ",
        "end",
        "#",
        "\n",
        " ",
        "2",
        "61",
        "62",
        "63",
        "4096",
        "4097",
        "1000000",
        "4294967295",
        "4294967296",
        "-1",
        "+1",
        "\u{e9}",
        "\u{1b}[2J",
    ],
    seeds: || {
        let text = |seed| {
            let mut graph = Box::new(Graph::EMPTY);
            generate(seed, 1000, &mut graph);
            graph.to_string().into_bytes()
        };
        (0..6).map(text).collect()
    },
    check: |input| match graph(input) {
        Ok(found) => {
            let printed = found.to_string();
            hold(graph(printed.as_bytes()) == Ok(found), || {
                format!("another graph when it is printed and read: {printed}")
            })
        }
        Err(error) => {
            // On the console of a machine: one line, with its remedy behind the last colon.
            let is_sober = !error.contains(char::is_control) && error.len() < 300 && error.matches(": ").count() > 1;
            hold(is_sober, || format!("no message for a console: {error:?}"))?;
            placed(&error, "line ", input.split(|&byte| byte == b'\n').count())
        }
    },
};
