//! `testbed attach`: a board's monitors, from a serial port into a folder like a run's.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use itertools::Itertools;
use testbed_definitions::link;
use testbed_host_tools::attach::port::{PortError, PortSettings};
use testbed_host_tools::attach::{attach, AttachError, Ended, Options, Outcome};
use testbed_machine::{units, Machine};
use testbed_runner::signals::stop_flag;
use testbed_runner::tell;
use testbed_trace::capture::{verify, Capture, Claim, LinkFigures, RunRecord, HOLES};
use testbed_trace::order::events;
use testbed_trace::summary::Summary;

use super::classes::classes;
use super::{grouped, of_capture, output_folder, Exit, Failure};

/// Captures what a board's monitors send over a serial line, until Ctrl-C.
#[derive(Args, Debug)]
pub struct Attach {
    /// The serial port of the trace, such as /dev/ttyUSB1
    #[arg(long, value_name = "DEV")]
    port: PathBuf,
    /// Bits a second of the trace's port
    #[arg(long, value_name = "N", default_value_t = link::BAUD, value_parser = clap::value_parser!(u32).range(1..))]
    baud: u32,
    /// The serial port of the console
    #[arg(long, value_name = "DEV")]
    console: Option<PathBuf>,
    /// Bits a second of the console's port
    #[arg(long, value_name = "N", default_value_t = 115_200, value_parser = clap::value_parser!(u32).range(1..))]
    console_baud: u32,
    /// The board's machine, by name or a TOML file
    #[arg(long, default_value = "testbed6", value_name = "FILE|NAME")]
    machine: String,
    /// Event classes that are enabled on the board, as `run` takes them
    #[arg(long, default_value = "profile+timer+user", value_name = "CLASSES")]
    dgl: String,
    /// What runs on the board, for the record
    #[arg(long, default_value = "attached", value_name = "NAME")]
    program: String,
    /// Stop after this time of the wall clock, such as 10s [default: at Ctrl-C]
    #[arg(long = "for", value_name = "TIME")]
    time: Option<String>,
    /// Stop when the port goes away, instead of waiting for it
    #[arg(long)]
    once: bool,
    /// Output folder [default: out/PROGRAM]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace what was captured before into the output folder
    #[arg(long)]
    overwrite: bool,
}

impl From<AttachError> for Failure {
    fn from(error: AttachError) -> Self {
        let exit = match &error {
            AttachError::Port(PortError::Missing(_) | PortError::NoTty(_) | PortError::Baud { .. }) => Exit::Input,
            AttachError::Port(_) => Exit::Environment,
            AttachError::Capture(error) => of_capture(error),
        };
        Failure::new(exit, error)
    }
}

impl Attach {
    pub fn run(&self) -> Result<Exit, Failure> {
        let machine = Machine::load(&self.machine)?;
        let record = RunRecord { dgl: classes(&self.dgl)?, ..RunRecord::new(&machine, &self.program) };
        let options = Options {
            port: PortSettings { path: self.port.clone(), baud: self.baud, option: "--baud" },
            console: self.console.clone().map(|path| PortSettings {
                path,
                baud: self.console_baud,
                option: "--console-baud",
            }),
            once: self.once,
            time: self.time.as_deref().map(duration).transpose()?,
        };
        let folder = output_folder(self.out.as_deref(), Path::new(&self.program));
        let stop = stop_flag()?;
        let claim = if self.overwrite { Claim::replacing(&folder) } else { Claim::new(&folder) }?;
        let mut tell = |what: String| tell!("{what}");
        let outcome = attach(&machine, record, &options, &claim, &folder, &stop, &mut tell)?;
        report(&folder, &outcome)
    }
}

/// Time on the wall from the command line.
fn duration(text: &str) -> Result<Duration, Failure> {
    let picoseconds = units::parse(text, units::TIME).map_err(|error| {
        let help = units::names(units::TIME);
        Failure::new(Exit::Input, format!("--for: {error}\n  help: write a number and one of {help}, as in 10s"))
    })?;
    Ok(Duration::from_nanos(u64::try_from(picoseconds / 1_000).unwrap_or(u64::MAX)))
}

/// Prints what came. The exit code says whether anything came, and nothing was lost.
fn report(folder: &Path, outcome: &Outcome) -> Result<Exit, Failure> {
    let Outcome { record, figures, ended, reconnects } = outcome;
    let capture = Capture::of_run(folder, record.clone());
    let integrity = verify(&capture)?;
    let mut summary = Summary::default();
    for event in events(&capture, &integrity)? {
        summary.add(&event?);
    }
    let why = match ended {
        Ended::Stopped => "stopped",
        Ended::Time => "the time given is over",
        Ended::Port => "the port has gone",
        Ended::Restart => "the board has begun anew, which is another run: attach again",
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{} on {}, attached for {:.3} s: {why}", record.program, record.machine.name, record.wall_seconds)?;
    write!(out, "{}\n{}", summary.text(record), link_text(record, figures, *reconnects))?;
    let holes = if figures.holes > 0 { format!(" {HOLES}") } else { String::new() };
    writeln!(out, "\nleft in {}: trace/ mmi.raw console.txt run.json{holes}", folder.display())?;
    let is_all = figures.frames > 0 && figures.lost == 0 && *ended != Ended::Restart;
    Ok(if is_all { Exit::Success } else { Exit::Negative })
}

/// The link in figures.
fn link_text(record: &RunRecord, figures: &LinkFigures, reconnects: u64) -> String {
    let LinkFigures {
        bytes,
        frames,
        counts,
        stray_bytes,
        crc_errors,
        foreign,
        left_out,
        holes,
        lost,
        pairs,
        unconfirmed,
    } = figures;
    let names = record.machine.processors.iter().zip(pairs).skip(1);
    let by_smi = names.map(|(name, pairs)| format!("{name} {}", grouped(*pairs))).join(", ");
    let mut text = format!(
        "link: {} bytes, {} frames, of which {} counts\n  pairs: {} ({})\n  damaged: {} bytes that belong to no frame, {} frames with a wrong CRC, {} unused since out of step\n  lost: {} pairs in {} holes; {} reconnects\n",
        grouped(*bytes),
        grouped(*frames),
        grouped(*counts),
        grouped(pairs.iter().sum()),
        by_smi,
        grouped(*stray_bytes),
        grouped(*crc_errors),
        grouped(*left_out),
        grouped(*lost),
        grouped(*holes),
        grouped(reconnects),
    );
    if *unconfirmed > 0 {
        text += &format!("  at the end: {} pairs that no count confirms, left out\n", grouped(*unconfirmed));
    }
    if *foreign > 0 {
        text +=
            &format!("  {} frames of SMIs that {} lacks: is it --machine?\n", grouped(*foreign), record.machine.name);
    }
    if *frames == 0 {
        text += "  no frame came: check --port, --baud and that the board sends\n";
    }
    text
}
