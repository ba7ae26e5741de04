//! How long instructions take.

use crate::hart::decode::Op;
use testbed_definitions::timing::*;

/// Cycles from the arrival of an instruction to that of the next.
pub(super) fn cycles(op: Op) -> u64 {
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => CYCLES_LOAD,
        Op::Sb | Op::Sh | Op::Sw => CYCLES_STORE,
        Op::Ld => CYCLES_LOAD_PAIR,
        Op::Sd => CYCLES_STORE_PAIR,
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => CYCLES_MULTIPLY,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => CYCLES_DIVIDE,
        _ => CYCLES_ALU,
    }
}

/// How long after the arrival of the next instruction this one is complete, for those that
/// `complete` speaks of.
pub(super) fn completes_after(op: Op) -> Option<u64> {
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Ld => Some(1),
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu | Op::Div | Op::Divu | Op::Rem | Op::Remu => Some(0),
        _ => None,
    }
}
