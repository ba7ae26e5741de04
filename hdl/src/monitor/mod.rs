//! The monitor: global clock, slave and master monitoring interfaces.
//!
//! `docs/monitor.md` has the cycle tables. How the blocks connect, for processors 0 (the master) to N - 1:
//!
//! ```text
//!  strobe, to all          tick_cycles
//!         +---------------------------------------------+
//!         v                                             |
//!  +-------------+  stamp, wraps, wrapped, +--------+ ready    +-----+
//!  | GlobalClock |------------------------>| Smi    |--------->| Mmi |--> trace_valid
//!  +-------------+  ticked                 | 1..N-1 | data     |     |--> trace_word
//!                                          |        |=========>|     |
//!                                          |        | select   |     |
//!                                          |        |<---------|     |
//!                                          |        | datum,   |     |
//!                                          |        | take,    |     |
//!                                          |        | command  |     |
//!                                          +--------+<---------+-----+
//! ```
//!
//! [`composition::MonitorBench`] is a compiled example, and what the differential tests drive.

mod clock;
pub mod composition;
mod filter;
mod late;
mod mmi;
mod queue;
mod smi;

#[cfg(test)]
mod formal;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod tests;

pub use clock::GlobalClock;
pub use filter::Filter;
pub use late::Late;
pub use mmi::{Mmi, MmiConfig};
pub use queue::QueueRam;
pub use smi::Smi;
