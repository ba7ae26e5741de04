//! The top module of a bitstream: what is the vendor's, around the module `board` that is not.

use std::fmt::Write as _;

use testbed_hdl::support::synthesis::Family;

use super::board::Board;
use super::pll::Pll;

/// Name of the top module.
pub const TOP: &str = "fpga";
/// Name of the machine's clock net, behind PLL and gate.
pub const CLOCK: &str = "machine_clock";
/// Names of what is in front of the gate.
pub const UNGATED: &[&str] = &["steady", "oscillator"];
/// Cycles for which the clock is held back after configuration, or after the PLL has locked.
const WAIT_CYCLES: u32 = 256;

/// Verilog of the top module.
///
/// The machine has no reset: its registers start with their values in the bitstream. So its clock
/// must not run before all of them are released from configuration, its PLL is steady, and, on
/// iCE40, block RAM reads what it holds, which takes some microseconds. The clock is gated for so
/// long; the gate changes while the clock is low.
pub fn verilog(board: &Board, pll: Option<Pll>) -> String {
    let mut out = String::new();
    let mut ports = vec!["input oscillator", "input console_rx", "output console_tx", "output link"];
    let leds = format!("output [{}:0] led", board.leds - 1);
    ports.push(&leds);
    if board.cts {
        ports.push("output console_cts_n");
    }
    let _ = writeln!(out, "module {TOP}({});", ports.join(", "));
    out += &steady(pll);
    let top = WAIT_CYCLES.trailing_zeros();
    let _ = write!(
        out,
        "  reg [{top}:0] waited = 0;\n  reg go = 0;\n  always @(negedge steady) begin\n    \
         if (locked & !waited[{top}]) waited <= waited + 1'b1;\n    go <= waited[{top}];\n  end\n  wire {CLOCK};\n"
    );
    out += match board.family {
        Family::Ecp5 => "  DCCA gate(.CLKI(steady), .CE(go), .CLKO(machine_clock));\n",
        Family::Ice40 => {
            "  SB_GB gate(.USER_SIGNAL_TO_GLOBAL_BUFFER(steady & go), .GLOBAL_BUFFER_OUTPUT(machine_clock));\n"
        }
    };
    out += "  wire rts;\n  wire [7:0] leds;\n";
    let _ = writeln!(
        out,
        "  board board(.clock({CLOCK}), .rx(console_rx), .tx(console_tx), .rts(rts), .link(link), .leds(leds));"
    );
    let _ = writeln!(out, "  assign led = leds[{}:0];", board.leds - 1);
    if board.cts {
        out += "  assign console_cts_n = !rts;\n";
    }
    out + "endmodule\n"
}

/// The clock `steady`, and `locked`, which tells that it is.
fn steady(pll: Option<Pll>) -> String {
    match pll {
        None => "  wire steady = oscillator;\n  wire locked = 1'b1;\n".into(),
        Some(Pll::Ice40 { divr, divf, divq, filter }) => format!(
            "  wire steady, locked;\n  SB_PLL40_CORE #(.FEEDBACK_PATH(\"SIMPLE\"), .PLLOUT_SELECT(\"GENCLK\"), .DIVR(4'd{divr}), \
             .DIVF(7'd{divf}), .DIVQ(3'd{divq}), .FILTER_RANGE(3'd{filter}))\n    pll(.REFERENCECLK(oscillator), \
             .PLLOUTCORE(steady), .LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0));\n"
        ),
        Some(Pll::Ecp5 { clki, clkop, clkos }) => {
            // Phases that put the outputs' edges on the input's, as ecppll has them.
            let (phase_op, phase_os) = ((clkop - 1) / 2, (clkos - 1) / 2);
            format!(
                "  wire steady, locked, feedback;\n  (* ICP_CURRENT=\"12\" *) (* LPF_RESISTOR=\"8\" *) \
                 (* MFG_ENABLE_FILTEROPAMP=\"1\" *) (* MFG_GMCREF_SEL=\"2\" *)\n  EHXPLLL #(.CLKI_DIV({clki}), .CLKFB_DIV(1), \
                 .CLKOP_DIV({clkop}), .CLKOP_CPHASE({phase_op}), .CLKOP_FPHASE(0), .CLKOP_ENABLE(\"ENABLED\"), \
                 .CLKOS_DIV({clkos}), .CLKOS_CPHASE({phase_os}), .CLKOS_FPHASE(0), .CLKOS_ENABLE(\"ENABLED\"), \
                 .FEEDBK_PATH(\"CLKOP\"), .OUTDIVIDER_MUXA(\"DIVA\"), .OUTDIVIDER_MUXB(\"DIVB\"), .PLLRST_ENA(\"DISABLED\"), \
                 .STDBY_ENABLE(\"DISABLED\"), .DPHASE_SOURCE(\"DISABLED\"), .INTFB_WAKE(\"DISABLED\"))\n    \
                 pll(.CLKI(oscillator), .CLKFB(feedback), .CLKOP(feedback), .CLKOS(steady), .LOCK(locked), .RST(1'b0), \
                 .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), \
                 .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0));\n"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use testbed_hdl::support::tools::{scratch, write, Tool};

    use super::*;

    /// A module `board` that uses all its ports.
    const SMALL: &str =
        "module board(input clock, input rx, output reg tx, output rts, output link, output reg [7:0] leds);\n\
        initial leds = 0;\n always @(posedge clock) begin tx <= rx; leds <= leds + 1; end\n\
        assign rts = leds[0]; assign link = leds[7];\nendmodule\n";

    /// yosys knows the vendors' primitives with their parameters and ports, so a wrong name is an error.
    #[test]
    fn yosys_takes_the_top_of_every_board_with_and_without_pll() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            for wanted in [board.oscillator_hz, 4 * board.oscillator_hz] {
                let folder = scratch().unwrap();
                let pll = Pll::new(board.family, board.oscillator_hz, wanted).unwrap();
                write(&folder.path().join("fpga.v"), &(SMALL.to_string() + &verilog(&board, pll))).unwrap();
                let (map, primitive) = match board.family {
                    Family::Ecp5 => ("synth_ecp5", "EHXPLLL"),
                    Family::Ice40 => ("synth_ice40", "SB_PLL40_CORE"),
                };
                let plls = usize::from(pll.is_some());
                let script = format!(
                    "read_verilog fpga.v; {map} -top {TOP}; check -assert; select -assert-count {plls} t:{primitive}; \
                     select -assert-count 1 t:DCCA t:SB_GB"
                );
                Tool::Yosys.run(folder.path(), &["-q", "-p", &script]).unwrap();
            }
        }
    }

    /// Every port has a pin, and no pin is of a port that is not there.
    #[test]
    fn pins_and_ports_agree() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            let mut ports = vec!["oscillator".to_string(), "console_rx".into(), "console_tx".into(), "link".into()];
            ports.extend((0..board.leds).map(|led| format!("led[{led}]")));
            ports.extend(board.cts.then(|| "console_cts_n".to_string()));
            let words = board.pins_text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let mut pins: Vec<_> = words
                .filter_map(|words| match *words.first()? {
                    "LOCATE" => Some(words[2].trim_matches('"').to_string()),
                    "set_io" => Some(words[words.len() - 2].to_string()),
                    _ => None,
                })
                .collect();
            pins.sort();
            ports.sort();
            assert_eq!(pins, ports, "{name}");
        }
    }
}
