//! A command that takes the folder of a run, or the program of one that it starts as `run` does.

use std::ffi::OsString;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, FromArgMatches};

use testbed_runner::firmware;

use super::run::Run;
use super::{Exit, Failure};

/// The options of `run`, and how they were given.
#[derive(Debug)]
pub struct Forwarded {
    pub run: Run,
    /// The options that were given.
    options: Vec<OsString>,
    /// The program and its arguments.
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

impl Forwarded {
    /// Holds what was given against a folder, to which no option of a run and no argument belongs.
    pub fn of_folder(&self, dir: &Path) -> Result<(), Failure> {
        let Some(first) = self.options.first().or(self.arguments.get(1)) else { return Ok(()) };
        let message = format!(
            "{} is a folder, and `{}` belongs to a program\n  help: leave it out, or give a program",
            dir.display(),
            first.to_string_lossy()
        );
        Err(Failure::new(Exit::Input, message))
    }

    /// Whether the program is there, by its name or path: before its run is started.
    pub fn of_program(&self, target: &Path) -> Result<(), Failure> {
        if !self.run.program.contains('/') {
            let known = firmware::check_program(&firmware::root()?, &self.run.program);
            let told = |error| format!("there is no folder {}, and {error}", target.display());
            return known.map_err(|error| Failure::new(Exit::Input, told(error)));
        }
        if target.exists() {
            return Ok(());
        }
        let message = format!(
            "there is no {}\n  help: give the folder of a run, a program of firmware/programs, or an ELF file",
            target.display()
        );
        Err(Failure::new(Exit::Input, message))
    }

    /// The words of the command `run` as it was given, with these options more.
    pub fn command(&self, more: &[&str]) -> Vec<OsString> {
        let mut words = vec![OsString::from("run")];
        words.extend(more.iter().map(OsString::from));
        words.extend(self.options.iter().cloned());
        // Behind it nothing is taken for an option.
        words.push("--".into());
        words.extend(self.arguments.iter().cloned());
        words
    }
}
