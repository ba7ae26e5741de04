//! Captures as a whole: what `conform` says of a run, and the names that other tools show.

// Other tests need more of these.
#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code)]
#[path = "../report/runs.rs"]
mod runs;
#[allow(dead_code)]
#[path = "../analysis/scripts.rs"]
mod scripts;
#[path = "../common/steps.rs"]
mod steps;

mod names;
mod verdict;
