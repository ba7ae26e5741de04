//! `testbed experiment random-loads`: whether balancing ever hurts, and which policy is best, on
//! random programs.
//!
//! | module | what it does |
//! |---|---|
//! | [`generate`], [`shapes`] | a random program for each seed |
//! | [`plan`] | its runs, and the machines |
//! | [`found`], [`statistics`] | what the times say |
//! | [`results`] | tables, figures, page and files |

pub mod found;
pub mod generate;
pub mod plan;
pub mod results;
pub mod shapes;
pub mod statistics;

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use testbed_machine::{input, Machine};
use testbed_runner::engines;
use testbed_runner::firmware::{self, Firmware};
use testbed_trace::capture::{Capture, CONSOLE};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use crate::runs::Runs;
use found::{About, Found, Setting, Times};
use generate::{Program, Size};
use plan::{Extent, Part, Planned, LOTS, POLICIES};

/// The longest console that is read.
const CONSOLE_BYTES: u64 = 1 << 20;
/// Microseconds between samples of programs that are over in a fraction of a second.
const REDUCED_PERIOD_US: u32 = 20_000;
/// Megahertz of the machine, by which costs are divisible: programs count in whole cycles a
/// microsecond.
const MEGAHERTZ: u32 = 25;

/// Runs random programs sequentially, with threads by lot, and with every policy: whether balancing
/// ever hurts, and which policy is best
#[derive(Args, Debug)]
#[command(
    after_help = "Runs that an earlier call has finished are kept, so a call that was interrupted goes on where it was."
)]
pub struct RandomLoads {
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Eight short programs of few threads on five slaves: over in a minute
    #[arg(long)]
    reduced: bool,
    /// How many programs [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    programs: Option<u32>,
    /// Seed of the first program; the next ones follow
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    seed: u32,
    /// How many slaves the machines have, separated by commas [default: 5,15]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(2..=15))]
    slaves: Vec<u8>,
    /// How many times as much as on testbed6 everything but work costs, separated by commas: 1, 5
    /// or 25 [default: 1,5,25]
    #[arg(long, value_delimiter = ',')]
    costs: Vec<u32>,
    /// Seconds that a program takes on one slave, on average [default: 7.5]
    #[arg(long)]
    seconds: Option<f64>,
    /// Runs at a time; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-random-loads")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The options with what is not given.
struct Chosen {
    programs: u32,
    slaves: Vec<u8>,
    costs: Vec<u32>,
    extent: Extent,
}

impl Experiment for RandomLoads {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let chosen = self.chosen()?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let programs: Vec<Program> =
            (self.seed..self.seed + chosen.programs).map(|seed| Program::generate(seed, chosen.extent.size)).collect();
        let mut settings = Vec::new();
        for &cost in &chosen.costs {
            for &slaves in &chosen.slaves {
                settings.push(self.setting(slaves, cost, &programs, &chosen.extent, &built, progress)?);
            }
        }
        let about = |program: &Program| About {
            seed: program.seed,
            threads: program.threads,
            phases: program.phases(),
            kind: program.kind(),
        };
        let found = Found {
            engine: self.engine.clone(),
            reduced: self.reduced,
            programs: programs.iter().map(about).collect(),
            figures: (1..).zip(&settings).map(|(number, setting)| results::figure(number, setting)).collect(),
            settings,
        };
        results::save(&self.out, &found)?;
        Ok(match self.json {
            true => format!("{}\n", serde_json::to_string_pretty(&found).map_err(std::io::Error::from)?),
            false => results::text(&found, &self.out),
        })
    }
}

