//! `testbed bench kernel`: what the kernel's services cost, by the monitors' stamps.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use serde::Serialize;
use testbed_definitions::event;
use testbed_host_tools::kernel_bench::{self as bench, Case, Figures, Probe, Row, INSTRUCTIONS_A_REPORT_MS, PEERS};
use testbed_machine::{Core, Machine};
use testbed_runner::{engines, firmware};
use testbed_sim::load::Boot;
use testbed_trace::capture::{Capture, KernelKind};
use testbed_trace::compare;

use super::super::run::image;
use super::super::{Exit, Failure};
use testbed_runner::measurement::Measurement;

const PROGRAM: &str = "kernel-bench";
const FOLDER: &str = "out/bench-kernel";
/// Bytes of the messages; the last remote one still fits one packet.
const LOCAL_BYTES: &[u32] = &[4, 64, 256, 1_024, 2_048, 4_096, 8_192];
const REMOTE_BYTES: &[u32] = &[4, 64, 256, 1_024, 2_028];
/// A case that is not over by then is given up.
const SECONDS: u64 = 5;

/// Measures the kernel's services on the machine, both kernels side by side
#[derive(Args, Debug)]
pub struct Kernel {
    /// emulator, verilator or rust-hdl; another engine than the emulator must agree with it
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// What executes instructions
    #[arg(long, default_value = Core::default().name(), value_parser = cores())]
    core: Core,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// One kernel's figures.
struct Measured {
    kernel: KernelKind,
    probe: Probe,
    /// Cycles an instruction while threads switch.
    cpi: f64,
    rows: Vec<Row>,
}

impl Kernel {
    pub fn run(&self) -> Result<Exit, Failure> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let machine = Machine { core: self.core, ..Machine::load("bench")? };
        let measured = KernelKind::ALL.map(|kernel| self.measure(&machine, kernel));
        let [default, tos94] = measured;
        let measured = [default?, tos94?];
        let mut out = io::stdout().lock();
        if self.json {
            let json = json(&self.engine, &machine, &measured);
            writeln!(out, "{}", serde_json::to_string_pretty(&json).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", text(&self.engine, &machine, &measured))?;
        }
        Ok(Exit::Success)
    }

    fn measure(&self, machine: &Machine, kernel: KernelKind) -> Result<Measured, Failure> {
        let case = |arguments: &[&str]| self.case(machine, kernel, arguments);
        let lengths = |name: &'static str, all: &'static [u32]| all.iter().map(move |bytes| (name, *bytes));
        let switch = bench::switch(&case(&["switch"])?)?;
        let migrating = case(&["migrate"])?;
        let mut figures = Figures {
            switch,
            local: Vec::new(),
            remote: Vec::new(),
            migration: bench::migration(&migrating)?,
            page: bench::page(&case(&["page"])?)?,
        };
        for (name, bytes) in lengths("local", LOCAL_BYTES) {
            figures.local.push((bytes, bench::local(&case(&[name, &bytes.to_string()])?)?));
        }
        for (name, bytes) in lengths("remote", REMOTE_BYTES) {
            figures.remote.push((bytes, bench::remote(&case(&[name, &bytes.to_string()])?)?));
        }
        let cpi = self.cpi(machine, kernel, switch.span)?;
        Ok(Measured { kernel, probe: migrating.probe, cpi, rows: figures.rows() })
    }

    fn boot(kernel: KernelKind, arguments: &[&str]) -> Boot {
        Boot {
            options: kernel.options(),
            // The kernel has a quick way to switch, which class `profile` would close.
            dgl: if arguments == ["switch"] { event::DIAG_USER } else { event::DIAG_PROFILE | event::DIAG_USER },
            seed: 1,
            start_processor: 1,
            arguments: arguments.iter().map(|argument| argument.to_string()).collect(),
            ..Boot::default()
        }
    }

    /// Runs one case; on another engine than the emulator, on both, which must show the same.
    fn case(&self, machine: &Machine, kernel: KernelKind, arguments: &[&str]) -> Result<Case, Failure> {
        let emulated = capture(machine, "emulator", kernel, arguments)?;
        let measured = match self.engine.as_str() {
            "emulator" => emulated,
            other => {
                let measured = capture(machine, other, kernel, arguments)?;
                if let Some(difference) = compare::compare(&emulated, &measured)?.first() {
                    let what =
                        format!("emulator and {other} differ in {PROGRAM} {}: {difference}", arguments.join(" "));
                    return Err(Failure::new(Exit::Machine, what));
                }
                measured
            }
        };
        Ok(Case::read(&measured)?)
    }

