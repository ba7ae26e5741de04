//! Blocks that are nothing but XORs. Their Verilog equations are generated from the Rust functions in `definitions`
//! that define them, and the native simulation calls the same functions.

use rust_hdl::prelude::*;
use testbed_definitions::packet::{crc_step, fault_draw, fault_step};

/// `output = {bits{input[0]}} & C0 ^ {bits{input[1]}} & C1 ^ ..` for a linear `function` of
/// `inputs` bits to `outputs` bits.
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
/// state  =>| FaultDraws |=> first  = fault_draw(fault_step(state))
///          |            |=> second = fault_draw(after)
///          |            |=> after  = fault_step(fault_step(state))
///          +------------+
/// ```
#[derive(LogicBlock, Default)]
pub struct FaultDraws {
    pub state: Signal<In, Bits<32>>,
    pub first: Signal<Out, Bits<16>>,
    pub second: Signal<Out, Bits<16>>,
    pub after: Signal<Out, Bits<32>>,
}

impl Logic for FaultDraws {
    fn update(&mut self) {
        let first = fault_step(self.state.val().to_u32());
        let after = fault_step(first);
        self.first.next = (fault_draw(first) as LiteralType).into();
        self.second.next = (fault_draw(after) as LiteralType).into();
        self.after.next = (after as LiteralType).into();
    }
    fn connect(&mut self) {
        self.first.connect();
        self.second.connect();
        self.after.connect();
    }
    fn hdl(&self) -> Verilog {
        let first = xor_columns("state", 32, 16, |state| fault_draw(fault_step(state)).into());
        let after = xor_columns("state", 32, 32, |state| fault_step(fault_step(state)));
        Verilog::Custom(format!(
            "reg [31:0] later;\nalways @(*) begin\n    later = {after};\n    first = {first};\n    second = later[15:0];\n    \
             after = later;\nend\n"
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

    /// The image of each bit, which is all that there is to know of a linear function.
    type Matrix = [u32; 32];

    fn apply(matrix: &Matrix, state: u32) -> u32 {
        (0..32).filter(|bit| state >> bit & 1 == 1).fold(0, |sum, bit| sum ^ matrix[bit])
    }

    /// One matrix so many times.
    fn power(matrix: &Matrix, times: u64) -> Matrix {
        let identity: Matrix = std::array::from_fn(|bit| 1 << bit);
        let (mut result, mut square) = (identity, *matrix);
        for bit in 0..64 {
            if times >> bit & 1 == 1 {
                result = result.map(|image| apply(&square, image));
            }
            square = square.map(|image| apply(&square, image));
        }
        result
    }

    fn rank(rows: impl IntoIterator<Item = u32>) -> usize {
        // By the leading bit of each.
        let mut basis = [0u32; 32];
        for mut row in rows {
            while row != 0 {
                let place = row.ilog2() as usize;
                if basis[place] == 0 {
                    basis[place] = row;
                    break;
                }
                row ^= basis[place];
            }
        }
        basis.iter().filter(|row| **row != 0).count()
    }

    /// It comes back after 2^32 - 1 shifts, and not after that by any of its prime factors. Sixteen
    /// shifts have the same period, which is odd.
    #[test]
    fn fault_lfsr_has_full_period() {
        let step: Matrix = std::array::from_fn(|bit| fault_step(1 << bit));
        let identity: Matrix = std::array::from_fn(|bit| 1 << bit);
        let period = u64::from(u32::MAX);
        assert_eq!(power(&step, period), identity);
        for factor in [3, 5, 17, 257, 65_537] {
            assert_ne!(power(&step, period / factor), identity, "{factor}");
        }
    }

    /// The two draws of a packet, and any two that decide whether one of eight packets is lost, which
    /// leave one after the other, are 32 bits of which none follows from the others.
    #[test]
    fn draws_near_each_other_are_independent() {
        for apart in [1, 2, 4, 6, 8, 10, 12, 14] {
            let step: Matrix = std::array::from_fn(|bit| fault_step(1 << bit));
            let later = power(&step, apart);
            let draws = (0..32).map(|bit| {
                let state = 1 << bit;
                u32::from(fault_draw(state)) | u32::from(fault_draw(apply(&later, state))) << 16
            });
            assert_eq!(rank(draws), 32, "{apart} apart");
        }
    }
}
