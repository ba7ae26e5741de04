//! What goes on an FPGA: the machine, its trace port on a serial line, and lights. Knows no vendor:
//! pads and PLLs go around it.

mod frames;
mod lights;
mod options;
mod surroundings;
#[cfg(test)]
mod tests;
mod top;

use testbed_machine::Machine as Description;

pub use frames::{clocks, fits, FrameSender};
pub use lights::{Beat, Light};
pub use options::Options;
pub use surroundings::Surroundings;
pub use top::Board;

use crate::machine::{check_processors, MachineError};
use crate::support::verilog::connected_verilog;

/// Name of the module that [`verilog`] makes.
pub const TOP: &str = "board";

/// The board's Verilog; its top module is [`TOP`].
///
/// # Errors
/// As [`crate::machine::verilog`], or the clock is too slow or too fast for the link.
pub fn verilog(description: &Description, options: &Options) -> Result<String, MachineError> {
    let (clock_hz, baud) = (description.clock_hz, options.link_baud);
    if !fits(clock_hz, baud) {
        return Err(MachineError::Link { name: description.name.clone(), baud, clock_hz, clocks: clocks(baud) });
    }
    check_processors(description)?;
    Ok(renamed(&connected_verilog(Board::new(description, options))?))
}

/// `text` with its top module called [`TOP`], and the others after it.
fn renamed(text: &str) -> String {
    let old = crate::support::verilog::TOP;
    text.replace(&format!("module {old}("), &format!("module {TOP}(")).replace(&format!("{old}$"), &format!("{TOP}$"))
}
