//! The ledger of an engine, from its hardware counters.

use testbed_emulator::engine::{Engine, SmiCounters, StationCounters};
use testbed_trace::ledger::{Ledger, SmiLine, StationLine};

/// Reads the counters of `engine` as they are now.
pub fn ledger(engine: &dyn Engine) -> Ledger {
    let names = &engine.machine().processors;
    let smis = (1..names.len()).map(|smi| smi_line(&names[smi], engine.smi(smi)));
    let stations = (0..names.len()).map(|station| station_line(&names[station], engine.station(station)));
    Ledger { smis: smis.collect(), stations: stations.collect() }
}

fn smi_line(name: &str, counters: SmiCounters) -> SmiLine {
    let SmiCounters { emitted, dropped, refused, filtered, markers, queued, delivered } = counters;
    SmiLine { processor: name.into(), emitted, markers, delivered, queued, dropped, refused, filtered }
}

fn station_line(name: &str, counters: StationCounters) -> StationLine {
    let StationCounters {
        tx_packets,
        tx_dropped,
        tx_corrupted,
        tx_no_station,
        tx_refused,
        tx_retries,
        rx_packets,
        rx_crc_errors,
        tx_broadcasts,
        tx_resent,
        receiving,
    } = counters;
    StationLine {
        processor: name.into(),
        tx_packets,
        tx_dropped,
        tx_corrupted,
        tx_no_station,
        tx_refused,
        tx_retries,
        rx_packets,
        rx_crc_errors,
        tx_broadcasts: Some(tx_broadcasts),
        tx_resent,
        receiving,
    }
}
