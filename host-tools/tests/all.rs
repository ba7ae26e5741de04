//! All tests of this crate that can share a process, in one binary: it is linked once, and what
//! several of them need is compiled once.

mod analysis;
mod attach;
mod balance;
mod balancer;
mod c_library;
mod c_numbers;
mod c_program;
mod c_text;
mod capture;
mod cli;
mod common;
mod control;
mod cores;
mod exec;
mod faults;
mod foreign;
mod getting;
mod install;
mod kernel_size;
mod layout;
mod loads;
mod ordered;
mod overflow;
mod profile;
mod random;
mod random_loads;
mod reconstruct;
mod samples;
mod seed;
mod seeded;
mod stress;
mod top;
mod unrest;
mod waits;
mod wasm;
