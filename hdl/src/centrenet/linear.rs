//! Blocks that are nothing but XORs. Their Verilog equations are generated from the Rust functions in `definitions`
//! that define them, and the native simulation calls the same functions.

use rust_hdl::prelude::*;
use testbed_definitions::packet::{crc_step, fault_step};

/// `output[i] = input[a] ^ input[b] ^ ..` for every bit of a linear `function` of `bits` bits.
fn xor_equations(output: &str, input: &str, bits: usize, function: impl Fn(u32) -> u32) -> String {
    let terms = |row: usize| -> String {
        let inputs = (0..bits).filter(|&column| function(1 << column) >> row & 1 == 1);
        inputs.map(|column| format!("{input}[{column}]")).collect::<Vec<_>>().join(" ^ ")
    };
    (0..bits).map(|row| format!("    {output}[{row}] = {};\n", terms(row))).collect()
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
        let equations = xor_equations("result", "mixed", 32, |mixed| crc_step(mixed, 0));
        Verilog::Custom(format!("wire [31:0] mixed = register ^ word;\nalways @(*) begin\n{equations}end\n"))
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
        let first = xor_equations("first", "state", 16, |state| fault_step(state as u16) as u32);
        let second = xor_equations("second", "state", 16, |state| fault_step(fault_step(state as u16)) as u32);
        Verilog::Custom(format!("always @(*) begin\n{first}{second}end\n"))
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
