//! The page of a profile: what is in it, and how it looks in a browser. So for those of [`bsp`] and
//! [`space`].

mod browser;
mod bsp;
#[allow(dead_code)]
#[path = "../../../../trace/tests/common/devtools.rs"]
mod devtools;
mod plots;
mod sample;
mod space;
mod structure;
