//! Where the machine's counters are in the RTL, for the engines that run it.
//!
//! Paths are those of rust-hdl's hierarchy below the machine; the generated Verilog has the same.

use testbed_definitions::map;
use testbed_machine::Machine;

use crate::engine::{EngineError, SmiCounters, StationCounters};

/// Signals that [`station_counters`] reads in `processors$N.station$0`.
const STATION: [&str; 11] = [
    "transmitter$packets",
    "transmitter$dropped",
    "transmitter$corrupted",
    "transmitter$no_station",
    "transmitter$refused",
    "transmitter$retries",
    "receiver$packets",
    "receiver$crc_errors",
    "transmitter$broadcasts",
    "transmitter$resent",
    "receiver$blocked",
];

/// Signals that [`smi_counters`] reads in `smi$N`.
const SMI: [&str; 8] =
    ["emitted$q", "dropped_now", "refused$q", "filtered_now", "markers$q", "write_index$q", "read_index$q", "latched"];

/// Signals that [`port_queued`] reads in `port`.
const PORT: [&str; 2] = ["write_index$q", "read_index$q"];

/// Whether signal `name` of the module of `instance` (as in `processors$0$station`) is one that the
/// functions below read.
pub fn is_counter(instance: &str, name: &str) -> bool {
    if instance.starts_with("processors$") && instance.ends_with("$station$0") {
        STATION.contains(&name)
    } else if instance.starts_with("smi$") && !instance["smi$".len()..].contains('$') {
        SMI.contains(&name)
    } else if instance == "port" {
        PORT.contains(&name)
    } else {
        instance == "mmi" && name.starts_with("delivered$") && name.ends_with("$q")
    }
}

/// Reads the counters of processor `processor`'s station, all 0 in a machine without Centrenet;
/// `read` takes instance path (separated by dots) and signal.
pub fn station_counters<E>(
    machine: &Machine,
    processor: usize,
    mut read: impl FnMut(&str, &str) -> Result<u32, E>,
) -> Result<StationCounters, E> {
    if machine.headless {
        return Ok(StationCounters::default());
    }
    let scope = format!("processors${processor}.station$0");
    let mut next = STATION.iter().map(|name| read(&scope, name));
    let mut value = move || next.next().expect("as many names as fields");
    Ok(StationCounters {
        tx_packets: value()?,
        tx_dropped: value()?,
        tx_corrupted: value()?,
        tx_no_station: value()?,
        tx_refused: value()?,
        tx_retries: value()?,
        rx_packets: value()?,
        rx_crc_errors: value()?,
        tx_broadcasts: value()?,
        tx_resent: value()?,
        receiving: value()?,
    })
}

/// Reads the counters of slave `processor`'s SMI, 1 or more.
pub fn smi_counters<E>(processor: usize, mut read: impl FnMut(&str, &str) -> Result<u32, E>) -> Result<SmiCounters, E> {
    let scope = format!("smi${}", processor - 1);
    let mut values = [0; SMI.len()];
    for (value, name) in values.iter_mut().zip(SMI) {
        *value = read(&scope, name)?;
    }
    let [emitted, dropped, refused, filtered, markers, write_index, read_index, latched] = values;
    let queued = u32::from((write_index as u16).wrapping_sub(read_index as u16)) + (latched & 1);
    let delivered = read("mmi", &format!("delivered${processor}$q"))?;
    Ok(SmiCounters { emitted, dropped, refused, filtered, markers, queued, delivered })
}

/// Reads how many words wait in the trace port's FIFO.
pub fn port_queued<E>(mut read: impl FnMut(&str, &str) -> Result<u32, E>) -> Result<u32, E> {
    let [write_index, read_index] = PORT;
    let (write_index, read_index) = (read("port", write_index)?, read("port", read_index)?);
    Ok(u32::from((write_index as u16).wrapping_sub(read_index as u16)))
}

/// Checks that a segment lies in RAM.
///
/// # Errors
/// The bytes are not all in RAM.
pub(crate) fn check_range(machine: &Machine, start: u32, length: usize) -> Result<(), EngineError> {
    let offset = start.wrapping_sub(map::RAM_BASE) as usize;
    if start < map::RAM_BASE || offset + length > machine.ram_bytes as usize {
        return Err(EngineError::Failed(format!(
            "{length} bytes at {start:#010x} are not in the RAM of machine {}, which has {} bytes from {:#010x}",
            machine.name,
            machine.ram_bytes,
            map::RAM_BASE
        )));
    }
    Ok(())
}
