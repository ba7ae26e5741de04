//! The emulator: an instruction-level model of the machine, exact to the cycle.
//!
//! Time goes in windows of at most [`LOOKAHEAD`] cycles. Within a window no processor can affect another, so each runs to the
//! window's end by itself: by the *fast loop* (`fast.rs`), which knows registers and RAM only, and by the *exact step*
//! (`step.rs`) for everything else: traps, CSRs, devices, page-map walks, and everything while retirements are recorded or
//! DMA is near. What an instruction does lies in known cycles: it *arrives* (state D), the cycle after it executes (X).
//! A window executes the instructions whose X lies in it.
//!
//! | file | what it holds |
//! |---|---|
//! | `decode`, `alu` | instruction words and what they compute |
//! | `csr`, `translate` | CSRs; the TLB |
//! | `memory` | RAM with decoded instructions beside it |
//! | `processor` | state of a processor, its run through a window, sleep and interrupts |
//! | `fast`, `step` | the two ways to execute; `pair`: the step of register pairs |
//! | `shared` | network, monitor, the way to devices |

mod alu;
mod csr;
mod decode;
mod fast;
mod memory;
mod pair;
mod processor;
mod shared;
mod step;
mod translate;

use crate::engine::{
    machine_without_master, ConsoleByte, Engine, EngineError, Exit, Image, Retirement, SmiCounters, StationCounters,
    TraceWord,
};
use processor::Processor;
use shared::{All, Shared};
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::timing::LOOKAHEAD;
use testbed_machine::Machine;

/// A machine that runs in the emulator.
pub struct Emulator {
    machine: Machine,
    processors: Vec<Processor>,
    shared: Shared,
    cycle: u64,
}

impl Emulator {
    /// A machine at the start of cycle 0, every processor's RAM holding the image.
    ///
    /// # Errors
    /// A RAM size that is no power of two or too small, no processor, or a segment outside RAM.
    pub fn new(machine: &Machine, image: &Image) -> Result<Self, EngineError> {
        if machine.headless {
            return Err(machine_without_master("emulator", machine));
        }
        if machine.processors.is_empty() || !machine.ram_bytes.is_power_of_two() || machine.ram_bytes < 1024 {
            let (count, bytes) = (machine.processors.len(), machine.ram_bytes);
            return Err(EngineError::Failed(format!(
                "machine `{}` has {count} processors with {bytes} bytes of RAM each; it needs at least one, and a power of two",
                machine.name
            )));
        }
        let mut emulator = Emulator {
            machine: machine.clone(),
            processors: (0..machine.processors.len()).map(|n| Processor::new(machine, n, image.entry)).collect(),
            shared: Shared::new(machine),
            cycle: 0,
        };
        for (address, bytes) in &image.segments {
            let start = u64::from(address.wrapping_sub(RAM_BASE));
            if start + bytes.len() as u64 > u64::from(machine.ram_bytes) {
                let (length, ram) = (bytes.len(), machine.ram_bytes);
                return Err(EngineError::Failed(format!(
                    "segment of {length} bytes at {address:#010x} is not within the {ram} bytes of RAM at {RAM_BASE:#010x}"
                )));
            }
            for processor in 0..emulator.processors.len() {
                emulator.write_ram(processor, *address, bytes);
            }
        }
        Ok(emulator)
    }

    /// Runs one window, ending at `end`.
    fn run_window(&mut self, end: u64) {
        self.shared.network.advance(end, &mut All(&mut self.processors));
        self.shared.monitor.advance(end);
        for processor in &mut self.processors {
            processor.run(&mut self.shared, end);
        }
        self.cycle = end;
    }

    /// The cycle before which nothing happens because every processor sleeps; the present one if any is awake.
    fn asleep_until(&mut self) -> u64 {
        let mut wake = u64::MAX;
        for processor in &self.processors {
            match processor.sleeps_until(&mut self.shared) {
                Some(cycle) => wake = wake.min(cycle),
                None => return self.cycle,
            }
        }
        wake.min(self.shared.network.quiet_until())
    }
}

