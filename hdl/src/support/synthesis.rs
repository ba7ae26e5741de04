//! yosys over the generated Verilog: no latches, no combinational loops, block RAM where it was meant.
//!
//! ```no_run
//! use testbed_hdl::clint::Clint;
//! use testbed_hdl::support::synthesis::{synthesise, Family};
//!
//! let cells = synthesise(Clint::default(), Family::Ecp5, 0).unwrap();
//! println!("{cells}");
//! ```

use std::fmt;
use std::path::Path;

use rust_hdl::prelude::*;
use serde_json::Value;

use super::tools::{read, scratch, write, Tool, ToolError};
use super::verilog::{connected_verilog, VerilogError, TOP};

/// FPGA families that yosys maps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice iCE40: LUT4 with carry, 4 Kibit block RAM with one read and one write port.
    Ice40,
    /// Lattice ECP5: LUT4 with carry, 18 Kibit true dual-port block RAM.
    Ecp5,
}

impl Family {
    /// yosys' commands that map a design for a bitstream; behind them goes `-top` and the module.
    ///
    /// For ECP5 abc by itself makes each path as short as it can, at whatever area. Here a path may be two fifths
    /// longer than the design's longest (`abc9.if.R`), as wires take most of the time: fewer LUTs are nearer to
    /// each other. The script is yosys' own but for more rounds of recovering area (`-F`, `-A`); for ten cuts a
    /// node, since of eight, its own number, it can be that none fits, and abc aborts; and for 600 ps of wire
    /// to a LUT (`-W`) instead of 300, as nextpnr finds 800 to 1,100, so that a path of many LUTs is not
    /// taken to be quick beside one from block RAM.
    pub const fn mapping(self) -> &'static str {
        match self {
            Family::Ecp5 => concat!(
                "scratchpad -set abc9.if.R 40; scratchpad -set abc9.script ",
                "\"+&scorr; &sweep; &dc2; &dch -f; &ps; &if -C 10 -F 4 -A 8 -W 600 {D} {R} -v; &mfs\"; ",
                "synth_ecp5 -abc9"
            ),
            Family::Ice40 => "synth_ice40",
        }
    }
}

/// Cells after mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// LUT4; on ECP5 including two for every carry cell and eight for every 16x4 distributed RAM.
    pub luts: usize,
    pub flip_flops: usize,
    /// Block RAM primitives.
    pub block_rams: usize,
    /// Hardware multipliers.
    pub multipliers: usize,
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cells { luts, flip_flops, block_rams, multipliers } = self;
        write!(f, "{luts} LUT4, {flip_flops} flip-flops, {block_rams} block RAM, {multipliers} multipliers")
    }
}

/// Why a block can't be put on an FPGA as it was meant.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    #[error(transparent)]
    Verilog(#[from] VerilogError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A signal keeps its value where it is not assigned.
    #[error("latches; assign a default first:\n{0}")]
    Latches(String),
    #[error("{got} block RAM inferred, {wanted} expected")]
    BlockRam { got: usize, wanted: usize },
    #[error("yosys' statistics can't be read: {0}")]
    Statistics(String),
}

/// Maps `block`, which need not be connected yet, to `family`. Fails on latches, on what yosys' `check -assert` finds
/// (combinational loops, several drivers) and if the number of block RAM primitives is not `block_rams`.
pub fn synthesise<B: Block>(block: B, family: Family, block_rams: usize) -> Result<Cells, SynthesisError> {
    let cells = synthesise_verilog(&connected_verilog(block)?, family)?;
    if cells.block_rams == block_rams {
        Ok(cells)
    } else {
        Err(SynthesisError::BlockRam { got: cells.block_rams, wanted: block_rams })
    }
}

/// The same for Verilog text whose top module is [`TOP`]; block RAM is counted, not compared.
pub fn synthesise_verilog(text: &str, family: Family) -> Result<Cells, SynthesisError> {
    let folder = scratch()?;
    write(&folder.path().join("block.v"), text)?;
    check_latches(folder.path())?;
    let map = match family {
        Family::Ice40 => "synth_ice40",
        Family::Ecp5 => "synth_ecp5",
    };
    let script = format!("read_verilog block.v; {map} -top {TOP}; check -assert; tee -q -o cells.json stat -json");
    Tool::Yosys.run(folder.path(), &["-q", "-p", &script])?;
    count(&read(&folder.path().join("cells.json"))?, family)
}

