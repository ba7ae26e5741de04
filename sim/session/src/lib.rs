//! What is the same of a run on this computer and in a browser's page, so that both leave the same
//! bytes.
//!
//! | module | what it does |
//! |---|---|
//! | [`store`], [`names`] | chooses files for the filestore; tells programs the names of processors |
//! | [`filter`] | what the monitors are to leave out, from text to the commands that program them |
//! | [`course`] | takes an engine on by slices, and says when the run is over |
//! | [`asking`], [`asked`] | what shells ask of whoever types, and the answers; who answers, and when |
//! | [`look`], [`taking`] | what every thread does, and the files of filestores, from the processors' RAM |
//! | [`counters`] | the ledger of an engine |
//!
//! Nothing here knows a file system or a clock, so it builds for `wasm32-unknown-unknown` too.
#![forbid(unsafe_code)]

pub mod asked;
pub mod asking;
pub mod counters;
pub mod course;
pub mod filter;
pub mod look;
pub mod names;
pub mod store;
pub mod taking;
