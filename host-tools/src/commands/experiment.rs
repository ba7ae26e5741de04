//! `testbed experiment`: the report's experiments, and ours beside its values.

use std::io::{self, Write};

use clap::Args;
use testbed_experiments::Experiments;

use super::progress::Shown;
use super::{Exit, Failure};

/// Repeats an experiment of the report, and prints its values beside ours
#[derive(Args, Debug)]
pub struct Experiment {
    #[command(subcommand)]
    which: Experiments,
}

impl Experiment {
    pub fn run(&self) -> Result<Exit, Failure> {
        let text = self.which.make(&Shown::default())?;
        io::stdout().lock().write_all(text.as_bytes())?;
        Ok(Exit::Success)
    }
}
