//! The `rust-hdl` engine: rust-hdl's own simulation of the machine, stepped edge by edge.
//!
//! The slowest of the engines and the closest to the source: it runs the Rust of the blocks, not their Verilog.

mod line;
mod native;
mod waves;

use std::fs::File;
use std::io::BufWriter;

use testbed_definitions::map;
use testbed_machine::Machine;

use crate::engine::{
    machine_without_master, ConsoleByte, Engine, EngineError, Exit, Image, Retirement, SmiCounters, StationCounters,
    TraceWord,
};
use crate::probes;
use crate::waves::Waves;
use line::Line;
use native::{Native, Sample};
use waves::Vcd;

/// A machine simulated natively.
pub struct RustHdl {
    machine: Machine,
    hardware: Native,
    cycle: u64,
    recorded: Option<usize>,
    instructions: Vec<u64>,
    trace: Vec<TraceWord>,
    console: Vec<ConsoleByte>,
    exits: Vec<Exit>,
    retirements: Vec<Retirement>,
    line: Line,
    /// Level of the line as it is set.
    high: bool,
    waves: Option<Waves>,
    vcd: Option<Vcd<BufWriter<File>>>,
}

impl RustHdl {
    /// The machine in cycle 0 with `image` in every processor's RAM.
    ///
    /// # Errors
    /// The machine has no hardware, or the image does not fit into its RAM.
    pub fn new(machine: &Machine, image: &Image) -> Result<Self, EngineError> {
        if machine.headless {
            return Err(machine_without_master("rust-hdl", machine));
        }
        let processors = machine.processors.len();
        let hardware = Native::start(machine, image.entry)?;
        let mut engine = RustHdl {
            machine: machine.clone(),
            hardware,
            cycle: 0,
            recorded: None,
            instructions: vec![0; processors],
            trace: Vec::new(),
            console: Vec::new(),
            exits: Vec::new(),
            retirements: Vec::new(),
            line: Line::default(),
            high: true,
            waves: None,
            vcd: None,
        };
        for (start, bytes) in &image.segments {
            probes::check_range(machine, *start, bytes.len())?;
            (0..processors).for_each(|processor| engine.write_ram(processor, *start, bytes));
        }
        Ok(engine)
    }

    /// As [`RustHdl::new`], for a run that also writes `waves`, as VCD.
    ///
    /// # Errors
    /// As [`RustHdl::new`], or the scope is not in the machine.
    pub fn with_waves(machine: &Machine, image: &Image, waves: Waves) -> Result<Self, EngineError> {
        let mut engine = Self::new(machine, image)?;
        if Vcd::start(std::io::sink(), engine.hardware.block(), &waves, machine.clock_hz)?.is_empty() {
            return Err(waves.no_instance());
        }
        engine.waves = Some(waves);
        Ok(engine)
    }

    fn sample(&mut self) {
        let cycle = self.cycle;
        if let Some(word) = self.hardware.trace_word() {
            self.trace.push(TraceWord { cycle, word });
        }
        for processor in 0..self.instructions.len() {
            let Sample { retired, half, trapped, byte, exit } = self.hardware.sample(processor);
            self.instructions[processor] += u64::from(retired && !trapped);
            if (retired || half) && self.recorded == Some(processor) {
                self.retirements.push(Retirement { cycle, ..self.hardware.retirement(processor) });
            }
            let number = processor as u8;
            if let Some(byte) = byte {
                self.console.push(ConsoleByte { cycle, processor: number, byte });
            }
            let Some(code) = exit else { continue };
            if self.exits.iter().all(|exit| exit.processor != number) {
                // The register shows the store one cycle after it was made.
                self.exits.push(Exit { cycle: cycle - 1, processor: number, code });
            }
        }
    }

    /// Sets the serial line to its level in this cycle.
    fn drive_line(&mut self) -> Result<(), EngineError> {
        if self.line.is_idle() {
            return Ok(());
        }
        let (room, divisor) = self.hardware.line();
        let high = self.line.level(self.cycle, room, divisor);
        if high != self.high {
            self.high = high;
            self.hardware.set_line(high)?;
        }
        Ok(())
    }

