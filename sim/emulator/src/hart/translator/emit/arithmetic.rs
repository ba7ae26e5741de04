//! What instructions compute, and when branches are taken.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::emitter::Emitter;
use crate::hart::decode::Op;

impl Emitter<'_> {
    /// What [`crate::hart::alu::operate`] computes.
    pub fn operate(&mut self, op: Op, a: Value, b: Value) -> Value {
        let builder = &mut self.builder;
        match op {
            Op::Add | Op::Addi => builder.ins().iadd(a, b),
            Op::Sub => builder.ins().isub(a, b),
            Op::Xor | Op::Xori => builder.ins().bxor(a, b),
            Op::Or | Op::Ori => builder.ins().bor(a, b),
            Op::And | Op::Andi => builder.ins().band(a, b),
            // Cranelift takes amounts modulo 32 too.
            Op::Sll | Op::Slli => builder.ins().ishl(a, b),
            Op::Srl | Op::Srli => builder.ins().ushr(a, b),
            Op::Sra | Op::Srai => builder.ins().sshr(a, b),
            Op::Mul => builder.ins().imul(a, b),
            Op::Mulh => self.high(a, b, true, true),
            Op::Mulhsu => self.high(a, b, true, false),
            Op::Mulhu => self.high(a, b, false, false),
            Op::Div | Op::Divu | Op::Rem | Op::Remu => self.divide(op, a, b),
            op => {
                let less = builder.ins().icmp(condition(op), a, b);
                builder.ins().uextend(I32, less)
            }
        }
    }

    fn wide(&mut self, value: Value, signed: bool) -> Value {
        match signed {
            true => self.builder.ins().sextend(I64, value),
            false => self.builder.ins().uextend(I64, value),
        }
    }

    /// The upper half of a product.
    fn high(&mut self, a: Value, b: Value, a_signed: bool, b_signed: bool) -> Value {
        let (a, b) = (self.wide(a, a_signed), self.wide(b, b_signed));
        let product = self.builder.ins().imul(a, b);
        let high = self.builder.ins().ushr_imm(product, 32);
        self.builder.ins().ireduce(I32, high)
    }

    /// In 64 bits nothing overflows; division by zero has its own results.
    fn divide(&mut self, op: Op, a: Value, b: Value) -> Value {
        let signed = matches!(op, Op::Div | Op::Rem);
        let by_zero = self.builder.ins().icmp_imm(IntCC::Equal, b, 0);
        let (wide_a, wide_b) = (self.wide(a, signed), self.wide(b, signed));
        let one = self.builder.ins().iconst(I64, 1);
        let divisor = self.builder.ins().select(by_zero, one, wide_b);
        let result = match op {
            Op::Div => self.builder.ins().sdiv(wide_a, divisor),
            Op::Divu => self.builder.ins().udiv(wide_a, divisor),
            Op::Rem => self.builder.ins().srem(wide_a, divisor),
            _ => self.builder.ins().urem(wide_a, divisor),
        };
        let result = self.builder.ins().ireduce(I32, result);
        let otherwise = match op {
            Op::Div | Op::Divu => self.builder.ins().iconst(I32, 0xffff_ffff),
            _ => a,
        };
        self.builder.ins().select(by_zero, otherwise, result)
    }
}

/// Whether the immediate is the second operand.
pub(super) fn takes_immediate(op: Op) -> bool {
    use Op::*;
    matches!(op, Addi | Slti | Sltiu | Xori | Ori | Andi | Slli | Srli | Srai)
}

/// When a branch is taken, or a comparison is one.
pub(super) fn condition(op: Op) -> IntCC {
    match op {
        Op::Beq => IntCC::Equal,
        Op::Bne => IntCC::NotEqual,
        Op::Blt | Op::Slt | Op::Slti => IntCC::SignedLessThan,
        Op::Bge => IntCC::SignedGreaterThanOrEqual,
        Op::Bltu | Op::Sltu | Op::Sltiu => IntCC::UnsignedLessThan,
        _ => IntCC::UnsignedGreaterThanOrEqual,
    }
}
