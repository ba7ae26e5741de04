//! A board's netlist after synthesis beside the Verilog it was made from: the same lines in every cycle.
//!
//! yosys maps the board to a family's cells; Verilator compiles the result, with yosys' own models of the cells, and the Verilog that went in,
//! into one program, which runs both and compares all outputs in every cycle. RAM has its content from the start, so both
//! boot the program that is in it.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use super::synthesis::Family;
use super::tools::{read, write, Tool, ToolError};
use crate::board::TOP;

/// Longest that compiling or running may take.
const LIMIT: Duration = Duration::from_secs(900);

/// What differs after synthesis, or why that is not known.
#[derive(Debug, thiserror::Error)]
pub enum NetlistError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The first cycle in which the outputs differ; both in binary, in the order of [`Lines`].
    #[error("cycle {cycle}: the netlist drives {netlist}, the Verilog {verilog} (leds, link, rts, tx)")]
    Differs { cycle: u64, netlist: String, verilog: String },
    #[error("the comparison said {0:?}")]
    Unreadable(String),
    #[error("a netlist of {0:?} can't be compared: yosys has no models of its block RAM")]
    Family(Family),
}

/// What a run of both has shown, equal in every cycle.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Level of the link and of the console's line out, a cycle each.
    pub link: Vec<bool>,
    pub tx: Vec<bool>,
    /// Words that left the trace port, with their cycle.
    pub words: Vec<(u64, u32)>,
}

/// Runs the board of `verilog` and its netlist for `cycles` cycles in `folder`. `models` is the folder with yosys' cell models, as of [`models`];
/// `simulated` is what the comparison runs of the Verilog, which may be `verilog` in a form that Verilator runs faster.
///
/// # Errors
/// A tool is missing or fails, or the outputs differ.
pub fn compare(
    folder: &Path,
    (verilog, simulated): (&str, &str),
    family: Family,
    cycles: u64,
) -> Result<Lines, NetlistError> {
    if family != Family::Ice40 {
        return Err(NetlistError::Family(family));
    }
    let path = |name: &str| folder.join(name);
    write(&path("board.v"), verilog)?;
    let script = format!(
        "read_verilog -DSYNTHESIS board.v; synth_ice40 -dff -abc2 -top {TOP}; rename {TOP} netlist; write_verilog -noattr netlist.v"
    );
    Tool::Yosys.run(folder, &["-q", "-p", &script])?;
    write(&path("simulated.v"), simulated)?;
    write(&path("both.v"), BOTH)?;
    write(&path("main.cpp"), MAIN)?;
    let models = Tool::Yosys.data()?.join("ice40/cells_sim.v");
    let options = "--cc --exe --build -j 2 -O3 --x-assign 0 --x-initial 0 --top-module both -Mdir obj -Wno-fatal -Wno-lint -Wno-style -Wno-MULTIDRIVEN";
    let mut arguments: Vec<_> = options.split(' ').map(Into::into).collect();
    arguments.extend(["-CFLAGS", "-O0", "-DNO_ICE40_DEFAULT_ASSIGNMENTS"].map(std::ffi::OsString::from));
    arguments.extend(["both.v", "simulated.v", "netlist.v", "main.cpp"].map(std::ffi::OsString::from));
    arguments.push(models.into());
    Tool::Verilator.run_for(folder, &arguments, LIMIT)?;
    let said = super::tools::run_program(&path("obj/Vboth"), folder, &[cycles.to_string()], LIMIT)?;
    lines(&said, &path("lines.txt"))
}

/// What the program left.
fn lines(said: &str, path: &Path) -> Result<Lines, NetlistError> {
    let fields: Vec<_> = said.split_whitespace().collect();
    match fields[..] {
        ["equal"] => {}
        ["differs", cycle, netlist, verilog] => {
            let cycle = cycle.parse().map_err(|_| NetlistError::Unreadable(said.into()))?;
            return Err(NetlistError::Differs { cycle, netlist: netlist.into(), verilog: verilog.into() });
        }
        _ => return Err(NetlistError::Unreadable(said.into())),
    }
    let (mut lines, text) = (Lines::default(), read(path)?);
    for (cycle, line) in text.lines().enumerate() {
        let unreadable = || NetlistError::Unreadable(line.into());
        let (levels, word) = line.split_at_checked(2).ok_or_else(unreadable)?;
        lines.link.push(levels.starts_with('1'));
        lines.tx.push(levels.ends_with('1'));
        if !word.is_empty() {
            let word = u32::from_str_radix(word.trim(), 16).map_err(|_| unreadable())?;
            lines.words.push((cycle as u64, word));
        }
    }
    Ok(lines)
}

/// RAM content for `$readmemh` from bytes that begin at the RAM's first.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.chunks(4).fold(String::new(), |mut text, chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        writeln!(text, "{:08x}", u32::from_le_bytes(word)).expect("strings take everything");
        text
    })
}

const BOTH: &str = r"
module both(input clock, input rx, output [10:0] verilog, output [10:0] netlist, output valid, output [19:0] word);
  board a(.clock(clock), .rx(rx), .tx(verilog[0]), .rts(verilog[1]), .link(verilog[2]), .leds(verilog[10:3]));
  netlist b(.clock(clock), .rx(rx), .tx(netlist[0]), .rts(netlist[1]), .link(netlist[2]), .leds(netlist[10:3]));
  assign valid = a.machine$trace_valid;
  assign word = a.machine$trace_word;
endmodule
";

const MAIN: &str = r#"
// Runs both and compares them in every cycle, shown in the second half of each, when the clock is low.
#include <bitset>
#include <cstdio>
#include <cstdlib>

#include "Vboth.h"

int main(int, char** arguments) {
    const unsigned long cycles = std::strtoul(arguments[1], nullptr, 10);
    Vboth both;
    FILE* lines = std::fopen("lines.txt", "w");
    if (!lines) return 1;
    both.clock = 0;
    both.rx = 1;
    both.eval();
    for (unsigned long cycle = 0; cycle < cycles; ++cycle) {
        if (both.verilog != both.netlist) {
            std::printf("differs %lu %s %s\n", cycle, std::bitset<11>(both.netlist).to_string().c_str(),
                        std::bitset<11>(both.verilog).to_string().c_str());
            return 0;
        }
        std::fprintf(lines, "%d%d", both.verilog >> 2 & 1, both.verilog & 1);
        if (both.valid) std::fprintf(lines, " %x", static_cast<unsigned>(both.word));
        std::fputc('\n', lines);
        both.clock = 1;
        both.eval();
        both.clock = 0;
        both.eval();
    }
    if (std::fclose(lines) != 0) return 1;
    std::puts("equal");
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::tools::scratch;

    #[test]
    fn what_the_program_says_is_understood() {
        let folder = scratch().unwrap();
        let path = folder.path().join("lines.txt");
        write(&path, "11\n01 2abcd\n10\n").unwrap();
        let got = lines("equal\n", &path).unwrap();
        assert_eq!((got.link, got.tx), (vec![true, false, true], vec![true, true, false]));
        assert_eq!(got.words, [(1, 0x2abcd)]);
        let error = lines("differs 7 01 10\n", &path).unwrap_err().to_string();
        assert!(error.contains("cycle 7: the netlist drives 01, the Verilog 10"), "{error}");
        assert!(lines("", &path).is_err());
    }

    #[test]
    fn words_are_little_endian() {
        assert_eq!(hexadecimal(&[0x78, 0x56, 0x34, 0x12, 0xff]), "12345678\n000000ff\n");
    }
}
