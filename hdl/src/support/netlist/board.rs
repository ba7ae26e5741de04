//! A board's netlist beside its Verilog: the same lines in every cycle, and what left the trace port.

use std::path::Path;

use super::{verdict, Netlist, NetlistError};
use crate::support::tools::read;

/// What a run of both has shown, equal in every cycle.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Level of the link and of the console's line out, a cycle each.
    pub link: Vec<bool>,
    pub tx: Vec<bool>,
    /// Words that left the trace port, with their cycle.
    pub words: Vec<(u64, u32)>,
}

/// Runs a board's netlist, and `simulated`, for `cycles` cycles. `simulated` is the Verilog that
/// was mapped, or the same in a form that Verilator runs faster.
///
/// # Errors
/// A tool is missing or fails, or the outputs differ; they are in the order leds, link, rts, tx.
pub fn compare(netlist: &Netlist, simulated: &str, cycles: u64) -> Result<Lines, NetlistError> {
    let said = netlist.run(simulated, (BOTH, MAIN), cycles)?;
    verdict(&said)?;
    lines(&netlist.folder.join("lines.txt"))
}

/// What the program left.
fn lines(path: &Path) -> Result<Lines, NetlistError> {
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
    use crate::support::tools::{scratch, write};

    #[test]
    fn lines_are_understood() {
        let folder = scratch().unwrap();
        let path = folder.path().join("lines.txt");
        write(&path, "11\n01 2abcd\n10\n").unwrap();
        let got = lines(&path).unwrap();
        assert_eq!((got.link, got.tx), (vec![true, false, true], vec![true, true, false]));
        assert_eq!(got.words, [(1, 0x2abcd)]);
        write(&path, "11\n1\n").unwrap();
        assert!(lines(&path).is_err());
    }
}
