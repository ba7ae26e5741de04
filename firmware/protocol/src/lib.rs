//! The protocols of TOS as pure state machines: no allocation, no I/O, no unsafe code.
//!
//! [`channel`] is the protocol of occam channels. The kernel runs it, host tests explore it: the same code in both.
#![no_std]
#![forbid(unsafe_code)]

pub mod channel;
pub mod mpc;

/// A thread's number, unique in the machine (`testbed_definitions::event::thread_number`).
pub type Thread = u16;
/// A processor's number.
pub type Processor = u8;
