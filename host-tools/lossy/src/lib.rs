//! The lossy BSP model: how fast parallel programs are over a network that loses packets.
//! E. Sundararajan, A. Harwood and K. Ramamohanarao, "Lossy Bulk Synchronous Parallel Processing
//! Model for Very Large Scale Grids". Nothing here knows of a Testbed.
//!
//! | module | what it has |
//! |---|---|
//! | [`rounds`] | how often packets leave until all have been acknowledged |
#![forbid(unsafe_code)]

pub mod rounds;
