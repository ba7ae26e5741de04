//! Signals of the generated Verilog that the engine looks at, and its memories.

use super::model::{Banks, Model, Storage, POINTS};
use super::verilog::Public;
use crate::engine::EngineError;
use crate::probes;
use testbed_hdl::ram::BANKS;
use testbed_machine::Core;

/// What the shim samples in every cycle, in its order, with the bytes each has; of a machine with
/// another core, `core` is [`instance_of`] that.
const SAMPLED: [(&str, u32); POINTS] = [
    ("core$retire_valid", 1),
    ("core$retire_half", 1),
    ("core$retire_trap", 1),
    ("core$retire_pc", 4),
    ("core$retire_instruction", 4),
    ("core$retire_rd", 1),
    ("core$retire_value", 4),
    ("core$retire_cause", 4),
    ("core$retire_tval", 4),
    ("core$retire_load", 1),
    ("core$retire_store", 1),
    ("core$retire_address", 4),
    ("core$retire_data", 4),
    ("core$retire_mask", 1),
    ("uart$tx_valid", 1),
    ("uart$tx_data", 1),
    ("system$exit_valid", 1),
    ("system$exit_code", 4),
];

/// The UART's divisor, which the far end of the serial line follows.
const DIVISOR: &str = "divisor_flipped$q";

/// What a processor's core of that kind is called.
fn instance_of(core: Core) -> &'static str {
    match core {
        Core::Multicycle => "core",
        Core::Pipelined => "pipeline",
    }
}

/// What the entry `sampled` of [`SAMPLED`] is called with a core of that kind.
fn with_core(sampled: &str, core: Core) -> String {
    match sampled.strip_prefix("core$") {
        Some(port) => format!("{}${port}", instance_of(core)),
        None => sampled.into(),
    }
}

/// Which signals of which modules become public.
pub(super) fn public(module: &str, name: &str) -> Option<Public> {
    let instance = module.strip_prefix("top$")?;
    if let Some(inside) = instance.strip_prefix("processors$") {
        let block = inside.split_once('$').map(|(_, block)| block);
        match block {
            None if is_sampled(name) => return Some(Public::Read),
            Some("uart") if name == DIVISOR => return Some(Public::Read),
            Some("ram") if BANKS.contains(&name) => return Some(Public::ReadWrite),
            _ => {}
        }
    }
    probes::is_counter(instance, name).then_some(Public::Read)
}

/// The shim samples what is called so in a processor, whatever its core.
fn is_sampled(name: &str) -> bool {
    SAMPLED.iter().any(|(sampled, _)| Core::ALL.iter().any(|&core| with_core(sampled, core) == name))
}

/// Storage of what the shim samples of the processor that is `processors$INSTANCE`, whose core is
/// of that kind.
pub(super) fn points(model: &Model, instance: usize, core: Core) -> Result<[Storage; POINTS], EngineError> {
    let scope = format!("top.processors${instance}");
    let mut points = [Storage::NONE; POINTS];
    for (point, (name, bytes)) in points.iter_mut().zip(SAMPLED) {
        *point = model.find(&scope, &with_core(name, core), bytes)?;
    }
    Ok(points)
}

/// The banks of the RAM of the processor that is `processors$INSTANCE`.
pub(super) fn banks(model: &Model, instance: usize) -> Result<Banks, EngineError> {
    let scope = format!("top.processors${instance}.ram");
    Ok([model.find(&scope, BANKS[0], 4)?, model.find(&scope, BANKS[1], 4)?])
}

/// Storage of the divisor of the console's UART, which is that of the first processor.
pub(super) fn divisor(model: &Model) -> Result<Storage, EngineError> {
    model.find("top.processors$0.uart", DIVISOR, 2)
}

/// Value of a counter of 16 or 32 bits.
pub(super) fn read(model: &Model, scope: &str, name: &str) -> Result<u32, EngineError> {
    model.value(&format!("top.{scope}"), name)
}
