//! The models of ECP5's cells in `cells/`, by themselves: small memories and multipliers of every
//! shape that yosys maps to them, beside the Verilog they were made from, on random inputs.

use std::fmt::Write;

use super::*;
use crate::support::proven;
use crate::support::tools::scratch;

/// Bits of random input a cycle, and of output: more than 64, so that Verilator makes arrays of words.
const INPUT_BITS: usize = 128;
const OUTPUT_BITS: usize = 512;
const CYCLES: u64 = 20_000;

/// Both with one input, a random one in each cycle.
const BOTH: &str = "
module both(input clock, input [127:0] in, output [511:0] verilog, output [511:0] netlist);
  cells a(.clock(clock), .in(in), .out(verilog));
  netlist b(.clock(clock), .in(in), .out(netlist));
endmodule
";

const MAIN: &str = r#"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vboth.h"

int main(int, char** arguments) {
    const unsigned long cycles = std::strtoul(arguments[1], nullptr, 10);
    uint64_t random = 0x9e3779b97f4a7c15;
    Vboth both;
    both.clock = 0;
    both.eval();
    for (unsigned long cycle = 0; cycle < cycles; ++cycle) {
        for (int word = 0; word < 4; ++word) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            both.in[word] = static_cast<uint32_t>(random >> 16);
        }
        both.eval();
        if (std::memcmp(&both.verilog, &both.netlist, sizeof both.verilog) != 0) {
            for (unsigned word = 0; word < sizeof both.verilog / 4; ++word) {
                if (both.verilog[word] == both.netlist[word]) continue;
                std::printf("differs %lu %x:%u %x:%u\n", cycle, both.netlist[word], word, both.verilog[word], word);
                return 0;
            }
        }
        both.clock = 1;
        both.eval();
        both.clock = 0;
        both.eval();
    }
    std::puts("equal");
}
"#;

/// A module of memories or multipliers, each with its share of the output.
#[derive(Default)]
struct Design {
    body: String,
    bits: usize,
    /// Words and bits of the memories.
    memories: Vec<(usize, usize)>,
}

impl Design {
    /// `text`, in which `OUT` stands for the next `bits` bits of output and `N` for a number of its own.
    fn add(&mut self, bits: usize, text: &str) {
        let out = format!("out[{}:{}]", self.bits + bits - 1, self.bits);
        let number = format!("_{}", self.bits);
        self.body += &text.replace("OUT", &out).replace("#N", &number);
        self.bits += bits;
    }

    /// A memory of `words` words of `bits` bits with random content, and what its ports do in a cycle.
    fn memory(&mut self, words: usize, bits: usize, attribute: &str, ports: &str) {
        self.memories.push((words, bits));
        let text = format!(
            "{attribute} reg [{high}:0] m#N [0:{last}];\n\
             initial $readmemh(\"content-{words}-{bits}.hex\", m#N);\n\
             reg [{both}:0] q#N = 0;\n\
             assign OUT = q#N;\n\
             wire [{address}:0] a#N = in[{address}:0], b#N = {{~in[{address}], in[{after}:{width}]}};\n\
             {ports}",
            high = bits - 1,
            last = words - 1,
            both = 2 * bits - 1,
            address = words.ilog2() - 1,
            width = words.ilog2(),
            after = 2 * words.ilog2() - 2,
        );
        let halves = [format!("q#N[{}:{bits}]", 2 * bits - 1), format!("q#N[{}:0]", bits - 1)];
        let data = [format!("in[{}:64]", 63 + bits), format!("in[{}:80]", 79 + bits)];
        let mut text = text.replace("QB", &halves[0]).replace("QA", &halves[1]);
        text = text.replace("DA", &data[0]).replace("DB", &data[1]).replace("M[", "m#N[");
        text = text.replace("[A]", "[a#N]").replace("[B]", "[b#N]");
        self.add(2 * bits, &text);
    }

    fn verilog(&self) -> String {
        format!(
            "module cells(input clock, input [{}:0] in, output [{}:0] out);\n{}assign out[{}:{}] = 0;\nendmodule\n",
            INPUT_BITS - 1,
            OUTPUT_BITS - 1,
            self.body,
            OUTPUT_BITS - 1,
            self.bits
        )
    }

