//! `testbed top`: a run in the terminal, while it goes on or played from its folder.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use testbed_host_tools::top::app::{App, TopError, Watched};
use testbed_host_tools::top::child::{Left, Started};
use testbed_host_tools::top::player::{Options, Player};
use testbed_host_tools::top::screen::Speed;
use testbed_trace::capture::Capture;

use super::analyse::{cycles_if, window};
use super::forwarded::Forwarded;
use super::{Exit, Failure};

/// Shows a run in the terminal: ready queues, threads, loads of links, rates of events, losses.
///
/// Given a folder, it follows the run that writes to it, or plays one that is over. Given a
/// program, it starts a run, with the options of `run`, and follows that. `?` shows the keys.
#[derive(Args, Debug)]
pub struct Top {
    #[command(flatten)]
    run: Forwarded,
    /// How many times as fast as the machine, or max [default: the newest of a run that goes on, 1 otherwise]
    #[arg(long, value_name = "TIMES|max")]
    speed: Option<Speed>,
    /// Trailing window of shares and rates, such as 100ms [default: 1s]
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
    /// Begin at this machine time
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Print one frame as text, of what there is or of the time that --from names
    #[arg(long)]
    once: bool,
    /// Columns and lines of the frame that --once prints
    #[arg(long, value_name = "COLUMNSxLINES", default_value = "80x24", requires = "once")]
    size: Size,
}

/// The size of a frame.
#[derive(Clone, Copy, Debug)]
struct Size(u16, u16);

impl std::str::FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
        match numbers {
            Some((width @ 1..=1000, height @ 1..=1000)) => Ok(Size(width, height)),
            _ => Err("write columns and lines, each at most 1000, as in 80x24".into()),
        }
    }
}

impl Top {
    /// The exit code: that of the run, if `top` has started it and it came to its end.
    pub fn run(&self) -> Result<u8, Failure> {
        if !self.once && !io::stdout().is_terminal() {
            let message = "standard output is no terminal\n  help: add --once for one frame as text";
            return Err(Failure::new(Exit::Environment, message));
        }
        let target = Path::new(&self.run.run.program);
        if target.is_dir() {
            self.follow(target)
        } else {
            self.start(target)
        }
    }

    /// Follows or plays a folder.
    fn follow(&self, dir: &Path) -> Result<u8, Failure> {
        self.run.of_folder(dir)?;
        let clock_hz = Capture::open(dir)?.record.machine.clock_hz;
        let mut player = Player::open(dir, &self.options(clock_hz)?)?;
        if self.once {
            player.hurry();
        }
        self.show(&mut App::new(Watched::Run(Box::new(player)), None))?;
        Ok(0)
    }

    /// Starts a run and follows it.
    fn start(&self, target: &Path) -> Result<u8, Failure> {
        let machine = testbed_machine::Machine::load(&self.run.run.machine)?;
        let mut options = self.options(machine.clock_hz)?;
        if self.once {
            // One frame of a run that begins now: of its end, unless another time is asked for.
            options.from = options.from.or(Some(u64::MAX));
        }
        self.run.of_program(target)?;
        if self.run.run.input.as_deref() == Some("-") {
            let message = "--input -: keys are for the view here\n  help: give the input as a file, or follow the folder of a run in another terminal";
            return Err(Failure::new(Exit::Input, message));
        }
        let dir: PathBuf = self.run.run.folder();
        let started = Started::new(&self.run.command(&[]), &dir).map_err(|error| {
            Failure::new(
                Exit::Environment,
                format!("cannot start the run: {error}\n  help: start it with `testbed run`"),
            )
        })?;
        let mut app = App::new(Watched::Coming(dir.clone(), options), Some(started));
        let shown = self.show(&mut app);
        let left = app.into_started().map(Started::finish).transpose();
        let left = left.map_err(|error| Failure::new(Exit::Environment, format!("cannot end the run: {error}")))?;
        say(shown, left, &dir)
    }

    fn options(&self, clock_hz: u32) -> Result<Options, Failure> {
        let window = window(self.window.as_ref(), clock_hz)?;
        Ok(Options { speed: self.speed, window, from: cycles_if("--from", self.from.as_ref(), clock_hz)?, span: None })
    }

    fn show(&self, app: &mut App) -> Result<(), TopError> {
        if !self.once {
            return app.run();
        }
        let frame = app.once((self.size.0, self.size.1))?;
        // Nobody reads it any more: no failure.
        match write!(io::stdout().lock(), "{frame}") {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(TopError::Output(error)),
            _ => Ok(()),
        }
    }
}

/// Says how a run ended that was started for the view.
fn say(shown: Result<(), TopError>, left: Option<Left>, dir: &Path) -> Result<u8, Failure> {
    let left = match (shown, left) {
        (Err(TopError::NotBegun), Some(left)) => {
            // It has said why.
            let _ = write!(io::stderr(), "{}", left.errors);
            return Ok(left.code.map_or(Exit::Machine as u8, |code| code as u8));
        }
        (shown, left) => {
            shown?;
            left
        }
    };
    let Some(left) = left else { return Ok(0) };
    let mut out = io::stdout().lock();
    match left.code {
        Some(code) => {
            write!(out, "{}", left.output)?;
            let _ = write!(io::stderr(), "{}", left.errors);
            Ok(code as u8)
        }
        None => {
            writeln!(out, "the run was ended; what it had written is in {}", dir.display())?;
            Ok(0)
        }
    }
}