impl RandomLoads {
    fn chosen(&self) -> Result<Chosen, ExperimentError> {
        let (programs, slaves, costs, seconds, most_threads) =
            if self.reduced { (8, &[5][..], &[1][..], 0.5, 12) } else { (100, &[5, 15][..], &[1, 5, 25][..], 7.5, 60) };
        let seconds = self.seconds.unwrap_or(seconds);
        if !(0.1..=60.0).contains(&seconds) {
            let what = format!("--seconds: programs can't take {seconds} s\n  help: give 0.1 to 60");
            return Err(ExperimentError::Option(what));
        }
        let costs = if self.costs.is_empty() { costs.to_vec() } else { self.costs.clone() };
        if let Some(cost) = costs.iter().find(|cost| **cost == 0 || !MEGAHERTZ.is_multiple_of(**cost)) {
            let what = format!("--costs: a machine can't cost {cost} times as much\n  help: give 1, 5 or 25, or several of them as 1,5");
            return Err(ExperimentError::Option(what));
        }
        let size = Size { cycles: (seconds * f64::from(MEGAHERTZ) * 1e6) as u64, most_threads };
        Ok(Chosen {
            programs: self.programs.unwrap_or(programs),
            slaves: if self.slaves.is_empty() { slaves.to_vec() } else { self.slaves.clone() },
            costs,
            extent: Extent { size, period_us: self.reduced.then_some(REDUCED_PERIOD_US) },
        })
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// Makes all runs on one machine.
    fn setting(
        &self,
        slaves: u8,
        cost: u32,
        programs: &[Program],
        extent: &Extent,
        built: &Firmware,
        progress: &dyn Progress,
    ) -> Result<Setting, ExperimentError> {
        let machine = plan::machine(slaves, cost);
        let folder = self.out.join("runs").join(&machine.name);
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        write(&self.out, &format!("machines/{}.toml", machine.name), &machine.to_toml())?;
        let mut all = Vec::new();
        for program in programs {
            write(&self.out, &plan::file(program.seed, cost), &program.text(cost))?;
            all.extend(plan::runs(program, cost, extent));
        }
        let runs = Runs { built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
        progress.begin(all.len());
        let made = runs.make_all(&all, self.jobs(), progress, || Ok(()));
        progress.clear();
        let (captures, ()) = made?;
        let each = all.len() / programs.len();
        let of_program = programs.iter().zip(all.chunks(each).zip(captures.chunks(each)));
        let times = of_program.map(|(program, (plan, captures))| times(program.seed, cost, &machine, plan, captures));
        Ok(Setting::of(slaves, cost, machine.clock_hz, times.collect::<Result<_, _>>()?))
    }
}

/// Writes a file into a folder of the output folder.
fn write(out: &Path, name: &str, text: &str) -> Result<(), ExperimentError> {
    let path = out.join(name);
    let parent = path.parent().unwrap_or(out);
    fs::create_dir_all(parent).map_err(ExperimentError::unwritable(parent))?;
    fs::write(&path, text).map_err(ExperimentError::unwritable(&path))
}

/// The times of a program on a machine.
fn times(
    seed: u32,
    cost: u32,
    machine: &Machine,
    plan: &[Planned],
    captures: &[Capture],
) -> Result<Times, ExperimentError> {
    let commands = plan.iter().map(|run| plan::command(run, cost, machine)).collect();
    let mut times =
        Times { seed, sequential: 0.0, random: [0.0; LOTS as usize], policies: [0.0; POLICIES.len()], commands };
    let mut lots = times.random.iter_mut();
    for (run, capture) in plan.iter().zip(captures) {
        let seconds = took(capture)?;
        match run.part {
            Part::Sequential => times.sequential = seconds,
            Part::Random => lots.by_ref().take(1).for_each(|lot| *lot = seconds),
            Part::Policy(index) => times.policies[index] = seconds,
        }
    }
    Ok(times)
}

/// Seconds from before the program's first thread is created until all have ended, as it prints them:
/// without reading its file, which no policy can shorten.
fn took(capture: &Capture) -> Result<f64, ExperimentError> {
    let console = capture.dir.join(CONSOLE);
    let text = String::from_utf8_lossy(&input::bytes(&console, CONSOLE_BYTES)?).into_owned();
    let milliseconds = |line: &str| line.split_once(": took ")?.1.strip_suffix(" ms")?.parse::<u32>().ok();
    let Some(milliseconds) = text.lines().find_map(milliseconds).filter(|milliseconds| *milliseconds > 0) else {
        let what = "`taskgraph` does not say how long it took".into();
        return Err(ExperimentError::Failed { folder: capture.dir.clone(), what, console });
    };
    Ok(f64::from(milliseconds) / 1e3)
}
