//! What the processors share: the network and the monitor.

use crate::hart::Translator;
use crate::model::centrenet::{DmaMemory, Hazards, Network};
use crate::model::monitor::Monitor;
use testbed_machine::Machine;

/// The blocks that connect processors. Whatever one processor does to them, another sees
/// `LOOKAHEAD` cycles later at the earliest.
pub(crate) struct Shared {
    pub network: Network,
    pub monitor: Monitor,
    /// Processors run ahead of each other: the network is idle, and stays so until somebody does
    /// what others may see, which nobody does meanwhile.
    pub ahead: bool,
    /// What processors have translated: they run the same programs.
    pub translator: Translator,
}

impl Shared {
    pub fn new(machine: &Machine) -> Self {
        let network = Network::new(machine.processors.len(), machine.ram_bytes);
        let translator = Translator::new(machine.ram_bytes as usize / 4);
        Shared { network, monitor: Monitor::new(machine), ahead: false, translator }
    }

    /// What DMA may touch of the station's RAM before the end of the window, if anything.
    #[inline]
    pub fn hazards(&self, station: usize) -> Option<Hazards> {
        // An idle network has nothing to do, and that is soon found out.
        if self.ahead || self.network.quiet_until() == u64::MAX {
            return None;
        }
        Some(self.network.hazards(station)).filter(|hazards| !hazards.is_empty())
    }

    /// Brings DMA on `memory` up to the start of `cycle`, if it may touch the word at `offset`.
    pub fn settle(&mut self, station: usize, memory: &mut impl Ram, offset: u32, cycle: u64) {
        if self.hazards(station).is_some_and(|hazards| hazards.contains(offset & !3)) {
            self.network.catch_up(station, cycle, &mut One { station, memory });
        }
    }
}

/// A processor's RAM as DMA sees it. Offsets are multiples of four.
pub(crate) trait Ram {
    /// The word at an offset.
    fn read(&self, offset: u32) -> u32;
    /// Writes the word at an offset behind the core's back: what the core has fetched stays as it
    /// was.
    fn write_behind(&mut self, offset: u32, value: u32);
}

/// The memory of the processor that runs.
struct One<'a, R> {
    station: usize,
    memory: &'a mut R,
}

impl<R: Ram> DmaMemory for One<'_, R> {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        debug_assert_eq!(station, self.station);
        self.memory.read(offset)
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        debug_assert_eq!(station, self.station);
        self.memory.write_behind(offset, value);
    }
}
