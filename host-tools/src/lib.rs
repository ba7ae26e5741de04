//! Runs a Testbed, keeps what its monitors saw, and proves the order of it.
//!
//! | module | what it does |
//! |---|---|
//! | [`capture`] | the output folder: CTF trace, `mmi.raw`, console, `run.json`; writer, reader, integrity |
//! | [`order`] | epochs from wrap markers, events from words, one ordered trace from many streams |
//! | [`ledger`] | what was emitted is delivered, queued, dropped or refused: nothing else |
//! | [`summary`] | what an ordered trace shows, in a screenful |
//! | [`compare`] | first difference between two output folders |
//! | [`conform`] | whether a trace is what the protocols' state machines allow |
//! | [`drive`] | runs an engine into a capture until the program is over |
//! | [`engines`] | engines by name |
//! | [`kernel_bench`] | what the kernel's services cost, from the stamps of `kernel-bench` |
//! | [`apt`] | Debian packages that are missing |
//! | [`firmware`], [`files`], [`load`] | kernel and programs: building, choosing files for the filestore, and placing all in RAM |
//!
//! To read a trace in another program, [`capture::Capture::open`] the folder and iterate over [`order::events`].
#![forbid(unsafe_code)]

pub mod apt;
pub mod capture;
pub mod compare;
pub mod conform;
pub mod drive;
pub mod engines;
pub mod files;
pub mod firmware;
pub mod kernel_bench;
pub mod ledger;
pub mod load;
pub mod order;
pub mod summary;
