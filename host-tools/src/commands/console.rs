//! `testbed console`: a run's console, as it was seen and as fast as it was.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use testbed_host_tools::top::screen::Speed;
use testbed_machine::{suggest, units};
use testbed_runner::operator::View;
use testbed_session::asking::Ear;
use testbed_trace::capture::{Capture, Printed, CONSOLE, CONSOLE_LOG};

use super::analyse::cycles_if;
use super::{Exit, Failure};

/// Shows the console of a run again, in the time that it took on the machine.
///
/// In a pipe, and with --speed max, all of it comes at once. The folder's console.log says what each processor printed and in which
/// cycle; a run keeps it since this command exists. Ctrl-C ends it.
#[derive(Args, Debug)]
pub struct Console {
    /// The folder that `run` left
    dir: PathBuf,
    /// How many times as fast as the machine, or max [default: 1 on a terminal, max in a pipe]
    #[arg(long, value_name = "TIMES|max")]
    speed: Option<Speed>,
    /// Only what this processor printed, byte for byte and without its name
    #[arg(long, value_name = "NAME")]
    processor: Option<String>,
    /// Show at once what was printed before this machine time, and go on from there
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// End at this machine time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Wait no longer than this for the next line, however long the machine was silent
    #[arg(long, value_name = "TIME")]
    longest: Option<String>,
}

impl Console {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        let machine = &capture.record.machine;
        let only = self.processor.as_deref().map(|name| processor(name, &machine.processors)).transpose()?;
        let from = cycles_if("--from", self.from.as_ref(), machine.clock_hz)?.unwrap_or(0);
        let to = cycles_if("--to", self.to.as_ref(), machine.clock_hz)?.unwrap_or(u64::MAX);
        if from > to {
            return Err(wrong("--to: its time is before that of --from\n  help: give a later one"));
        }
        let longest = self.longest.as_deref().map(longest).transpose()?;
        let mut pieces = self.pieces(machine.processors.len())?;
        pieces.retain(|piece| piece.cycle < to && only.is_none_or(|only| piece.processor == only));
        let speed = self.speed.unwrap_or(match io::stdout().is_terminal() {
            true => Speed::Times(1.0),
            false => Speed::Max,
        });
        let mut pace = Pace { clock_hz: f64::from(machine.clock_hz), speed, longest, last: from, due: Instant::now() };
        let mut out = io::stdout();
        // What shells ask of whoever types is for nobody to read.
        let mut ear = Ear::default();
        let mut view = only.is_none().then(|| View::new(&machine.processors, io::stdout(), false));
        for piece in &pieces {
            pace.wait_for(piece.cycle);
            match &mut view {
                Some(view) => {
                    let (shown, _) = ear.hear(piece.bytes.iter().map(|&byte| (piece.processor, byte)));
                    view.show(&shown);
                    view.failure().map_or(Ok(()), Err)?;
                }
                None => out.write_all(&piece.bytes).and_then(|()| out.flush())?,
            }
        }
        Ok(Exit::Success)
    }

    /// What was printed, and when.
    fn pieces(&self, processors: usize) -> Result<Vec<Printed>, Failure> {
        let (path, lines) = (self.dir.join(CONSOLE_LOG), self.dir.join(CONSOLE));
        if path.exists() {
            return Ok(Printed::read(&path, processors)?);
        }
        // A run whose programs printed nothing has none either.
        match std::fs::metadata(&lines) {
            Ok(file) if file.len() > 0 => Err(wrong(&format!(
                "{} does not say when its console was printed: it has no {CONSOLE_LOG}, which boards and earlier versions do not \
                 leave\n  help: run the program again, or read {}",
                self.dir.display(),
                lines.display()
            ))),
            _ => Ok(Vec::new()),
        }
    }
}

/// The number of the processor of this name.
fn processor(name: &str, processors: &[String]) -> Result<u8, Failure> {
    processors.iter().position(|known| known == name).map(|number| number as u8).ok_or_else(|| {
        let meant = suggest::question(name, processors.iter().map(String::as_str));
        wrong(&format!(
            "--processor {name}: the machine has none of this name\n  help: {meant}use one of {}",
            processors.join(", ")
        ))
    })
}

fn longest(text: &str) -> Result<Duration, Failure> {
    let picoseconds = units::parse(text, units::TIME).map_err(|error| {
        let names = units::names(units::TIME);
        wrong(&format!("--longest: {error}\n  help: write a number and one of {names}, as in 2s"))
    })?;
    Ok(Duration::from_nanos(u64::try_from(picoseconds / 1_000).unwrap_or(u64::MAX)))
}

/// When what was printed in which cycle is shown.
struct Pace {
    clock_hz: f64,
    speed: Speed,
    longest: Option<Duration>,
    /// The cycle up to which all is shown, and when that was due.
    last: u64,
    due: Instant,
}

impl Pace {
    /// Waits until it is time for what was printed in `cycle`.
    fn wait_for(&mut self, cycle: u64) {
        let Speed::Times(times) = self.speed else { return };
        let cycles = cycle.saturating_sub(self.last);
        self.last = self.last.max(cycle);
        let seconds = cycles as f64 / self.clock_hz / times;
        let pause = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let pause = self.longest.map_or(pause, |longest| pause.min(longest));
        // From when it was due, so that no delay adds up.
        match self.due.checked_add(pause) {
            Some(due) => {
                self.due = due;
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            None => std::thread::sleep(pause),
        }
    }
}

fn wrong(message: &str) -> Failure {
    Failure::new(Exit::Input, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_as_long_as_the_machine_was_silent() {
        let begun = Instant::now();
        let pace = |speed, longest| Pace { clock_hz: 1e6, speed, longest, last: 1_000, due: begun };
        // A second of the machine a thousand times as fast; what was before the start comes at once.
        let mut real = pace(Speed::Times(1e3), None);
        for cycle in [10, 1_000, 1_001_000] {
            real.wait_for(cycle);
        }
        assert_eq!((real.due - begun, real.last), (Duration::from_millis(1), 1_001_000));
        assert!(begun.elapsed() >= Duration::from_millis(1));
        let mut short = pace(Speed::Times(1.0), Some(Duration::from_micros(5)));
        short.wait_for(1_000_000_000_000);
        assert_eq!(short.due - begun, Duration::from_micros(5));
        let mut all = pace(Speed::Max, None);
        all.wait_for(u64::MAX);
        assert_eq!(all.due, begun);
    }
}
