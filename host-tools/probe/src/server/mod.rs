//! The server as a state machine: a datagram and the time in, answers out.
//!
//! Each answer is at most as long as what it answers, and leaves only through [`session::Budget`].
//! Nothing is remembered of an address before it has returned a cookie that was sent to it.

pub mod cookie;
pub mod counts;
pub mod machine;
pub mod session;
