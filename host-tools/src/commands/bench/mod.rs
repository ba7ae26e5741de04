//! `testbed bench`: the project's speed table, peers side by side in one run.
//!
//! `core` measures the core by itself and beside others, `synth` its area and clock, `emulator` the
//! emulator beside QEMU and on machines of all sizes, `kernel` the kernel's services,
//! `instrumentation` what monitoring takes of its code, `trace` the reading of traces.

pub mod core;
mod emulator;
mod instrumentation;
mod kernel;
mod measure;
mod row;
mod synth;
mod trace;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::{Args, Subcommand};
use testbed_definitions::event;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_sim::engine::Image;
use testbed_sim::load::Boot;
use testbed_trace::capture::{verify, Capture, CaptureWriter, RunRecord, Stop};
use testbed_trace::order::events;

use super::run::image;
use super::{Exit, Failure};
use measure::{boot, cycles, instructions, measure, open, per_second, Subject, START_CYCLES};
use row::{noted, table};

/// Pairs of the trace that is read.
const PAIRS: u64 = 2_000_000;
/// Measures engines and tools against each other on this computer; with `core` the core and others'
/// cores, with `emulator` the emulator on 1 to 16 processors, with `kernel` the kernel's services,
/// with `instrumentation` what monitoring takes of its code, with `trace` how traces are read.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    what: Option<Part>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// Seconds each measurement takes, about
    #[arg(long, default_value_t = 2.0, value_parser = self::measure::seconds)]
    seconds: f64,
    /// Also synthesise, place and route the core for both FPGA families: some minutes
    #[arg(long)]
    synth: bool,
}

#[derive(Subcommand, Debug)]
enum Part {
    Core(core::Core),
    Emulator(emulator::Emulator),
    Instrumentation(instrumentation::Share),
    Kernel(kernel::Kernel),
    Trace(trace::Trace),
}

impl Bench {
    pub fn run(&self) -> Result<Exit, Failure> {
        match &self.what {
            Some(Part::Core(core)) => return core.run(),
            Some(Part::Emulator(emulator)) => return emulator.run(),
            Some(Part::Instrumentation(share)) => return share.run(),
            Some(Part::Kernel(kernel)) => return kernel.run(),
            Some(Part::Trace(trace)) => return trace.run(),
            None => {}
        }
        // First, since it is quick and a wrong result ends the command.
        let core = core::rows()?;
        let machine = Machine::testbed6();
        let busy = image(&machine, "busy", &Boot { arguments: vec!["1000000".into()], ..boot() })?;
        let idle = image(&machine, "hello", &boot())?;
        let folder = Path::new("out/bench");
        synthetic(folder)?;
        let sole =
            image(&machine, "overflow", &Boot { arguments: vec!["1000000".into(), "1000000".into()], ..boot() })?;
        let mut rows = measure("six busy processors", "cycles/s", Some("verilator"), self.engines(&machine, &busy));
        let one = measure("one busy, five asleep", "cycles/s", None, self.emulator(&machine, &sole, START_CYCLES));
        rows.extend(noted(one, "a loop of two instructions, lighter work than that of the six"));
        let computing = measure("one core, corebench", "instructions/s", None, self.computing()?);
        rows.extend(noted(computing, "no kernel, no monitor"));
        let none = measure("all asleep in wfi", "cycles/s", None, self.emulator(&machine, &idle, 20 * START_CYCLES));
        rows.extend(noted(none, "no instruction, only time markers: cycles skipped, not worked through"));
        rows.extend(measure("reading a trace in order", "events/s", Some("babeltrace2"), readers(folder)));
        rows.extend(core);
        if self.synth {
            rows.extend(synth::rows());
        }
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&rows).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", table(&rows))?;
            if !self.synth {
                writeln!(out, "area and clock of the core on two FPGA families: add --synth (some minutes)")?;
            }
        }
        Ok(Exit::Success)
    }

    /// One subject an engine, started and warm.
    fn engines<'a>(&'a self, machine: &Machine, image: &Image) -> Vec<Subject<'a>> {
        let subject = |name: &&'static str| {
            let name = *name;
            // The rust-hdl simulation can't wait until all have started.
            let start = if name == "rust-hdl" { 0 } else { START_CYCLES };
            let mut engine = open(name, machine, image, start);
            let rate =
                move || per_second(engine.as_mut().map_err(|error| error.clone())?.as_mut(), cycles, self.seconds);
            (name.to_string(), Box::new(rate) as Box<dyn FnMut() -> Result<f64, String>>)
        };
        engines::NAMES.iter().map(subject).collect()
    }

    /// The emulator alone, from cycle `start` on.
    fn emulator<'a>(&'a self, machine: &Machine, image: &Image, start: u64) -> Vec<Subject<'a>> {
        let mut engine = open("emulator", machine, image, start);
        let rate = move || per_second(engine.as_mut().map_err(|error| error.clone())?.as_mut(), cycles, self.seconds);
        vec![("emulator".into(), Box::new(rate))]
    }

    /// The emulator with one core that only computes.
    fn computing(&self) -> Result<Vec<Subject<'_>>, Failure> {
        let mut engine = core::Benchmark::load()?.endless(testbed_machine::Core::default())?;
        let rate = move || per_second(engine.as_mut(), instructions, self.seconds);
        Ok(vec![("emulator".into(), Box::new(rate))])
    }
}

