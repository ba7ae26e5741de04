//! What it takes to run a machine: firmware, files, an engine, and who sits at the console.
//!
//! | module | what it does |
//! |---|---|
//! | [`firmware`] | builds kernel and programs, from the checkout or from the sources that the program carries |
//! | [`module`] | builds the module with which a machine runs in a browser's page |
//! | [`files`], [`names`] | chooses files for the filestore; tells programs the names of processors |
//! | [`image`] | what is in RAM before the first cycle |
//! | [`engines`] | engines by name |
//! | [`filter`] | what the monitors are to leave out, from the command line |
//! | [`drive`] | runs an engine into a capture until the program is over |
//! | [`operator`] | who sits at the machine's console |
//! | [`counters`] | the ledger of an engine |
//! | [`measurement`] | runs that are made to measure something |
//! | [`look`], [`lines`] | what every thread does, from the processors' RAM, and at which line of its source |
//! | [`taking`] | files out of a processor's filestore |
//! | [`signals`] | Ctrl-C and its like |
//! | [`apt`], [`python`] | packages of Debian and of PyPI that are missing |
#![forbid(unsafe_code)]

/// `eprintln!`, but that nobody may read it is no reason to panic.
#[macro_export]
macro_rules! tell {
    ($($part:tt)*) => {{
        let _ = ::std::io::Write::write_fmt(&mut ::std::io::stderr(), format_args!("{}\n", format_args!($($part)*)));
    }};
}

pub mod apt;
pub mod drive;
pub mod engines;
pub mod files;
pub mod firmware;
pub mod image;
pub mod lines;
pub mod measurement;
pub mod module;
pub mod operator;
pub mod python;
pub mod signals;

pub use testbed_session::{asking, counters, filter, look, names, store, taking};
