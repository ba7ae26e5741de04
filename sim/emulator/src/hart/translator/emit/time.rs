//! How long instructions take.

use crate::hart::decode::Op;
use crate::hart::times::Times;
use testbed_definitions::timing::*;

/// Cycles from the arrival of an instruction to that of the next; of a branch if it is not taken.
pub(super) fn cycles(op: Op, times: Times) -> u64 {
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => CYCLES_LOAD,
        Op::Sb | Op::Sh | Op::Sw => CYCLES_STORE,
        Op::Ld => CYCLES_LOAD_PAIR,
        Op::Sd => CYCLES_STORE_PAIR,
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => times.multiply,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => times.divide,
        Op::Jal | Op::Jalr | Op::FenceI => times.jump,
        _ => times.alu,
    }
}

/// How many cycles before the limit an instruction has to arrive that may be executed, at least.
pub(super) fn needs(op: Op, times: Times) -> u64 {
    match op {
        // The second half comes in a cycle of its own.
        Op::Ld | Op::Sd => 2,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => times.division_needs(),
        _ => 1,
    }
}

/// How long after the arrival of the next instruction this one is complete, for those that
/// `complete` speaks of.
pub(super) fn completes_after(op: Op, times: Times) -> Option<u64> {
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Ld => Some(1),
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu | Op::Div | Op::Divu | Op::Rem | Op::Remu => {
            Some(times.to_judgement())
        }
        _ => None,
    }
}
