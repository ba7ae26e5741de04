//! `testbed experiment bsp`: bulk-synchronous programs held against the cost model.
//!
//! What the end of a superstep costs is measured on the program `bsp-probe`, never on those that are
//! predicted: the time from the last SYNC to the last THROUGH, over the words that a process sends or
//! receives as the kernel's events tell them, which counts the headers of messages too. A straight
//! line through these has slope g and intercept l; the mean of those without words is another l. Of a
//! program's own supersteps only the work w is taken, the longest time of a process up to its SYNC,
//! and the words. Both formulas of the model predict the rest.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use testbed_definitions::event::{DIAG_PROFILE, DIAG_TIMER, DIAG_USER};
use testbed_runner::{engines, firmware};
use testbed_trace::analysis::bsp::model::cost;
use testbed_trace::analysis::bsp::superstep::Superstep;
use testbed_trace::analysis::text::grouped;
use testbed_trace::analysis::{analyse, Kind, Options};
use testbed_trace::capture::{Capture, KernelKind};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::fit;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::random_loads::plan::machine;
use crate::runs::Runs;

/// The programs, each with two sizes.
const PROGRAMS: [(&str, [u32; 2]); 7] = [
    ("bsp-inner", [400, 4_000]),
    ("bsp-prefix", [400, 4_000]),
    ("bsp-samplesort", [600, 3_000]),
    ("bsp-bitonic", [500, 2_000]),
    ("bsp-spmv", [100, 300]),
    ("bsp-fft", [64, 256]),
    ("bsp-lu", [16, 40]),
];
/// The program that measures, what it is told besides the number of processes: words in short messages
/// at most, and to measure by `bsp_put` alone, as the programs do.
const PROBE: &str = "bsp-probe";
const PROBED: [&str; 2] = ["64", "1"];
/// Numbers of processes, one on each slave.
const PROCESSES: [u8; 2] = [2, 5];
/// The figures, in the output folder.
const JSON: &str = "bsp.json";

/// Holds bulk-synchronous programs against both formulas of the cost model, with parameters that another program has measured
#[derive(Args, Debug)]
pub struct Bsp {
    /// Programs, separated by commas [default: all]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The smaller size of each program only
    #[arg(long)]
    reduced: bool,
    /// How many processes, separated by commas [default: 2,5]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(2..=15))]
    processes: Vec<u8>,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Seed of the runs
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Runs at a time
    #[arg(long, default_value = "1")]
    jobs: NonZeroUsize,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-bsp")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// What the end of a superstep costs, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ends {
    pub processes: u8,
    /// A word, and all else, where there are words.
    pub g: f64,
    pub l: f64,
    /// Where there are none.
    pub l0: f64,
}

/// A program of one size, in cycles over all of its supersteps but the first, in which its processes
/// are started.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub program: String,
    pub size: u32,
    pub processes: u8,
    pub supersteps: usize,
    /// Supersteps that the trace does not show whole, and that are left out.
    pub incomplete: usize,
    pub measured: u64,
    pub work: u64,
    pub words: u64,
    /// w + g h + l, and max{l, w, g hs, g hr}.
    pub sum: f64,
    pub max: f64,
    /// Of the supersteps that take longer than two ends without words: measured, and by w + g h + l.
    pub long: Vec<(u64, f64)>,
}

/// How far a prediction is from what was measured.
fn error(predicted: f64, measured: u64) -> f64 {
    predicted / measured as f64 - 1.0
}

/// All rows, with what they were predicted by.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    pub ends: Vec<Ends>,
    pub rows: Vec<Row>,
}

