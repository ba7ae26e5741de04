//! All tests of this crate in one binary.

mod estimates;
mod hostile;
mod measured;
mod packets;
mod relay;
mod resumed;
mod statistics;
mod support;
