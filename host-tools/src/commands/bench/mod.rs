//! `testbed bench`: the project's speed table, peers side by side in one run.
//!
//! `core` measures the core by itself and beside others, `synth` its area and clock, `emulator` the
//! emulator beside QEMU and on machines of all sizes, `kernel` the kernel's services,
//! `instrumentation` what monitoring takes of its code, `trace` the reading of traces.

pub mod core;
mod emulator;
mod instrumentation;
mod kernel;
mod row;
mod synth;
mod trace;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use testbed_definitions::event;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::Boot;
use testbed_trace::capture::{verify, Capture, CaptureWriter, RunRecord, Stop};
use testbed_trace::order::events;

use super::run::image;
use super::{Exit, Failure};
use row::{median, noted, table, Row};

/// Each is measured so often, all in turn; the median counts.
const ROUNDS: usize = 3;
/// Pairs of the trace that is read.
const PAIRS: u64 = 2_000_000;
/// Cycles in which all six processors have started.
const START_CYCLES: u64 = 2_000_000;

/// Measures engines and tools against each other on this computer; with `core` the core and others'
/// cores, with `emulator` the emulator on 1 to 16 processors, with `kernel` the kernel's services, with `instrumentation` what monitoring takes of its
/// code, with `trace` how traces are read.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    what: Option<Part>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// Seconds each measurement takes, about
    #[arg(long, default_value_t = 2.0)]
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

/// Something that can be measured again and again: a rate, or why there is none.
type Subject<'a> = (String, Box<dyn FnMut() -> Result<f64, String> + 'a>);

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
        let mut engine = core::endless()?;
        let rate = move || per_second(engine.as_mut(), instructions, self.seconds);
        Ok(vec![("emulator".into(), Box::new(rate))])
    }
}

/// What an engine has done so far, to be compared with later.
type Counter = fn(&dyn Engine) -> u64;

fn cycles(engine: &dyn Engine) -> u64 {
    engine.cycle()
}

fn instructions(engine: &dyn Engine) -> u64 {
    (0..engine.machine().processors.len()).map(|processor| engine.instructions(processor)).sum()
}

fn boot() -> Boot {
    Boot { options: 0, dgl: event::DIAG_DEFAULT, seed: 1, start_processor: 1, ..Boot::default() }
}

fn open(name: &str, machine: &Machine, image: &Image, start: u64) -> Result<Box<dyn Engine>, String> {
    let mut engine = engines::open(name, machine, image, None).map_err(|error| error.to_string())?;
    engine.run_until(start).map_err(|error| error.to_string())?;
    Ok(engine)
}

/// How much is counted in a second. Runs on for about `seconds`, in growing steps so that slow
/// engines end in time and fast ones are not asked too often.
fn per_second(engine: &mut dyn Engine, counter: Counter, seconds: f64) -> Result<f64, String> {
    let (from, started) = (counter(engine), Instant::now());
    let mut step = 256;
    while started.elapsed() < Duration::from_secs_f64(seconds) {
        let before = Instant::now();
        engine.run_until(engine.cycle() + step).map_err(|error| error.to_string())?;
        engine.take_trace();
        engine.take_console();
        if before.elapsed() < Duration::from_secs_f64(seconds / 50.0) {
            step *= 2;
        }
    }
    Ok((counter(engine) - from) as f64 / started.elapsed().as_secs_f64())
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

/// Measures all subjects in turn, round by round; rows with ratios to the one called `peer`, if there is one.
fn measure(
    group: &'static str,
    unit: &'static str,
    peer: Option<&'static str>,
    mut subjects: Vec<Subject>,
) -> Vec<Row> {
    let mut rates = vec![Vec::new(); subjects.len()];
    let mut notes = vec![String::new(); subjects.len()];
    for _ in 0..ROUNDS {
        for (number, (_, rate)) in subjects.iter_mut().enumerate() {
            match rate() {
                Ok(rate) => rates[number].push(rate),
                Err(error) => notes[number] = error.lines().next().unwrap_or_default().into(),
            }
        }
    }
    let medians: Vec<_> = rates.into_iter().map(median).collect();
    let unity = subjects
        .iter()
        .zip(&medians)
        .find_map(|((name, _), rate)| if Some(name.as_str()) == peer { *rate } else { None });
    let rows = subjects.iter().zip(medians).zip(notes).map(|(((name, _), rate), note)| {
        let ratio = rate.zip(unity).map(|(rate, unity)| rate / unity);
        Row { group, name: name.clone(), unit, rate, ratio, peer, note }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(rate: Result<f64, &'static str>) -> Box<dyn FnMut() -> Result<f64, String>> {
        Box::new(move || rate.map_err(String::from))
    }

    #[test]
    fn ratios_are_to_the_named_peer_wherever_it_stands() {
        let subjects = vec![("a".into(), fixed(Ok(50.0))), ("b".into(), fixed(Ok(10.0))), ("c".into(), fixed(Ok(1.0)))];
        let rows = measure("group", "cycles/s", Some("b"), subjects);
        assert_eq!(rows.iter().map(|row| row.ratio).collect::<Vec<_>>(), [Some(5.0), Some(1.0), Some(0.1)]);
        assert!(table(&rows).starts_with("group (x: times the rate of b)\n"), "{}", table(&rows));
    }

    #[test]
    fn without_the_peer_there_are_rates_but_no_ratios() {
        let subjects = || vec![("a".into(), fixed(Ok(50.0))), ("b".into(), fixed(Err("b: gone\nmore")))];
        for peer in [Some("b"), None] {
            let rows = noted(measure("group", "cycles/s", peer, subjects()), "explained");
            assert_eq!((rows[0].rate, rows[0].ratio, rows[0].note.as_str()), (Some(50.0), None, "explained"));
            assert_eq!((rows[1].rate, rows[1].ratio), (None, None));
            assert!(table(&rows).contains("not measured: b: gone\n"), "{}", table(&rows));
        }
    }

    #[test]
    fn the_middle_of_the_rates_counts() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn rates_are_scaled_with_and_without_a_peer() {
        for unit in ["cycles/s", "events/s"] {
            for peer in [Some("a"), None] {
                let rows = measure("group", unit, peer, vec![("a".into(), fixed(Ok(6_173_545.3)))]);
                assert!(table(&rows).contains(&format!("6.17 M{unit}")), "{}", table(&rows));
            }
        }
    }
}
