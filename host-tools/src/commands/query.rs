//! `testbed query`: what a figure of the report's section 3 asks of a run.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_host_tools::capture::Capture;
use testbed_profile::observed::Observed;
use testbed_profile::query::{csv, Query as Asked, QUERIES};

use super::{Exit, Failure};

/// Asks a run one of the queries behind the report's figures: points as CSV, in machine cycles
#[derive(Args, Debug)]
pub struct Query {
    /// Name of the query, or number of the figure
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// Output folder of a run of the query's program
    #[arg(value_name = "DIR", required_unless_present = "list")]
    dir: Option<PathBuf>,
    /// Prints all queries, with their figures and programs
    #[arg(long)]
    list: bool,
}

impl Query {
    pub fn run(&self) -> Result<Exit, Failure> {
        let mut out = io::stdout().lock();
        let (Some(name), Some(dir)) = (&self.name, &self.dir) else {
            writeln!(out, "figure  query                     program      x, y")?;
            for Asked { figure, name, program, x, y, .. } in &QUERIES {
                writeln!(out, "{figure:>6}  {name:<24}  {program:<11}  {x}; {y}")?;
            }
            return Ok(Exit::Success);
        };
        let by_number = name.parse().ok().and_then(Asked::of_figure);
        let query = Asked::named(name).or(by_number).ok_or_else(|| {
            Failure::new(Exit::Input, format!("there is no query `{name}`\n  help: `testbed query --list` prints all"))
        })?;
        let observed = Observed::read(&Capture::open(dir)?)?;
        out.write_all(csv(query, &query.ask(&observed)?).as_bytes())?;
        Ok(Exit::Success)
    }
}
