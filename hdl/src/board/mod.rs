//! What goes on an FPGA: the machine, its trace port on a serial line, and lights. Knows no vendor: pads and PLLs go around it.

mod frames;
mod lights;
mod surroundings;
#[cfg(test)]
mod tests;
mod top;

use testbed_definitions::link;
use testbed_machine::Machine as Description;

pub use frames::{fits, FrameSender, BIT_CYCLES_MIN};
pub use lights::{Beat, Light};
pub use surroundings::Surroundings;
pub use top::Board;

use crate::machine::{check_processors, MachineError};
use crate::support::verilog::connected_verilog;

/// Name of the module that [`verilog`] makes.
pub const TOP: &str = "board";

/// What a board adds to a machine's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// First content of every processor's RAM: a file for `$readmemh`, a word of 8 hexadecimal digits a line, from the RAM's first word on. Zeros without.
    pub image: Option<String>,
    /// Bits a second of the link.
    pub link_baud: u32,
    /// The MMI's queue and the trace port's are made of LUT RAM, which iCE40 does not have, instead of one block RAM each.
    pub queues_in_luts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { image: None, link_baud: link::BAUD, queues_in_luts: false }
    }
}

/// The board's Verilog; its top module is [`TOP`].
///
/// # Errors
/// As [`crate::machine::verilog`], or the clock is too slow or too fast for the link.
pub fn verilog(description: &Description, options: &Options) -> Result<String, MachineError> {
    let (clock_hz, baud) = (description.clock_hz, options.link_baud);
    if !fits(clock_hz, baud) {
        return Err(MachineError::Link { name: description.name.clone(), baud, clock_hz });
    }
    check_processors(description)?;
    Ok(renamed(&connected_verilog(Board::new(description, options))?))
}

/// `text` with its top module called [`TOP`], and the others after it.
fn renamed(text: &str) -> String {
    let old = crate::support::verilog::TOP;
    text.replace(&format!("module {old}("), &format!("module {TOP}(")).replace(&format!("{old}$"), &format!("{TOP}$"))
}
