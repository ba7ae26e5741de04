//! The lossy BSP model: how fast parallel programs are over a network that loses packets.
//! E. Sundararajan, A. Harwood and K. Ramamohanarao, "Lossy Bulk Synchronous Parallel Processing
//! Model for Very Large Scale Grids". Nothing here knows of a Testbed.
//!
//! | module | what it has | the paper's section |
//! |---|---|---|
//! | [`rounds`] | how often packets leave until all have been acknowledged | III, IV |
//! | [`pattern`] | how many packets a superstep has: the six kinds of c(n) | II |
//! | [`conceptual`] | supersteps whose communication takes no time | II-A |
//! | [`superstep`] | the L-BSP model: time and speed-up of a superstep, the best n and the best k | III, IV |
//! | [`algorithms`] | matrix product, sorting, Fourier transform, Laplace's equation, collectives | V |
//! | [`maximum`] | where a function of the number of nodes is greatest | |
//! | [`figures`] | the curves of Figures 7 to 12 | II to IV |
//! | [`paper`] | what the paper prints, and ours beside it | all |
//! | [`simulate`] | the same packet by packet, with confidence bounds | |
//!
//! Nodes and packets are `f64`, since c(n) need not be whole and n^2 of a billion nodes is no `u32`;
//! times are seconds.
#![forbid(unsafe_code)]

pub mod algorithms;
pub mod conceptual;
pub mod figures;
pub mod maximum;
pub mod paper;
pub mod pattern;
pub mod rounds;
pub mod simulate;
pub mod superstep;
