//! `testbed bsp`: bulk-synchronous programs and their cost model.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use testbed_experiments::bsp::space::Space;
use testbed_experiments::bsp::Probe;
use testbed_experiments::experiment::Experiment;

use super::progress::Shown;
use super::{Exit, Failure};

/// Measures the machine for the cost model of bulk-synchronous programs, and shows it among others
#[derive(Args, Debug)]
pub struct Bsp {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Probe(Probe),
    Space(Space),
}

impl Bsp {
    pub fn run(&self) -> Result<Exit, Failure> {
        let text = match &self.what {
            What::Probe(probe) => probe.make(&Shown::default())?,
            What::Space(space) => space.make(&Shown::default())?,
        };
        io::stdout().lock().write_all(text.as_bytes())?;
        Ok(Exit::Success)
    }
}
