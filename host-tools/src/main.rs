//! `testbed`: runs the machine, reads what its monitors saw.
#![forbid(unsafe_code)]

mod commands;
#[cfg(test)]
mod documented;
#[cfg(not(test))]
mod sources;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use commands::{
    analyse::Analyse, attach::Attach, bench::Bench, bsp::Bsp, compare::Compare, conform::Conform, console::Console,
    diff::Diff, exec::Exec, experiment::Experiment, lbsp::Lbsp, policy::Policy, probe::Probe, query::Query,
    report::Report, run::Run, serve::Serve, synth::Synth, test::collect::Collect, test::Test, top::Top, trace::Trace,
    web::Web, Exit, Failure,
};
use testbed_runner::tell;

/// A message-passing multicomputer in open hardware, with event monitoring
#[derive(Parser, Debug)]
#[command(
    name = "testbed",
    version,
    after_help = "Exit codes: 0 success; 1 a difference, a failed test, a program that exits with another code than 0;\n\
                  2 the command line; 3 an input (machine description, program, ELF file, folder);\n\
                  4 the machine (ledger, engine); 5 this computer (a tool, the disk); 6 a bitstream that would miss its clock;\n\
                  7 a program run without --for or --cycles that did not end in time, or whose threads can never go on,\n\
                  and a run that is not whole, or recorded too little for a verdict;\n\
                  130 a run that Ctrl-C has ended; 141 a verdict that nobody read to its end."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Run(Box<Run>),
    Top(Box<Top>),
    Exec(Exec),
    Attach(Attach),
    Trace(Trace),
    Analyse(Analyse),
    Report(Report),
    Web(Web),
    Serve(Box<Serve>),
    Compare(Compare),
    Diff(Diff),
    Conform(Conform),
    Console(Console),
    Experiment(Experiment),
    Query(Query),
    Policy(Policy),
    Bsp(Bsp),
    Lbsp(Box<Lbsp>),
    Probe(Box<Probe>),
    Bench(Bench),
    Synth(Synth),
    Test(Test),
    #[command(hide = true)]
    Collect(Collect),
}

impl Command {
    /// Whether its exit code says more than that it has printed what was asked for.
    fn judges(&self) -> bool {
        use Command::{Attach, Bench, Compare, Conform, Diff, Exec, Run, Synth, Test};
        matches!(self, Run(_) | Exec(_) | Attach(_) | Compare(_) | Diff(_) | Conform(_) | Bench(_) | Synth(_) | Test(_))
    }

    /// The exit code.
    fn run(&self) -> Result<u8, Failure> {
        let exit = match self {
            Command::Exec(command) => return command.run(),
            Command::Top(command) => return command.run(),
            Command::Collect(command) => return command.run(),
            Command::Serve(command) => return command.run(),
            Command::Run(command) => command.run()?,
            Command::Attach(command) => command.run()?,
            Command::Trace(command) => command.run()?,
            Command::Analyse(command) => command.run()?,
            Command::Report(command) => command.run()?,
            Command::Web(command) => command.run()?,
            Command::Compare(command) => command.run()?,
            Command::Diff(command) => command.run()?,
            Command::Conform(command) => command.run()?,
            Command::Console(command) => command.run()?,
            Command::Experiment(command) => command.run()?,
            Command::Bsp(command) => command.run()?,
            Command::Lbsp(command) => command.run()?,
            Command::Probe(command) => command.run()?,
            Command::Query(command) => command.run()?,
            Command::Policy(command) => command.run()?,
            Command::Bench(command) => command.run()?,
            Command::Synth(command) => command.run()?,
            Command::Test(command) => command.run()?,
        };
        Ok(exit as u8)
    }
}

fn main() -> ExitCode {
    #[cfg(not(test))]
    sources::carry();
    let command = Cli::parse().command;
    let exit = command.run().unwrap_or_else(|failure| match failure.exit {
        Exit::Unread if !command.judges() => Exit::Success as u8,
        exit => {
            if exit != Exit::Unread {
                tell!("error: {}", failure.message);
            }
            exit as u8
        }
    });
    ExitCode::from(exit)
}
