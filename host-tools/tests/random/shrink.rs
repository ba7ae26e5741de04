//! The smallest program that still fails: any part of a plan's list is a plan too.

use super::plan::Plan;

/// Runs of the program at most.
const RUNS: usize = 120;

/// Takes pieces out of the list, large ones first, as long as `fails` says that the rest does.
pub fn shrink(plan: &Plan, fails: impl Fn(&Plan) -> bool) -> Plan {
    let mut best = plan.clone();
    let mut runs = 0;
    let mut piece = best.ops.len().div_ceil(2);
    while piece > 0 && runs < RUNS {
        let mut at = 0;
        let mut smaller = false;
        while at < best.ops.len() && runs < RUNS {
            let mut candidate = best.clone();
            candidate.ops.drain(at..(at + piece).min(best.ops.len()));
            runs += 1;
            if fails(&candidate) {
                (best, smaller) = (candidate, true);
            } else {
                at += piece;
            }
        }
        if !smaller || piece > 1 {
            piece /= 2;
        }
    }
    best
}
