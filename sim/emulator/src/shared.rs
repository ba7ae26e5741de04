//! What the processors share: the network and the monitor.

use crate::hart::Translator;
use crate::model::centrenet::{DmaMemory, Hazards, Network};
use crate::model::monitor::Monitor;
use crate::ram::Ram;
use testbed_machine::Machine;

/// The blocks that connect processors. Whatever one processor does to them, another sees
/// `LOOKAHEAD` cycles later at the earliest.
pub(crate) struct Shared {
    pub network: Network,
    pub monitor: Monitor,
    /// Processors run ahead of each other: the monitor learns of their events later.
    pub ahead: bool,
    /// What processors have translated: they run the same programs.
    pub translator: Translator,
}

/// What DMA may touch of a processor's RAM for some time.
pub(crate) struct Near {
    /// Nothing if there are none.
    pub hazards: Option<Hazards>,
    /// It holds for instructions that arrive before this cycle.
    pub until: u64,
}

/// Cycles for which hazards hold: words that DMA has passed need no care any more.
const NEAR_CYCLES: u64 = 64;

impl Shared {
    pub fn new(machine: &Machine) -> Self {
        let network = Network::new(machine.processors.len(), machine.ram_bytes);
        let translator = Translator::new(machine);
        Shared { network, monitor: Monitor::new(machine), ahead: false, translator }
    }

    /// What DMA may still touch of the station's RAM, if anything.
    #[inline]
    pub fn hazards(&self, station: usize) -> Option<Hazards> {
        // Mostly it has nothing to do, and that is soon found out.
        if !self.network.has_dma(station) {
            return None;
        }
        Some(self.network.hazards(station)).filter(|hazards| !hazards.is_empty())
    }

    /// The same for instructions that arrive in `arrival` or later, once DMA has done what such
    /// an instruction finds done.
    #[inline]
    pub fn near(&mut self, station: usize, memory: &mut impl Ram, arrival: u64) -> Near {
        let nothing = Near { hazards: None, until: u64::MAX };
        if !self.network.has_dma(station) {
            return nothing;
        }
        // It is fetched in the cycle before.
        self.network.catch_up(station, arrival - 1, &mut One { station, memory });
        let Some(hazards) = self.hazards(station) else { return nothing };
        // The second word of a pair is accessed in the second cycle after it has arrived.
        let free = self.network.dma_from(station).saturating_sub(2);
        if arrival < free {
            return Near { hazards: None, until: free };
        }
        Near { hazards: Some(hazards), until: arrival + NEAR_CYCLES }
    }

    /// Brings DMA on `memory` up to the start of `cycle`, if it may touch the word at `offset`.
    pub fn settle(&mut self, station: usize, memory: &mut impl Ram, offset: u32, cycle: u64) {
        if self.hazards(station).is_some_and(|hazards| hazards.contains(offset & !3)) {
            self.network.catch_up(station, cycle, &mut One { station, memory });
        }
    }
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