impl Experiment for Bsp {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let programs = self.programs()?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let mut held = Held { ends: Vec::new(), rows: Vec::new() };
        let processes = if self.processes.is_empty() { PROCESSES.to_vec() } else { self.processes.clone() };
        for count in processes {
            let machine = machine(count, 1);
            let folder = self.out.join("runs").join(&machine.name);
            fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
            let runs = Runs { built: &built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
            let probe = [&[count.to_string()][..], &PROBED.map(String::from)].concat();
            let mut plan = vec![self.plan(PROBE, None, count, probe)];
            plan.extend(programs.iter().map(|&(program, size)| {
                self.plan(program, Some(size), count, vec![size.to_string(), count.to_string()])
            }));
            progress.begin(plan.len());
            let made = runs.make_all(&plan, self.jobs.get(), progress, || Ok(()));
            progress.clear();
            let (captures, ()) = made?;
            let ends = ends(&captures[0], count)?;
            held.ends.push(ends);
            for (&(program, size), capture) in programs.iter().zip(&captures[1..]) {
                held.rows.push(row((program, size), &ends, &supersteps(capture)?));
            }
        }
        let json = serde_json::to_string_pretty(&held).map_err(std::io::Error::from)? + "\n";
        let path = self.out.join(JSON);
        fs::write(&path, &json).map_err(ExperimentError::unwritable(&path))?;
        Ok(if self.json { json } else { text(&held) })
    }
}

impl Bsp {
    /// Programs with their sizes.
    fn programs(&self) -> Result<Vec<(&'static str, u32)>, ExperimentError> {
        let names = PROGRAMS.map(|(program, _)| program);
        if let Some(unknown) = self.only.iter().find(|only| !names.contains(&only.as_str())) {
            let text = format!("there is no program `{unknown}` to hold\n  help: use {}", names.join(", "));
            return Err(ExperimentError::Option(text));
        }
        let chosen =
            PROGRAMS.iter().filter(|(program, _)| self.only.is_empty() || self.only.iter().any(|o| o == program));
        let sizes = if self.reduced { 1 } else { 2 };
        Ok(chosen.flat_map(|(program, all)| all[..sizes].iter().map(|&size| (*program, size))).collect())
    }

    fn plan(&self, program: &'static str, size: Option<u32>, processes: u8, arguments: Vec<String>) -> Planned<()> {
        let size = size.map_or(String::new(), |size| format!("-{size}"));
        Planned {
            name: format!("{program}{size}-on-{processes}-seed-{}", self.seed),
            programs: vec![program],
            arguments,
            files: vec![],
            balance: None,
            kernel: KernelKind::Default,
            seed: self.seed,
            dgl: DIAG_PROFILE | DIAG_TIMER | DIAG_USER,
            unmonitored: false,
            part: (),
        }
    }
}

/// The supersteps of a run's only program.
fn supersteps(capture: &Capture) -> Result<Vec<Superstep>, ExperimentError> {
    let failed = |what: String| ExperimentError::Failed {
        folder: capture.dir.clone(),
        what,
        console: capture.dir.join(testbed_trace::capture::CONSOLE),
    };
    let options = Options { kinds: vec![Kind::Bsp], ..Options::default() };
    let report = analyse(capture, &options).map_err(|error| failed(error.to_string()))?;
    match report.bsp.map(|bsp| bsp.groups).unwrap_or_default().as_mut_slice() {
        [group] if group.beyond == 0 => Ok(std::mem::take(&mut group.supersteps)),
        groups => Err(failed(format!("its trace shows {} groups of processes, or too many supersteps", groups.len()))),
    }
}

/// Cycles from the last SYNC to the last THROUGH.
fn end(superstep: &Superstep) -> Option<u64> {
    let last = superstep.members.iter().map(|member| member.sync_cycle).max()?;
    superstep.end_cycle().map(|end| end.saturating_sub(last))
}

/// The longest time of a process up to its SYNC.
fn work(superstep: &Superstep) -> Option<u64> {
    superstep.members.iter().filter_map(|member| Some(member.sync_cycle - member.begin_cycle?)).max()
}

/// What the ends of a run's supersteps cost.
fn ends(capture: &Capture, processes: u8) -> Result<Ends, ExperimentError> {
    let supersteps = supersteps(capture)?;
    let points = supersteps.iter().skip(1).filter_map(|superstep| {
        let words = superstep.sums.filter(|sums| !sums.words_untold)?.h_words();
        Some((f64::from(words), end(superstep)? as f64))
    });
    let (silent, told): (Vec<_>, Vec<_>) = points.partition(|point| point.0 == 0.0);
    let missing = || ExperimentError::Failed {
        folder: capture.dir.clone(),
        what: "its supersteps don't differ enough to fit a line".into(),
        console: capture.dir.join(testbed_trace::capture::CONSOLE),
    };
    let line = fit::line("ends", &told).ok_or_else(missing)?;
    let l0 = fit::constant("empty", &silent).ok_or_else(missing)?.intercept;
    Ok(Ends { processes, g: line.slope, l: line.intercept, l0 })
}

