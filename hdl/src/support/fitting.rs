//! What a block comes to on an FPGA, as the tests of the blocks ask it.

use rust_hdl::prelude::*;

use super::proven;
use super::synthesis::{synthesise_verilog, Family};
use super::verilog::connected_verilog;

/// Maps `block`, which need not be connected yet, to `family`: there must be no latch and no loop,
/// exactly so many block RAM primitives, and fewer LUT4 than `most` if that is given. It takes
/// seconds, so it is not done for Verilog that is known to have passed (see [`proven`]).
///
/// # Panics
/// Something of that is not so.
pub fn assert_fits<B: Block>(block: B, family: Family, block_rams: usize, most: Option<usize>) {
    let verilog = connected_verilog(block).expect("the block has Verilog");
    let wanted = format!("{family:?}, {block_rams} block RAM, LUT4 below {most:?}");
    let parts = [&verilog, &wanted, include_str!("synthesis.rs"), include_str!("fitting.rs")];
    proven::check(&[("yosys", "-V")], &parts, || {
        let cells = synthesise_verilog(&verilog, family).expect("yosys maps it");
        println!("{family:?}: {cells}");
        assert_eq!(cells.block_rams, block_rams, "{wanted}: {cells}");
        assert!(most.is_none_or(|most| cells.luts < most), "{wanted}: {cells}");
    });
}