    fn map(&self, folder: &Path) -> Netlist {
        for (words, bits) in &self.memories {
            let text = (0..*words).fold((String::new(), 1u64), |(mut text, random), _| {
                let random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                writeln!(text, "{:x}", random >> 20 & ((1 << bits) - 1)).unwrap();
                (text, random)
            });
            write(&folder.join(format!("content-{words}-{bits}.hex")), &text.0).unwrap();
        }
        Netlist::map(folder, &self.verilog(), "cells", Family::Ecp5).unwrap()
    }

    fn compare(&self, netlist: &Netlist) -> Result<(), NetlistError> {
        verdict(&netlist.run(&self.verilog(), (BOTH, MAIN), CYCLES)?)
    }
}

/// Words and bits that fill a block RAM with two ports that read and write.
const SHAPES: [(usize, usize); 5] = [(16384, 1), (8192, 2), (4096, 4), (2048, 9), (1024, 18)];

/// Two ports that both read and write, never the same word.
const TRUE_DUAL_PORT: &str = "
    always @(posedge clock) begin QA <= M[A]; if (in[60]) M[A] <= DA; end
    always @(posedge clock) begin QB <= M[B]; if (in[61]) M[B] <= DB; end\n";
/// Bytes are written.
const BYTES: &str = "
    always @(posedge clock) begin
      QA <= M[A];
      if (in[58]) M[A][8:0] <= in[72:64];
      if (in[59]) M[A][17:9] <= in[81:73];
    end
    always @(posedge clock) begin QB <= M[B]; if (in[61]) M[B] <= DB; end\n";
/// A port that writes keeps what it showed, or shows what it writes; read and write enables.
const MODES: &str = "
    always @(posedge clock) if (in[56]) begin if (in[60]) M[A] <= DA; else QA <= M[A]; end
    always @(posedge clock) if (in[57]) begin if (in[61]) begin M[B] <= DB; QB <= DB; end else QB <= M[B]; end\n";
/// A read port with a reset.
const RESET: &str = "
    always @(posedge clock) begin if (in[56]) QA <= 0; else QA <= M[A]; end
    always @(posedge clock) begin if (in[61]) M[B] <= DB; QB <= 0; end\n";
/// The second port is not used.
const SINGLE: &str = "
    always @(posedge clock) begin QA <= M[A]; QB <= 0; if (in[60]) M[A] <= DA; end\n";
/// One port reads, the other writes.
const SIMPLE: &str = "
    always @(posedge clock) begin QA <= M[A]; QB <= 0; if (in[61]) M[B] <= DB; end\n";

const NO_CHECK: &str = "(* no_rw_check *)";

/// One that has all.
fn everything() -> Design {
    let mut design = Design::default();
    for (words, bits) in SHAPES {
        design.memory(words, bits, NO_CHECK, TRUE_DUAL_PORT);
    }
    design.memory(1024, 18, NO_CHECK, BYTES);
    design.memory(2048, 9, NO_CHECK, MODES);
    design.memory(1024, 18, NO_CHECK, RESET);
    design.memory(4096, 4, "", SINGLE);
    design.memory(512, 36, NO_CHECK, SIMPLE);
    design.add(36, "assign OUT = in[17:0] * in[35:18];\n");
    design.add(36, "assign OUT = $signed(in[17:0]) * $signed(in[35:18]);\n");
    design.add(29, "assign OUT = in[11:0] * in[80:64];\n");
    design.add(64, "assign OUT = $signed(in[31:0]) * $signed(in[63:32]);\n");
    design
}

/// Makes one of the checks below, unless these models and this file are known to have passed it.
fn check(name: &str, make: impl FnOnce()) {
    proven::check(&TOOLS, &[name, &proven::sources(&SOURCES)], make);
}

