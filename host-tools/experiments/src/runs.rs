//! Makes the runs, side by side on the cores at hand, each once: what an earlier call has made is taken as it is.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

use serde::{Deserialize, Serialize};
use testbed_definitions::file::READ;
use testbed_machine::Machine;
use testbed_runner::files::Stored;
use testbed_runner::firmware::Firmware;
use testbed_runner::measurement::Measurement;
use testbed_runner::{engines, image};
use testbed_sim::engine::Image;
use testbed_sim::load::Boot;
use testbed_trace::capture::{BalanceRecord, Capture, Stop, CONSOLE, RUN_JSON};

use crate::error::ExperimentError;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::subject::START;

/// Machine time after which a run is given up, in seconds.
const LIMIT_SECONDS: u64 = 300;

/// What a finished run was made of: if that is the same, so is the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    /// The hash of the program that makes it, in which its emulator and its Verilog are.
    testbed: String,
    engine: String,
    machine: String,
    kernel: String,
    seed: u32,
    dgl: u32,
    /// The hash of all that is in RAM before the first cycle: kernel, programs, arguments.
    image: String,
    /// The hash of `run.json`; empty before the run.
    record: String,
}

/// As keys have it.
pub(crate) fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}

/// The hash of this program, found once: another build may have another emulator.
pub(crate) fn made_by() -> std::io::Result<String> {
    static HASH: OnceLock<String> = OnceLock::new();
    match HASH.get() {
        Some(known) => Ok(known.clone()),
        None => {
            let found = hash(&fs::read(std::env::current_exe()?)?);
            Ok(HASH.get_or_init(|| found).clone())
        }
    }
}

/// Makes runs into folders of its own.
pub struct Runs<'a> {
    pub built: &'a Firmware,
    /// The same with a kernel that emits nothing; only some runs want it.
    pub unmonitored: Option<Firmware>,
    pub machine: &'a Machine,
    pub engine: &'a str,
    /// Parent of the runs' folders.
    pub folder: PathBuf,
}

