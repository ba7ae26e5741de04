//! One bit of a division.

use rust_hdl::prelude::*;

/// Shifts a bit of the dividend into what is left of it, and subtracts a divisor that fits,
/// combinationally.
///
/// ```text
///   left, digit     +-----------+-> rest
///   addend, carry   | DivideBit |-> fits (a bit of the quotient)
///         --------->+-----------+
/// ```
///
/// `addend` + `carry` is the divisor's absolute value, subtracted from 2^32: so the sum's carry says
/// whether it fits, one carry chain does for both, and a negative divisor is never negated.
///
/// The Verilog is written by hand, since words of more than 32 bits are slow in native simulation.
#[derive(LogicBlock, Default)]
pub struct DivideBit {
    pub left: Signal<In, Bits<32>>,
    pub digit: Signal<In, Bit>,
    pub addend: Signal<In, Bits<32>>,
    pub carry: Signal<In, Bit>,
    pub rest: Signal<Out, Bits<32>>,
    pub fits: Signal<Out, Bit>,
}

impl Logic for DivideBit {
    fn update(&mut self) {
        let trial = u64::from(self.left.val().to_u32()) << 1 | u64::from(self.digit.val());
        let low = trial & u64::from(u32::MAX);
        let sum = low + u64::from(self.addend.val().to_u32()) + u64::from(self.carry.val());
        // The bit shifted out of the top makes the trial larger than any divisor.
        let fits = trial > low || sum > u64::from(u32::MAX);
        self.rest.next = ((if fits { sum } else { trial }) & u64::from(u32::MAX)).into();
        self.fits.next = fits;
    }

    fn connect(&mut self) {
        self.rest.connect();
        self.fits.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
reg [33:0] sum;
always @(*) begin
   sum = {1'b0, left[30:0], digit, 1'b1} + {1'b0, addend, carry};
   fits = left[31] | sum[33];
   rest = fits ? sum[32:1] : {left[30:0], digit};
end
"
            .into(),
        )
    }
}
