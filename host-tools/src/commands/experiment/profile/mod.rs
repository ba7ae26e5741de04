//! `testbed experiment profile`: the report's section 3, Figures 9 to 27 and Tables 6 and 7, from monitored events only.

mod plan;
mod results;
mod runs;
mod tables;

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use testbed_machine::{suggest, Machine};
use testbed_runner::{engines, firmware};

use super::super::progress::spinner;
use super::super::{Exit, Failure};
use super::overflow::Overflow;
use plan::{plan, Planned};
use runs::Runner;

/// Runs the report's programs and makes its Figures 9 to 27 and Tables 6 and 7, ours beside the report's, in one folder and one page
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

impl Profile {
    pub fn run(&self) -> Result<Exit, Failure> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let plan = plan(self.reduced, self.seeds);
        if self.list {
            let mut out = io::stdout().lock();
            plan.iter().try_for_each(|run| writeln!(out, "{}", run.name))?;
            return Ok(Exit::Success);
        }
        let machine = Machine::load("testbed6")?;
        let note = spinner("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        let unmonitored = (!self.reduced).then(|| built.unmonitored()).transpose()?;
        note.finish_and_clear();
        let folder = self.out.join("runs");
        fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        let runner = Runner { built: &built, unmonitored, machine: &machine, engine: &self.engine, folder };
        if let Some(name) = &self.only {
            runner.make(self.find(&plan, name)?)?;
            return Ok(Exit::Success);
        }
        let progress = progress(plan.len());
        let overflow = (!self.reduced).then(|| Overflow::of_profile(&self.engine, self.out.join("overflow")));
        let sweep = || overflow.as_ref().map(|overflow| overflow.finished(&built)).transpose();
        let (captures, rates) = runner.make_all(&plan, self.jobs(), &progress, sweep)?;
        progress.finish_and_clear();
        results::write(self, &runner, &plan, &captures, rates)
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn find<'a>(&self, plan: &'a [Planned], name: &str) -> Result<&'a Planned, Failure> {
        plan.iter().find(|run| run.name == name).ok_or_else(|| {
            let reduced = if self.reduced { " --reduced" } else { "" };
            let meant = suggest::question(name, plan.iter().map(|run| run.name.as_str()));
            let help = format!("{meant}`testbed experiment profile{reduced} --list` prints their names");
            let what = format!("there is no run `{name}`\n  help: {help}");
            Failure::new(Exit::Input, what)
        })
    }
}

/// Why nothing can be left there.
fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let what = format!(
        "{}: cannot be written: {error}\n  help: give another folder with --out, or free some space",
        path.display()
    );
    Failure::new(Exit::Environment, what)
}

fn progress(runs: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} runs, {elapsed}: {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let progress = ProgressBar::new(runs as u64).with_style(style);
    progress.enable_steady_tick(std::time::Duration::from_millis(200));
    progress
}
