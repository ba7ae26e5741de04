//! From a machine's description to a bitstream, with open tools only.
//!
//! | module | what it does |
//! |---|---|
//! | [`board`] | boards, as `constraints/` describes them, and their limits |
//! | [`pll`], [`pads`] | the clock, and the top module around the machine, which is the vendor's |
//! | [`tools`], [`step`] | the tools: finding or installing them, running one |
//! | [`flow`] | Verilog, yosys, nextpnr, and the bitstream |
//! | [`floorplan`] | where each processor's block RAM lies |
//! | [`content`] | what is in block RAM, changed without placing and routing anew |
//! | [`area`] | single blocks and other cores, measured alike |
//! | [`peers`] | other cores, and how many cycles a program takes on them |
//! | [`report`] | what the design uses, its clocks, its longest path |
//!
//! `docs/boards.md` says how it is used.
#![forbid(unsafe_code)]

pub mod area;
pub mod board;
pub mod content;
mod error;
pub mod floorplan;
pub mod flow;
pub mod pads;
pub mod peers;
pub mod pll;
pub mod report;
pub mod step;
pub mod tools;

pub use error::SynthError;