impl Engine for Emulator {
    fn name(&self) -> &'static str {
        "emulator"
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn run_until(&mut self, until: u64) -> Result<(), EngineError> {
        while self.cycle < until {
            let window = (self.cycle / LOOKAHEAD + 1) * LOOKAHEAD;
            // A sleep may end in the middle of a window, but windows begin and end where the strobe does.
            let quiet = self.asleep_until() / LOOKAHEAD * LOOKAHEAD;
            self.run_window(window.max(quiet).min(until));
        }
        // Whoever looks at RAM now sees all DMA that has been done.
        self.shared.network.settle(self.cycle, &mut All(&mut self.processors));
        Ok(())
    }

    fn take_trace(&mut self) -> Vec<TraceWord> {
        self.shared.monitor.take_trace()
    }

    fn take_console(&mut self) -> Vec<ConsoleByte> {
        let mut bytes = Vec::new();
        for (number, processor) in self.processors.iter_mut().enumerate() {
            let sent = processor.uart.take_sent(self.cycle);
            bytes.extend(sent.into_iter().map(|(cycle, byte)| ConsoleByte { cycle, processor: number as u8, byte }));
        }
        bytes.sort_by_key(|byte| (byte.cycle, byte.processor));
        bytes
    }

    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        self.processors[0].uart.give(bytes, self.cycle);
        Ok(())
    }

    fn console_waiting(&mut self) -> usize {
        self.processors[0].uart.waiting(self.cycle)
    }

    fn exits(&self) -> Vec<Exit> {
        let exit = |(number, processor): (usize, &Processor)| {
            let (cycle, code) = processor.system.exit()?;
            Some(Exit { cycle, processor: number as u8, code })
        };
        let mut exits: Vec<Exit> = self.processors.iter().enumerate().filter_map(exit).collect();
        exits.sort_by_key(|exit| (exit.cycle, exit.processor));
        exits
    }

    fn instructions(&self, processor: usize) -> u64 {
        let processor = &self.processors[processor];
        // One instruction may have begun and not be complete.
        processor.retired - u64::from(processor.complete > self.cycle)
    }

    fn smi(&self, processor: usize) -> SmiCounters {
        self.shared.monitor.counters(processor, self.cycle)
    }

    fn station(&self, processor: usize) -> StationCounters {
        self.shared.network.counters(processor, self.cycle)
    }

    fn port_queued(&self) -> u32 {
        self.shared.monitor.port_queued(self.cycle)
    }

    fn read_ram(&self, processor: usize, address: u32, bytes: &mut [u8]) {
        let words = &self.processors[processor].memory.words;
        for (index, byte) in bytes.iter_mut().enumerate() {
            let offset = address.wrapping_sub(RAM_BASE) as usize + index;
            *byte = words[offset / 4].to_le_bytes()[offset % 4];
        }
    }

    fn write_ram(&mut self, processor: usize, address: u32, bytes: &[u8]) {
        let memory = &mut self.processors[processor].memory;
        for (index, byte) in bytes.iter().enumerate() {
            let offset = address.wrapping_sub(RAM_BASE) as usize + index;
            let mut word = memory.words[offset / 4].to_le_bytes();
            word[offset % 4] = *byte;
            memory.write_behind(offset / 4, u32::from_le_bytes(word));
        }
    }

    fn record_retirements(&mut self, processor: Option<usize>) {
        for (number, unit) in self.processors.iter_mut().enumerate() {
            unit.record = (processor == Some(number)).then(Vec::new);
        }
    }

    fn take_retirements(&mut self) -> Vec<Retirement> {
        let Some(record) = self.processors.iter_mut().find_map(|unit| unit.record.as_mut()) else { return Vec::new() };
        // The last instruction may retire in a cycle that is still to come.
        let done = record.iter().rposition(|retirement| retirement.cycle < self.cycle).map_or(0, |last| last + 1);
        let later = record.split_off(done);
        std::mem::replace(record, later)
    }
}
