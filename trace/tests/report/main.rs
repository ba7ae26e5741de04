//! Pages about runs: what is in them, and how they behave in a browser.

#[path = "../common/mod.rs"]
mod common;
// Scripts of the analyses' tests, which need more of them than these.
#[allow(dead_code)]
#[path = "../analysis/scripts.rs"]
mod scripts;

mod browser;
mod devtools;
mod runs;
mod structure;
