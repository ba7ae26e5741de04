//! Compares policies on the model of the machine.
//!
//!     cargo run --release -p testbed-balance --example compare -- [OPTION=NUMBER...] [POLICY...]
//!
//! Options: `period` (of samples, in ms; each policy's own if not given), `seeds` (random programs;
//! 20), `cost` (of a move and its pages, in per cent of the measured; 100), `each` (1: a line for each
//! random program).

#[path = "../tests/model/mod.rs"]
#[allow(dead_code)]
mod model;

use std::collections::BTreeMap;

use model::machine::{run, Outcome};
use model::program::Program;
use model::table::{best_static, fixed, random, sequential};
use testbed_balance::policy::Costs;

const EACH: [&str; 7] = ["none", "random", "report", "acknowledged", "diffusion", "greedy-refine", "gain"];

struct Settings {
    period: Option<u64>,
    seeds: u32,
    each: bool,
    costs: Costs,
    names: Vec<String>,
}

fn settings() -> Result<Settings, String> {
    let (mut options, mut names) = (BTreeMap::from([("period", 0), ("seeds", 20), ("cost", 100), ("each", 0)]), vec![]);
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some((name, value)) => {
                let value = value.parse().map_err(|_| format!("{word}: expected a number behind ="))?;
                *options.get_mut(name).ok_or(format!("{word}: the options are period, seeds, cost, each"))? = value;
            }
            None if EACH.contains(&word.as_str()) => names.push(word),
            None => return Err(format!("{word}: the policies are {}", EACH.join(", "))),
        }
    }
    if names.is_empty() {
        names = EACH.map(String::from).into();
    }
    let scaled = |cycles: u32| cycles * options["cost"] / 100;
    let (migration, page) = (scaled(Costs::DEFAULT.migration), scaled(Costs::DEFAULT.page));
    let period = Some(options["period"]).filter(|&period| period > 0);
    Ok(Settings {
        period: period.map(|period| u64::from(period) * model::SECOND / 1000),
        seeds: options["seeds"],
        each: options["each"] > 0,
        costs: Costs { migration, page, ..Costs::DEFAULT },
        names,
    })
}

fn seconds(cycles: u64) -> f64 {
    cycles as f64 / model::SECOND as f64
}

fn balanced(program: &Program, slaves: u8, name: &str, settings: &Settings) -> Outcome {
    let (policy, own) = model::policy(name, 1);
    run(program, slaves, &sequential, settings.costs, Some((policy, settings.period.unwrap_or(own))))
}

/// A line of the table: seconds, and for policies the moves that were made.
fn row(program: &Program, slaves: u8, settings: &Settings) {
    let drawn = random(program, slaves, 20);
    let mean = drawn.iter().sum::<u64>() / drawn.len() as u64;
    let (least, most) = (drawn.iter().min().expect("some"), drawn.iter().max().expect("some"));
    print!(
        "{:8} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1}",
        program.name,
        seconds(program.bound(slaves)),
        seconds(fixed(program, slaves, &sequential)),
        seconds(*least),
        seconds(mean),
        seconds(*most),
        seconds(best_static(program, slaves, 50)),
    );
    for name in &settings.names {
        let outcome = balanced(program, slaves, name, settings);
        print!(" {:>8}", format!("{:.1}/{}", seconds(outcome.cycles), outcome.moves.len()));
    }
    println!();
}

/// Random programs: `gain` by the better of sequential and mean random, and the others by `gain`.
fn drawn(settings: &Settings) {
    let mut sums = vec![0.0; settings.names.len()];
    let mut wins = vec![0; settings.names.len()];
    let mut ratios = Vec::new();
    for seed in 1..=settings.seeds {
        let (program, slaves) = (Program::random(seed), if seed % 2 == 0 { 15 } else { 5 });
        let drawn = random(&program, slaves, 20);
        let mean = drawn.iter().sum::<u64>() / drawn.len() as u64;
        let better = fixed(&program, slaves, &sequential).min(mean);
        let gain = balanced(&program, slaves, "gain", settings).cycles;
        ratios.push((gain as f64 / better as f64, seed));
        for (at, name) in settings.names.iter().enumerate() {
            let cycles = balanced(&program, slaves, name, settings).cycles;
            sums[at] += (cycles as f64 / gain as f64).ln();
            wins[at] += u32::from(cycles < gain);
            if settings.each {
                print!("{name} {:.2} ", seconds(cycles));
            }
        }
        if settings.each {
            let bound = seconds(program.bound(slaves));
            println!("bound {bound:.2}, better of sequential and random {:.2}; seed {seed}", seconds(better));
        }
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let worst: Vec<_> = ratios.iter().take(3).map(|(ratio, seed)| format!("{ratio:.2} (seed {seed})")).collect();
    let middle = ratios.get(ratios.len() / 2).map_or(1.0, |ratio| ratio.0);
    println!("gain by the better of sequential and random: {middle:.2} in the middle, at worst {}", worst.join(", "));
    for ((name, sum), wins) in settings.names.iter().zip(sums).zip(wins) {
        let mean = (sum / f64::from(settings.seeds)).exp();
        println!("{name:14} takes {mean:.2} times as long as gain, and less in {wins} of {}", settings.seeds);
    }
}

fn main() {
    let settings = settings().unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2);
    });
    println!("program   bound    seq  least random   most static {}", settings.names.join(" "));
    for program in [
        Program::compute(20, 600),
        Program::pairs(20, 60_000),
        Program::mixed(20, 2_000),
        Program::adder(40_000),
        Program::wator(20, 400),
    ] {
        row(&program, 5, &settings);
    }
    if settings.seeds > 0 {
        drawn(&settings);
    }
}
