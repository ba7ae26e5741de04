//! Blocks of which a machine has as many as its description says.
//!
//! rust-hdl takes a `Vec` of blocks or signals as it takes an array: element `i` of the field `a` is `a$i` in Verilog.
//! The bounds of a loop in `update` may be any expressions without operators: when Verilog is generated they are
//! evaluated, and the loop is unrolled. So a loop over `0..self.a.len()` serves a machine of any size.

/// `count` default blocks or signals.
pub fn each<B: Default>(count: usize) -> Vec<B> {
    (0..count).map(|_| B::default()).collect()
}
