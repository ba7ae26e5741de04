//! `testbed experiment lossy`: bulk-synchronous programs on machines that lose packets, held against
//! the lossy BSP model.
//!
//! A run without loss tells of each exchange how many packets it has and how long a round of it is
//! given. From that and from the probability of a loss alone the model ([`testbed_lossy`]) says how
//! many rounds, repeated packets and cycles a run with losses takes. [`observe`](mod@observe) reads runs,
//! [`point`] holds them against the model, [`text`] shows it.

pub mod observe;
pub mod point;
pub mod text;

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

use clap::Args;
use testbed_definitions::boot::WHOLE_ROUNDS;
use testbed_definitions::event::DIAG_PROFILE;
use testbed_definitions::mpc::superstep::COPIES_MAX;
use testbed_definitions::packet::{fault_threshold, Faults};
use testbed_runner::firmware::Firmware;
use testbed_runner::measurement::Measurement;
use testbed_runner::{engines, firmware};
use testbed_sim::load::Boot;
use testbed_trace::capture::{Capture, KernelKind, Stop, CONSOLE};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::progress::Progress;
use crate::random_loads::plan::machine;
use crate::subject::START;
use observe::{observe, Observed};
use point::{Point, Subject};

/// Programs, and how large their problem is: many supersteps in little time.
const PROGRAMS: [(&str, u32); 4] = [("bsp-bitonic", 64), ("bsp-fft", 64), ("bsp-lu", 24), ("bsp-samplesort", 200)];
/// Machine time after which a run is given up, in seconds.
const LIMIT_SECONDS: u64 = 60;
/// Seeds of the runs whose processes go on at once.
const EARLY: u32 = 4;
/// The figures, in the output folder.
const JSON: &str = "lossy.json";

/// Holds bulk-synchronous programs on machines that lose packets against the lossy BSP model:
/// rounds, repeated packets, time and speed-up
#[derive(Args, Debug)]
pub struct Lossy {
    /// Programs, separated by commas [default: bsp-bitonic,bsp-fft,bsp-lu,bsp-samplesort]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How many slaves, with a process on each, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "2,5,10,15", value_parser = clap::value_parser!(u8).range(2..=15))]
    slaves: Vec<u8>,
    /// Percentages of packets that are lost, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,5,10,15,30", value_parser = clap::value_parser!(u32).range(1..=90))]
    loss: Vec<u32>,
    /// How often each packet leaves in a round, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = clap::value_parser!(u32).range(1..=i64::from(COPIES_MAX)))]
    copies: Vec<u32>,
    /// Runs of each point, with seeds that no other point has
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    seeds: u32,
    /// Two programs on 2 and 5 slaves, losses of 10 % and 30 %, one copy and two, eight seeds
    #[arg(long, conflicts_with_all = ["only", "slaves", "loss", "copies", "seeds"])]
    reduced: bool,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Points at a time; by default one for each core
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "out/experiment-lossy")]
    out: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

/// What is run: programs, slaves, percentages and copies, each with each.
struct Extent {
    programs: Vec<(&'static str, u32)>,
    slaves: Vec<u8>,
    loss: Vec<u32>,
    copies: Vec<u32>,
    seeds: u32,
}

/// One run of a program.
#[derive(Clone, Copy)]
struct Wanted {
    program: (&'static str, u32),
    slaves: u8,
    percent: u32,
    copies: u32,
    whole: bool,
    seed: u32,
}

/// Runs programs into a folder.
struct Lab<'a> {
    built: &'a Firmware,
    engine: &'a str,
    folder: PathBuf,
}

impl Experiment for Lossy {
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let extent = self.extent()?;
        progress.doing("building the firmware");
        let built = firmware::build(&firmware::root()?)?;
        progress.clear();
        let folder = self.out.join("runs");
        fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        let lab = Lab { built: &built, engine: &self.engine, folder };
        let points = self.points(&lab, &extent, progress)?;
        let json = serde_json::to_string_pretty(&points).map_err(std::io::Error::from)? + "\n";
        let path = self.out.join(JSON);
        fs::write(&path, &json).map_err(ExperimentError::unwritable(&path))?;
        Ok(if self.json { json } else { text::text(&points) })
    }
}

impl Lossy {
    fn extent(&self) -> Result<Extent, ExperimentError> {
        if self.reduced {
            let (slaves, loss, copies) = (vec![2, 5], vec![10, 30], vec![1, 2]);
            return Ok(Extent { programs: PROGRAMS[..2].to_vec(), slaves, loss, copies, seeds: 8 });
        }
        let (slaves, loss, copies) = (self.slaves.clone(), self.loss.clone(), self.copies.clone());
        Ok(Extent { programs: self.programs()?, slaves, loss, copies, seeds: self.seeds })
    }

