//! All tests of this crate that can share a process, in one binary: it is linked once, and what
//! several of them need is compiled once.

mod instrumentation;
mod load;
mod page;
mod queries;
