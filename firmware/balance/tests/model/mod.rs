//! A model of the machine by discrete events: coarse, but with what balancing depends on.
//! Processors share their time in slices of 20 ms, messages are rendezvous, and each costs its
//! processors the cycles that `docs/firmware.md` measured; a thread that moves is under way, and
//! its pages follow. Load samples go through the words of the class `load` to the code that the
//! balancer runs.
//!
//! What the model leaves out: interrupts within a thread's slice, queues of Centrenet, caches of
//! translations, the pages' directory. The real machine has the last word.

pub mod kernel;
pub mod machine;
pub mod program;
pub mod state;
pub mod table;

use testbed_balance::policies::boxed::{named, Boxed};
use testbed_balance::policies::Placement;
use testbed_balance::settings::Values;

/// Cycles of a second.
pub const SECOND: u64 = 25_000_000;

/// The policy of this name, and its own sample period in cycles.
pub fn policy(name: &str, seed: u32) -> (Boxed, u64) {
    let policy = named(name, &Values::DEFAULT, seed, Placement::default());
    (policy.unwrap_or_else(|| panic!("there is no policy {name}")), if name == "gain" { SECOND / 5 } else { SECOND })
}
