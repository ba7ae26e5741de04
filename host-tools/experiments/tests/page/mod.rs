//! The page of a profile: what is in it, and how it looks in a browser.

mod browser;
#[allow(dead_code)]
#[path = "../../../../trace/tests/common/devtools.rs"]
mod devtools;
mod plots;
mod sample;
mod structure;
