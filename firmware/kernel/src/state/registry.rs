//! The processes that this processor has something of, found by home and place; the generation tells
//! a process from those that had its place before.

use core::mem::offset_of;
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::process::{FIRST_GENERATION, LAST_GENERATION};

use crate::state::process::Process;
use crate::variant;

/// Homes times places.
pub const PROCESSES_KNOWN: usize = variant::PROCESSES_KNOWN;

/// Where the tables have a process.
pub const fn slot(id: ProcessId) -> usize {
    id.index() & (PROCESSES_KNOWN - 1)
}

/// The records, by home and place.
pub struct Processes {
    records: [Process; PROCESSES_KNOWN],
    /// The oldest generation of each place that has not ended yet.
    living: [u8; PROCESSES_KNOWN],
    suspended: [u32; PROCESSES_KNOWN.div_ceil(32)],
}

/// The generation after this one.
const fn after(generation: u8) -> u8 {
    if generation == LAST_GENERATION {
        FIRST_GENERATION
    } else {
        generation + 1
    }
}

impl Processes {
    pub const fn new() -> Self {
        Processes {
            records: [Process::NONE; PROCESSES_KNOWN],
            living: [FIRST_GENERATION; PROCESSES_KNOWN],
            suspended: [0; PROCESSES_KNOWN.div_ceil(32)],
        }
    }

    /// Bytes from its start to the records.
    pub const RECORDS: usize = offset_of!(Processes, records);

    /// Something of this process is here from now on: nothing was of any with its home and place.
    pub fn add(&mut self, process: Process) {
        self.records[slot(process.id())] = process;
    }

    /// The process with this home and place (`definitions::process::index`), if something of it is
    /// here.
    #[inline]
    pub fn at(&self, index: usize) -> Option<Process> {
        let process = self.records[index & (PROCESSES_KNOWN - 1)];
        (process != Process::NONE).then_some(process)
    }

    /// Nothing is known of the process any more but that it has ended.
    pub fn forget(&mut self, id: ProcessId) {
        if !self.is_over(id) {
            self.records[slot(id)] = Process::NONE;
            self.living[slot(id)] = after(id.generation());
            self.set_suspended(id, false);
        }
    }

    /// The generation of the next process in a place.
    pub fn next_generation(&self, home: Processor, place: u8) -> u8 {
        self.living[slot(ProcessId::new(home, place, 0))]
    }

    /// Notes whether the process's threads may run, for when its record is made.
    pub fn set_suspended(&mut self, id: ProcessId, suspended: bool) {
        let bit = 1 << (slot(id) % 32);
        let word = &mut self.suspended[slot(id) / 32];
        *word = if suspended { *word | bit } else { *word & !bit };
    }

    /// Whether the process's threads may not run.
    pub fn is_suspended(&self, id: ProcessId) -> bool {
        self.suspended[slot(id) / 32] & 1 << (slot(id) % 32) != 0
    }

    /// Whether the process has ended before.
    pub fn is_over(&self, id: ProcessId) -> bool {
        // Generations have seven bits.
        ((id.generation().wrapping_sub(self.living[slot(id)]) << 1) as i8) < 0
    }
}