impl Runs<'_> {
    /// Folder of a run.
    pub fn folder<P>(&self, run: &Planned<P>) -> PathBuf {
        self.folder.join(&run.name)
    }

    fn key_path<P>(&self, run: &Planned<P>) -> PathBuf {
        self.folder.join(format!("{}.key.json", run.name))
    }

    fn firmware<P>(&self, run: &Planned<P>) -> &Firmware {
        self.unmonitored.as_ref().filter(|_| run.unmonitored).unwrap_or(self.built)
    }

    fn boot<P>(&self, run: &Planned<P>) -> Boot {
        Boot {
            options: run.kernel.options(),
            dgl: run.dgl,
            seed: run.seed,
            start_processor: START.into(),
            arguments: run.arguments.clone(),
            balancer: run.balance.as_ref().map_or_else(Vec::new, BalanceRecord::arguments),
            ..Boot::default()
        }
    }

    /// What is in RAM at the start of a run.
    ///
    /// # Errors
    /// The programs are not there or do not fit.
    pub fn image<P>(&self, run: &Planned<P>) -> Result<Image, ExperimentError> {
        let (programs, files) = (&run.programs, files(run));
        Ok(image::of_programs(self.firmware(run), self.machine, programs, &files, &self.boot(run))?)
    }

    fn key<P>(&self, run: &Planned<P>) -> Result<Key, ExperimentError> {
        let image = self.image(run)?;
        let mut bytes = image.entry.to_le_bytes().to_vec();
        for (address, segment) in &image.segments {
            bytes.extend(address.to_le_bytes());
            bytes.extend((segment.len() as u64).to_le_bytes());
            bytes.extend(segment);
        }
        Ok(Key {
            testbed: made_by()?,
            engine: self.engine.into(),
            machine: format!("{:?}", self.machine),
            kernel: run.kernel.name().into(),
            seed: run.seed,
            dgl: run.dgl,
            image: hash(&bytes),
            record: String::new(),
        })
    }

    /// The hash of the `run.json` that a run has left.
    fn record<P>(&self, run: &Planned<P>) -> std::io::Result<String> {
        Ok(hash(&fs::read(self.folder(run).join(RUN_JSON))?))
    }

    /// The run, if it is there from before.
    fn finished<P>(&self, run: &Planned<P>, key: &Key) -> Option<Capture> {
        let found: Key = serde_json::from_slice(&fs::read(self.key_path(run)).ok()?).ok()?;
        let capture = Capture::open(&self.folder(run)).ok()?;
        let key = Key { record: self.record(run).ok()?, ..key.clone() };
        (found == key && capture.record.complete).then_some(capture)
    }

    /// Makes a run, or takes it as it is there. Its key is written last, so that one that was killed is made again.
    ///
    /// # Errors
    /// The run can't be made, fails, or is not over in time.
    pub fn make<P>(&self, run: &Planned<P>) -> Result<Capture, ExperimentError> {
        let key = self.key(run)?;
        if let Some(capture) = self.finished(run, &key) {
            return Ok(capture);
        }
        let folder = self.folder(run);
        let key_path = self.key_path(run);
        if key_path.exists() {
            fs::remove_file(&key_path)?;
        }
        let measurement = Measurement {
            machine: self.machine,
            engine: self.engine,
            kernel: run.kernel,
            programs: &run.programs,
            files: &files(run),
            folder: &folder,
            limit: LIMIT_SECONDS * u64::from(self.machine.clock_hz),
        };
        let capture = measurement.run(self.firmware(run), self.boot(run))?;
        check(&capture)?;
        let key = Key { record: self.record(run)?, ..key };
        let text = serde_json::to_string_pretty(&key).map_err(std::io::Error::from)?;
        // By another name first: who is killed meanwhile leaves no half of a key.
        let written = key_path.with_extension("new");
        fs::write(&written, text).map_err(ExperimentError::unwritable(&written))?;
        fs::rename(&written, &key_path).map_err(ExperimentError::unwritable(&key_path))?;
        Ok(capture)
    }

    /// Makes all runs, `jobs` at a time; what `beside` does goes on meanwhile on a core of its own,
    /// if there are several.
    ///
    /// # Errors
    /// Those of the first run that fails.
    pub fn make_all<P: Sync, T: Send>(
        &self,
        plan: &[Planned<P>],
        jobs: usize,
        progress: &dyn Progress,
        beside: impl FnOnce() -> Result<T, ExperimentError> + Send,
    ) -> Result<(Vec<Capture>, T), ExperimentError> {
        let next = AtomicUsize::new(0);
        let captures: Mutex<Vec<Option<Result<Capture, ExperimentError>>>> =
            Mutex::new(plan.iter().map(|_| None).collect());
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = plan.get(index) else { break };
                progress.run(&run.name);
                let made = self.make(run);
                if made.is_err() {
                    // The others need not begin any more.
                    next.store(plan.len(), Ordering::Relaxed);
                }
                captures.lock().expect("no worker panics")[index] = Some(made);
                progress.made();
            }
        };
        let other = thread::scope(|scope| {
            let workers: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
            let other = beside();
            work();
            workers.into_iter().for_each(|worker| drop(worker.join()));
            other
        });
        // After a failure some have not begun; the first failure is told.
        let made = captures.into_inner().expect("no worker panics").into_iter().flatten();
        let captures = made.collect::<Result<_, _>>()?;
        Ok((captures, other?))
    }

    /// How many instructions the start processor executes within each of these spans of cycles of a
    /// run, by the emulator's own counters; in order, apart.
    ///
    /// # Errors
    /// The emulator fails.
    pub fn executed<P>(&self, run: &Planned<P>, spans: &[(u64, u64)]) -> Result<Vec<u64>, ExperimentError> {
        let mut engine = engines::open("emulator", self.machine, &self.image(run)?, None)?;
        let mut retired = |cycle: u64| match engine.run_until(cycle) {
            Ok(()) => Ok(engine.instructions(START.into())),
            Err(error) => Err(ExperimentError::Engine(error)),
        };
        let mut within = |&(from, to): &(u64, u64)| {
            let before = retired(from)?;
            Ok(retired(to)? - before)
        };
        spans.iter().map(&mut within).collect()
    }
}

/// The files of a run that are no programs.
fn files<P>(run: &Planned<P>) -> Vec<Stored> {
    let stored = |(name, text): &(String, String)| Stored {
        name: name.clone(),
        bytes: text.clone().into_bytes(),
        permissions: READ,
    };
    run.files.iter().map(stored).collect()
}

/// A run that was given up, or whose program says that something is wrong, gives no figures.
fn check(capture: &Capture) -> Result<(), ExperimentError> {
    let record = &capture.record;
    let failed = record.exits.iter().find(|exit| exit.code != 0);
    let what = match (record.stopped, failed) {
        (_, Some(exit)) => format!("`{}` ended with code {}", record.program, exit.code),
        (Some(Stop::Exit), None) => return Ok(()),
        _ => format!("`{}` was not over after {LIMIT_SECONDS} s of machine time", record.program),
    };
    Err(ExperimentError::Failed { folder: capture.dir.clone(), what, console: capture.dir.join(CONSOLE) })
}

/// The capture of the run with this name.
pub fn named<'a, P>(plan: &[Planned<P>], captures: &'a [Capture], name: &str) -> Option<&'a Capture> {
    captures.get(plan.iter().position(|run| run.name == name)?)
}
