//! `testbed probe HOST`: measures, goes on with what was interrupted, prints and writes what was found.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use testbed_experiments::progress::Progress;
use testbed_machine::units;
use testbed_probe::campaign::{self, Made, Outcome};
use testbed_probe::client::settings::Failure as Unanswered;
use testbed_probe::estimate::{estimates, Estimate};
use testbed_probe::key::Key;
use testbed_probe::network::{Network, NETWORK};
use testbed_probe::plan::{Plan, PlanError, PROBES, RATE, REDUCED_PROBES, REDUCED_SIZES, SIZES};
use testbed_probe::record::{Record, RecordError, RECORD};
use testbed_probe::socket::{self, PartError};
use testbed_probe::text;
use testbed_runner::signals::stop_flag;
use testbed_runner::tell;

use super::page;
use super::peers::{address, bytes, duration, peers};
use super::refusal::wrong;
use super::token::Token;
use crate::commands::progress::Shown;
use crate::commands::{Exit, Failure};

/// The page with the plots, in the output folder.
const FIGURES: &str = "figures.html";

#[derive(Args, Debug)]
pub struct Measure {
    /// Peers, measured one at a time; the port is that of `probe serve` unless given
    #[arg(value_name = "HOST[:PORT]", required_unless_present = "pairs")]
    hosts: Vec<String>,
    /// A file with one more peer on each line
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    token: Token,
    /// Bytes of packets, separated by commas [default: ten sizes from 64 to 65507]
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    sizes: Vec<u32>,
    /// Packets of each size to each peer [default: 1000]
    #[arg(long, value_name = "N")]
    count: Option<u32>,
    /// Three sizes of 200 packets, unless --sizes or --count says otherwise
    #[arg(long)]
    reduced: bool,
    /// Bytes a second in each direction [default: 1MiB]
    #[arg(long, value_name = "BYTES")]
    rate: Option<String>,
    /// Bytes that are sent altogether, at most; as many come back
    #[arg(long, value_name = "BYTES", default_value = "1GiB")]
    limit: String,
    /// Stop after this time, such as 600s; the same command goes on later [default: when all is done]
    #[arg(long = "for", value_name = "TIME")]
    time: Option<String>,
    /// The packet size of which network.toml is [default: the largest measured up to 1472]
    #[arg(long, value_name = "BYTES")]
    packet: Option<u16>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/probe")]
    out: PathBuf,
    /// Begin anew, in the place of what was measured before into the output folder
    #[arg(long)]
    overwrite: bool,
    /// JSON instead of text
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// CSV instead of text
    #[arg(long)]
    csv: bool,
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let exit = match &error {
            RecordError::Io { source, .. } if !crate::commands::is_input(source.kind()) => Exit::Environment,
            _ => Exit::Input,
        };
        Failure::new(exit, error)
    }
}

/// Why a peer was not measured.
enum Missing {
    Name(io::Error),
    Part(PartError),
}

/// All that was found, as JSON.
#[derive(Serialize)]
struct Found<'a> {
    complete: bool,
    plan: &'a Plan,
    estimates: &'a [Estimate],
    network: &'a Network,
}

impl Measure {
    pub fn run(&self) -> Result<Exit, Failure> {
        let key = self.token.key()?;
        let plan = self.plan()?;
        let time = self.time.as_deref().map(|text| duration("--for", text)).transpose()?;
        let mut record = Record::open(&self.out, &plan, self.overwrite)?;
        let (all, before) = (plan.parts().len(), record.done().len());
        let path = self.out.join(RECORD);
        match before {
            0 => tell!("sends {} MiB in about {:.0} s", plan.bytes() >> 20, plan.time().as_secs_f64()),
            _ if before == all => {
                tell!("all {all} parts are done, by {}; --overwrite measures them anew", path.display());
            }
            _ => tell!("{before} of {all} parts are done, by {}: goes on with the next", path.display()),
        }
        let (stop, started) = (stop_flag()?, Instant::now());
        let is_over = || stop.load(Ordering::Relaxed) || time.is_some_and(|time| started.elapsed() >= time);
        let outcome = measure(&mut record, &key, &is_over)?;
        self.report(&record, &outcome)?;
        self.exit(&record, &outcome, &stop)
    }

    /// What is to be measured.
    fn plan(&self) -> Result<Plan, Failure> {
        let hosts = peers(&self.hosts, self.pairs.as_deref())?;
        let usual: &[u16] = if self.reduced { &REDUCED_SIZES } else { &SIZES };
        let usual: Vec<u32> = usual.iter().map(|size| u32::from(*size)).collect();
        let sizes = if self.sizes.is_empty() { &usual } else { &self.sizes };
        let count = self.count.unwrap_or(if self.reduced { REDUCED_PROBES } else { PROBES });
        let rate = self.rate.as_deref().map_or(Ok(RATE), |text| bytes("--rate", text))?;
        let plan = Plan::new(hosts, sizes, count, rate).map_err(|error| {
            let (option, help) = match &error {
                PlanError::Size(_) => ("--sizes", "give sizes from 64 to 65507 bytes"),
                PlanError::NoHost | PlanError::Host(_) => ("HOST", "name a computer that runs `testbed probe serve`"),
                PlanError::Twice(_) => ("HOST", "name each peer once"),
                PlanError::Nothing { what: "rate" } => ("--rate", "give at least 1B"),
                PlanError::Nothing { .. } => ("--count", "give at least 1"),
                PlanError::Slow { .. } => ("--rate", "give a higher rate, or smaller --sizes"),
                PlanError::Large(_) => ("--count", "give fewer packets, sizes or peers"),
            };
            wrong(format!("{option}: {error}\n  help: {help}"))
        })?;
        if let Some(packet) = self.packet.filter(|packet| !plan.sizes.contains(packet)) {
            let help = "give one of --sizes, or leave --packet out";
            return Err(wrong(format!("--packet: packets of {packet} bytes are not measured\n  help: {help}")));
        }
        let limit = bytes("--limit", &self.limit)?;
        if plan.bytes() > limit {
            return Err(wrong(format!(
                "--limit: this measurement sends {} MiB in about {:.0} s, more than the limit of {}\n  help: give fewer \
                 packets with --count, fewer --sizes, or another --limit",
                plan.bytes() >> 20,
                plan.time().as_secs_f64(),
                units::print(limit.into(), units::BYTES),
            )));
        }
        Ok(plan)
    }

