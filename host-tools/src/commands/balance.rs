//! What `run` is told of the balancer, and its log.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use itertools::Itertools;
use testbed_balance::policies::{period_us, placement::FILE as PLACEMENT, DESCRIBED, NAMES};
use testbed_balance::settings::{self, Setting, Values, Wrong};
use testbed_definitions::boot::{is_small, BALANCER};
use testbed_definitions::event::{DIAG_LOAD, DIAG_READY};
use testbed_definitions::load::PERIODS_US;
use testbed_machine::{suggest, units, Machine};
use testbed_runner::files::{Source, Wanted};
use testbed_runner::firmware::Firmware;
use testbed_runner::taking::balance_log;
use testbed_runner::tell;
use testbed_sim::engine::Engine;
use testbed_trace::balance::log::Log;
use testbed_trace::balance::History;
use testbed_trace::capture::{BalanceRecord, BALANCE};

use super::{getting, placement, Exit, Failure};

/// How often the balancer's log is taken out of the machine while it runs.
const FOLLOWED: Duration = Duration::from_millis(500);
/// Picoseconds of a microsecond.
const MICROSECOND: u128 = 1_000_000;

/// The least RAM, a power of two, in which the master has its kernel, its files, and the balancer with all
/// that it knows of threads.
const LEAST_RAM: u32 = 2 << 20;

