//! What the register-to-register instructions compute.

use super::decode::Op;

/// Result of a register or immediate operation on `a` and `b` (the second register, the immediate or the amount).
#[inline(always)]
pub(super) fn operate(op: Op, a: u32, b: u32) -> u32 {
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
pub(super) fn taken(op: Op, a: u32, b: u32) -> bool {
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
pub(super) fn extract(op: Op, word: u32, address: u32) -> u32 {
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
pub(super) fn access_bytes(op: Op) -> u32 {
    match op {
        Op::Lb | Op::Lbu | Op::Sb => 1,
        Op::Lh | Op::Lhu | Op::Sh => 2,
        _ => 4,
    }
}
