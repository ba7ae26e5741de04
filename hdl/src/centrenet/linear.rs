//! Blocks that are nothing but XORs. Their Verilog equations are generated from the Rust functions in `definitions`
//! that define them, and the native simulation calls the same functions.

use rust_hdl::prelude::*;
use testbed_definitions::packet::{crc_step, fault_step};

/// `output = {bits{input[0]}} & C0 ^ {bits{input[1]}} & C1 ^ ..` for a linear `function` of `inputs` bits to `outputs` bits.
///
/// Synthesis makes it the XOR of the inputs that each output depends on, and simulators treat all outputs as one word.
fn xor_columns(input: &str, inputs: usize, outputs: usize, function: impl Fn(u32) -> u32) -> String {
    let column = |i: usize| format!("({{{outputs}{{{input}[{i}]}}}} & {outputs}'h{:x})", function(1 << i));
    (0..inputs).map(column).collect::<Vec<_>>().join("\n        ^ ")
}

/// One step of the packet CRC over a 32-bit word, combinational.
///
/// ```text
///            +---------+
/// register =>|         |
///            | CrcStep |=> result = crc_step(register, word)
///     word =>|         |
///            +---------+
/// ```
#[derive(LogicBlock, Default)]
pub struct CrcStep {
    pub register: Signal<In, Bits<32>>,
    pub word: Signal<In, Bits<32>>,
    pub result: Signal<Out, Bits<32>>,
}

impl Logic for CrcStep {
    fn update(&mut self) {
        let result = crc_step(self.register.val().to_u32(), self.word.val().to_u32());
        self.result.next = (result as LiteralType).into();
    }
    fn connect(&mut self) {
        self.result.connect();
    }
    fn hdl(&self) -> Verilog {
        let columns = xor_columns("mixed", 32, 32, |mixed| crc_step(mixed, 0));
        Verilog::Custom(format!(
            "wire [31:0] mixed = register ^ word;\nalways @(*) begin\n    result = {columns};\nend\n"
        ))
    }
}

/// The next two draws of the fault LFSR, combinational.
///
/// ```text
///          +------------+
/// state  =>| FaultDraws |=> first  = fault_step(state)
///          |            |=> second = fault_step(first)
///          +------------+
/// ```
#[derive(LogicBlock, Default)]
pub struct FaultDraws {
    pub state: Signal<In, Bits<16>>,
    pub first: Signal<Out, Bits<16>>,
    pub second: Signal<Out, Bits<16>>,
}

impl Logic for FaultDraws {
    fn update(&mut self) {
        let first = fault_step(self.state.val().to_u16());
        self.first.next = (first as LiteralType).into();
        self.second.next = (fault_step(first) as LiteralType).into();
    }
    fn connect(&mut self) {
        self.first.connect();
        self.second.connect();
    }
    fn hdl(&self) -> Verilog {
        let columns = xor_columns("state", 16, 32, |state| {
            let first = fault_step(state as u16);
            u32::from(fault_step(first)) << 16 | u32::from(first)
        });
        Verilog::Custom(format!(
            "reg [31:0] both;\nalways @(*) begin\n    both = {columns};\n    first = both[15:0];\n    second = both[31:16];\nend\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zip's check value: the CRC of "123456789" is cbf43926, here of its first eight bytes.
    #[test]
    fn crc_is_that_of_zip() {
        let mut uut = CrcStep::default();
        uut.connect_all();
        let mut register = testbed_definitions::packet::CRC_INITIAL;
        for word in [0x3433_3231u32, 0x3837_3635] {
            uut.register.next = (register as LiteralType).into();
            uut.word.next = (word as LiteralType).into();
            assert!(simulate(&mut uut, 10));
            register = uut.result.val().to_u32();
        }
        assert_eq!(!register, 0x9ae0_daaf);
    }

    #[test]
    fn fault_lfsr_has_full_period() {
        let (mut state, mut period) = (fault_step(1), 1);
        while state != 1 {
            state = fault_step(state);
            period += 1;
        }
        assert_eq!(period, 65_535);
    }
}