#[test]
fn cells_do_what_their_verilog_says() {
    check("cells do what their Verilog says", || {
        let design = everything();
        let folder = scratch().unwrap();
        let netlist = design.map(folder.path());
        assert_eq!((netlist.cells.block_rams, netlist.cells.multipliers), (10, 7));
        let text = read(&netlist.path()).unwrap();
        for width in [1, 2, 4, 9, 18, 36] {
            assert!(text.contains(&format!(".DATA_WIDTH_A(32'd{width})")), "no port of {width} bits");
        }
        for mode in ["\"NORMAL\"", "\"WRITETHROUGH\"", "\"READBEFOREWRITE\"", ".RESETMODE(\"SYNC\")"] {
            assert!(text.contains(mode), "no {mode}");
        }
        design.compare(&netlist).unwrap();

        // Wrong models are seen, and a wrong bit of content. Which port gets what is yosys' choice, so both are wrong.
        for (model, right, wrong) in [
            (0, "18 * address[4]", "0"),
            (0, "== \"WRITETHROUGH\" ?", "== \"NEVER\" ?"),
            (0, "{9{AD#1}}, {9{AD#0}}", "{9{AD#0}}, {9{AD#1}}"),
            (1, "SIGNED# && #17", "#17"),
        ] {
            let mut changed = netlist.clone();
            for port in ["A", "B"] {
                let [right, wrong] = [right, wrong].map(|text| text.replace('#', port));
                assert!(netlist.models[model].1.contains(&right), "{right}");
                changed.models[model].1 = changed.models[model].1.replace(&right, &wrong);
            }
            let error = design.compare(&changed).expect_err(right);
            assert!(matches!(error, NetlistError::Differs { .. }), "{right}: {error}");
        }
        let flipped = netlist.flip("INITVAL_00", "DP16KD", 1).unwrap();
        let error = design.compare(&netlist).unwrap_err();
        assert!(matches!(error, NetlistError::Differs { .. }), "{flipped}: {error}");
    });
}

/// What block RAM leaves undefined is wrong in the model, so that nothing depends on it; where
/// Verilog defines it, yosys adds what it takes.
#[test]
fn collisions_show() {
    check("collisions show", || {
        // Often one address; never do both write.
        let collide = TRUE_DUAL_PORT.replace("[B]", "[a#N ^ in[100]]").replace("if (in[61])", "if (in[61] && !in[60])");
        for (attribute, equal) in [(NO_CHECK, false), ("", true)] {
            let mut design = Design::default();
            design.memory(2048, 9, attribute, &collide);
            let folder = scratch().unwrap();
            let result = design.compare(&design.map(folder.path()));
            assert_eq!(result.is_ok(), equal, "{attribute:?}: {result:?}");
        }
    });
}

#[test]
fn what_the_models_lack_is_refused() {
    check("what the models lack is refused", || {
        let mut design = Design::default();
        design.memory(2048, 9, NO_CHECK, TRUE_DUAL_PORT);
        design.add(36, "assign OUT = in[17:0] * in[35:18];\n");
        let folder = scratch().unwrap();
        let netlist = design.map(folder.path());
        let text = read(&netlist.path()).unwrap();
        for (had, has, says) in [
            (".REGMODE_A(\"NOREG\")", ".REGMODE_A(\"OUTREG\")", "dp16kd_has_no_output_registers"),
            (".DATA_WIDTH_B(32'd9)", ".DATA_WIDTH_B(32'd8)", "dp16kd_has_no_such_widths"),
            (".DATA_WIDTH_B(32'd9)", ".DATA_WIDTH_B(32'd18)", "one width"),
            (".CLKAMUX(\"CLKA\")", ".CLKAMUX(\"INV\")", "dp16kd_has_no_inverted_clock"),
            (".GSR(\"DISABLED\")", ".INIT_DATA(\"DYNAMIC\")", "INIT_DATA"),
            ("MULT18X18D ", "MULT18X18D #(.REG_OUTPUT_CLK(\"CLK0\")) ", "REG_OUTPUT_CLK"),
            (".SOURCEA(1'h0)", ".SOURCEA(1'h1)", "no shift chain"),
            (".RSTB(1'h0)", ".RSTB(1'h1)", "no asynchronous reset"),
            (".CSA1(1'h0)", ".CSA1(1'h1)", "no chip select"),
            (".CLKB(clock)", ".CLKB(in[9])", "one clock"),
        ] {
            assert!(text.contains(had), "{had}");
            write(&netlist.path(), &text.replace(had, has)).unwrap();
            let error = design.compare(&netlist).unwrap_err().to_string();
            assert!(error.contains(says), "{has}: {error}");
        }
    });
}
