//! A design's netlist after synthesis beside the Verilog it was made from: the same outputs in every cycle.
//!
//! yosys maps the design to a family's cells; Verilator compiles the result, with models of the
//! cells, and the Verilog that went in, into one program, which runs both and compares all outputs
//! in every cycle. The models are yosys' own, and for what it has none of on ECP5, block RAM and
//! multipliers, those in `cells/`. RAM has its content from the start, so a board boots the program
//! that is in it, twice.

mod board;
#[cfg(test)]
mod cells;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use board::{compare, Lines};

use super::synthesis::{count, Cells, Family, SynthesisError};
use super::tools::{read, run_program, write, Tool, ToolError};

/// Longest that compiling or running may take. Six processors take minutes.
const LIMIT: Duration = Duration::from_secs(3600);

/// Models of ECP5's cells that yosys has none of, each with its file's name.
const ECP5_MODELS: &[(&str, &str)] = &[
    ("dp16kd.v", include_str!("../../../cells/dp16kd.v")),
    ("mult18x18d.v", include_str!("../../../cells/mult18x18d.v")),
];

/// What a comparison is a function of besides the design, for [`super::proven::check`]: tools, each
/// with the option by which it tells its version, and files of the project.
pub const TOOLS: [(&str, &str); 2] = [("yosys", "-V"), ("verilator", "--version")];
pub const SOURCES: [&str; 3] = ["hdl/src/support/netlist", "hdl/src/support/synthesis.rs", "hdl/cells"];

/// What differs after synthesis, or why that is not known.
#[derive(Debug, thiserror::Error)]
pub enum NetlistError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// The first cycle in which the outputs differ; both in binary, a board's in the order of [`Lines`].
    #[error("cycle {cycle}: the netlist drives {netlist}, the Verilog {verilog}")]
    Differs { cycle: u64, netlist: String, verilog: String },
    #[error("the comparison said {0:?}")]
    Unreadable(String),
    /// Where a change was to be made.
    #[error("the netlist has no {0}")]
    Nowhere(String),
}

/// A mapped design in a folder of its own; its top module is called `netlist`.
#[derive(Clone, Debug)]
pub struct Netlist {
    folder: PathBuf,
    family: Family,
    pub cells: Cells,
    /// Verilog of cells, each with its file's name.
    models: Vec<(&'static str, String)>,
}

impl Netlist {
    /// Maps the module `top` of `verilog` to `family`'s cells, as bitstreams are mapped. Files that
    /// the Verilog reads lie in `folder`.
    ///
    /// # Errors
    /// yosys is missing or fails.
    pub fn map(folder: &Path, verilog: &str, top: &str, family: Family) -> Result<Netlist, NetlistError> {
        write(&folder.join("design.v"), verilog)?;
        // Nets of single bits, as a simulator sees loops where parts of one depend on each other;
        // and short names, of which a compiler reads megabytes.
        let script = format!(
            "read_verilog design.v; {} -top {top}; tee -q -o cells.json stat -json; rename {top} netlist; \
             opt_clean -purge; splitnets; opt_clean -purge; rename -hide w:* c:* %u; write_verilog -noattr netlist.v",
            family.mapping()
        );
        Tool::Yosys.run(folder, &["-q", "-p", &script])?;
        let cells = count(&read(&folder.join("cells.json"))?, family)?;
        let models = match family {
            Family::Ecp5 => ECP5_MODELS.iter().map(|(name, text)| (*name, (*text).into())).collect(),
            Family::Ice40 => vec![],
        };
        Ok(Netlist { folder: folder.into(), family, cells, models })
    }

    fn path(&self) -> PathBuf {
        self.folder.join("netlist.v")
    }

