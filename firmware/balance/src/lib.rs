//! Load balancing as pure code: no allocation, no I/O, no unsafe code. The balancer on the master
//! runs it, unit tests and a model of the machine try it, and the host asks over a recorded trace
//! what a policy would have done: the same code in all of them. `docs/balance.md` says how the parts
//! work together and how to write a policy.
//!
//! | module | what it does |
//! |---|---|
//! | [`reader`] | finds the parts of samples in the monitor's words |
//! | [`assess`] | makes a coherent [`summary::Summary`] of the slaves' load samples |
//! | [`request`] | requests to move a thread, and the answers to them |
//! | [`candidate`] | the slave's choice of the thread that moves |
//! | [`policy`] | the trait of all policies, and what they see |
//! | [`policies`] | the policies |
//! | [`settings`] | what of the policies can be set |
//! | [`balancer`] | assessor, policy and pending requests together |
//! | [`log`] | the log in the format of the report's Figure 41 |
//!
//! Times are in cycles of the global clock.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "parse")]
extern crate std;

pub mod assess;
pub mod balancer;
pub mod candidate;
pub mod log;
pub mod policies;
pub mod policy;
pub mod reader;
pub mod request;
pub mod settings;
pub mod summary;

/// Processors that a machine can have; the master is 0.
pub const PROCESSORS: usize = 16;
/// Threads that a summary keeps.
pub const THREADS: usize = 256;
