//! What shell and utilities have in common: a heap, and the machine as they know it.
#![no_std]

pub mod heap;
pub mod tos;
