//! `testbed experiment balance`: the report's section 4, its metrics of load and its Table 9.
//!
//! | module | what it does |
//! |---|---|
//! | [`plan`], [`sizes`], [`variation`] | which runs there are, how large they are, and what is varied |
//! | [`metrics`], [`queries`] | the metrics of load, and the queries that ask a trace for them |
//! | [`judge`], [`table8`] | how late metrics are and what they tell; Table 8 |
//! | [`placement`], [`table9`] | the best static placement of a run's threads; Table 9 |
//! | [`by_policy`], [`sweep`] | Table 9 with the policies as its columns; thresholds and periods varied |
//! | [`logs`], [`balanced`] | what the logs of balancers show ([`testbed_trace::balance`]), and their figures |
//! | [`figures`], [`tables`], `page`, [`results`] | figures and tables of the runs, the page, and all files |
//! | [`report`] | what the report says |

pub mod balanced;
pub mod by_policy;
pub mod figures;
pub mod found;
pub mod judge;
pub mod logs;
pub mod metrics;
mod page;
pub mod placement;
pub mod plan;
pub mod queries;
pub mod report;
pub mod results;
pub mod sizes;
pub mod sweep;
pub mod table8;
pub mod table9;
pub mod tables;
pub mod variation;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use testbed_machine::Machine;
use testbed_runner::{engines, firmware};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use crate::runs::Runs;
use plan::Planned;
use sizes::Sizes;

/// Measures what metrics of load tell and cost (Figures 33 to 38, Table 8), and how long programs
/// take with their threads in different places (Table 9)
#[derive(Args, Debug)]
#[command(
    after_help = "Runs that an earlier call has finished are kept, so a call that was interrupted goes on where it was."
)]
pub struct Balance {
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Smaller runs and fewer placements by lot: over in a minute
    #[arg(long)]
    reduced: bool,
    /// Rounds of each of 20 threads that compute; one takes about 1 ms
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,
    /// Messages of each of 20 pairs of threads
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    messages: Option<u32>,
    /// Additions of the circuit
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    additions: Option<u32>,
    /// Steps of the ocean
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=200))]
    steps: Option<u32>,
    /// Placements by lot
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: Option<u32>,
    /// A folder with balancers' logs, as compute-report.log: figures are made of these too
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Vary thresholds and periods of samples too: a table and plots more
    #[arg(long)]
    sweep: bool,
    /// Runs at a time; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-balance")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Experiment for Balance {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let sizes = self.sizes();
        let logs = self.logs.as_ref().map(|folder| logs::read(folder)).transpose()?.unwrap_or_default();
        let machine = Machine::load("testbed6")?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let folder = self.out.join("runs");
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        let runs = Runs { built: &built, unmonitored: None, machine: &machine, engine: &self.engine, folder };
        let make = |plan: &[Planned]| {
            progress.begin(plan.len());
            let made = runs.make_all(plan, self.jobs(), progress, || Ok(()));
            progress.clear();
            made.map(|(captures, ())| captures)
        };
        let plan = plan::plan(&sizes);
        let captures = make(&plan)?;
        progress.doing("looking for the best placements");
        let placed = results::place(&self.out, &sizes, &plan, &captures)?;
        progress.clear();
        let moved = placed.iter().flat_map(|placed| placed.moved.clone());
        let verifying: Vec<Planned> = placed.iter().map(|placed| placed.run.clone()).chain(moved).collect();
        let verified = make(&verifying)?;
        let (verified, moved) = verified.split_at(placed.len());
        let sweep = if self.sweep { plan::sweep(&sizes) } else { Vec::new() };
        let swept = make(&sweep)?;
        let found = results::write(
            &self.out,
            &runs,
            self.reduced,
            (&plan, &captures),
            (&placed, verified, moved),
            (&sizes, logs, self.sweep.then_some((&sweep[..], &swept[..]))),
        )?;
        Ok(match self.json {
            true => format!("{}\n", serde_json::to_string_pretty(&found).map_err(std::io::Error::from)?),
            false => results::text(&found, &self.out),
        })
    }
}

impl Balance {
    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn sizes(&self) -> Sizes {
        let sizes = if self.reduced { Sizes::REDUCED } else { Sizes::FULL };
        Sizes {
            rounds: self.rounds.unwrap_or(sizes.rounds),
            messages: self.messages.unwrap_or(sizes.messages),
            additions: self.additions.unwrap_or(sizes.additions),
            steps: self.steps.unwrap_or(sizes.steps),
            seeds: self.seeds.unwrap_or(sizes.seeds),
            ..sizes
        }
    }
}