fn readers(folder: &Path) -> Vec<Subject<'_>> {
    let own = move || {
        let started = Instant::now();
        let capture = Capture::open(folder).map_err(|error| error.to_string())?;
        let integrity = verify(&capture).map_err(|error| error.to_string())?;
        let events = events(&capture, &integrity).map_err(|error| error.to_string())?;
        let count = events.filter(|event| event.as_ref().is_ok_and(|event| event.is_certain())).count();
        Ok(count as f64 / started.elapsed().as_secs_f64())
    };
    let babeltrace = move || {
        let started = Instant::now();
        let mut command = Command::new("babeltrace2");
        command.args(["--component", "sink.utils.dummy"]).arg(folder.join("trace"));
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(PAIRS as f64 / started.elapsed().as_secs_f64()),
            Ok(status) => Err(format!("babeltrace2: {status}")),
            Err(error) => Err(format!("babeltrace2: {error}; apt-get install babeltrace2")),
        }
    };
    vec![("testbed, verified".into(), Box::new(own)), ("babeltrace2".into(), Box::new(babeltrace))]
}

/// A folder with [`PAIRS`] pairs of five SMIs, an event a microsecond in all.
fn synthetic(folder: &Path) -> Result<(), Failure> {
    let machine = Machine::testbed6();
    let mut record = RunRecord {
        engine: "none".into(),
        cycles: 25 * PAIRS,
        stopped: Some(Stop::Limit),
        ..RunRecord::new(&machine, "synthetic")
    };
    let mut writer = CaptureWriter::create(folder, &machine, &record)?;
    let (mut epochs, mut words) = ([0; 6], Vec::new());
    for tick in 0..PAIRS {
        let smi = (tick % 5 + 1) as u8;
        let epoch = &mut epochs[smi as usize];
        let pair = if tick >> 16 > *epoch {
            *epoch += 1;
            Pair { time: 0, datum: 0xaa00 | (*epoch & 0xff) as u16 }
        } else {
            Pair { time: tick as u16, datum: event::SCHEDULE | tick as u16 & event::THREAD_MASK }
        };
        for value in [pair.time, pair.datum] {
            words.push((25 * tick, MmiWord { smi, value }.pack()));
        }
        if words.len() > 1 << 16 {
            writer.words(words.drain(..))?;
            words.clear();
        }
    }
    writer.words(words.drain(..))?;
    record.complete = true;
    Ok(writer.finish(&record)?)
}
