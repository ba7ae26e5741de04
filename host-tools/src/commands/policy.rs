//! `testbed policy`: what a policy of the balancer would have asked for in a run.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use testbed_balance::log::REMARK;
use testbed_balance::policies::boxed::{named, Boxed};
use testbed_balance::policies::Placement;
use testbed_trace::balance::replay::{replay, Counts, Replayed};
use testbed_trace::capture::{verify, Capture, BALANCE};

use super::balance::{is_known, placeless, settings_help, unknown, values, wrong};
use super::source::warn;
use super::{placement, Exit, Failure};

/// Says what a policy of the balancer would have asked for in a run, by the samples that the run
/// has recorded.
///
/// The output has the form of a balancer's log. What the policy asks for moves nothing in the
/// recording, so it expires; but a request that the run's own balancer made at that time too is
/// answered as it was there. A run with `--balance none` shows what each policy would have begun
/// with.
#[derive(Args, Debug)]
pub struct Policy {
    /// The folder that `run` left, with samples (`--balance`, or class load)
    dir: PathBuf,
    /// The policy; without it that of the run's own balancer, with its settings
    policy: Option<String>,
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "policy", help = settings_help())]
    settings: Vec<String>,
    /// Where each thread goes, for the policy static: lines as `1-01-003 2`
    #[arg(long, value_name = "FILE")]
    placement: Option<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// The lines, and what they come to.
#[derive(Serialize)]
struct Told<'a> {
    policy: &'a str,
    settings: &'a [String],
    counts: Counts,
    /// Of a balancer's log.
    lines: Vec<String>,
}

impl Policy {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        let own = capture.record.balance.as_ref();
        let (name, settings) = match (&self.policy, own) {
            (Some(name), _) => (name.as_str(), &self.settings),
            (None, Some(own)) => (own.policy.as_str(), &own.settings),
            (None, None) => {
                let message = format!("{}: no balancer ran there\n  help: name a policy", self.dir.display());
                return Err(wrong(message));
            }
        };
        is_known("", name)?;
        let policy = self.policy(name, settings, &capture)?;
        let integrity = verify(&capture)?;
        warn(&capture, &integrity);
        let replayed = replay(&capture, &integrity, policy)?;
        let told = Told { policy: name, settings, counts: replayed.counts, lines: lines(&replayed) };
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&told).map_err(io::Error::from)?)?;
        } else {
            told.lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            writeln!(out, "{REMARK} {}", told.text())?;
        }
        Ok(if integrity.damage.is_empty() { Exit::Success } else { Exit::Negative })
    }

    /// The policy, as the balancer of that run would begin it.
    fn policy(&self, name: &str, settings: &[String], capture: &Capture) -> Result<Boxed, Failure> {
        let placement = match (name, &self.placement) {
            ("static", None) => return Err(placeless("static")),
            ("static", Some(path)) => placement::read(path, capture.record.machine.slaves() as u8)?,
            (_, None) => Placement::default(),
            _ => return Err(wrong(format!("--placement: {name} has no use for it\n  help: leave it out"))),
        };
        let policy = named(name, &values(name, settings)?, capture.record.seed, placement);
        policy.ok_or_else(|| unknown("", name))
    }
}

/// The lines of a log that say what the policy asked for, with a remark behind each request that is
/// the policy's alone.
fn lines(replayed: &Replayed) -> Vec<String> {
    let mut lines = Vec::new();
    for round in &replayed.rounds {
        lines.extend(round.entries().map(|entry| entry.line(replayed.slaves).to_string()));
        let alone = round.asked.iter().filter(|asked| asked.own.is_none());
        lines.extend(alone.map(|asked| format!("{REMARK} mig #{}: the run has no such request", asked.number)));
    }
    lines
}

impl Told<'_> {
    fn text(&self) -> String {
        let Counts { rounds, requests, both, own_only, faults, samples_lost } = self.counts;
        format!(
            "{}: {requests} requests in {rounds} rounds of samples; {both} of them the run has in its {BALANCE}, \
             {own_only} it has beside them; {faults} requests that make no sense; {samples_lost} samples lost",
            self.policy
        )
    }
}