    /// Cycles an instruction on the processor whose threads switch, by its own counters.
    fn cpi(&self, machine: &Machine, kernel: KernelKind, (from, to): (u64, u64)) -> Result<f64, Failure> {
        let image = image(machine, PROGRAM, &Self::boot(kernel, &["switch"]))?;
        let mut engine = engines::open("emulator", machine, &image, None)?;
        let mut retired = |cycle: u64| match engine.run_until(cycle) {
            Ok(()) => Ok(engine.instructions(1)),
            Err(error) => Err(Failure::new(Exit::Machine, error)),
        };
        let (before, after) = (retired(from)?, retired(to)?);
        Ok((to - from) as f64 / (after - before).max(1) as f64)
    }
}

/// Takes a core by its name.
fn cores() -> impl TypedValueParser<Value = Core> {
    PossibleValuesParser::new(Core::ALL.map(Core::name)).map(|name| Core::named(&name).expect("it is one of them"))
}

/// Runs one case into a folder of its own.
fn capture(machine: &Machine, engine: &str, kernel: KernelKind, arguments: &[&str]) -> Result<Capture, Failure> {
    let folder =
        Path::new(FOLDER).join(format!("{engine}-{}-{}-{}", machine.core.name(), kernel.name(), arguments.join("-")));
    let limit = SECONDS * u64::from(machine.clock_hz);
    let measurement = Measurement { machine, engine, kernel, programs: &[PROGRAM], files: &[], folder: &folder, limit };
    Ok(measurement.run(&firmware::build(&firmware::root()?)?, Kernel::boot(kernel, arguments))?)
}

/// A row as JSON.
#[derive(Serialize)]
struct Line<'a> {
    kernel: &'static str,
    #[serde(flatten)]
    row: &'a Row,
    microseconds: f64,
    instructions: f64,
    report_milliseconds: f64,
    /// How many times less than the report's, in report milliseconds.
    ratio: Option<f64>,
    met: Option<bool>,
}

impl<'a> Line<'a> {
    fn new(measured: &Measured, row: &'a Row, machine: &Machine) -> Self {
        let instructions = row.cycles / measured.cpi;
        let report_milliseconds = instructions / INSTRUCTIONS_A_REPORT_MS;
        Line {
            kernel: measured.kernel.name(),
            row,
            microseconds: row.cycles * 1e6 / f64::from(machine.clock_hz),
            instructions,
            report_milliseconds,
            ratio: row.report_ms.map(|report| report / report_milliseconds),
            met: row.is_met(),
        }
    }
}

fn json(engine: &str, machine: &Machine, measured: &[Measured]) -> serde_json::Value {
    let lines: Vec<_> =
        measured.iter().flat_map(|one| one.rows.iter().map(|row| Line::new(one, row, machine))).collect();
    let kernels: Vec<_> = measured
        .iter()
        .map(|one| {
            let Measured { kernel, probe, cpi, .. } = one;
            serde_json::json!({ "kernel": kernel.name(), "cpi": cpi, "test_cycles": probe.test, "store_cycles": probe.store })
        })
        .collect();
    serde_json::json!({ "engine": engine, "core": machine.core, "clock_hz": machine.clock_hz, "kernels": kernels, "rows": lines, "peers": PEERS })
}

/// How many goals the default kernel meets, and by how much it misses the others.
fn goals(rows: &[Row]) -> String {
    let wanted: Vec<_> = rows.iter().filter_map(|row| Some((row, row.goal?))).collect();
    let missed = wanted.iter().filter(|(row, _)| row.is_met() == Some(false));
    let missed: Vec<_> = missed
        .map(|(row, goal)| {
            format!("  not met: {}, {:.1} times the {goal} cycles that are wanted\n", row.name, row.cycles / goal)
        })
        .collect();
    format!("{} of {} goals are met\n{}", wanted.len() - missed.len(), wanted.len(), missed.concat())
}

fn text(engine: &str, machine: &Machine, measured: &[Measured; 2]) -> String {
    let [default, tos94] = measured;
    let mut out = format!(
        "services of the kernel, {} core, engine {engine}; medians of 100 rounds, in cycles\n\n",
        machine.core.name()
    );
    let _ = writeln!(
        out,
        "  {:<40} {:>9} {:>9} {:>9} {:>7} {:>10} {:>9} {:>7}  goal (default)",
        "", "tos94", "default", "us", "instr", "report ms", "report", "ratio"
    );
    for (old, row) in tos94.rows.iter().zip(&default.rows) {
        let line = Line::new(default, row, machine);
        let digits = if row.unit.is_empty() { 0 } else { 2 };
        let report = row.report_ms.map_or(String::new(), |ms| format!("{ms:.3}"));
        let ratio = line.ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
        let goal = row
            .goal
            .map_or(String::new(), |goal| format!("{goal} {}", if line.met == Some(true) { "met" } else { "NOT MET" }));
        let text = format!(
            "  {:<40} {:>9.digits$} {:>9.digits$} {:>9.2} {:>7.digits$} {:>10.4} {report:>9} {ratio:>7}  {goal}",
            row.name, old.cycles, row.cycles, line.microseconds, line.instructions, line.report_milliseconds,
        );
        let _ = writeln!(out, "{}", text.trim_end());
    }
    let _ = write!(out, "\n{}", goals(&default.rows));
    let _ = writeln!(
        out,
        "\nus, instr(uctions), report ms and ratio are the default kernel's. Instructions: cycles by {:.2} cycles an instruction, counted while\n\
         threads switch (tos94: {:.2}); report ms: those at 1.2 MIPS; report: the original's own figure; ratio: how many times less.\n\
         Subtracted: {} cycles for the test of each event of the kernel (its instructions) and {} for each word (measured, words back to\n\
         back); an empty event call where a program's events bracket. Threads switch with class user alone: the quick way emits no SCHEDULE.\n\nothers, as quoted, not measured here:",
        default.cpi, tos94.cpi, default.probe.test, default.probe.store
    );
    for (name, figure) in PEERS {
        let _ = writeln!(out, "  {name:<34} {figure}");
    }
    out
}
