//! Pages about runs: what is in them, and how they behave in a browser.

mod browser;
pub mod runs;
mod structure;
