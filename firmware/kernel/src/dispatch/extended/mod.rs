//! Calls and packets that the small kernel does not know.

pub mod calls;
pub mod ends;
pub mod packets;