    /// Prints what was found, if anything was, and leaves it in the output folder.
    fn report(&self, record: &Record, outcome: &Outcome<Missing>) -> Result<(), Failure> {
        let plan = record.plan();
        let found = estimates(&plan.hosts, record.done());
        let size = self.packet.or_else(|| Network::usual_size(&found));
        let complete = outcome.missing == 0;
        let Some(network) = size.and_then(|size| Network::of(&found, size, complete)) else { return Ok(()) };
        let toml = network.toml().map_err(|error| Failure::new(Exit::Environment, error))?;
        self.put(NETWORK, &toml)?;
        let page = page::html(&found).map_err(|error| Failure::new(Exit::Machine, error))?;
        self.put(FIGURES, &page)?;
        let mut out = io::stdout().lock();
        if self.json {
            let found = Found { complete, plan, estimates: &found, network: &network };
            writeln!(out, "{}", serde_json::to_string_pretty(&found).map_err(io::Error::from)?)?;
        } else if self.csv {
            write!(out, "{}", text::csv(&found))?;
        } else {
            write!(out, "{}", text::table(&found))?;
            let folder = self.out.display();
            writeln!(out, "\nleft in {folder}: {NETWORK} (of {} bytes) {FIGURES} {RECORD}", network.packet_bytes)?;
        }
        Ok(())
    }

    fn put(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.out.join(name);
        fs::write(&path, text).map_err(|error| {
            let help = "measure into a folder that can be written, with --out";
            Failure::new(Exit::Environment, format!("cannot write {}: {error}\n  help: {help}", path.display()))
        })
    }

    /// How it ended.
    fn exit(&self, record: &Record, outcome: &Outcome<Missing>, stop: &AtomicBool) -> Result<Exit, Failure> {
        if outcome.missing > 0 && !record.done().is_empty() {
            let (done, all) = (record.done().len(), record.plan().parts().len());
            tell!("{done} of {all} parts are done; the same command goes on with the rest");
        }
        if !outcome.unanswered.is_empty() {
            let all: Vec<String> = outcome.unanswered.iter().map(|(peer, why)| missing(peer, why)).collect();
            return Err(wrong(all.join("\nerror: ")));
        }
        Ok(match outcome.missing {
            0 => Exit::Success,
            _ if stop.load(Ordering::Relaxed) => Exit::Interrupted,
            _ => Exit::Incomplete,
        })
    }
}

/// Makes the parts that are not done.
fn measure(
    record: &mut Record,
    key: &Key,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome<Missing>, RecordError> {
    let shown = Shown::default();
    let missing = record.plan().parts().len() - record.done().len();
    if missing > 0 {
        shown.begin(missing);
    }
    let outcome = campaign::run(record, |plan, part| {
        if is_over() {
            return Made::Stop;
        }
        shown.run(&format!("{}, {} bytes", part.host, part.packet_bytes));
        let measured = address(&part.host)
            .map_err(Missing::Name)
            .and_then(|address| socket::measure(address, key, &plan.part(part), is_over).map_err(Missing::Part));
        match measured {
            Ok(Some(tally)) => {
                shown.made();
                Made::Done(tally)
            }
            Ok(None) => Made::Stop,
            Err(why) => Made::Unanswered(why),
        }
    });
    shown.clear();
    outcome
}

/// Why a peer was not measured, and what to do about it.
fn missing(peer: &str, why: &Missing) -> String {
    let serve = "start `testbed probe serve` there";
    let (what, help) = match why {
        Missing::Name(error) => {
            (format!("no address: {error}"), "name a computer as it is known here, or its address".into())
        }
        Missing::Part(error @ PartError::Refused) => (error.to_string(), format!("{serve}, at this port")),
        Missing::Part(error @ PartError::Failure(Unanswered::Silent)) => (
            error.to_string(),
            format!(
                "{serve}, and let UDP to this port through; if it runs, its token is another one, since it does not \
                 answer strangers"
            ),
        ),
        Missing::Part(error @ PartError::Failure(Unanswered::Busy)) => {
            (error.to_string(), "try again in a minute, or give `probe serve` more --sessions there".into())
        }
        Missing::Part(error @ PartError::Failure(Unanswered::NoReport)) => {
            (error.to_string(), "give the same command again, which goes on where it stopped".into())
        }
        Missing::Part(error @ PartError::Io(_)) => (error.to_string(), "see to this computer's network".into()),
    };
    format!("{peer}: {what}\n  help: {help}")
}
