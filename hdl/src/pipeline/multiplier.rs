//! Multiplier of two cycles.

use rust_hdl::prelude::*;

/// Multiplies in the cycle in which `take` is high and the one after.
///
/// ```text
///   a, b, operation (funct3)  +------------+
///   take              ------->| Multiplier |-> result
///                             +------------+
/// ```
///
/// With `take` high in *t* `result` is that of *t*'s operands and operation from *t*+1 on, until the
/// next `take`. Four partial products of 17 x 17 bits are kept, one for each pair of
/// halves, and added in the second cycle. The high halves are signed, with a sign bit that is 0
/// where the operand is unsigned, so no product has to be corrected.
///
/// The Verilog is written by hand: what rust-hdl multiplies has at most 16 bits and no sign.
#[derive(LogicBlock, Default)]
pub struct Multiplier {
    pub clock: Signal<In, Clock>,
    pub take: Signal<In, Bit>,
    /// `funct3` of the instruction: 0 `mul`, 1 `mulh`, 2 `mulhsu`, 3 `mulhu`.
    pub operation: Signal<In, Bits<3>>,
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub result: Signal<Out, Bits<32>>,
    _product: u64,
    _high: bool,
}

impl Logic for Multiplier {
    fn update(&mut self) {
        let operation = self.operation.val().index() & 3;
        if self.clock.pos_edge() && self.take.val() {
            let operand = |bits: Bits<32>, signed: bool| {
                let bits = bits.to_u32();
                if signed {
                    i128::from(bits as i32)
                } else {
                    i128::from(bits)
                }
            };
            let a = operand(self.a.val(), operation == 1 || operation == 2);
            let b = operand(self.b.val(), operation == 1);
            self._product = (a * b) as u64;
            self._high = operation != 0;
        }
        let shown = if self._high { self._product >> 32 } else { self._product };
        self.result.next = (shown & 0xffff_ffff).into();
    }

    fn connect(&mut self) {
        self.result.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
wire signed [16:0] a_high = {((operation[1:0] == 1) | (operation[1:0] == 2)) & a[31], a[31:16]};
wire signed [16:0] b_high = {(operation[1:0] == 1) & b[31], b[31:16]};
wire signed [16:0] a_low = {1'b0, a[15:0]};
wire signed [16:0] b_low = {1'b0, b[15:0]};
reg signed [33:0] high_high, high_low, low_high, low_low;
reg high;
initial begin
   high = 0;
   high_high = 0;
   high_low = 0;
   low_high = 0;
   low_low = 0;
end
wire signed [34:0] middle = high_low + low_high;
wire [63:0] total = {high_high[31:0], low_low[31:0]} + {{13{middle[34]}}, middle, 16'b0};
always @(posedge clock) begin
   if (take) begin
      high <= operation[1:0] != 0;
      high_high <= a_high * b_high;
      high_low <= a_high * b_low;
      low_high <= a_low * b_high;
      low_low <= a_low * b_low;
   end
end
always @(*) result = high ? total[63:32] : total[31:0];
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "multiplier".into(),
            clock: "clock".into(),
            inputs: ["take", "operation", "a", "b"].map(String::from).into(),
            outputs: vec![],
        }]
    }
}
