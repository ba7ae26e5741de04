//! `testbed experiment`: the report's experiments, and ours beside its values.

mod overflow;

use clap::{Args, Subcommand};

use super::{Exit, Failure};

/// Repeats an experiment of the report, and prints its values beside ours
#[derive(Args, Debug)]
pub struct Experiment {
    #[command(subcommand)]
    which: Which,
}

#[derive(Subcommand, Debug)]
enum Which {
    Overflow(overflow::Overflow),
}

impl Experiment {
    pub fn run(&self) -> Result<Exit, Failure> {
        match &self.which {
            Which::Overflow(overflow) => overflow.run(),
        }
    }
}
