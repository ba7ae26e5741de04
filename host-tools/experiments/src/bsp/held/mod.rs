//! `testbed experiment bsp`: bulk-synchronous programs held against the cost model.
//!
//! What the end of a superstep costs is measured on the program `bsp-probe`, never on those that are
//! predicted ([`ends`]). Of a program's own supersteps only the work, the words and who has them for
//! whom are taken ([`step`]). Both formulas of the model predict the rest: for each program
//! ([`rows`]), and its speed-up over one process ([`speedup`]). Where a superstep is off, [`cause`]
//! says why. [`results`] has all of it; [`text`] and [`page`] show it.

pub mod cause;
pub mod ends;
pub mod page;
pub mod results;
pub mod rows;
pub mod speedup;
pub mod step;
pub mod text;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use itertools::Itertools;
use testbed_definitions::event::{DIAG_PROFILE, DIAG_TIMER, DIAG_USER};
use testbed_runner::firmware::Firmware;
use testbed_runner::{engines, firmware};
use testbed_trace::capture::{Capture, KernelKind, CONSOLE};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::random_loads::plan::machine;
use crate::runs::Runs;
use ends::Ends;
use results::{Held, PROBE, PROGRAMS};
use rows::Row;
use speedup::Speedup;
use step::steps;

/// What [`PROBE`] is told besides the number of processes: words in short messages at most, and to
/// measure by `bsp_put` alone, as the programs do.
const PROBED: [&str; 2] = ["64", "1"];
/// Numbers of processes, one on each slave.
const PROCESSES: [u8; 2] = [2, 5];
/// The figures and the page, in the output folder.
const JSON: &str = "bsp.json";
const PAGE: &str = "bsp.html";

/// Holds bulk-synchronous programs against both formulas of the cost model, with parameters that
/// another program has measured
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

impl Experiment for Bsp {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let programs = self.programs()?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let alone = self.captures(&built, 1, self.plans(&programs, 1), progress)?;
        let alone = alone.iter().map(speedup::cycles).collect::<Result<Vec<u64>, _>>()?;
        let mut held = Held::default();
        for processes in self.numbers() {
            let mut plan = self.plans(&programs, processes);
            let probe = [&[processes.to_string()][..], &PROBED.map(String::from)].concat();
            plan.insert(0, self.plan(PROBE, None, processes, probe));
            let captures = self.captures(&built, processes, plan, progress)?;
            held.add(processes, &programs, &captures, &alone)?;
        }
        let json = serde_json::to_string_pretty(&held).map_err(std::io::Error::from)? + "\n";
        for (name, content) in [(JSON, &json), (PAGE, &page::html(&held)?)] {
            let path = self.out.join(name);
            fs::write(&path, content).map_err(ExperimentError::unwritable(&path))?;
        }
        Ok(if self.json { json } else { text::text(&held) })
    }
}

impl Held {
    /// Takes the runs of so many processes, of which the probe's is the first.
    fn add(
        &mut self,
        processes: u8,
        programs: &[(&'static str, u32)],
        captures: &[Capture],
        alone: &[u64],
    ) -> Result<(), ExperimentError> {
        let ends = Ends::of(&steps(&captures[0])?.whole, processes).ok_or_else(|| ExperimentError::Failed {
            folder: captures[0].dir.clone(),
            what: "its supersteps don't differ enough to fit a line".into(),
            console: captures[0].dir.join(CONSOLE),
        })?;
        self.ends.push(ends);
        for ((program, capture), alone) in programs.iter().zip(&captures[1..]).zip(alone) {
            let steps = steps(capture)?;
            self.rows.push(Row::of(*program, &ends, &steps));
            self.speedups.push(Speedup::of(*program, *alone, speedup::cycles(capture)?, &ends, &steps));
        }
        Ok(())
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

    /// Numbers of processes, each once.
    fn numbers(&self) -> Vec<u8> {
        let numbers = if self.processes.is_empty() { &PROCESSES[..] } else { &self.processes };
        numbers.iter().copied().sorted_unstable().dedup().collect()
    }

    /// Makes runs on a machine with so many slaves.
    fn captures(
        &self,
        built: &Firmware,
        slaves: u8,
        plan: Vec<Planned<()>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Capture>, ExperimentError> {
        let machine = machine(slaves, 1);
        let folder = self.out.join("runs").join(&machine.name);
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        let runs = Runs { built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
        progress.begin(plan.len());
        let made = runs.make_all(&plan, self.jobs.get(), progress, || Ok(()));
        progress.clear();
        Ok(made?.0)
    }

    /// The runs of all programs on so many processes.
    fn plans(&self, programs: &[(&'static str, u32)], processes: u8) -> Vec<Planned<()>> {
        let arguments = |size: u32| vec![size.to_string(), processes.to_string()];
        programs.iter().map(|&(name, size)| self.plan(name, Some(size), processes, arguments(size))).collect()
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
