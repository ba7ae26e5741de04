//! `testbed experiment overflow`: the highest rates of events that the monitor takes without loss
//! (the report's section 3.3.7).

pub mod trial;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use testbed_definitions::event;
use testbed_machine::{units, Machine, Order};
use testbed_runner::firmware::Firmware;
use testbed_runner::measurement::Measurement;
use testbed_runner::{engines, firmware};
use testbed_sim::load::Boot;
use testbed_trace::analysis::text::grouped;
use testbed_trace::capture::KernelKind;

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use crate::runs::{hash, made_by};
use trial::{search, Trial, REPORT_COLLECTED, REPORT_LOGGED};

/// The program on the master, and the one that emits.
const PROGRAMS: [&str; 2] = ["logger", "overflow"];
/// Longest interval between two events of a slave that is tried, in microseconds.
const INTERVAL_MOST: u32 = 1 << 14;
/// A run into loss goes on for this time, in milliseconds, however often events are refused.
const LOSSY_MS: u64 = 100;
/// Longest run, in milliseconds: an hour.
const MOST_MS: u64 = 3_600_000;
/// Machine time of each run in the experiment `profile`: the queues still hold 512 pairs a second then.
const PROFILE_TIME: &str = "2s";
/// The figures, in the output folder.
const JSON: &str = "overflow.json";
/// Refusals that end no run.
const PATIENT: u32 = u32::MAX;

/// Sweeps the rate of events until some are lost: collected by a program on the master, and by the trace port
#[derive(Args, Debug)]
pub struct Overflow {
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Machine time that slaves emit in each run; the shorter, the more of an excess the queues still hold
    #[arg(long = "for", value_name = "TIME", default_value = "2s")]
    time: String,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-overflow")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// How events are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A program on the master, which nothing gets ahead of.
    Logger,
    Port,
    /// By the port, while a program on the master has what it can.
    Both,
}

/// What is varied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    pub machine: String,
    /// Which pair the MMI takes next.
    pub order: Order,
    pub by: By,
    pub slaves: u8,
}

/// What was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    #[serde(flatten)]
    pub setting: Setting,
    pub clock_hz: u32,
    /// The shortest interval that loses nothing.
    pub free: Option<Trial>,
    /// As fast as a program can.
    pub fastest: Trial,
}

impl Setting {
    fn all() -> Vec<Setting> {
        let of = |machine: &str, order, by, slaves| Setting { machine: machine.into(), order, by, slaves };
        let mut all = Vec::new();
        for machine in ["report1991", "testbed6"] {
            for by in [By::Logger, By::Port] {
                all.extend([1, 5].map(|slaves| of(machine, Order::Turns, by, slaves)));
            }
        }
        all.push(of("testbed6", Order::Time, By::Port, 5));
        all.push(of("testbed6", Order::Time, By::Both, 5));
        all
    }

    fn name(&self) -> String {
        format!("{}-{}-{}-{}", self.machine, self.order.name(), self.by.name(), self.slaves)
    }

    fn machine(&self) -> Result<Machine, ExperimentError> {
        Ok(Machine { order: self.order, ..Machine::load(&self.machine)? })
    }

    /// Machine, order, who collects, slaves.
    pub fn words(&self) -> [String; 4] {
        [self.machine.clone(), self.order.name().into(), self.by.name().into(), self.slaves.to_string()]
    }

    fn columns(&self) -> String {
        let [machine, order, by, slaves] = self.words();
        format!("{machine:<11} {order:<6} {by:<12}  {slaves:>6}")
    }

    /// What the report has for this, in pairs a second, and whether that is of one slave.
    fn report(&self) -> Option<(f64, &'static str)> {
        match (self.machine.as_str(), self.by, self.slaves) {
            ("report1991", By::Logger, 1) => Some((REPORT_LOGGED, "in all")),
            ("report1991", By::Port, _) => Some((REPORT_COLLECTED, "a slave")),
            _ => None,
        }
    }
}