    /// Writes the state of this cycle to the wave file, which it opens when it is time.
    fn dump(&mut self) -> Result<(), EngineError> {
        let Some(waves) = &self.waves else { return Ok(()) };
        if !(waves.from..waves.until).contains(&self.cycle) {
            return Ok(());
        }
        if self.vcd.is_none() {
            let file = File::create(&waves.path).map_err(|error| {
                EngineError::Failed(format!("waves cannot be written to {}: {error}", waves.path.display()))
            })?;
            self.vcd = Some(Vcd::start(BufWriter::new(file), self.hardware.block(), waves, self.machine.clock_hz)?);
        }
        if let Some(vcd) = &mut self.vcd {
            vcd.cycle(self.cycle, self.hardware.block())?;
        }
        Ok(())
    }

    /// Closes the wave file if this cycle is past it.
    fn finish_waves(&mut self) -> Result<(), EngineError> {
        let past = self.waves.as_ref().is_some_and(|waves| self.cycle >= waves.until);
        if let Some(vcd) = if past { self.vcd.take() } else { None } {
            vcd.finish(self.cycle)?;
        }
        Ok(())
    }

    fn counter(&self, scope: &str, name: &str) -> Result<u32, EngineError> {
        native::value(self.hardware.block(), scope, name)
            .ok_or_else(|| EngineError::Failed(format!("signal {scope}.{name} is not in the machine")))
    }
}

impl Drop for RustHdl {
    fn drop(&mut self) {
        if let Some(vcd) = self.vcd.take() {
            // Nobody can be told any more; what was written before is complete.
            let _ = vcd.finish(self.cycle);
        }
    }
}

impl Engine for RustHdl {
    fn name(&self) -> &'static str {
        "rust-hdl"
    }
    fn machine(&self) -> &Machine {
        &self.machine
    }
    fn cycle(&self) -> u64 {
        self.cycle
    }
    fn run_until(&mut self, until: u64) -> Result<(), EngineError> {
        while self.cycle < until {
            self.sample();
            self.dump()?;
            self.hardware.step()?;
            self.cycle += 1;
            self.drive_line()?;
            self.finish_waves()?;
        }
        Ok(())
    }
    fn take_trace(&mut self) -> Vec<TraceWord> {
        std::mem::take(&mut self.trace)
    }
    fn take_console(&mut self) -> Vec<ConsoleByte> {
        std::mem::take(&mut self.console)
    }
    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        self.line.give(bytes);
        self.drive_line()
    }
    fn console_waiting(&mut self) -> usize {
        self.line.waiting()
    }
    fn exits(&self) -> Vec<Exit> {
        self.exits.clone()
    }
    fn instructions(&self, processor: usize) -> u64 {
        self.instructions[processor]
    }
    fn smi(&self, processor: usize) -> SmiCounters {
        probes::smi_counters(processor, |scope, name| self.counter(scope, name)).expect("every SMI has its counters")
    }
    fn station(&self, processor: usize) -> StationCounters {
        probes::station_counters(&self.machine, processor, |scope, name| self.counter(scope, name))
            .expect("every station has its counters")
    }
    fn port_queued(&self) -> u32 {
        probes::port_queued(|scope, name| self.counter(scope, name)).expect("the trace port has its indices")
    }
    fn read_ram(&self, processor: usize, address: u32, bytes: &mut [u8]) {
        let words = self.hardware.ram(processor);
        for (address, byte) in (address - map::RAM_BASE..).zip(bytes) {
            *byte = words[address as usize / 4].to_le_bytes()[address as usize % 4];
        }
    }
    fn write_ram(&mut self, processor: usize, address: u32, bytes: &[u8]) {
        let words = self.hardware.ram_mut(processor);
        for (address, byte) in (address - map::RAM_BASE..).zip(bytes) {
            let word = &mut words[address as usize / 4];
            let mut lanes = word.to_le_bytes();
            lanes[address as usize % 4] = *byte;
            *word = u32::from_le_bytes(lanes);
        }
    }
    fn record_retirements(&mut self, processor: Option<usize>) {
        self.recorded = processor;
    }
    fn take_retirements(&mut self) -> Vec<Retirement> {
        std::mem::take(&mut self.retirements)
    }
}
