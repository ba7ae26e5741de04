//! `testbed experiment profile`: the report's section 3, Figures 9 to 27 and Tables 6 and 7, from
//! monitored events only.

pub mod effects;
mod explain;
pub mod figures;
mod lengths;
pub mod material;
pub mod model;
pub mod multi_phase;
pub mod network;
pub mod page;
mod plan;
pub mod queries;
pub mod report;
mod results;
pub mod services;
mod tables;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::Args;
use testbed_machine::{suggest, Machine};
use testbed_runner::{engines, firmware};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::overflow::Overflow;
use crate::progress::Progress;
use crate::runs::Runs;
pub use lengths::lengths;
use plan::{plan, Planned};
use results::Options;

/// Runs the report's programs and makes its Figures 9 to 27 and Tables 6 and 7, ours beside the
/// report's, in one folder and one page
#[derive(Args, Debug)]
#[command(
    after_help = "Runs that an earlier call has finished are kept, so a call that was interrupted goes on where it was."
)]
pub struct Profile {
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Smaller runs, and only those of the figures: for the slow engines
    #[arg(long)]
    reduced: bool,
    /// Seeds with which the services are measured
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// Runs at a time; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Prints the names of the runs, and makes none
    #[arg(long)]
    list: bool,
    /// Makes this run only, and no figures
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    only: Option<String>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-profile")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Experiment for Profile {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let plan = plan(self.reduced, self.seeds);
        if self.list {
            return Ok(plan.iter().map(|run| format!("{}\n", run.name)).collect());
        }
        let machine = Machine::load("testbed6")?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        let unmonitored = (!self.reduced).then(|| built.unmonitored()).transpose()?;
        progress.clear();
        let folder = self.out.join("runs");
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        let runs = Runs { built: &built, unmonitored, machine: &machine, engine: &self.engine, folder };
        if let Some(name) = &self.only {
            runs.make(self.find(&plan, name)?)?;
            return Ok(String::new());
        }
        progress.begin(plan.len());
        let overflow = (!self.reduced).then(|| Overflow::of_profile(&self.engine, self.out.join("overflow")));
        let sweep = || overflow.as_ref().map(|overflow| overflow.finished(&built)).transpose();
        let (captures, rates) = runs.make_all(&plan, self.jobs(), progress, sweep)?;
        progress.clear();
        let options = Options { engine: &self.engine, reduced: self.reduced, out: &self.out, json: self.json };
        results::write(&options, &runs, &plan, &captures, rates)
    }
}

impl Profile {
    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn find<'a>(&self, plan: &'a [Planned], name: &str) -> Result<&'a Planned, ExperimentError> {
        plan.iter().find(|run| run.name == name).ok_or_else(|| {
            let reduced = if self.reduced { " --reduced" } else { "" };
            let meant = suggest::question(name, plan.iter().map(|run| run.name.as_str()));
            let help = format!("{meant}`testbed experiment profile{reduced} --list` prints their names");
            ExperimentError::Option(format!("there is no run `{name}`\n  help: {help}"))
        })
    }
}