impl Found {
    /// The report's rate, what it is of, and how many times it the rate without loss is; `None`
    /// where either is unknown.
    pub fn beside_report(&self) -> Option<(String, &'static str, f64)> {
        let (free, (rate, of)) = self.free.as_ref().zip(self.setting.report())?;
        let own = if of == "in all" { free.in_all } else { free.per_slave };
        Some((grouped(rate as u64), of, own / rate))
    }
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Logger => "logger",
            By::Port => "port",
            By::Both => "both",
        }
    }

    /// The program's word for it.
    fn argument(self) -> &'static str {
        match self {
            By::Logger => "queue",
            By::Port => "port",
            By::Both => "some",
        }
    }
}

impl Experiment for Overflow {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        let found = self.sweep(&built, &|name| progress.doing(name))?;
        progress.clear();
        let json = self.save(&found)?;
        Ok(match self.json {
            true => format!("{json}\n"),
            false => text(&found, &self.engine, &self.time, &self.out),
        })
    }
}

impl Overflow {
    /// As the experiment `profile` has it, in a folder of that.
    pub fn of_profile(engine: &str, out: PathBuf) -> Self {
        Overflow { engine: engine.into(), time: PROFILE_TIME.into(), out, json: false }
    }

    /// What an earlier call of this build with the same firmware has found, or else what a sweep finds.
    ///
    /// # Errors
    /// A run can't be made or read.
    pub fn finished(&self, built: &Firmware) -> Result<Vec<Found>, ExperimentError> {
        let mut key = format!("{} {} {}", made_by()?, self.engine, self.time);
        for name in PROGRAMS.iter().chain(&["kernel"]) {
            let _ = write!(key, " {}", hash(&built.read(name)?.1));
        }
        let path = self.out.join("overflow.key");
        if fs::read_to_string(&path).is_ok_and(|found| found == key) {
            if let Ok(found) = serde_json::from_slice(&fs::read(self.out.join(JSON))?) {
                return Ok(found);
            }
        }
        let found = self.sweep(built, &|_| ())?;
        self.save(&found)?;
        fs::write(path, key)?;
        Ok(found)
    }

    /// Tries all settings.
    fn sweep(&self, built: &Firmware, note: &dyn Fn(&str)) -> Result<Vec<Found>, ExperimentError> {
        let milliseconds = self.milliseconds()?;
        let mut found = Vec::new();
        for setting in Setting::all() {
            let machine = setting.machine()?;
            note(&setting.name());
            let trial = |interval, milliseconds, patience, folder: &str| {
                self.trial(built, &machine, &setting, (interval, milliseconds, patience), folder)
            };
            let free = search(INTERVAL_MOST, |interval| {
                let found = trial(interval, milliseconds, 1, "trial")?;
                // Each that is free has a shorter interval than the one before: the last stays.
                self.settle(&setting, found.is_free())?;
                Ok::<_, ExperimentError>(found)
            })?;
            let fastest = trial(0, LOSSY_MS, PATIENT, "fastest")?;
            found.push(Found { clock_hz: machine.clock_hz, setting, free, fastest });
        }
        Ok(found)
    }

    fn milliseconds(&self) -> Result<u64, ExperimentError> {
        let wrong = |what: &dyn std::fmt::Display| {
            let help = format!("write a time from 1ms to {MOST_MS} ms, as in 500ms");
            ExperimentError::Option(format!("--for: {what}\n  help: {help}"))
        };
        let picoseconds = units::parse(&self.time, units::TIME).map_err(|error| wrong(&error))?;
        let milliseconds = picoseconds / (units::PICOSECONDS / 1_000);
        match u64::try_from(milliseconds) {
            Ok(milliseconds @ 1..=MOST_MS) => Ok(milliseconds),
            _ => Err(wrong(&format!("`{}` is too short or too long", self.time))),
        }
    }

