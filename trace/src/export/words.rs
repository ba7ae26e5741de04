//! What every format says of an event, without making the same text twice.

use std::collections::HashMap;

use testbed_definitions::event::{MORE, SCHEDULE};
use testbed_definitions::filter::total_marker;
use testbed_definitions::monitor::GAP_MARKER;
use testbed_machine::units::PICOSECONDS;

use crate::capture::RunRecord;
use crate::order::{Epoch, Event, What};
use crate::summary::{detail, processor_text};

/// Texts kept for later; as many as there are values of a few fields, so that this bounds memory and hardly ever speed.
const DETAILS_MAX: usize = 1 << 16;

/// Names, times and meanings for one run.
pub struct Words<'a> {
    pub record: &'a RunRecord,
    processors: Vec<String>,
    /// By kind and value.
    details: HashMap<(u16, u32), String>,
}

impl<'a> Words<'a> {
    pub fn new(record: &'a RunRecord) -> Self {
        let processors = (0..16).map(|number| processor_text(number, &record.machine.processors)).collect();
        Words { record, processors, details: HashMap::new() }
    }

    /// What the event's value means; see [`detail`].
    pub fn detail(&mut self, event: &Event) -> &str {
        self.both(event).1
    }

    /// The processor's name.
    pub fn processor(&self, smi: u8) -> &str {
        self.processors.get(smi as usize).map_or("?", String::as_str)
    }

    /// The processor's name, and what the event's value means.
    pub fn both(&mut self, event: &Event) -> (&str, &str) {
        if self.details.len() >= DETAILS_MAX {
            self.details.clear();
        }
        let detail = self.details.entry(key(event)).or_insert_with(|| detail(event, self.record));
        (self.processors.get(event.smi as usize).map_or("?", String::as_str), detail)
    }

    /// Picoseconds since the start, rounded down.
    pub fn picoseconds(&self, ticks: u64) -> u128 {
        let machine = &self.record.machine;
        u128::from(ticks) * u128::from(machine.tick_cycles) * PICOSECONDS / u128::from(machine.clock_hz.max(1))
    }

    /// Microseconds since the start, as near as a double can be.
    pub fn microseconds(&self, ticks: u64) -> f64 {
        let machine = &self.record.machine;
        let cycles = u128::from(ticks) * u128::from(machine.tick_cycles);
        (cycles * 1_000_000) as f64 / f64::from(machine.clock_hz.max(1))
    }
}

/// Kind and value: where they are equal, [`detail`] says the same.
pub fn key(event: &Event) -> (u16, u32) {
    let kind = match event.what {
        // Kinds have codes of 14 bits.
        What::Known(kind) => kind.code,
        What::Unknown(_) => MORE,
        What::Schedule(_) | What::Joins(_) | What::Leaves(_) => SCHEDULE,
        What::Gap(_) => MORE | SCHEDULE,
        What::Total { rule, .. } => MORE | SCHEDULE | (u16::from(rule) + 1),
    };
    // A lost argument is no value that an event can have: gaps have 24 bits, totals 20, the others 16.
    (kind, event.value().unwrap_or(u32::MAX))
}

/// The event's first word without what is in its value: a kind's code, `0x4000` for SCHEDULE and
/// JOINS, 0 for LEAVES, `0xab00` for GAP, `0xabc0` and 16 times the rule for TOTAL.
pub fn code(event: &Event) -> u16 {
    match event.what {
        What::Known(kind) => kind.code,
        What::Unknown(code) => code,
        What::Schedule(_) | What::Joins(_) => SCHEDULE,
        What::Leaves(_) => 0,
        What::Gap(_) => u16::from(GAP_MARKER) << 8,
        What::Total { rule, .. } => total_marker(rule, 0),
    }
}

/// Highest epoch in which the event can have been; `None` if nothing bounds it.
pub fn epoch_high(event: &Event) -> Option<u64> {
    match event.epoch {
        Epoch::Certain(epoch) => Some(epoch),
        Epoch::Ambiguous { high, .. } => high,
    }
}

/// Highest time of the event in ticks since the start; `None` if nothing bounds it.
pub fn ticks_high(event: &Event) -> Option<u64> {
    epoch_high(event).map(|epoch| epoch << 16 | u64::from(event.time))
}
