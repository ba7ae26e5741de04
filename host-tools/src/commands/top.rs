//! `testbed top`: a run in the terminal, while it goes on or played from its folder.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, FromArgMatches};
use testbed_host_tools::top::app::{App, TopError, Watched};
use testbed_host_tools::top::child::{Left, Started};
use testbed_host_tools::top::player::{Options, Player};
use testbed_host_tools::top::screen::Speed;
use testbed_trace::capture::Capture;

use super::analyse::cycles_if;
use super::run::Run;
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

/// The options of `run`, and how they were given.
#[derive(Debug)]
struct Forwarded {
    run: Run,
    /// The options that were given.
    options: Vec<OsString>,
    arguments: Vec<OsString>,
}

impl Args for Forwarded {
    fn augment_args(command: clap::Command) -> clap::Command {
        Run::augment_args(command).mut_args(|argument| match argument.get_id().as_str() {
            "program" => argument
                .value_name("DIR|PROGRAM")
                .help("The folder of a run, over or not; or a program to run, as `run` takes it"),
            _ => argument,
        })
    }
    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Forwarded {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (mut options, mut arguments) = (Vec::new(), Vec::new());
        // Whatever options `run` has, so that none is forgotten here.
        for argument in Run::augment_args(clap::Command::new("run")).get_arguments() {
            let id = argument.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let values = matches.get_raw(id).into_iter().flatten();
            match argument.get_long() {
                None => arguments.extend(values.map(OsString::from)),
                Some(long) if matches!(argument.get_action(), ArgAction::SetTrue) => {
                    options.push(format!("--{long}").into())
                }
                Some(long) => options.extend(values.map(|value| {
                    let mut option = OsString::from(format!("--{long}="));
                    option.push(value);
                    option
                })),
            }
        }
        Ok(Forwarded { run: Run::from_arg_matches(matches)?, options, arguments })
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
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
        if let Some(first) = self.run.options.first().or(self.run.arguments.get(1)) {
            let message = format!(
                "{} is a folder, and `{}` belongs to a program\n  help: leave it out, or give a program",
                dir.display(),
                first.to_string_lossy()
            );
            return Err(Failure::new(Exit::Input, message));
        }
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
        let is_path = self.run.run.program.contains('/');
        if is_path && !target.exists() {
            let message = format!(
                "there is no {}\n  help: give the folder of a run, a program of firmware/programs, or an ELF file",
                target.display()
            );
            return Err(Failure::new(Exit::Input, message));
        }
        if self.run.run.input.as_deref() == Some("-") {
            let message = "--input -: keys are for the view here\n  help: give the input as a file, or follow the folder of a run in another terminal";
            return Err(Failure::new(Exit::Input, message));
        }
        let dir: PathBuf = self.run.run.folder();
        let mut arguments = vec![OsString::from("run")];
        arguments.extend(self.run.options.iter().cloned());
        // Behind it nothing is taken for an option.
        arguments.push("--".into());
        arguments.extend(self.run.arguments.iter().cloned());
        let started = Started::new(&arguments, &dir).map_err(|error| {
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
        let window = cycles_if("--window", self.window.as_ref(), clock_hz)?;
        if window == Some(0) {
            return Err(Failure::new(
                Exit::Input,
                "--window: a window has a length\n  help: give one of some cycles, as in 100ms",
            ));
        }
        Ok(Options { speed: self.speed, window, from: cycles_if("--from", self.from.as_ref(), clock_hz)? })
    }

    fn show(&self, app: &mut App) -> Result<(), TopError> {
        if !self.once {
            return app.run();
        }
        let frame = app.once((self.size.0, self.size.1))?;
        // Nobody reads it any more: no failure.
        match write!(io::stdout().lock(), "{frame}") {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(TopError::Terminal(error)),
            _ => Ok(()),
        }
    }
}

/// Says how a run ended that was started for the view.
fn say(shown: Result<(), TopError>, left: Option<Left>, dir: &Path) -> Result<u8, Failure> {
    let left = match (shown, left) {
        (Err(TopError::NotBegun), Some(left)) => {
            // It has said why.
            eprint!("{}", left.errors);
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
            eprint!("{}", left.errors);
            Ok(code as u8)
        }
        None => {
            writeln!(out, "the run was ended; what it had written is in {}", dir.display())?;
            Ok(0)
        }
    }
}
