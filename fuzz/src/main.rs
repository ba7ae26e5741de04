//! A campaign: many inputs for one parser, or for all. See `docs/fuzzing.md`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use testbed_fuzz::targets::{named, Target, TARGETS};
use testbed_fuzz::{bears, campaign, corpus};

/// Tries inputs that others could write on the Testbed's parsers
#[derive(Parser, Debug)]
#[command(name = "testbed-fuzz", after_help = "Exit codes: 0 all are borne; 1 an input is not.")]
struct Cli {
    /// The parsers to try, such as record [default: all]
    targets: Vec<String>,
    /// Inputs for each
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    inputs: u32,
    /// Seed of the inputs
    #[arg(long, default_value_t = 1994, value_name = "N")]
    seed: u64,
    /// Try this file instead
    #[arg(long, value_name = "FILE", requires = "targets")]
    input: Option<PathBuf>,
    /// Print the parsers and end
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.list {
        TARGETS.iter().for_each(|target| println!("{:<14}{}", target.name, target.what));
        return ExitCode::SUCCESS;
    }
    let mut wanted: Vec<&Target> = Vec::new();
    for name in &cli.targets {
        let Some(target) = named(name) else {
            eprintln!("error: no parser is called `{name}`\n  help: `--list` names them");
            return ExitCode::from(2);
        };
        wanted.push(target);
    }
    if wanted.is_empty() {
        wanted = TARGETS.iter().collect();
    }
    let borne = wanted.into_iter().map(|target| match &cli.input {
        Some(path) => one(target, path),
        None => many(target, cli.inputs, cli.seed),
    });
    match borne.filter(|borne| !borne).count() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn one(target: &Target, path: &PathBuf) -> bool {
    let input = match fs::read(path) {
        Ok(input) => input,
        Err(error) => {
            eprintln!("error: cannot read {}: {error}\n  help: check the path", path.display());
            return false;
        }
    };
    match bears(target, &input) {
        Ok(()) => true,
        Err(what) => {
            eprintln!("{}: {what}", target.name);
            false
        }
    }
}

fn many(target: &Target, inputs: u32, seed: u64) -> bool {
    let started = Instant::now();
    let result = campaign(target, inputs, seed);
    let seconds = started.elapsed().as_secs_f64();
    let Err(found) = result else {
        println!("{}: {inputs} inputs from seed {seed} are borne, {seconds:.0} s", target.name);
        return true;
    };
    println!("{}: input {} from seed {seed}: {}", target.name, found.tried, found.what);
    println!("  {} bytes: {}", found.input.len(), found.input[..found.input.len().min(300)].escape_ascii());
    let path = std::env::temp_dir().join(format!("{}-{seed}", target.name));
    match fs::write(&path, &found.input) {
        Ok(()) => println!("  left in {}; keep it in {}", path.display(), corpus(target).display()),
        Err(error) => println!("  cannot write {}: {error}", path.display()),
    }
    false
}