    /// Seeds a fault: inverts bits of the last hexadecimal digit of parameter `name` of the first
    /// cell that has it and `mark`, a text such as a connection. Gives the parameter as it was.
    ///
    /// # Errors
    /// There is no such cell.
    pub fn flip(&self, name: &str, mark: &str, bits: u32) -> Result<String, NetlistError> {
        let text = read(&self.path())?;
        let nowhere = || NetlistError::Nowhere(format!("cell with {mark} and parameter {name}"));
        let parameter = format!(".{name}(");
        let cell = text.split_inclusive(';').find(|cell| cell.contains(&parameter) && cell.contains(mark));
        let cell = cell.ok_or_else(nowhere)?;
        let start = cell.find(&parameter).ok_or_else(nowhere)?;
        let end = start + cell[start..].find(')').ok_or_else(nowhere)?;
        let digit = cell[..end].chars().next_back().and_then(|digit| digit.to_digit(16)).ok_or_else(nowhere)?;
        let changed = format!("{}{:x}{}", &cell[..end - 1], digit ^ bits, &cell[end..]);
        write(&self.path(), &text.replacen(cell, &changed, 1))?;
        Ok(cell[start..end].into())
    }

    /// Compiles `both`, a module of that name, and a `main` in C++ with `simulated` and the
    /// netlist, and runs the program. What it printed.
    ///
    /// # Errors
    /// Verilator is missing or fails, for a cell too that the models don't have; or the program fails.
    fn run(&self, simulated: &str, (both, main): (&str, &str), cycles: u64) -> Result<String, NetlistError> {
        let path = |name: &str| self.folder.join(name);
        write(&path("simulated.v"), simulated)?;
        write(&path("both.v"), both)?;
        write(&path("main.cpp"), main)?;
        // Generated code is compiled without optimization, which for a netlist takes longer than
        // running it. It is split, but not finely: each part reads all names.
        let options = "--cc --exe --build -j 2 -O3 --x-assign 0 --x-initial 0 --top-module both -Mdir obj -Wno-fatal -Wno-lint -Wno-style \
                       -Wno-MULTIDRIVEN -Wno-MODDUP --output-split 300000 --output-split-cfuncs 5000";
        let mut arguments: Vec<OsString> = options.split_whitespace().map(Into::into).collect();
        arguments.extend(["-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"].map(Into::into));
        arguments.extend(["both.v", "simulated.v", "netlist.v", "main.cpp"].map(Into::into));
        // Before yosys' files, which have empty modules of the same names: the first one counts.
        for (name, text) in &self.models {
            write(&path(name), text)?;
            arguments.push(name.into());
        }
        let (define, models) = match self.family {
            Family::Ice40 => ("-DNO_ICE40_DEFAULT_ASSIGNMENTS", "ice40/cells_sim.v"),
            Family::Ecp5 => ("-DNO_INCLUDES", "ecp5/cells_sim.v"),
        };
        arguments.extend([define.into(), Tool::Yosys.data()?.join(models).into()]);
        Tool::Verilator.run_for(&self.folder, &arguments, LIMIT)?;
        Ok(run_program(&path("obj/Vboth"), &self.folder, &[cycles.to_string()], LIMIT)?)
    }
}

/// Whether the program that a [`Netlist::run`] has made says `equal`, or what differs.
fn verdict(said: &str) -> Result<(), NetlistError> {
    let unreadable = || NetlistError::Unreadable(said.into());
    match said.split_whitespace().collect::<Vec<_>>()[..] {
        ["equal"] => Ok(()),
        ["differs", cycle, netlist, verilog] => Err(NetlistError::Differs {
            cycle: cycle.parse().map_err(|_| unreadable())?,
            netlist: netlist.into(),
            verilog: verilog.into(),
        }),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_says_is_understood() {
        assert!(verdict("equal\n").is_ok());
        let error = verdict("differs 7 01 10\n").unwrap_err().to_string();
        assert!(error.contains("cycle 7: the netlist drives 01, the Verilog 10"), "{error}");
        assert!(verdict("").is_err() && verdict("differs x 01 10").is_err());
    }
}
