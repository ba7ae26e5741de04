//! The `verilator` engine: the Verilog that rust-hdl generates for a machine, compiled by Verilator.
//!
//! | module | what it does |
//! |---|---|
//! | [`verilog`] | merges equal modules, marks the signals that the engine looks at |
//! | [`processes`] | splits combinational processes, for speed |
//! | [`compile`] | builds the shared object, or finds it in the cache |
//! | [`model`] | loads it; the interface to `shim.cpp`, which runs the cycles |

pub mod compile;
pub mod model;
mod names;
pub mod processes;
mod shim;
pub mod verilog;

use std::sync::Arc;

use testbed_definitions::map;
use testbed_hdl::machine;
use testbed_machine::Machine;

use crate::engine::{
    ConsoleByte, Engine, EngineError, Exit, Image, Retirement, SmiCounters, StationCounters, TraceWord,
};
use crate::probes;
use crate::waves::Waves;
use compile::{Source, WaveFormat};
use model::{Banks, Model, Program};

/// The machine's Verilog as this engine compiles it: equal modules merged, processes split, what
/// the engine looks at made public.
///
/// # Errors
/// The hardware cannot be generated from the description.
pub fn published_verilog(machine: &Machine) -> Result<String, EngineError> {
    generated_verilog(machine).map(|generated| publish(&generated))
}

fn generated_verilog(machine: &Machine) -> Result<String, EngineError> {
    machine::verilog(machine).map_err(|error| EngineError::Failed(error.to_string()))
}

fn publish(generated: &str) -> String {
    let merged = verilog::merge_equal_modules(generated);
    let published = verilog::publish(&processes::split_processes(&merged), names::public);
    // One copy of a processor's code for all of them: half the build, and it stays in the instruction cache.
    verilog::keep_module(&published, "top$processors$0")
}

/// A machine description, compiled: makes engines in cycle 0 as often as one likes.
#[derive(Clone)]
pub struct Compiled {
    machine: Machine,
    program: Program,
    format: Option<WaveFormat>,
    /// Every instance by path, `$` between its names, as rust-hdl names its module.
    instances: Arc<[String]>,
}

impl Compiled {
    /// Compiles `machine`, or takes it from the cache; `progress` is told what takes long.
    ///
    /// # Errors
    /// See [`compile::shared_object`].
    pub fn new(
        machine: &Machine,
        format: Option<WaveFormat>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, EngineError> {
        let generated = generated_verilog(machine)?;
        let instances = verilog::module_names(&generated).into();
        let object = compile::shared_object(&Source { verilog: &publish(&generated), waves: format }, progress)?;
        Ok(Compiled { machine: machine.clone(), program: Program::load(&object)?, format, instances })
    }

    /// A fresh engine in cycle 0.
    ///
    /// # Errors
    /// The image does not fit, or the model lacks a signal that the engine needs.
    pub fn engine(&self, image: &Image) -> Result<Verilator, EngineError> {
        let processors = self.machine.processors.len();
        let mut model = self.program.model(image.entry, processors)?;
        let mut memories = Vec::with_capacity(processors);
        for processor in 0..processors {
            let Some(instance) = self.machine.instance(processor) else {
                memories.push(None);
                continue;
            };
            model.bind_processor(processor, &names::points(&model, instance, self.machine.core)?);
            memories.push(Some(names::banks(&model, instance)?));
        }
        model.bind_line(names::divisor(&model)?);
        let mut engine =
            Verilator { machine: self.machine.clone(), model, memories, waves: None, format: self.format, open: false };
        for (start, bytes) in &image.segments {
            probes::check_range(&self.machine, *start, bytes.len())?;
            (0..processors).for_each(|processor| engine.copy_to_ram(processor, *start, bytes));
        }
        engine.model.settle();
        Ok(engine)
    }
}

/// A running machine.
pub struct Verilator {
    machine: Machine,
    model: Model,
    /// RAM of each processor; none of a master that is no processor.
    memories: Vec<Option<Banks>>,
    waves: Option<Waves>,
    format: Option<WaveFormat>,
    /// The wave file is being written.
    open: bool,
}

impl Verilator {
    /// Compiles `machine` if needed and starts `image` on it.
    ///
    /// # Errors
    /// Tools are missing or fail, or the image does not fit.
    pub fn new(machine: &Machine, image: &Image) -> Result<Self, EngineError> {
        Compiled::new(machine, None, &mut |_| ())?.engine(image)
    }

