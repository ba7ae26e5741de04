//! What watching costs: the kernel's own events, in cycles.
//!
//! An event of the kernel is a test of its class (a load, an `and`, a branch) and a store a word.
//! Where the global clock ticks every cycle, the store is measured: the least distance of the two
//! words of one event. A coarser clock doesn't show it, and the time of the instruction is taken.
//!
//! Each event is counted with a test of its own, also where the kernel tests once for several
//! (REQUEST, packets handed over together). Events of programs (`send_event`) are the program's
//! work, a system call each, and are not subtracted. Neither is the test of a class that is off: it
//! is in every run of this kernel.

use serde::{Deserialize, Serialize};
use testbed_definitions::timing::{self, pipelined};
use testbed_definitions::{event, monitor};
use testbed_machine::Core;

use crate::capture::{Capture, CaptureError};
use crate::order::{Convention, Event, What};

/// What an event of the kernel costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// Cycles of the test of its class, by its instructions.
    pub test_cycles: u64,
    /// Cycles of the store of one word.
    pub store_cycles: u64,
    /// Whether `store_cycles` was measured in this run, or is the time of the instruction.
    pub measured: bool,
}

impl Probe {
    /// The probe by the times of a core's instructions.
    pub const fn of(core: Core) -> Self {
        let (alu, load, store) = match core {
            Core::Multicycle => (timing::CYCLES_ALU, timing::CYCLES_LOAD, timing::CYCLES_STORE),
            // The `and` waits for the load, and the store is one of a device.
            Core::Pipelined => (
                pipelined::CYCLES_ALU,
                pipelined::CYCLES_LOAD + pipelined::CYCLES_LATE,
                pipelined::CYCLES_STORE + pipelined::CYCLES_LATE,
            ),
        };
        // A class is tested by a load, an `and`, a branch that is not taken.
        Probe { test_cycles: load + 2 * alu, store_cycles: store, measured: false }
    }

    /// The probe of a run.
    ///
    /// # Errors
    /// A stream file can't be read.
    pub fn measure(capture: &Capture) -> Result<Self, CaptureError> {
        let record = &capture.record;
        let mut probe = Probe::of(record.machine.core);
        if record.machine.tick_cycles != 1 || Convention::of(record.dgl) == Convention::Ready {
            return Ok(probe);
        }
        let mut least = None;
        for smi in capture.smis() {
            let mut first: Option<monitor::Pair> = None;
            for pair in capture.pairs(smi)? {
                let pair = pair?;
                if monitor::is_reserved(pair.datum) {
                    first = None;
                    continue;
                }
                first = match first {
                    Some(first) => {
                        let cycles = u64::from(pair.time.wrapping_sub(first.time));
                        least = Some(least.map_or(cycles, |least: u64| least.min(cycles)));
                        None
                    }
                    None => Some(pair).filter(|pair| pair.datum & (event::MORE | event::SCHEDULE) == event::MORE),
                };
            }
        }
        if let Some(least) = least {
            probe = Probe { store_cycles: least, measured: true, ..probe };
        }
        Ok(probe)
    }

    /// Cycles of a whole event; 0 for one that is none of the kernel's.
    pub fn cost(&self, event: &Event) -> u64 {
        match event.what {
            What::Gap(_) | What::Total { .. } | What::Unknown(_) => 0,
            What::Known(kind) if kind.code == event::USER => 0,
            _ => self.test_cycles + self.store_cycles * (1 + u64::from(event.argument.is_some())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Epoch;

    #[test]
    fn an_event_costs_its_test_and_a_store_a_word() {
        let probe = Probe { test_cycles: 7, store_cycles: 5, measured: true };
        let event = |code: u16, argument| {
            let what = What::Known(event::kind(code).unwrap());
            Event { epoch: Epoch::Certain(0), time: 0, smi: 1, index: 0, what, argument, doubtful: false }
        };
        assert_eq!(probe.cost(&event(event::TRAP7, None)), 12);
        assert_eq!(probe.cost(&event(event::RX_MPC, Some(1))), 17);
        assert_eq!(probe.cost(&event(event::USER, Some(1))), 0);
    }
}
