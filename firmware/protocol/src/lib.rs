//! The protocols of TOS as pure state machines: no allocation, no I/O, no unsafe code. The kernel
//! runs them, host tests explore them: the same code in both. `docs/protocols.md` says what they do
//! together.
//!
//! [`channel`] is the protocol of occam channels, [`ordinary`] what most of its components are, [`ends`] what happens to it when threads move,
//! [`pages`] the protocol of data that threads share, [`requests`] how a slave serves requests to
//! move its threads, [`superstep`] how processes exchange at the ends of supersteps, [`lossy`] how
//! they do where packets are lost.
#![no_std]
#![forbid(unsafe_code)]

pub mod block;
pub mod channel;
pub mod ends;
pub mod lossy;
pub mod mpc;
pub mod ordinary;
pub mod pages;
pub mod requests;
pub mod superstep;

pub use testbed_definitions::ids::{Channel, Processor, ThreadNumber};