    /// As [`Verilator::new`], for a run that also writes `waves`: FST if the file's name ends in `.fst`, else VCD.
    ///
    /// # Errors
    /// As [`Verilator::new`], or the scope is not in the machine.
    pub fn with_waves(
        machine: &Machine,
        image: &Image,
        waves: Waves,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self, EngineError> {
        let is_fst = waves.path.extension().is_some_and(|extension| extension == "fst");
        let format = if is_fst { WaveFormat::Fst } else { WaveFormat::Vcd };
        let compiled = Compiled::new(machine, Some(format), progress)?;
        if !compiled.instances.contains(&waves.top().replace('.', "$")) {
            return Err(waves.no_instance());
        }
        let mut engine = compiled.engine(image)?;
        engine.waves = Some(waves);
        Ok(engine)
    }

    /// What this build can write waves to.
    pub fn wave_format(&self) -> Option<WaveFormat> {
        self.format
    }

    fn copy_to_ram(&mut self, processor: usize, address: u32, bytes: &[u8]) {
        let offset = (address - map::RAM_BASE) as usize;
        assert!(offset + bytes.len() <= self.machine.ram_bytes as usize, "inside RAM");
        let Some(memory) = self.memories[processor] else { return };
        // SAFETY: the memory has `ram_bytes` bytes.
        unsafe { self.model.write_memory(memory, offset, bytes) }
    }

    fn read(&self, scope: &str, name: &str) -> Result<u32, EngineError> {
        names::read(&self.model, scope, name)
    }

    /// Opens or closes the wave file if this is the cycle for it; gives the next cycle at which to ask again.
    fn waves_until(&mut self, until: u64) -> Result<u64, EngineError> {
        let cycle = self.model.cycle();
        let Some(waves) = &self.waves else { return Ok(until) };
        if !self.open && (waves.from..waves.until).contains(&cycle) {
            let scope = format!("TOP.{}", waves.top());
            self.model.open_waves(waves, &scope, self.machine.clock_hz)?;
            self.open = true;
        }
        if self.open && cycle >= waves.until {
            self.model.close_waves();
            self.open = false;
        }
        let stop = [waves.from, waves.until].into_iter().filter(|&stop| stop > cycle).min();
        Ok(stop.map_or(until, |stop| stop.min(until)))
    }
}

impl Drop for Verilator {
    fn drop(&mut self) {
        if self.open {
            self.model.close_waves();
        }
    }
}

impl Engine for Verilator {
    fn name(&self) -> &'static str {
        "verilator"
    }
    fn machine(&self) -> &Machine {
        &self.machine
    }
    fn cycle(&self) -> u64 {
        self.model.cycle()
    }
    fn run_until(&mut self, until: u64) -> Result<(), EngineError> {
        while self.model.cycle() < until {
            let stop = self.waves_until(until)?;
            self.model.run(stop);
        }
        self.waves_until(until).map(|_| ())
    }
    fn take_trace(&mut self) -> Vec<TraceWord> {
        self.model.take_trace()
    }
    fn take_console(&mut self) -> Vec<ConsoleByte> {
        self.model.take_console()
    }
    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        self.model.give(bytes);
        Ok(())
    }
    fn console_waiting(&mut self) -> usize {
        self.model.waiting()
    }
    fn exits(&self) -> Vec<Exit> {
        self.model.exits()
    }
    fn instructions(&self, processor: usize) -> u64 {
        self.model.retired(processor)
    }
    fn smi(&self, processor: usize) -> SmiCounters {
        probes::smi_counters(processor, |scope, name| self.read(scope, name)).expect("found when the engine was made")
    }
    fn station(&self, processor: usize) -> StationCounters {
        probes::station_counters(&self.machine, processor, |scope, name| self.read(scope, name))
            .expect("found when the engine was made")
    }
    fn port_queued(&self) -> u32 {
        probes::port_queued(|scope, name| self.read(scope, name)).expect("found when the engine was made")
    }
    fn read_ram(&self, processor: usize, address: u32, bytes: &mut [u8]) {
        let offset = (address - map::RAM_BASE) as usize;
        assert!(offset + bytes.len() <= self.machine.ram_bytes as usize, "inside RAM");
        let Some(memory) = self.memories[processor] else { return bytes.fill(0) };
        // SAFETY: the memory has `ram_bytes` bytes.
        unsafe { self.model.read_memory(memory, offset, bytes) }
    }
    fn write_ram(&mut self, processor: usize, address: u32, bytes: &[u8]) {
        self.copy_to_ram(processor, address, bytes);
        self.model.settle();
    }
    fn record_retirements(&mut self, processor: Option<usize>) {
        self.model.record(processor);
    }
    fn take_retirements(&mut self) -> Vec<Retirement> {
        self.model.take_retirements()
    }
}
