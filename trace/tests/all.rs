//! All tests of this crate that can share a process, in one binary: it is linked once, and what
//! several of them need is compiled once.

mod analysis;
mod balance;
mod bounded;
mod common;
mod conform;
mod damage;
mod export;
mod link;
mod live;
mod memory;
mod order;
mod record;
mod report;
mod wave;
mod whole;
