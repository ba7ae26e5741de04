//! `testbed experiment`: the report's experiments, and ours beside its values.

mod overflow;
mod profile;

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
    Profile(profile::Profile),
}

impl Experiment {
    pub fn run(&self) -> Result<Exit, Failure> {
        match &self.which {
            Which::Overflow(overflow) => overflow.run(),
            Which::Profile(profile) => profile.run(),
        }
    }
}
