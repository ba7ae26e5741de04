//! Lockstep: two engines side by side, compared at every retired instruction.
//!
//! | module | what it does |
//! |---|---|
//! | [`program`] | constrained-random programs for one core, by seed |
//! | [`random`] | the seeded generator of numbers behind them |
//! | [`encode`] | a small RV32 encoder |
//! | [`disassemble`] | mnemonics, for reports and coverage |
//! | [`compare`] | comparison of two engines; the report of a difference |
//! | [`coverage`] | what a run has reached |

mod block;
pub mod compare;
pub mod coverage;
pub mod disassemble;
pub mod encode;
mod layout;
pub mod program;
pub mod random;
mod translation;

pub use compare::{compare_machines, compare_processor, memory_difference, Agreement, Difference};
pub use coverage::Coverage;
