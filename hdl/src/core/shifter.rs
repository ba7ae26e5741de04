//! Barrel shifter.

use rust_hdl::prelude::*;

/// Shifts a word left, right, or right with its sign, combinationally.
///
/// ```text
///   value, amount    +-----------+
///   left, arithmetic |  Shifter  |-> result
///         ---------->+-----------+
/// ```
///
/// The Verilog is written by hand, since the subset has neither bit reversal nor arithmetic shift: a left shift is a
/// right shift of the word read backwards, so one row of multiplexers a stage does for all three.
#[derive(LogicBlock, Default)]
pub struct Shifter {
    pub value: Signal<In, Bits<32>>,
    pub amount: Signal<In, Bits<5>>,
    pub left: Signal<In, Bit>,
    pub arithmetic: Signal<In, Bit>,
    pub result: Signal<Out, Bits<32>>,
}

impl Logic for Shifter {
    fn update(&mut self) {
        let value = self.value.val().to_u32();
        let amount = self.amount.val().to_u8();
        let result = match (self.left.val(), self.arithmetic.val()) {
            (true, _) => value << amount,
            (false, false) => value >> amount,
            (false, true) => ((value as i32) >> amount) as u32,
        };
        self.result.next = u64::from(result).into();
    }

    fn connect(&mut self) {
        self.result.connect();
    }

    fn hdl(&self) -> Verilog {
        // Only wires in hardware; as swaps of ever larger groups it is quick to simulate too.
        let swaps = [(1, 0x5555_5555u32), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff), (16, 0x0000_ffff)];
        let reversal: String = swaps
            .map(|(n, mask)| {
                format!("      stage = ((stage & 32'h{mask:x}) << {n}) | ((stage >> {n}) & 32'h{mask:x});\n")
            })
            .concat();
        Verilog::Custom(format!(
            "\
reg [31:0] stage;
reg fill;
always @(*) begin
   fill = arithmetic & ~left & value[31];
   stage = value;
   if (left) begin
{reversal}   end
   if (amount[0]) stage = {{{{1{{fill}}}}, stage[31:1]}};
   if (amount[1]) stage = {{{{2{{fill}}}}, stage[31:2]}};
   if (amount[2]) stage = {{{{4{{fill}}}}, stage[31:4]}};
   if (amount[3]) stage = {{{{8{{fill}}}}, stage[31:8]}};
   if (amount[4]) stage = {{{{16{{fill}}}}, stage[31:16]}};
   if (left) begin
{reversal}   end
   result = stage;
end
"
        ))
    }
}
