//! `testbed lbsp`: the lossy BSP model, for who plans work over a network that loses packets.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use testbed_experiments::experiment::Experiment;
use testbed_experiments::lbsp::best::Best;
use testbed_experiments::lbsp::figure::Figure;
use testbed_experiments::lbsp::simulate::Simulate;
use testbed_experiments::lbsp::speedup::Speedup;
use testbed_experiments::lbsp::table::{Slips, Table};

use super::progress::Shown;
use super::{Exit, Failure};

/// The lossy BSP model: how fast, with how many nodes and how many copies of each packet
#[derive(Args, Debug)]
pub struct Lbsp {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Speedup(Speedup),
    Best(Best),
    Simulate(Simulate),
    Figure(Figure),
    Table(Table),
    Slips(Slips),
}

impl Lbsp {
    pub fn run(&self) -> Result<Exit, Failure> {
        let shown = Shown::default();
        let mut exit = Exit::Success;
        let text = match &self.what {
            What::Speedup(speedup) => speedup.make(&shown)?,
            What::Best(best) => best.make(&shown)?,
            What::Simulate(simulate) => {
                let (text, agrees) = simulate.simulate()?;
                exit = if agrees { Exit::Success } else { Exit::Negative };
                text
            }
            What::Figure(figure) => figure.make(&shown)?,
            What::Table(table) => table.make(&shown)?,
            What::Slips(slips) => slips.make(&shown)?,
        };
        io::stdout().lock().write_all(text.as_bytes())?;
        Ok(exit)
    }
}
