//! The protocols of TOS as pure state machines.
#![no_std]
#![forbid(unsafe_code)]
