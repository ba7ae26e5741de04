//! All tests of this crate, in one binary: it is linked once.

mod netlist;
mod synth;
