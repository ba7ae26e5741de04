//! `testbed query`: what a figure of the report asks of a run.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_experiments::model::Network;
use testbed_experiments::observed::Observed;
use testbed_experiments::query::{csv, Query as Asked};
use testbed_experiments::section3::network::network;
use testbed_experiments::{balance, section3};
use testbed_machine::suggest;
use testbed_trace::capture::Capture;

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
            for Asked { figure, name, program, x, y, .. } in all() {
                writeln!(out, "{figure:>6}  {name:<24}  {program:<11}  {x}; {y}")?;
            }
            writeln!(
                out,
                "    18  channels                  multi-phase  channels between threads, and how often each was used"
            )?;
            return Ok(Exit::Success);
        };
        let observed = |dir: &PathBuf| Ok::<_, Failure>(Observed::read(&Capture::open(dir)?)?);
        if ["18", "channels"].contains(&name.as_str()) {
            out.write_all(channels(&network(&observed(dir)?)).as_bytes())?;
            return Ok(Exit::Success);
        }
        let number = name.parse().ok();
        let query = all().find(|query| query.name == name || number == Some(query.figure)).ok_or_else(|| {
            let meant = suggest::question(name, all().map(|query| query.name));
            let message = format!("there is no query `{name}`\n  help: {meant}`testbed query --list` prints all");
            Failure::new(Exit::Input, message)
        })?;
        out.write_all(csv(query, &query.ask(&observed(dir)?)?).as_bytes())?;
        Ok(Exit::Success)
    }
}

/// The queries of all experiments, in the order of the report's figures.
fn all() -> impl Iterator<Item = &'static Asked> {
    section3::queries::QUERIES.iter().chain(&balance::queries::QUERIES)
}

/// Figure 18 as CSV: a line a channel.
fn channels(network: &Network) -> String {
    let mut text = String::from("channel,from thread,from processor,to thread,to processor,communications\n");
    let place = |thread: usize| {
        let (name, processor) = &network.threads[thread];
        format!("{name},{}", network.processors[*processor])
    };
    for channel in &network.channels {
        let _ = writeln!(text, "{},{},{},{}", channel.number, place(channel.from), place(channel.to), channel.count);
    }
    text
}
