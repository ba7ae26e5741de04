//! What `run` is told of the balancer, and its log.

use std::path::{Path, PathBuf};

use clap::Args;
use testbed_balance::policies::{DESCRIBED, NAMES};
use testbed_definitions::boot::BALANCER;
use testbed_definitions::event::{DIAG_LOAD, DIAG_READY};
use testbed_definitions::load::{DEFAULT_PERIOD_US, PERIODS_US};
use testbed_machine::{suggest, units, Machine};
use testbed_runner::files::{Source, Wanted};
use testbed_runner::firmware;
use testbed_runner::taking::balance_log;
use testbed_sim::engine::Engine;
use testbed_trace::capture::{BalanceRecord, BALANCE};

use super::{getting, Exit, Failure};

/// Where `static` finds its placement on the machine.
const PLACEMENT: &str = "placement";
/// The period of samples that `gain` likes best, in microseconds.
const GAIN_PERIOD_US: u32 = 200_000;
/// Picoseconds of a microsecond.
const MICROSECOND: u128 = 1_000_000;

/// Options of `run`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Balancing the load")]
pub struct Balance {
    #[arg(long = "balance", value_name = "POLICY", help = help())]
    policy: Option<String>,
    /// How far apart samples of the load are [default: 1s, with gain 200ms]
    #[arg(long, value_name = "TIME", requires = "policy")]
    sample: Option<String>,
    /// Where each thread goes, for --balance static: lines as `1-00-003 2`
    #[arg(long, value_name = "FILE", requires = "policy")]
    placement: Option<PathBuf>,
}

impl Balance {
    /// The classes that the monitors emit unless told otherwise: with a balancer what it needs, so
    /// that it keeps up.
    pub fn classes(&self) -> Option<u32> {
        self.policy.is_some().then_some(DIAG_LOAD)
    }

    /// What is to balance on this machine, whose monitors emit these classes; `None` if nothing is.
    pub fn chosen(&self, machine: &Machine, classes: u32) -> Result<Option<BalanceRecord>, Failure> {
        let Some(policy) = &self.policy else { return Ok(None) };
        if !NAMES.contains(&policy.as_str()) {
            let (meant, names) = (suggest::question(policy, NAMES.iter().copied()), NAMES.join(", "));
            return Err(wrong(format!("--balance: no policy is called `{policy}`\n  help: {meant}use {names}")));
        }
        if machine.processors.len() < 3 || firmware::is_small(machine.ram_bytes) {
            return Err(wrong(format!(
                "--balance: {} has no load to balance: that takes a master, two slaves and the whole kernel\n  \
                 help: take a machine as testbed6",
                machine.name
            )));
        }
        if classes & DIAG_READY != 0 {
            let what = "--balance: with class ready no slave can tell of its load, since the words look alike";
            return Err(wrong(format!("{what}\n  help: leave ready out of --dgl")));
        }
        match (policy.as_str(), &self.placement) {
            ("static", None) => {
                return Err(wrong(
                    "--balance static: it is not said where threads go\n  help: add --placement FILE".into(),
                ));
            }
            ("static", Some(_)) | (_, None) => {}
            _ => return Err(wrong(format!("--placement: {policy} has no use for it\n  help: leave it out"))),
        }
        Ok(Some(BalanceRecord { policy: policy.clone(), sample_us: self.period(policy)? }))
    }

    /// The period of samples in microseconds.
    fn period(&self, policy: &str) -> Result<u32, Failure> {
        let Some(text) = &self.sample else {
            return Ok(if policy == "gain" { GAIN_PERIOD_US } else { DEFAULT_PERIOD_US });
        };
        let range = || {
            let name = |us: u32| units::print(u128::from(us) * MICROSECOND, units::TIME);
            format!("from {} to {}", name(*PERIODS_US.start()), name(*PERIODS_US.end()))
        };
        let picoseconds = units::parse(text, units::TIME).map_err(|error| {
            let names = units::names(units::TIME);
            wrong(format!("--sample: {error}\n  help: write a number and one of {names}, as in 200ms"))
        })?;
        let period = u32::try_from(picoseconds / MICROSECOND).ok().filter(|period| PERIODS_US.contains(period));
        period.ok_or_else(|| wrong(format!("--sample: `{text}` is no period of samples\n  help: give one {}", range())))
    }

    /// The files that the balancer needs beside the program, if they are not there.
    pub fn files(&self, programs: &[String], wanted: &mut Vec<Wanted>) -> Result<(), Failure> {
        if self.policy.is_none() {
            return Ok(());
        }
        if !wanted.iter().any(|wanted| wanted.name == BALANCER) {
            wanted.push(Wanted::new(BALANCER, programs));
        }
        if let Some(path) = &self.placement {
            wanted.push(Wanted { source: Source::Host(path.clone()), name: PLACEMENT.into() });
        }
        Ok(wanted.iter().try_for_each(|wanted| wanted.source.check(false))?)
    }

    /// Takes the balancer's log out of the machine, whose kernel is the ELF file `kernel`, into the
    /// run's folder `dir`; says so if there is none.
    pub fn take(&self, engine: &dyn Engine, kernel: &[u8], dir: &Path) -> Result<(), Failure> {
        if self.policy.is_none() {
            return Ok(());
        }
        match balance_log(engine, kernel) {
            Some(log) => getting::write(&dir.join(BALANCE), &log)?,
            None => eprintln!("warning: the balancer has left no log: it had not begun when the run was over"),
        }
        Ok(())
    }
}

/// The policies, one a line.
fn help() -> String {
    let longest = NAMES.iter().map(|name| name.len()).max().unwrap_or_default();
    let lines = DESCRIBED.map(|(name, what)| format!("\n  {name:longest$}  {what}"));
    format!("Balance the load of the slaves, as docs/balance.md says:{}", lines.concat())
}

fn wrong(message: String) -> Failure {
    Failure::new(Exit::Input, message)
}
