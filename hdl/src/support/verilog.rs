//! Verilog text of a block.

use rust_hdl::core::check_error::{check_all, CheckError};
use rust_hdl::prelude::*;

/// Name of the module that [`verilog`] generates for the block it is given.
pub const TOP: &str = "top";

/// rust-hdl's own checks found a mistake.
#[derive(Debug, thiserror::Error)]
#[error("rust-hdl rejects the block: {0:?}")]
pub struct VerilogError(pub CheckError);

/// Checks `block`, connected by `connect_all`, and generates its Verilog. The module of the block is [`TOP`], that of
/// a field `a` of it `top$a` and so on; modules come in order of their names, so the text depends on the block only.
pub fn verilog<B: Block>(block: &B) -> Result<String, VerilogError> {
    check_all(block).map_err(VerilogError)?;
    Ok(generate_verilog_unchecked(block))
}

/// Connects `block` and generates its Verilog.
pub fn connected_verilog<B: Block>(mut block: B) -> Result<String, VerilogError> {
    block.connect_all();
    verilog(&block)
}
