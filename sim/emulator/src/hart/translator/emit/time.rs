//! How long instructions take.

use crate::hart::decode::Op;
use crate::hart::times::Times;
use crate::hart::translator::region::ends_block;

/// Cycles from the arrival of an instruction to that of the next, but for what the next word adds; of
/// a branch if it is not taken.
pub(super) fn cycles(op: Op, times: Times) -> u64 {
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => times.load,
        Op::Sb | Op::Sh | Op::Sw => times.store,
        Op::Ld => times.load_pair,
        Op::Sd => times.store_pair,
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => times.multiply,
        Op::Div | Op::Divu | Op::Rem | Op::Remu => times.divide,
        Op::Jal | Op::Jalr => times.jump,
        _ => times.alu,
    }
}

/// How many cycles before the limit an instruction has to arrive that may be executed, at least.
pub(super) fn needs(op: Op) -> u64 {
    match op {
        // The second half comes in a cycle of its own.
        Op::Ld | Op::Sd => 2,
        _ => 1,
    }
}

/// How long after its arrival an instruction is complete, for those that `complete` speaks of: on the
/// pipelined core all.
pub(super) fn completes_in(op: Op, times: Times) -> Option<u64> {
    if times.overlaps {
        // A jump does nothing in the second of its cycles.
        let own = if ends_block(op) { times.alu } else { cycles(op, times) };
        return Some(own + 2);
    }
    match op {
        Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Ld => Some(cycles(op, times) + 1),
        Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu | Op::Div | Op::Divu | Op::Rem | Op::Remu => {
            Some(cycles(op, times))
        }
        _ => None,
    }
}
