//! `testbed probe`: what a network loses, how long its packets take and how many fit through.

mod measure;
mod page;
mod peers;
mod refusal;
mod serve;
mod token;

use clap::{Args, Subcommand};

use super::{Exit, Failure};

/// Measures loss, round trips and bandwidth of a network by packet size, with peers that run `testbed probe serve`
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Probe {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    measure: measure::Measure,
}

#[derive(Subcommand, Debug)]
enum What {
    Serve(serve::Serve),
}

impl Probe {
    pub fn run(&self) -> Result<Exit, Failure> {
        match &self.what {
            Some(What::Serve(serve)) => serve.run(),
            None => self.measure.run(),
        }
    }
}