    fn programs(&self) -> Result<Vec<(&'static str, u32)>, ExperimentError> {
        if self.only.is_empty() {
            return Ok(PROGRAMS.to_vec());
        }
        let known = || PROGRAMS.map(|(name, _)| name).join(", ");
        let find = |name: &String| {
            let found = PROGRAMS.into_iter().find(|(known, _)| known == name);
            found.ok_or_else(|| {
                ExperimentError::Option(format!(
                    "--only: there is no program `{name}` here\n  help: there are {}",
                    known()
                ))
            })
        };
        self.only.iter().map(find).collect()
    }

    /// All points, in the order of programs, slaves, losses and copies.
    fn points(&self, lab: &Lab, extent: &Extent, progress: &dyn Progress) -> Result<Vec<Point>, ExperimentError> {
        let groups: Vec<((&'static str, u32), u8, u32)> = extent
            .programs
            .iter()
            .flat_map(|program| extent.slaves.iter().map(move |slaves| (*program, *slaves)))
            .flat_map(|(program, slaves)| extent.copies.iter().map(move |copies| (program, slaves, *copies)))
            .collect();
        progress.begin(groups.len());
        let jobs = self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((program, slaves, copies)) = groups.get(index) else { break };
            let points = lab.group(index, (*program, *slaves, *copies), extent);
            if points.is_err() {
                // The others need not begin any more.
                next.store(groups.len(), Ordering::Relaxed);
            }
            made.lock().expect("no worker panics").push((index, points));
            progress.made();
        };
        thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
        progress.clear();
        let mut made = made.into_inner().expect("no worker panics");
        made.sort_by_key(|(index, _)| *index);
        let groups = made.into_iter().map(|(_, points)| points).collect::<Result<Vec<_>, _>>()?;
        Ok(groups.into_iter().flatten().collect())
    }
}

impl Lab<'_> {
    /// The points of a program on so many slaves, with so many copies: one for each loss. With a
    /// point's seeds the stations lose other packets than with another's, or all points would be off
    /// by the same lot.
    fn group(
        &self,
        index: usize,
        (program, slaves, copies): ((&'static str, u32), u8, u32),
        extent: &Extent,
    ) -> Result<Vec<Point>, ExperimentError> {
        let lossless = Wanted { program, slaves, percent: 0, copies, whole: true, seed: 1 };
        let alone = self.run(&Wanted { slaves: 1, ..lossless })?.cycles;
        let without = self.run(&lossless)?;
        let point = |(place, percent): (usize, &u32)| {
            let first = 1 + (index * extent.loss.len() + place) as u32 * extent.seeds;
            let wanted = |seed, whole| Wanted { percent: *percent, seed, whole, ..lossless };
            let runs = (first..first + extent.seeds).map(|seed| self.run(&wanted(seed, true)));
            let runs = runs.collect::<Result<Vec<_>, _>>()?;
            let early = (first..first + EARLY.min(extent.seeds)).map(|seed| self.run(&wanted(seed, false)));
            let early = early.collect::<Result<Vec<_>, _>>()?;
            let subject = Subject { program: program.0, processes: slaves, loss: f64::from(*percent) / 100.0, copies };
            Ok(Point::of(subject, &without, &runs, &early, alone))
        };
        extent.loss.iter().enumerate().map(point).collect()
    }

    /// Makes a run and reads it. Its folder stays only if it fails.
    fn run(&self, wanted: &Wanted) -> Result<Observed, ExperimentError> {
        let Wanted { program: (program, size), slaves, percent, copies, whole, seed } = *wanted;
        let machine = machine(slaves, 1);
        let kind = if whole { "whole" } else { "early" };
        let folder =
            self.folder.join(format!("{program}-on-{slaves}-loss-{percent}-copies-{copies}-{kind}-seed-{seed}"));
        let measurement = Measurement {
            machine: &machine,
            engine: self.engine,
            kernel: KernelKind::Default,
            programs: &[program],
            files: &[],
            folder: &folder,
            limit: LIMIT_SECONDS * u64::from(machine.clock_hz),
        };
        let boot = Boot {
            dgl: DIAG_PROFILE,
            seed,
            start_processor: START.into(),
            arguments: vec![size.to_string(), slaves.to_string()],
            faults: Some(Faults { drop: fault_threshold(percent * 10_000), corrupt: 0 }),
            copies: copies | if whole { WHOLE_ROUNDS } else { 0 },
            ..Boot::default()
        };
        let capture = measurement.run(self.built, boot)?;
        check(&capture)?;
        let observed = observe(&capture)?;
        fs::remove_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
        Ok(observed)
    }
}

/// A run whose program was not over in time, or says that something is wrong, gives no figures.
fn check(capture: &Capture) -> Result<(), ExperimentError> {
    let record = &capture.record;
    let what = match (record.stopped, record.exits.iter().find(|exit| exit.code != 0)) {
        (_, Some(exit)) => format!("`{}` ended with code {}", record.program, exit.code),
        (Some(Stop::Exit), None) => return Ok(()),
        _ => format!("`{}` was not over after {LIMIT_SECONDS} s of machine time", record.program),
    };
    Err(ExperimentError::Failed { folder: capture.dir.clone(), what, console: capture.dir.join(CONSOLE) })
}
