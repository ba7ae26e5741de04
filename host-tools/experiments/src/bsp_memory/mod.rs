//! `testbed experiment bsp-memory`: an array that is spread over processes, by blocks, in turn and
//! hashed, read in patterns that meet all of it or one process's part; and what it brings to ask for
//! more at once, by more processes or by each.
//!
//! | module | what it does |
//! |---|---|
//! | [`line`](mod@line) | what the program `bsp-hash` prints |
//! | [`results`] | what was found |
//! | [`theory`] | how unevenly requests fall by lot |
//! | [`text`] | the tables |

pub mod line;
pub mod results;
pub mod text;
pub mod theory;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use testbed_machine::input;
use testbed_runner::{engines, firmware};
use testbed_trace::capture::{Capture, KernelKind, CONSOLE};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::random_loads::plan::machine;
use crate::runs::Runs;
use line::Round;
use results::{Found, Layout, Pattern, Row, Way};

/// The program.
const PROGRAM: &str = "bsp-hash";
/// Elements of the array.
const ELEMENTS: u32 = 4_000;
/// Elements that a process reads at once where patterns are compared.
const READS: u32 = 256;
/// The same where there are more and more processes, and rounds of one process on each slave.
const FEW: u32 = 16;
const ROUNDS: u32 = 64;
/// Processes on a slave.
const SLACKNESS: [u32; 5] = [1, 2, 4, 8, 16];
/// Functions of which hashed arrays are the mean.
const FUNCTIONS: [u32; 4] = [2, 3, 4, 5];
/// The longest console that is read.
const CONSOLE_BYTES: u64 = 1 << 20;
/// The figures, in the output folder.
const JSON: &str = "bsp-memory.json";

/// Reads an array that is spread over processes by blocks, in turn and hashed, in patterns with and
/// without hot spots, and with more requests at once
#[derive(Args, Debug)]
pub struct BspMemory {
    /// Slaves of the machine; a process on each of them where patterns are compared
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=15))]
    slaves: u8,
    /// One function instead of four, and fewer processes
    #[arg(long)]
    reduced: bool,
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
    #[arg(long, value_name = "DIR", default_value = "out/experiment-bsp-memory")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// A row before it has been run.
type Wanted = (Layout, Pattern, Way, [u32; 3]);

impl Experiment for BspMemory {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let machine = machine(self.slaves, 1);
        let folder = self.out.join("runs").join(&machine.name);
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        let runs = Runs { built: &built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
        let tables = [self.patterns(), self.more_processes(), self.more_reads()];
        let plan: Vec<_> = tables.iter().flatten().flat_map(|wanted| self.plan(wanted)).collect();
        progress.begin(plan.len());
        let made = runs.make_all(&plan, self.jobs.get(), progress, || Ok(()));
        progress.clear();
        let (captures, ()) = made?;
        let mut rounds = captures.iter().map(round);
        let mut table = |wanted: &[Wanted]| -> Result<Vec<Row>, ExperimentError> {
            wanted.iter().map(|wanted| row(wanted, rounds.by_ref().take(self.layouts(wanted.0).len()))).collect()
        };
        let slaves = self.slaves.into();
        let [patterns, more_processes, more_reads] = [table(&tables[0])?, table(&tables[1])?, table(&tables[2])?];
        let found = Found { slaves, patterns, more_processes, more_reads };
        let json = serde_json::to_string_pretty(&found).map_err(std::io::Error::from)? + "\n";
        let path = self.out.join(JSON);
        fs::write(&path, &json).map_err(ExperimentError::unwritable(&path))?;
        Ok(if self.json { json } else { text::text(&found) })
    }
}

impl BspMemory {
    fn patterns(&self) -> Vec<Wanted> {
        use {Layout::*, Pattern::*, Way::*};
        let size = [self.slaves.into(), READS, 8];
        let lists = [ByLot, Stride, Consecutive, Same]
            .into_iter()
            .flat_map(|pattern| [Blocks, InTurn, Hashed].map(|layout| (layout, pattern, Lists, size)));
        let others = [(Hashed, Same, Once), (Hashed, ByLot, Gets), (InTurn, Stride, Gets)];
        lists.chain(others.map(|(layout, pattern, way)| (layout, pattern, way, size))).collect()
    }

    fn slackness(&self) -> impl Iterator<Item = u32> {
        // A group has 64 processes at most.
        let most = 64 / u32::from(self.slaves);
        let most = if self.reduced { most.min(4) } else { most };
        SLACKNESS.into_iter().filter(move |slackness| *slackness <= most)
    }

    fn more_processes(&self) -> Vec<Wanted> {
        let size = |slackness| [slackness * u32::from(self.slaves), FEW, ROUNDS / slackness];
        self.slackness().map(|slackness| (Layout::Hashed, Pattern::ByLot, Way::Lists, size(slackness))).collect()
    }

    fn more_reads(&self) -> Vec<Wanted> {
        let size = |slackness| [u32::from(self.slaves), FEW * slackness, ROUNDS / slackness];
        SLACKNESS.map(|slackness| (Layout::Hashed, Pattern::ByLot, Way::Lists, size(slackness))).into()
    }

    /// What the program is told of a layout: several functions of a hashed one.
    fn layouts(&self, layout: Layout) -> &'static [u32] {
        match layout {
            Layout::Blocks => &[0],
            Layout::InTurn => &[1],
            Layout::Hashed if self.reduced => &FUNCTIONS[..1],
            Layout::Hashed => &FUNCTIONS,
        }
    }

    fn plan(&self, (layout, pattern, way, [processes, reads, rounds]): &Wanted) -> Vec<Planned<()>> {
        let plan = |layout: &u32| {
            let numbers = [ELEMENTS, *processes, *layout, *pattern as u32, *reads, *rounds, *way as u32];
            let arguments = numbers.map(|number| number.to_string());
            Planned {
                name: format!("{PROGRAM}-{}-seed-{}", arguments.join("-"), self.seed),
                programs: vec![PROGRAM],
                arguments: arguments.into(),
                files: vec![],
                balance: None,
                kernel: KernelKind::Default,
                seed: self.seed,
                dgl: 0,
                unmonitored: false,
                part: (),
            }
        };
        self.layouts(*layout).iter().map(plan).collect()
    }
}

/// What a run has printed.
fn round(capture: &Capture) -> Result<Round, ExperimentError> {
    let console = capture.dir.join(CONSOLE);
    let text = String::from_utf8_lossy(&input::bytes(&console, CONSOLE_BYTES)?).into_owned();
    let what = || format!("`{PROGRAM}` has not measured anything, or not read what was written");
    line::read(&text).ok_or_else(|| ExperimentError::Failed { folder: capture.dir.clone(), what: what(), console })
}

/// The mean of rounds with several functions.
fn row(
    &(layout, pattern, way, [processes, reads, rounds]): &Wanted,
    found: impl Iterator<Item = Result<Round, ExperimentError>>,
) -> Result<Row, ExperimentError> {
    let found = found.collect::<Result<Vec<Round>, _>>()?;
    let mean = |of: fn(&Round) -> u32| found.iter().map(|round| f64::from(of(round))).sum::<f64>() / found.len() as f64;
    let counted = |value: f64| (way != Way::Gets).then_some(value);
    let worst = found.iter().map(|round| round.most).max().unwrap_or(0);
    Ok(Row {
        layout,
        pattern,
        way,
        processes,
        reads,
        rounds,
        cycles: mean(|round| round.cycles),
        most: counted(mean(|round| round.most)),
        worst: counted(worst.into()),
        mean: counted(mean(|round| round.mean)),
    })
}
