//! Random programs in Rust and in C on random machines: each computes what its generator knows, under a watchdog that calls standing
//! still a failure. A seed that fails is shrunk to its smallest program and said.
//!
//! `TESTBED_TRIALS=rust:17` (or `c:17`, or a range, `rust:1..500`) runs these seeds and no others; `testbed test --long` some thousands.

mod c_source;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/compiler.rs"]
mod compiler;
mod generate;
mod plan;
mod script;
mod shrink;
mod watch;

use plan::{Language, Plan};

/// Seeds of a short run and of a long one.
const RUST: [u64; 2] = [60, 3000];
const C: [u64; 2] = [60, 1000];

/// The seeds to run: those of `TESTBED_TRIALS` for this language, or the first ones.
fn seeds(language: Language, counts: [u64; 2]) -> std::ops::Range<u64> {
    let Ok(wanted) = std::env::var("TESTBED_TRIALS") else {
        return 0..counts[usize::from(common::is_long())];
    };
    let name = if language == Language::C { "c" } else { "rust" };
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("TESTBED_TRIALS={wanted}: `{text}` is no seed"));
    let (kind, range) = wanted.split_once(':').unwrap_or_else(|| panic!("TESTBED_TRIALS={wanted}: write rust:7 or c:1..100"));
    match range.split_once("..") {
        _ if kind != name => 0..0,
        Some((first, end)) => number(first)..number(end),
        None => number(range)..number(range) + 1,
    }
}

/// Runs the plans of these seeds; fails with all that failed, each in its smallest form.
fn trials(language: Language, counts: [u64; 2], build: impl Fn(&Plan) -> Vec<u8>) {
    let (mut failed, mut cycles, mut steps) = (Vec::new(), 0, 0);
    for seed in seeds(language, counts) {
        let plan = generate::plan(seed, language);
        match watch::run(&plan, &build(&plan)) {
            Ok(ended) => {
                cycles += ended.cycles;
                steps += ended.steps;
            }
            Err(first) => {
                let run = |plan: &Plan| watch::run(plan, &build(plan)).err().filter(|failure| failure.kind == first.kind);
                let smallest = shrink::shrink(&plan, |plan| run(plan).is_some());
                let why = run(&smallest).map(|failure| failure.text).unwrap_or_default();
                eprintln!("{language:?} seed {seed} fails ({:?}): {}", first.kind, first.text);
                eprintln!("smallest, on {:?}:\n{}{why}", smallest.setting, smallest.text());
                failed.push(seed);
            }
        }
    }
    eprintln!("{language:?}: {steps} steps in {cycles} cycles");
    assert!(failed.is_empty(), "seeds that fail: {failed:?}; TESTBED_TRIALS={language:?}:SEED runs one");
}

#[test]
fn programs_in_rust() {
    let (_, program) = watch::built().read("trial").unwrap();
    trials(Language::Rust, RUST, |_| program.clone());
}

#[test]
fn programs_in_c() {
    let folder = tempfile::tempdir().unwrap();
    trials(Language::C, C, |plan| c_source::build(plan, folder.path()));
}
