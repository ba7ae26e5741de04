//! `testbed trace`: the ordered events of an output folder, in a form that people or other tools read.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use testbed_machine::suggest;
use testbed_runner::tell;
use testbed_trace::capture::Capture;
use testbed_trace::export::{export, Choice, ExportError, Exported, Filter, FilterError, Format, Target};
use testbed_trace::order::events;

use super::source::{warn, Source};
use super::{Exit, Failure};

/// Writes the ordered events of a run: all of them, or those of a time slice, processor, thread or name.
#[derive(Args, Debug)]
pub struct Trace {
    #[command(flatten)]
    source: Source,
    /// text, csv, json, jsonl, gnuplot, perfetto, parquet, vcd or fst
    #[arg(long, default_value = "text")]
    format: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only events at this machine time or later, such as 1.5ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Only events before this machine time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    /// Only events of this processor, or of several with commas between
    #[arg(long, value_name = "NAME")]
    processor: Option<String>,
    /// Only events of these names, and losses
    #[arg(long, value_name = "NAME[,NAME]")]
    event: Option<String>,
    /// Only events that name this thread or happen while it runs, and losses: a number, or a name such as earth.1.2
    #[arg(long, value_name = "N")]
    thread: Option<String>,
    /// Only events of which time and decoding are proven
    #[arg(long)]
    certain: bool,
}

impl From<FilterError> for Failure {
    fn from(error: FilterError) -> Self {
        Failure::new(Exit::Input, error)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Order(error) => error.into(),
            ExportError::Io(error) => error.into(),
            ExportError::Format(message) => Failure::new(Exit::Input, message),
        }
    }
}

impl Trace {
    pub fn run(&self) -> Result<Exit, Failure> {
        let format = Format::named(&self.format).ok_or_else(|| {
            let meant = suggest::question(&self.format, Format::ALL.map(|(name, _)| name));
            let known = Format::names();
            let message = format!("the format `{}` does not exist\n  help: {meant}use one of {known}", self.format);
            Failure::new(Exit::Input, message)
        })?;
        self.check_output(format)?;
        let (capture, integrity) = self.source.open()?;
        let filter = Filter::new(&self.choice(), &capture.record)?;
        warn(&capture, &integrity);
        let target = match &self.output {
            None => Target::Stream(Box::new(io::stdout())),
            Some(path) => Target::File(Box::new(create(&capture, path)?)),
        };
        let whole = integrity.is_whole();
        let exported = export(events(&capture, &integrity)?, &capture.record, &filter, format, target, whole)?;
        self.report(&exported)?;
        Ok(if integrity.damage.is_empty() { Exit::Success } else { Exit::Negative })
    }

    fn choice(&self) -> Choice<'_> {
        Choice {
            from: self.from.as_deref(),
            to: self.to.as_deref(),
            processor: self.processor.as_deref(),
            event: self.event.as_deref(),
            thread: self.thread.as_deref(),
            certain: self.certain,
        }
    }

    /// Whether standard output takes the format, if it goes there.
    fn check_output(&self, format: Format) -> Result<(), Failure> {
        let why = match self.output {
            Some(_) => return Ok(()),
            None if format.needs_file() => "can only be written to a file, not to a pipe or terminal",
            None if format.is_binary() && io::stdout().is_terminal() => "is binary, and standard output is a terminal",
            None => return Ok(()),
        };
        let name = &self.format;
        let dir = self.source.argument();
        let message = format!("{name} {why}\n  help: testbed trace {dir} --format {name} -o FILE");
        Err(Failure::new(Exit::Input, message))
    }

    /// Says what filters kept out unexpectedly.
    fn report(&self, exported: &Exported) -> Result<(), Failure> {
        if exported.unproven > 0 {
            tell!("note: --certain left out {} events of which time or decoding are not proven", exported.unproven);
        }
        match &self.thread {
            Some(thread) if !exported.thread_seen => {
                let message = format!(
                    "--thread {thread}: it does not occur before the end of what was asked for\n  \
                     help: testbed trace {} --event SCHEDULE shows the threads that run",
                    self.source.argument()
                );
                Err(Failure::new(Exit::Input, message))
            }
            _ => Ok(()),
        }
    }
}

fn create(capture: &Capture, path: &Path) -> Result<File, Failure> {
    if capture.owns(path) {
        let message =
            format!("{} is a part of the output folder itself\n  help: give another name with -o", path.display());
        return Err(Failure::new(Exit::Input, message));
    }
    File::create(path).map_err(|error| {
        let message = format!("cannot create {}: {error}\n  help: check the path given with -o", path.display());
        Failure::new(Exit::Environment, message)
    })
}
