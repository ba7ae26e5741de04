//! Pages about runs: what is in them, and how they behave in a browser.

// Other tests need more of these two.
#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code)]
#[path = "../analysis/scripts.rs"]
mod scripts;
#[path = "../common/steps.rs"]
mod steps;

mod browser;
#[path = "../common/devtools.rs"]
mod devtools;
mod runs;
mod structure;
