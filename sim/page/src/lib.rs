//! A machine that runs in a browser's page: what `testbed run` does, without files and without a
//! clock, by as many cycles as the page asks for. It leaves the same bytes.
//!
//! | module | what it does |
//! |---|---|
//! | [`wishes`] | what a page asks for: program, machine, seed, event classes, filters |
//! | [`kit`] | kernels, programs and files that a run can have |
//! | [`files`] | files that go to and fro while a run goes on |
//! | [`run`] | the run itself, into a folder in memory |
//! | [`seen`] | what its monitors have shown so far, in order |
//!
//! As a WebAssembly module it has the functions of `exports`, which `docs/web.md` describes.

mod exports;
pub mod files;
pub mod kit;
pub mod run;
pub mod seen;
pub mod wishes;
