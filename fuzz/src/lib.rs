//! Foreign bytes for every parser: inputs that others can write, damaged and invented, and what
//! must hold whatever comes.
//!
//! A [`Target`] is a parser with what must hold of it besides that it does not panic: that what it
//! takes is taken again when it is printed, that what it refuses is refused with place and remedy,
//! that it is over in time and takes no more memory than it may. Its inputs are *mutations* of
//! valid ones ([`mutation`]): random bytes would stop at the first check. `docs/fuzzing.md` says
//! how to run a campaign, and what was found.
//!
//! Cases come from [`proptest`], so that a failing one is made small before it is shown; they depend on the seed alone.
#![forbid(unsafe_code)]

pub mod mutation;
pub mod targets;

use std::alloc::System;
use std::cell::Cell;
use std::fs;
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

use cap::Cap;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

pub use mutation::INPUT_BYTES;
use mutation::{mutated, mutations, Mutation};
use targets::Target;

/// Memory that all of a process may take: who asks for more ends the process, which names what was asked for.
const MEMORY_BYTES: usize = 1 << 30;
/// Time that one input may take, on a computer that does other work too.
const PATIENCE: Duration = Duration::from_secs(5);
/// Mutations of one input, at most.
const MUTATIONS: usize = 8;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY_BYTES);

/// An input that a target does not bear.
#[derive(Clone, Debug)]
pub struct Found {
    /// What does not hold, or the panic's message.
    pub what: String,
    /// The smallest such input that was found.
    pub input: Vec<u8>,
    /// Inputs that were tried, those among them that made it small.
    pub tried: u64,
}

thread_local! {
    /// A campaign is under way in this thread, and what panics is told when it is small.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics of campaigns, of which there are thousands while one is made small, from being printed.
fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
}

/// Whether `target` bears `input`.
///
/// # Errors
/// What does not hold: of the answer, of the time, or that it panics.
pub fn bears(target: &Target, input: &[u8]) -> Result<(), String> {
    hush();
    let started = Instant::now();
    QUIET.set(true);
    let answer = catch_unwind(AssertUnwindSafe(|| (target.check)(input))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("it panics: {}", text.unwrap_or("without a message")))
    });
    QUIET.set(false);
    let passed = started.elapsed();
    match passed > PATIENCE {
        true => Err(format!("it takes {} ms for {} bytes", passed.as_millis(), input.len())),
        false => answer,
    }
}

/// Tries `cases` mutations of the target's valid inputs. The same `seed` gives the same inputs.
///
/// # Errors
/// The first input that the target does not bear, made small.
pub fn campaign(target: &Target, cases: u32, seed: u64) -> Result<(), Found> {
    let inputs = inputs(target);
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        max_shrink_time: 60_000,
        ..Config::default()
    };
    let (mut runner, tried) = (TestRunner::new(config), Cell::new(0));
    let input = |mutations: &[Mutation]| mutated(mutations, &inputs, target.words);
    let result = runner.run(&mutations(MUTATIONS), |mutations| {
        let answer = bears(target, &input(&mutations));
        tried.set(tried.get() + 1);
        answer.map_err(TestCaseError::fail)
    });
    result.map_err(|error| match error {
        TestError::Fail(what, mutations) => {
            Found { what: what.message().into(), input: input(&mutations), tried: tried.get() }
        }
        TestError::Abort(what) => Found { what: what.message().into(), input: Vec::new(), tried: tried.get() },
    })
}

/// The valid inputs that are mutated, and those that are kept.
fn inputs(target: &Target) -> Vec<Vec<u8>> {
    let mut inputs = (target.seeds)();
    inputs.extend(kept(target).into_iter().map(|(_, input)| input));
    inputs
}

/// The folder of inputs that are kept for a target: those that it did not bear once.
pub fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// Inputs that are kept for a target, with their names, in order of name.
///
/// # Panics
/// If a file of the corpus can't be read.
pub fn kept(target: &Target) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(corpus(target)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the corpus can be read").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes)
    };
    paths.into_iter().map(read).collect()
}
