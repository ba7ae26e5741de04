//! The emulator: an instruction-level model of the machine, exact to the cycle.
//!
//! `schedule` runs the processors window by window, `hart` is a processor, `shared` what they share,
//! [`crate::model`] what it is made of.

use crate::engine::{
    machine_without_master, ConsoleByte, Engine, EngineError, Exit, Image, Retirement, SmiCounters, StationCounters,
    TraceWord,
};
use crate::hart::Hart;
use crate::ram::Ram;
use crate::schedule::{Core, Schedule};
use crate::shared::Shared;
use testbed_definitions::map::RAM_BASE;
use testbed_machine::Machine;

/// A machine that runs in the emulator.
pub struct Emulator {
    machine: Machine,
    schedule: Schedule<Hart>,
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
        let harts = (0..machine.processors.len()).map(|number| Hart::new(machine, number, image.entry)).collect();
        let schedule = Schedule::new(harts, Shared::new(machine));
        let mut emulator = Emulator { machine: machine.clone(), schedule };
        for (address, bytes) in &image.segments {
            let start = u64::from(address.wrapping_sub(RAM_BASE));
            if start + bytes.len() as u64 > u64::from(machine.ram_bytes) {
                let (length, ram) = (bytes.len(), machine.ram_bytes);
                return Err(EngineError::Failed(format!(
                    "segment of {length} bytes at {address:#010x} is not within the {ram} bytes of RAM at {RAM_BASE:#010x}"
                )));
            }
            for processor in 0..machine.processors.len() {
                emulator.write_ram(processor, *address, bytes);
            }
        }
        Ok(emulator)
    }

    /// Has code translated once so many instructions have been interpreted from a place on; with 0
    /// at the first chance. Nothing but the time that runs take depends on it.
    pub fn translate_after(&mut self, instructions: u32) {
        self.schedule.shared.translator.worth = instructions;
    }

    /// Instructions that translated code has executed so far, those included that a processor
    /// which was ahead of the others has taken back.
    pub fn translated(&self) -> u64 {
        self.schedule.shared.translator.executed
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
        self.schedule.cycle()
    }

    fn run_until(&mut self, until: u64) -> Result<(), EngineError> {
        self.schedule.run_until(until);
        Ok(())
    }

    fn take_trace(&mut self) -> Vec<TraceWord> {
        self.schedule.shared.monitor.take_trace()
    }

    fn take_console(&mut self) -> Vec<ConsoleByte> {
        let (cycle, mut bytes) = (self.cycle(), Vec::new());
        for (number, processor) in self.schedule.cores.iter_mut().enumerate() {
            let sent = processor.uart.take_sent(cycle);
            bytes.extend(sent.into_iter().map(|(cycle, byte)| ConsoleByte { cycle, processor: number as u8, byte }));
        }
        bytes.sort_by_key(|byte| (byte.cycle, byte.processor));
        bytes
    }

    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        let cycle = self.cycle();
        self.schedule.cores[0].uart.give(bytes, cycle);
        Ok(())
    }

    fn console_waiting(&mut self) -> usize {
        let cycle = self.cycle();
        self.schedule.cores[0].uart.waiting(cycle)
    }

    fn exits(&self) -> Vec<Exit> {
        let exit = |(number, processor): (usize, &Hart)| {
            let (cycle, code) = processor.system.exit()?;
            Some(Exit { cycle, processor: number as u8, code })
        };
        let mut exits: Vec<Exit> = self.schedule.cores.iter().enumerate().filter_map(exit).collect();
        exits.sort_by_key(|exit| (exit.cycle, exit.processor));
        exits
    }

    fn instructions(&self, processor: usize) -> u64 {
        self.schedule.cores[processor].instructions(self.cycle())
    }

    fn smi(&self, processor: usize) -> SmiCounters {
        self.schedule.shared.monitor.counters(processor, self.cycle())
    }

    fn station(&self, processor: usize) -> StationCounters {
        self.schedule.shared.network.counters(processor, self.cycle())
    }

    fn port_queued(&self) -> u32 {
        self.schedule.shared.monitor.port_queued(self.cycle())
    }

    fn read_ram(&self, processor: usize, address: u32, bytes: &mut [u8]) {
        let hart = &self.schedule.cores[processor];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let offset = address.wrapping_sub(RAM_BASE) + at as u32;
            *byte = hart.word(offset & !3).to_le_bytes()[offset as usize % 4];
        }
    }

    fn write_ram(&mut self, processor: usize, address: u32, bytes: &[u8]) {
        let ram = self.schedule.cores[processor].ram();
        for (at, byte) in bytes.iter().enumerate() {
            let offset = address.wrapping_sub(RAM_BASE) + at as u32;
            let mut word = ram.read(offset & !3).to_le_bytes();
            word[offset as usize % 4] = *byte;
            ram.write_behind(offset & !3, u32::from_le_bytes(word));
        }
    }

    fn record_retirements(&mut self, processor: Option<usize>) {
        for (number, hart) in self.schedule.cores.iter_mut().enumerate() {
            hart.record(processor == Some(number));
        }
    }

    fn take_retirements(&mut self) -> Vec<Retirement> {
        let cycle = self.cycle();
        self.schedule.cores.iter_mut().find_map(|hart| hart.take_record(cycle)).unwrap_or_default()
    }
}

/// Whoever holds one may be another thread by and by.
const _: () = {
    const fn can_be_sent<T: Send>() {}
    can_be_sent::<Emulator>();
};
