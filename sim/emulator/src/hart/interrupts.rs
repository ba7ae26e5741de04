//! Interrupts: when one is pending, which goes first, and sleep until then.

use super::state::Hart;
use crate::shared::Shared;
use testbed_definitions::csr::*;

impl Hart {
    /// If it is asleep, the cycle in which an interrupt wakes it, as far as that is known.
    #[inline]
    pub(super) fn wakes_in(&self, shared: &Shared) -> Option<u64> {
        self.asleep.then(|| self.pending_from(shared, self.arrival).unwrap_or(u64::MAX))
    }

    /// The first cycle not before `from` in which an enabled interrupt is pending in `mip`.
    // Asked for every processor in every window.
    #[inline(always)]
    fn pending_from(&self, shared: &Shared, from: u64) -> Option<u64> {
        // `mip` registers the lines.
        let lines = from - 1;
        let enabled = self.csrs.enabled;
        let mut first = None;
        let mut consider = |cycle: Option<u64>| {
            if let Some(cycle) = cycle {
                first = Some(first.map_or(cycle, |other: u64| other.min(cycle)));
            }
        };
        if enabled & INTERRUPT_TIMER != 0 {
            consider(self.clint.timer_from(lines));
        }
        if enabled & INTERRUPT_SOFTWARE != 0 {
            consider(self.clint.software_from(lines));
        }
        if enabled & INTERRUPT_EXTERNAL != 0 {
            consider(shared.network.external_from(self.number, lines));
        }
        first?.checked_add(1)
    }

    /// The bits of `mip` in `cycle`.
    pub fn pending(&self, shared: &Shared, cycle: u64) -> u32 {
        let line = cycle - 1;
        let timer = if self.clint.timer_from(line) == Some(line) { INTERRUPT_TIMER } else { 0 };
        let software = if self.clint.software_from(line) == Some(line) { INTERRUPT_SOFTWARE } else { 0 };
        let arrived = shared.network.external_from(self.number, line).is_some_and(|from| from <= line);
        timer | software | if arrived { INTERRUPT_EXTERNAL } else { 0 }
    }

    /// Works out `interrupt_at`.
    #[inline]
    pub(in crate::hart) fn find_interrupt(&mut self, shared: &Shared) {
        let possible = self.csrs.enabled != 0 && (self.csrs.user || self.csrs.interrupts_on);
        let pending = if possible { self.pending_from(shared, self.arrival) } else { None };
        self.interrupt_at = pending.map_or(u64::MAX, |cycle| cycle.max(self.let_past));
    }

    /// Ends the sleep if an interrupt line does before `until`; says whether it has.
    #[inline]
    pub(super) fn wake(&mut self, shared: &Shared, until: u64) -> bool {
        match self.pending_from(shared, self.arrival) {
            Some(cycle) if cycle < until => {
                self.asleep = false;
                self.arrival = cycle + 1;
                self.refetch();
                true
            }
            _ => {
                // Nothing woke it so far, so nothing in the past will.
                self.arrival = self.arrival.max(until);
                false
            }
        }
    }
}

/// `mcause` of the interrupt that goes first among those pending.
pub(in crate::hart) fn interrupt_cause(pending: u32) -> u32 {
    let code = if pending & INTERRUPT_EXTERNAL != 0 {
        cause::EXTERNAL
    } else if pending & INTERRUPT_SOFTWARE != 0 {
        cause::SOFTWARE
    } else {
        cause::TIMER
    };
    MCAUSE_INTERRUPT | code
}