/// Options of `run`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Balancing the load")]
pub struct Balance {
    #[arg(long = "balance", value_name = "POLICY", help = help())]
    policy: Option<String>,
    /// How far apart samples of the load are [default: 1s, with gain 200ms]
    #[arg(long, value_name = "TIME", requires = "policy")]
    sample: Option<String>,
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "policy", help = settings_help())]
    settings: Vec<String>,
    /// Where each thread goes, for --balance static: lines as `1-01-003 2`
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
        is_known("--balance: ", policy)?;
        if machine.processors.len() < 3 || is_small(machine.ram_bytes) {
            return Err(wrong(format!(
                "--balance: {} has no load to balance: that takes a master, two slaves and the whole kernel\n  \
                 help: take a machine as testbed6",
                machine.name
            )));
        }
        if machine.ram_bytes < LEAST_RAM {
            return Err(wrong(format!(
                "--balance: the balancer does not fit the {} KiB of {}'s processors\n  help: take a machine with {} MiB or more",
                machine.ram_bytes >> 10,
                machine.name,
                LEAST_RAM >> 20
            )));
        }
        if classes & DIAG_READY != 0 {
            let what = "--balance: with class ready no slave can tell of its load, since the words look alike";
            return Err(wrong(format!("{what}\n  help: leave ready out of --dgl")));
        }
        match (policy.as_str(), &self.placement) {
            ("static", None) => return Err(placeless("--balance static")),
            ("static", Some(path)) => {
                placement::read(path, machine.slaves() as u8)?;
            }
            (_, None) => {}
            _ => return Err(wrong(format!("--placement: {policy} has no use for it\n  help: leave it out"))),
        }
        let settings = self.settings(policy)?;
        Ok(Some(BalanceRecord { policy: policy.clone(), sample_us: self.period(policy)?, settings }))
    }

    /// What is set of the policy, if it makes sense.
    fn settings(&self, policy: &str) -> Result<Vec<String>, Failure> {
        values(policy, &self.settings)?;
        Ok(self.settings.clone())
    }

    /// The period of samples in microseconds.
    fn period(&self, policy: &str) -> Result<u32, Failure> {
        let Some(text) = &self.sample else {
            return Ok(period_us(policy));
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

    /// What takes the balancer's log out of the machine while it runs; `None` without a balancer.
    pub fn log(&self, machine: &Machine, built: &Firmware, dir: &Path) -> Result<Option<GrowingLog>, Failure> {
        if self.policy.is_none() {
            return Ok(None);
        }
        let (_, kernel) = built.kernel(machine.ram_bytes)?;
        let path = dir.join(BALANCE);
        Ok(Some(GrowingLog { kernel: kernel.to_vec(), path, file: None, length: 0, last: Instant::now() }))
    }

    /// Takes the balancer's log out of the machine, whose kernel is the ELF file `kernel`, into the
    /// run's folder `dir`; says so if there is none, or if nothing was balanced.
    pub fn take(&self, engine: &dyn Engine, kernel: &[u8], dir: &Path) -> Result<(), Failure> {
        let Some(policy) = &self.policy else { return Ok(()) };
        let Some(log) = balance_log(engine, kernel) else {
            let what = "it did not begin, which the console tells, or had not when the run was over";
            tell!("warning: the balancer has left no log: {what}");
            return Ok(());
        };
        getting::write(&dir.join(BALANCE), &log)?;
        // What is wrong with a log those say who read it.
        if let Ok(log) = Log::of(&String::from_utf8_lossy(&log)) {
            self.tell_idle(&log.history, self.period(policy)?, engine.machine().slaves() as u8);
        }
        Ok(())
    }

    /// Says if the policy had nothing to do, where that is not plain.
    fn tell_idle(&self, history: &History, period_us: u32, slaves: u8) {
        if history.summaries.is_empty() {
            let period = units::print(u128::from(period_us) * MICROSECOND, units::TIME);
            let what = format!("the run was over before its first samples, which are {period} apart");
            tell!("note: the policy was never asked: {what}\n  help: give a shorter --sample");
            return;
        }
        let text = self.placement.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let idle = text.map(|text| placement::not_asked_for(&text, slaves, history)).unwrap_or_default();
        if !idle.is_empty() {
            let names = idle.iter().take(NAMED).join(", ");
            let more = if idle.len() > NAMED { ", and others" } else { "" };
            let what = "they are where they should be, or were never seen";
            tell!("note: {} of the placement's threads were not asked for ({names}{more}): {what}", idle.len());
        }
    }
}

/// Threads that a note names.
const NAMED: usize = 3;

/// The balancer's log in the folder of a run that goes on, for whoever follows that.
pub struct GrowingLog {
    /// The kernel's ELF file.
    kernel: Vec<u8>,
    path: PathBuf,
    file: Option<File>,
    /// Bytes that have been written.
    length: usize,
    last: Instant,
}

impl GrowingLog {
    /// Appends what has come, now and then. The log only ever grows, by whole lines; if it can't be
    /// written that is said when the run is over, as [`Balance::take`] writes the whole.
    pub fn follow(&mut self, engine: &dyn Engine) {
        if self.last.elapsed() < FOLLOWED {
            return;
        }
        self.last = Instant::now();
        let Some(log) = balance_log(engine, &self.kernel) else { return };
        let Some(new) = log.get(self.length..).filter(|new| !new.is_empty()) else { return };
        if self.file.is_none() {
            self.file = File::create(&self.path).ok();
        }
        if self.file.as_mut().is_some_and(|file| file.write_all(new).is_ok()) {
            self.length = log.len();
        }
    }
}

/// Refuses a name that no policy has; `option` is what is wrong then.
pub(super) fn is_known(option: &str, policy: &str) -> Result<(), Failure> {
    NAMES.contains(&policy).then_some(()).ok_or_else(|| unknown(option, policy))
}

/// No policy has this name; `option` is what is wrong then.
pub(super) fn unknown(option: &str, policy: &str) -> Failure {
    let (meant, names) = (suggest::question(policy, NAMES.iter().copied()), NAMES.join(", "));
    wrong(format!("{option}no policy is called `{policy}`\n  help: {meant}use {names}"))
}

/// What these settings make of a policy's.
pub(super) fn values(policy: &str, settings: &[String]) -> Result<Values, Failure> {
    let mut values = Values::DEFAULT;
    for argument in settings {
        values.set(policy, argument).map_err(|error| senseless(policy, &error))?;
    }
    Ok(values)
}

/// The policies, one a line.
fn help() -> String {
    let longest = NAMES.iter().map(|name| name.len()).max().unwrap_or_default();
    let lines = DESCRIBED.map(|(name, what)| format!("\n  {name:longest$}  {what}"));
    format!("Balance the load of the slaves, as docs/balance.md says:{}", lines.concat())
}

/// What can be set, a policy a line.
pub(super) fn settings_help() -> String {
    let lines = NAMES.iter().filter_map(|policy| {
        let known = settings::of(policy).map(with_default).join(", ");
        (!known.is_empty()).then(|| format!("\n  {policy}: {known}"))
    });
    let lines: String = lines.collect();
    format!("Change a setting of the policy; docs/balance.md says what each does. By default:{lines}")
}

fn with_default(setting: &'static Setting) -> String {
    format!("{}={}", setting.name, setting.unit.text(setting.default()))
}

/// `static` has to be told where threads go.
pub(super) fn placeless(what: &str) -> Failure {
    wrong(format!("{what}: it is not said where threads go\n  help: add --placement FILE"))
}

/// Why a setting is refused, and what would do.
fn senseless(policy: &str, error: &Wrong) -> Failure {
    let known: Vec<_> = settings::of(policy).map(|setting| setting.name).collect();
    let example =
        || settings::of(policy).next().map_or(String::new(), |setting| format!(", as {}", with_default(setting)));
    let help = match error {
        _ if known.is_empty() => format!("{policy} has no settings: leave --set out"),
        Wrong::Form(_) => format!("write NAME=VALUE{}", example()),
        Wrong::Unknown(name) => {
            let meant = suggest::question(name, known.iter().copied());
            format!("{meant}{policy} has {}", known.join(", "))
        }
        Wrong::Twice(_) => "give it once".into(),
        Wrong::Value(setting, _) | Wrong::Range(setting, _) => {
            let (least, most) = (setting.unit.text(setting.least), setting.unit.text(setting.most));
            format!("{} takes {} from {least} to {most}", setting.name, setting.unit.name())
        }
    };
    wrong(format!("--set: {error}\n  help: {help}"))
}

pub(super) fn wrong(message: String) -> Failure {
    Failure::new(Exit::Input, message)
}
