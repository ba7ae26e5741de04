//! What the kernel does for threads.

pub mod answers;
pub mod arriving;
pub mod blocks;
pub mod channels;
pub mod components;
#[cfg_attr(feature = "small", path = "absent/mod.rs")]
pub mod extended;
pub mod family;
pub mod faults;
pub mod first;
pub mod fragments;
pub mod home;
pub mod short;
pub mod start;
pub mod threads;
pub mod timers;
pub mod transmit;
