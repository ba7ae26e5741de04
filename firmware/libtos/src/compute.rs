//! Computing for a given time: a loop of instructions, as the report's programs have it.
//!
//! The loop takes four cycles a turn (two instructions of two cycles), so it is a function of the thread's own machine
//! time: a thread that is preempted, or whose processor serves packets meanwhile, computes just as much and ends later.

use crate::clock_hz;

const CYCLES_A_TURN: u32 = 4;

/// Computes for `milliseconds` ms of processor time.
pub fn compute_ms(milliseconds: u32) {
    if milliseconds == 0 {
        return;
    }
    let turns = clock_hz() / 1000 / CYCLES_A_TURN;
    for _ in 0..milliseconds {
        spin(turns);
    }
}

/// Computes for `microseconds` us of processor time.
pub fn compute_us(microseconds: u32) {
    compute_ms(microseconds / 1000);
    spin(clock_hz() / 1_000_000 * (microseconds % 1000) / CYCLES_A_TURN);
}

/// Goes round `turns` times.
fn spin(turns: u32) {
    if turns == 0 {
        return;
    }
    // SAFETY: counts a register down.
    unsafe { core::arch::asm!("1: addi {0}, {0}, -1", "bnez {0}, 1b", inout(reg) turns => _, options(nomem, nostack)) }
}
