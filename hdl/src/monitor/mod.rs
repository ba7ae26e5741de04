//! The monitor: global clock, slave and master monitoring interfaces.
//!
//! `docs/monitor.md` has the cycle tables. How the blocks connect, for processors 0 (the master) to N - 1:
//!
//! ```text
//!  strobe, to all          tick_cycles
//!         +---------------------------------------------+
//!         v                                             |
//!  +-------------+  stamp, wraps, wrapped, +--------+ ready    +-----+ valid, word +-----------+
//!  | GlobalClock |------------------------>| Smi    |--------->| Mmi |============>| TracePort |==> trace_valid, trace_word
//!  +-------------+  ticked                 | 1..N-1 | data,key |     |        room |           |
//!           stamp and wraps also to Mmi    |        |=========>|     |<------------|           |<-- trace_ready
//!                                          |        | select   |     |             +-----------+
//!                                          |        |<---------|     |
//!                                          |        | datum,   |     |
//!                                          |        | take,    |     |
//!                                          |        | command  |     |
//!                                          +--------+<---------+-----+
//! ```
//!
//! [`composition::MonitorBench`] is a compiled example, and what the differential tests drive.

mod age;
mod clock;
pub mod composition;
mod filter;
mod late;
mod mmi;
mod port;
mod queue;
mod smi;

#[cfg(test)]
mod formal;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod tests;

pub use age::Age;
pub use clock::GlobalClock;
pub use filter::Filter;
pub use late::Late;
pub use mmi::{Mmi, MmiConfig};
pub use port::{Link, TracePort};
pub use queue::QueueRam;
pub use smi::Smi;