/// A program's supersteps, measured and predicted.
fn row((program, size): (&str, u32), ends: &Ends, supersteps: &[Superstep]) -> Row {
    let mut row = Row {
        program: program.into(),
        size,
        processes: ends.processes,
        supersteps: 0,
        incomplete: 0,
        measured: 0,
        work: 0,
        words: 0,
        sum: 0.0,
        max: 0.0,
        long: Vec::new(),
    };
    for superstep in supersteps.iter().skip(1) {
        let whole = superstep.sums.filter(|sums| !sums.words_untold).zip(work(superstep));
        let Some((sums, work)) = whole else {
            row.incomplete += 1;
            continue;
        };
        let l = if sums.h_words() == 0 { ends.l0 } else { ends.l };
        let predicted = cost(work, (sums.hs_words, sums.hr_words), ends.g, l);
        row.supersteps += 1;
        row.measured += sums.cycles;
        row.work += work;
        row.words += u64::from(sums.h_words());
        row.sum += predicted.sum_cycles;
        row.max += predicted.max_cycles;
        if sums.cycles as f64 > 2.0 * ends.l0 {
            row.long.push((sums.cycles, predicted.sum_cycles));
        }
    }
    row
}

fn text(held: &Held) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write_text(&mut text, held);
    text
}

fn write_text(text: &mut String, held: &Held) -> std::fmt::Result {
    writeln!(
        text,
        "the end of a superstep, in cycles, from {PROBE}: g h + l with h words of messages and their headers"
    )?;
    for Ends { processes, g, l, l0 } in &held.ends {
        writeln!(text, "  {processes:>2} processes: g {g:.2}, l {l:.0}, without words {l0:.0}")?;
    }
    writeln!(text, "\nall supersteps of a program but the first, in cycles")?;
    writeln!(
        text,
        "  program          size   p  supersteps    measured           w       words     w+g h+l   error  max{{l,w,g hs,g hr}}   error"
    )?;
    for row in held.rows.iter().filter(|row| row.measured != 0) {
        writeln!(
            text,
            "  {:<14} {:>6} {:>3} {:>11} {:>11} {:>11} {:>11} {:>11} {:>+6.1}% {:>19} {:>+6.1}%",
            row.program,
            row.size,
            row.processes,
            row.supersteps,
            grouped(row.measured),
            grouped(row.work),
            grouped(row.words),
            grouped(row.sum.round() as u64),
            100.0 * error(row.sum, row.measured),
            grouped(row.max.round() as u64),
            100.0 * error(row.max, row.measured),
        )?;
    }
    let median = |of: fn(&Row) -> f64| {
        let errors = held.rows.iter().filter(|row| row.measured != 0).map(|row| error(of(row), row.measured).abs());
        100.0 * fit::median(errors).unwrap_or(0.0)
    };
    let (sum, max) = (median(|row| row.sum), median(|row| row.max));
    writeln!(text, "\nmedian error of the programs: {sum:.1} % by w + g h + l, {max:.1} % by max{{l, w, g hs, g hr}}")?;
    let long = held.rows.iter().flat_map(|row| &row.long).map(|&(measured, sum)| error(sum, measured).abs());
    let long: Vec<f64> = long.collect();
    let far = long.iter().filter(|error| **error > 0.1).count();
    let median = 100.0 * fit::median(long.iter().copied()).unwrap_or(0.0);
    writeln!(
        text,
        "supersteps longer than two empty ones: {}, median error {median:.1} %, {far} of them off by more than 10 %",
        long.len()
    )?;
    let incomplete: usize = held.rows.iter().map(|row| row.incomplete).sum();
    if incomplete != 0 {
        writeln!(text, "left out: {incomplete} supersteps of which the trace does not tell all")?;
    }
    Ok(())
}
