//! Compares policies on a model of the machine: `compare [POLICY...]`.

#[path = "../tests/model/mod.rs"]
#[allow(dead_code)]
mod model;

use model::program::Program;
use model::table::{balanced, fixed, random, sequential};
use testbed_balance::policy::Costs;

fn seconds(cycles: u64) -> f64 {
    cycles as f64 / model::SECOND as f64
}

fn row(program: &Program, slaves: u8, names: &[String]) {
    let alone = fixed(program, slaves, &sequential);
    let drawn = random(program, slaves, 20);
    let mean = drawn.iter().sum::<u64>() / drawn.len() as u64;
    print!(
        "{:12} bound {:6.1} seq {:6.1} random {:6.1} {:6.1} {:6.1}",
        program.name,
        seconds(program.bound(slaves)),
        seconds(alone),
        seconds(*drawn.iter().min().unwrap()),
        seconds(mean),
        seconds(*drawn.iter().max().unwrap())
    );
    for name in names {
        let outcome = balanced(program, slaves, name, Costs::default());
        print!("  {name} {:.1} ({}/{})", seconds(outcome.cycles), outcome.moves.len(), outcome.counts.requests);
    }
    println!();
}

/// Seeded programs: each policy's time by that of `gain`, and `gain` by the better of sequential and
/// mean random.
fn hundred(names: &[String], seeds: u32) {
    let mut sums = vec![0.0; names.len()];
    let mut worst = Vec::new();
    for seed in 1..=seeds {
        let program = Program::random(seed);
        let slaves = if seed % 2 == 0 { 15 } else { 5 };
        let alone = fixed(&program, slaves, &sequential);
        let drawn = random(&program, slaves, 10);
        let mean = drawn.iter().sum::<u64>() / drawn.len() as u64;
        let better = alone.min(mean);
        let times: Vec<_> = names.iter().map(|name| balanced(&program, slaves, name, Costs::default())).collect();
        let gain = times.last().unwrap().cycles as f64;
        for (sum, time) in sums.iter_mut().zip(&times) {
            *sum += (time.cycles as f64 / gain).ln();
        }
        let ratio = gain / better as f64;
        worst.push((ratio, seed));
        if std::env::var("EACH").is_ok() || ratio > 1.0 {
            print!(
                "{seed:4} {:2} threads {slaves:2} slaves: bound {:6.2} seq {:6.2} random {:6.2}",
                program.threads.len(),
                seconds(program.bound(slaves)),
                seconds(alone),
                seconds(mean)
            );
            for (name, time) in names.iter().zip(&times) {
                print!(" {name} {:.2} ({})", seconds(time.cycles), time.moves.len());
            }
            println!(" ratio {ratio:.3}");
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("worst {:?}", &worst[..5.min(worst.len())]);
    for (name, sum) in names.iter().zip(&sums) {
        println!("{name}: {:.3} times as long as gain", (sum / f64::from(seeds)).exp());
    }
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names =
            ["none", "random", "report", "acknowledged", "diffusion", "greedy-refine", "gain"].map(String::from).into();
    }
    for program in [
        Program::compute(20, 600),
        Program::pairs(20, 60_000),
        Program::mixed(20, 2_000),
        Program::adder(40_000),
        Program::wator(20, 400),
    ] {
        row(&program, 5, &names);
    }
    let seeds = std::env::var("SEEDS").map_or(20, |seeds| seeds.parse().unwrap());
    hundred(&names, seeds);
}
