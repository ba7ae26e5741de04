//! The conservation ledger: every event emitted is accounted for, from the hardware's own counters.

use serde::{Deserialize, Serialize};

/// One SMI: `emitted + markers = delivered + queued + dropped + refused + filtered`. Counters are 32 bits and wrap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmiLine {
    pub processor: String,
    /// Stores to EVENT that completed.
    pub emitted: u32,
    /// Pairs that the SMI itself enqueued: wrap and gap markers, and filter's totals.
    pub markers: u32,
    /// Pairs that left the MMI and, of a run that was cut, its trace port.
    pub delivered: u32,
    /// Pairs that wait in the SMI and, when a run was cut, in the trace port's FIFO.
    pub queued: u32,
    /// Discarded since the queue was full, and counted by gap markers.
    pub dropped: u32,
    /// Refused since their value is a marker's.
    pub refused: u32,
    /// Taken out by the filter.
    #[serde(default)]
    pub filtered: u32,
}

/// One Centrenet station.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StationLine {
    pub processor: String,
    pub tx_packets: u32,
    pub tx_dropped: u32,
    pub tx_corrupted: u32,
    pub tx_no_station: u32,
    pub tx_refused: u32,
    pub tx_retries: u32,
    pub rx_packets: u32,
    pub rx_crc_errors: u32,
}

/// The counters of a whole machine at one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Of SMI 1 on.
    pub smis: Vec<SmiLine>,
    /// Of station 0 on.
    pub stations: Vec<StationLine>,
}

impl SmiLine {
    /// What is missing on the right-hand side (negative: too much); 0 if balanced.
    pub fn difference(&self) -> i32 {
        let left = self.emitted.wrapping_add(self.markers);
        let right = [self.queued, self.dropped, self.refused, self.filtered]
            .iter()
            .fold(self.delivered, |sum, n| sum.wrapping_add(*n));
        left.wrapping_sub(right) as i32
    }
}

impl Ledger {
    /// Pairs that wait in SMIs.
    pub fn queued(&self) -> u64 {
        self.smis.iter().map(|line| u64::from(line.queued)).sum()
    }

    /// One sentence for each SMI whose sides differ, and for the bus; empty if all balance.
    pub fn imbalances(&self) -> Vec<String> {
        self.smi_imbalances().into_iter().chain(self.bus_imbalances()).collect()
    }

    /// Every packet that was sent is received whole or with a CRC error, by one station or, if broadcast, by up to all others.
    /// The one packet that can be on the bus may be counted by its sender already.
    fn bus_imbalances(&self) -> Vec<String> {
        let sum = |field: fn(&StationLine) -> u32| self.stations.iter().map(|line| u64::from(field(line))).sum::<u64>();
        let (sent, corrupted) = (sum(|line| line.tx_packets), sum(|line| line.tx_corrupted));
        let (whole, spoiled) = (sum(|line| line.rx_packets), sum(|line| line.rx_crc_errors));
        let others = (self.stations.len() as u64).saturating_sub(1);
        let mut found = Vec::new();
        let mut check = |what: &str, sent: u64, received: u64| {
            if received + 1 < sent || received > sent * others {
                found.push(format!("Centrenet: {sent} packets sent{what}, {received} received so by {others} others"));
            }
        };
        check("", sent, whole + spoiled);
        check(" with a spoiled CRC", corrupted, spoiled);
        found
    }

    fn smi_imbalances(&self) -> Vec<String> {
        let unbalanced = self.smis.iter().filter(|line| line.difference() != 0);
        unbalanced
            .map(|line| {
                format!(
                    "SMI of {}: {} emitted + {} markers, but {} delivered + {} queued + {} dropped + {} refused + {} filtered ({:+})",
                    line.processor,
                    line.emitted,
                    line.markers,
                    line.delivered,
                    line.queued,
                    line.dropped,
                    line.refused,
                    line.filtered,
                    line.difference()
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> SmiLine {
        let processor = "earth".into();
        SmiLine {
            processor,
            emitted: u32::MAX,
            markers: 6,
            delivered: 1,
            queued: 1,
            dropped: 1,
            refused: 1,
            filtered: 1,
        }
    }

    #[test]
    fn counters_may_wrap() {
        assert_eq!(line().difference(), 0);
    }

    #[test]
    fn packets_can_be_broadcast_but_not_vanish() {
        let line = |tx_packets, rx_packets| StationLine { tx_packets, rx_packets, ..StationLine::default() };
        let bus = |stations: Vec<StationLine>| Ledger { smis: vec![], stations }.imbalances().len();
        assert_eq!(bus(vec![line(5, 0), line(0, 5), line(0, 0)]), 0);
        // Broadcasts, or one on the bus.
        assert_eq!(bus(vec![line(5, 0), line(0, 5), line(0, 5)]), 0);
        assert_eq!(bus(vec![line(5, 0), line(0, 4), line(0, 0)]), 0);
        assert_eq!(bus(vec![line(5, 0), line(0, 3), line(0, 0)]), 1);
        assert_eq!(bus(vec![line(5, 0), line(0, 5), line(0, 6)]), 1);
    }

    #[test]
    fn an_imbalance_is_named_with_its_processor() {
        let off = SmiLine { delivered: 0, ..line() };
        let ledger = Ledger { smis: vec![line(), off], stations: vec![] };
        let imbalances = ledger.imbalances();
        assert_eq!(imbalances.len(), 1);
        assert!(imbalances[0].contains("earth") && imbalances[0].ends_with("(+1)"), "{}", imbalances[0]);
    }
}
