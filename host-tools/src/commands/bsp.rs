//! `testbed bsp`: bulk-synchronous programs and their cost model.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use testbed_experiments::bsp::Probe;
use testbed_experiments::experiment::Experiment;

use super::progress::Shown;
use super::{Exit, Failure};

/// Measures the machine for the cost model of bulk-synchronous programs
#[derive(Args, Debug)]
pub struct Bsp {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Probe(Probe),
}

impl Bsp {
    pub fn run(&self) -> Result<Exit, Failure> {
        let What::Probe(probe) = &self.what;
        let text = probe.make(&Shown::default())?;
        io::stdout().lock().write_all(text.as_bytes())?;
        Ok(Exit::Success)
    }
}