    fn folder(&self, setting: &Setting, name: &str) -> PathBuf {
        self.out.join(setting.name()).join(name)
    }

    /// Keeps the folder of the last trial as that of the run without loss, or removes it.
    fn settle(&self, setting: &Setting, keep: bool) -> Result<(), ExperimentError> {
        let (trial, free) = (self.folder(setting, "trial"), self.folder(setting, "free"));
        if !keep {
            return Ok(fs::remove_dir_all(trial)?);
        }
        if free.exists() {
            fs::remove_dir_all(&free)?;
        }
        Ok(fs::rename(trial, free)?)
    }

    /// One run, `(interval in us, milliseconds, refusals that end it)`.
    fn trial(
        &self,
        built: &Firmware,
        machine: &Machine,
        setting: &Setting,
        (interval, milliseconds, patience): (u32, u64, u32),
        folder: &str,
    ) -> Result<Trial, ExperimentError> {
        let numbers = [interval.to_string(), milliseconds.to_string(), patience.to_string()];
        let slaves = setting.slaves.to_string();
        let words = [setting.by.argument(), &slaves, PROGRAMS[1]].map(String::from);
        let boot = Boot {
            options: KernelKind::Default.options(),
            dgl: event::DIAG_USER,
            seed: 1,
            start_processor: 1,
            arguments: words.into_iter().chain(numbers).collect(),
            ..Boot::default()
        };
        // Starting and ending take a fraction of a second.
        let limit = (milliseconds + 2_000) * u64::from(machine.clock_hz) / 1_000;
        let (engine, kernel) = (self.engine.as_str(), KernelKind::Default);
        let measurement = Measurement {
            machine,
            engine,
            kernel,
            programs: &PROGRAMS,
            files: &[],
            folder: &self.folder(setting, folder),
            limit,
        };
        Ok(Trial::read(&measurement.run(built, boot)?, interval)?)
    }

    /// Writes the figures into the folder, and returns them as JSON.
    fn save(&self, found: &[Found]) -> Result<String, ExperimentError> {
        let json = serde_json::to_string_pretty(found).map_err(io::Error::from)?;
        fs::write(self.out.join(JSON), format!("{json}\n"))?;
        Ok(json)
    }
}

fn text(found: &[Found], engine: &str, time: &str, out: &Path) -> String {
    let mut text = format!(
        "highest rates without loss, in pairs a second of machine time (engine {engine}, {time} a run)\n\n\
         machine     order  collected by  slaves  interval    a slave     in all  per 1,000 cycles  report\n"
    );
    for one in found {
        let Found { setting, clock_hz, free, fastest } = one;
        let start = setting.columns();
        let Some(free) = free else {
            let _ = writeln!(text, "{start}  loses even at the longest interval, {INTERVAL_MOST} us");
            continue;
        };
        let per_thousand = free.in_all * 1e3 / f64::from(*clock_hz);
        let report =
            one.beside_report().map_or(String::new(), |(rate, of, times)| format!("{rate} {of}: x {times:.2}"));
        let none_lost = if fastest.lost == 0 { "  no program is too fast" } else { "" };
        let _ = writeln!(
            text,
            "{start}  {:>5} us {:>10} {:>10}  {:>16.2}  {report}{none_lost}",
            free.interval_us,
            grouped(free.per_slave as u64),
            grouped(free.in_all as u64),
            per_thousand
        );
    }
    text += "\nas fast as programs can, for 100 ms: words lost by the counters, all told by gap markers; pairs that the logger had and missed\n\n\
             machine     order  collected by  slaves        lost      logged      missed\n";
    for Found { setting, fastest, .. } in found {
        let numbers = [fastest.lost, fastest.logged, fastest.missed].map(|number| format!("{:>12}", grouped(number)));
        let _ = writeln!(text, "{}{}", setting.columns(), numbers.concat());
    }
    let _ = writeln!(text, "\nleft in {}: overflow.json and the runs", out.display());
    text
}
