//! Signals of the generated Verilog that the engine looks at, and its memories.

use super::model::{Model, Storage, POINTS};
use super::verilog::Public;
use crate::engine::EngineError;
use crate::probes;

/// What the shim samples in every cycle, in its order, with the bytes each has.
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

/// Which signals of which modules become public.
pub(super) fn public(module: &str, name: &str) -> Option<Public> {
    let instance = module.strip_prefix("top$")?;
    if let Some(inside) = instance.strip_prefix("processors$") {
        let block = inside.split_once('$').map(|(_, block)| block);
        match block {
            None if SAMPLED.iter().any(|(sampled, _)| *sampled == name) => return Some(Public::Read),
            Some("uart") if name == DIVISOR => return Some(Public::Read),
            Some("ram") if name == "mem" => return Some(Public::ReadWrite),
            _ => {}
        }
    }
    probes::is_counter(instance, name).then_some(Public::Read)
}

/// Storage of what the shim samples of the processor that is `processors$INSTANCE`.
pub(super) fn points(model: &Model, instance: usize) -> Result<[Storage; POINTS], EngineError> {
    let scope = format!("top.processors${instance}");
    let mut points = [Storage::NONE; POINTS];
    for (point, (name, bytes)) in points.iter_mut().zip(SAMPLED) {
        *point = model.find(&scope, name, bytes)?;
    }
    Ok(points)
}

/// Storage of the divisor of the console's UART, which is that of the first processor.
pub(super) fn divisor(model: &Model) -> Result<Storage, EngineError> {
    model.find("top.processors$0.uart", DIVISOR, 2)
}

/// Value of a counter of 16 or 32 bits.
pub(super) fn read(model: &Model, scope: &str, name: &str) -> Result<u32, EngineError> {
    model.value(&format!("top.{scope}"), name)
}
