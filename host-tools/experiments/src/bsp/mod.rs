//! `testbed bsp probe`: what supersteps cost on a machine, as the parameters of the BSP model;
//! `testbed bsp space`, that machine among others; and `testbed experiment bsp`, programs held against
//! the model.
//!
//! | module | what it does |
//! |---|---|
//! | [`held`] | the experiment |
//! | [`lines`] | what the program `bsp-probe` prints |
//! | [`parameters`] | s, l, g and the half-performance length, by regression |
//! | [`space`] | machines in the space of p, l and g |
//! | [`table`] | what was measured, as text |

pub mod held;
pub mod lines;
pub mod parameters;
pub mod space;
pub mod table;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use testbed_definitions::event::DIAG_USER;
use testbed_machine::{input, Machine};
use testbed_runner::engines;
use testbed_runner::firmware;
use testbed_trace::capture::{Capture, KernelKind, CONSOLE};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::random_loads::plan::machine;
use crate::runs::Runs;
use parameters::Parameters;

/// The longest console that is read.
const CONSOLE_BYTES: u64 = 1 << 20;
/// Processes for which there is a processor each.
const PROCESSES: std::ops::RangeInclusive<u8> = 1..=15;
/// Processes of a group at most.
const MEMBERS: u8 = testbed_definitions::limits::GROUP_MEMBERS as u8;

/// Measures what supersteps cost: s, l, g, and how g falls with the length of messages
#[derive(Args, Debug)]
#[command(
    after_help = "Each number of processes is measured on a machine like testbed6 with as many slaves, or with --machine on that one."
)]
pub struct Probe {
    /// How many processes, separated by commas [default: 1 to 15; with --machine as many as it has slaves]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=i64::from(MEMBERS)))]
    processes: Vec<u8>,
    /// A machine description, by name or file
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Seed of the runs
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Runs at a time; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/bsp-probe")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Experiment for Probe {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        let all = self.measure(progress)?;
        Ok(match self.json {
            true => format!("{}\n", serde_json::to_string_pretty(&all).map_err(std::io::Error::from)?),
            false => table::text(&all),
        })
    }
}

impl Probe {
    /// One of so many processes, on machines like testbed6, into this folder.
    fn of(processes: &[u8], jobs: Option<NonZeroUsize>, out: PathBuf) -> Self {
        let engine = "emulator".into();
        Probe { processes: processes.to_vec(), machine: None, engine, seed: 1, jobs, out, json: true }
    }

    /// Makes the runs, one for each number of processes.
    fn measure(&self, progress: &dyn Progress) -> Result<Vec<Parameters>, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let given = self.machine.as_deref().map(Machine::load).transpose()?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let mut all = Vec::new();
        for processes in self.numbers(given.as_ref()) {
            let machine = given.clone().unwrap_or_else(|| machine(processes.min(*PROCESSES.end()), 1));
            let folder = self.out.join("runs").join(&machine.name);
            fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
            let runs = Runs { built: &built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
            let mut plan = vec![self.plan("bsp-probe", processes)];
            // With channels, threads of one process exchange, and only between processors.
            if processes > 1 && usize::from(processes) < machine.processors.len() {
                plan.push(self.plan("exchange", processes));
            }
            progress.begin(plan.len());
            let made = runs.make_all(&plan, self.jobs(), progress, || Ok(()));
            progress.clear();
            let (captures, ()) = made?;
            all.push(parameters(&captures, &machine)?);
        }
        Ok(all)
    }

    fn numbers(&self, machine: Option<&Machine>) -> Vec<u8> {
        match (self.processes.is_empty(), machine) {
            (false, _) => self.processes.clone(),
            (true, Some(machine)) => vec![(machine.processors.len() as u8 - 1).max(1)],
            (true, None) => PROCESSES.collect(),
        }
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn plan(&self, program: &'static str, processes: u8) -> Planned<()> {
        Planned {
            name: format!("{program}-on-{processes}-seed-{}", self.seed),
            programs: vec![program],
            arguments: vec![processes.to_string()],
            files: vec![],
            balance: None,
            kernel: KernelKind::Default,
            seed: self.seed,
            dgl: DIAG_USER,
            unmonitored: false,
            part: (),
        }
    }
}

/// What the runs on a machine have measured.
fn parameters(captures: &[Capture], machine: &Machine) -> Result<Parameters, ExperimentError> {
    let mut lines = Vec::new();
    for capture in captures {
        let console = capture.dir.join(CONSOLE);
        let text = String::from_utf8_lossy(&input::bytes(&console, CONSOLE_BYTES)?).into_owned();
        let failed = |what| ExperimentError::Failed { folder: capture.dir.clone(), what, console };
        lines.extend(lines::read(&text).map_err(failed)?);
    }
    let channels = captures.len() > 1;
    Parameters::of(&lines, machine).filter(|found| found.channels.is_some() == channels).ok_or_else(|| {
        let folder = captures[0].dir.clone();
        let console = folder.join(CONSOLE);
        ExperimentError::Failed { folder, what: "its programs have not measured everything".into(), console }
    })
}
