//! What the register-to-register instructions compute.

use super::decode::Op;

/// Result of a register or immediate operation on `a` and `b` (the second register, the immediate
/// or the amount).
#[inline(always)]
pub(in crate::hart) fn operate(op: Op, a: u32, b: u32) -> u32 {
    match op {
        Op::Add | Op::Addi => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Sll | Op::Slli => a << (b & 31),
        Op::Slt | Op::Slti => u32::from((a as i32) < b as i32),
        Op::Sltu | Op::Sltiu => u32::from(a < b),
        Op::Xor | Op::Xori => a ^ b,
        Op::Srl | Op::Srli => a >> (b & 31),
        Op::Sra | Op::Srai => (a as i32 >> (b & 31)) as u32,
        Op::Or | Op::Ori => a | b,
        Op::And | Op::Andi => a & b,
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => (i64::from(a as i32) * i64::from(b as i32) >> 32) as u32,
        Op::Mulhsu => (i64::from(a as i32) * i64::from(b) >> 32) as u32,
        Op::Mulhu => (u64::from(a) * u64::from(b) >> 32) as u32,
        Op::Div if b == 0 => u32::MAX,
        Op::Div => (a as i32).wrapping_div(b as i32) as u32,
        Op::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Op::Rem if b == 0 => a,
        Op::Rem => (a as i32).wrapping_rem(b as i32) as u32,
        Op::Remu => a.checked_rem(b).unwrap_or(a),
        _ => 0,
    }
}

/// Whether a branch is taken.
#[inline(always)]
pub(in crate::hart) fn taken(op: Op, a: u32, b: u32) -> bool {
    match op {
        Op::Beq => a == b,
        Op::Bne => a != b,
        Op::Blt => (a as i32) < b as i32,
        Op::Bge => a as i32 >= b as i32,
        Op::Bltu => a < b,
        Op::Bgeu => a >= b,
        _ => false,
    }
}

/// Takes what a load wants out of the word at its address.
#[inline(always)]
pub(in crate::hart) fn extract(op: Op, word: u32, address: u32) -> u32 {
    let shifted = word >> (8 * (address & 3));
    match op {
        Op::Lb => shifted as i8 as u32,
        Op::Lbu => shifted & 0xff,
        Op::Lh => shifted as i16 as u32,
        Op::Lhu => shifted & 0xffff,
        _ => word,
    }
}

/// Bytes that a load or store moves.
#[inline(always)]
pub(in crate::hart) fn access_bytes(op: Op) -> u32 {
    match op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        Op::Ld | Op::Sd => 8,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Multiplication by adding shifted partial products of the sign-extended operands, modulo
    /// 2^64.
    fn product(a: u64, b: u64) -> u64 {
        (0..64).filter(|bit| b >> bit & 1 != 0).fold(0, |sum: u64, bit| sum.wrapping_add(a << bit))
    }

    fn signed(value: u32) -> u64 {
        if value >> 31 == 1 {
            u64::from(value) | 0xffff_ffff_0000_0000
        } else {
            value.into()
        }
    }

    /// Restoring division, bit by bit; by zero it gives what RISC-V wants.
    fn divide(a: u32, b: u32) -> (u32, u32) {
        let (mut quotient, mut rest) = (0u32, 0u64);
        for bit in (0..32).rev() {
            rest = rest << 1 | u64::from(a >> bit & 1);
            quotient <<= 1;
            if rest >= u64::from(b) {
                rest -= u64::from(b);
                quotient |= 1;
            }
        }
        (quotient, if b == 0 { a } else { rest as u32 })
    }

    fn divide_signed(a: u32, b: u32) -> (u32, u32) {
        let magnitude = |value: u32| if value >> 31 == 1 { (!value).wrapping_add(1) } else { value };
        let negate = |value: u32, condition: bool| if condition { (!value).wrapping_add(1) } else { value };
        let (quotient, rest) = divide(magnitude(a), magnitude(b));
        (negate(quotient, b != 0 && (a ^ b) >> 31 == 1), negate(rest, a >> 31 == 1))
    }

    fn shift_right(value: u32, by: u32, fill: bool) -> u32 {
        (0..32).filter(|bit| if bit + by < 32 { value >> (bit + by) & 1 == 1 } else { fill }).map(|bit| 1 << bit).sum()
    }

    fn value() -> impl Strategy<Value = u32> {
        prop_oneof![
            any::<u32>(),
            0u32..40,
            (0u32..40).prop_map(|v| v.wrapping_neg()),
            Just(1 << 31),
            Just(i32::MAX as u32)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
        #[test]
        fn agrees_with_a_reference_by_bits(a in value(), b in value()) {
            prop_assert_eq!(operate(Op::Mul, a, b), product(signed(a), signed(b)) as u32);
            prop_assert_eq!(operate(Op::Mulh, a, b), (product(signed(a), signed(b)) >> 32) as u32);
            prop_assert_eq!(operate(Op::Mulhsu, a, b), (product(signed(a), b.into()) >> 32) as u32);
            prop_assert_eq!(operate(Op::Mulhu, a, b), (product(a.into(), b.into()) >> 32) as u32);
            prop_assert_eq!((operate(Op::Divu, a, b), operate(Op::Remu, a, b)), divide(a, b));
            let (quotient, rest) = divide_signed(a, b);
            let quotient = if b == 0 { u32::MAX } else { quotient };
            prop_assert_eq!((operate(Op::Div, a, b), operate(Op::Rem, a, b)), (quotient, rest));
            prop_assert_eq!(operate(Op::Sub, a, b), a.wrapping_add(!b).wrapping_add(1));
            prop_assert_eq!(operate(Op::Srl, a, b), shift_right(a, b & 31, false));
            prop_assert_eq!(operate(Op::Sra, a, b), shift_right(a, b & 31, a >> 31 == 1));
            let below = i64::from(a as i32) - i64::from(b as i32) < 0;
            let below_unsigned = i64::from(a) - i64::from(b) < 0;
            prop_assert_eq!(operate(Op::Slt, a, b), u32::from(below));
            prop_assert_eq!(operate(Op::Sltu, a, b), u32::from(below_unsigned));
            let all = [Op::Beq, Op::Bne, Op::Blt, Op::Bge, Op::Bltu, Op::Bgeu].map(|op| taken(op, a, b));
            prop_assert_eq!(all, [a ^ b == 0, a ^ b != 0, below, !below, below_unsigned, !below_unsigned]);
        }
    }
}