/// Latches are looked for before mapping, which on ECP5 would hide them in LUTs.
fn check_latches(folder: &Path) -> Result<(), SynthesisError> {
    let script = format!(
        "read_verilog block.v; hierarchy -check -top {TOP}; proc; flatten; opt_clean; check -assert; \
         tee -q -o latches.txt select -list t:$dlatch t:$adlatch t:$dlatchsr %u %u"
    );
    let log = Tool::Yosys.run(folder, &["-p", &script])?;
    if read(&folder.join("latches.txt"))?.trim().is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = log.lines().filter(|line| line.contains("Latch inferred")).collect();
    Err(SynthesisError::Latches(named.join("\n")))
}

/// Reads what `stat -json` of yosys says of a mapped design.
///
/// # Errors
/// It is not that.
pub fn count(json: &str, family: Family) -> Result<Cells, SynthesisError> {
    let bad = |error: &dyn fmt::Display| SynthesisError::Statistics(error.to_string());
    let start = json.find('{').unwrap_or(0);
    let json: Value = serde_json::from_str(&json[start..]).map_err(|error| bad(&error))?;
    let by_type = json["design"]["num_cells_by_type"].as_object().ok_or_else(|| bad(&"no design.num_cells_by_type"))?;
    let mut cells = Cells::default();
    for (name, number) in by_type {
        let number = number.as_u64().ok_or_else(|| bad(&"a count is no number"))? as usize;
        match (family, name.as_str()) {
            (Family::Ice40, "SB_LUT4") | (Family::Ecp5, "LUT4") => cells.luts += number,
            (Family::Ecp5, "CCU2C") => cells.luts += 2 * number,
            (Family::Ecp5, "TRELLIS_DPR16X4") => cells.luts += 8 * number,
            (Family::Ice40, name) if name.starts_with("SB_DFF") => cells.flip_flops += number,
            (Family::Ecp5, "TRELLIS_FF") => cells.flip_flops += number,
            (Family::Ice40, "SB_RAM40_4K") => cells.block_rams += number,
            (Family::Ecp5, "DP16KD" | "PDPW16KD") => cells.block_rams += number,
            (Family::Ice40, "SB_MAC16") | (Family::Ecp5, "MULT18X18D") => {
                cells.multipliers += number;
            }
            _ => {}
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Latched {
        pub clock: Signal<In, Clock>,
        pub enable: Signal<In, Bit>,
        pub source: Signal<In, Bit>,
        pub kept: Signal<Out, Bit>,
    }

    impl Logic for Latched {
        #[hdl_gen]
        fn update(&mut self) {
            if self.enable.val() {
                self.kept.next = self.source.val();
            }
        }
    }

    #[test]
    fn a_latch_is_found_and_named() {
        for family in [Family::Ice40, Family::Ecp5] {
            let error = synthesise(Latched::default(), family, 0).unwrap_err().to_string();
            assert!(error.contains("latches") && error.contains("kept"), "{error}");
        }
    }

    #[test]
    fn registers_are_counted() {
        for family in [Family::Ice40, Family::Ecp5] {
            let cells = synthesise(DFF::<Bits<12>>::default(), family, 0).unwrap();
            assert_eq!(cells, Cells { flip_flops: 12, ..Cells::default() });
        }
    }

    #[test]
    fn missing_block_ram_is_an_error() {
        let error = synthesise(DFF::<Bits<3>>::default(), Family::Ecp5, 1).unwrap_err();
        assert_eq!(error.to_string(), "0 block RAM inferred, 1 expected");
    }

    #[test]
    fn a_combinational_loop_is_an_error() {
        let text = "module top(input a, output b); assign b = a & ~b; endmodule";
        let error = synthesise_verilog(text, Family::Ice40).unwrap_err().to_string();
        assert!(error.contains("loop") || error.contains("problems"), "{error}");
    }
}
