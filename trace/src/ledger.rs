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

fn is_zero(count: &u32) -> bool {
    *count == 0
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
    /// How many of the packets sent went to all other stations; absent in records from before it was counted.
    #[serde(default)]
    pub tx_broadcasts: Option<u32>,
    /// How many of the packets sent came to nobody and were sent again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tx_resent: u32,
    /// 1 while a packet comes in that its sender may have counted already, and the receiver has not.
    #[serde(default)]
    pub receiving: u32,
}

/// The counters of a whole machine at one cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// A line for each SMI, from SMI 1 on.
    pub smis: Vec<SmiLine>,
    /// A line for each station, from station 0 on.
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

    /// Words that full queues of SMIs discarded.
    pub fn dropped(&self) -> u64 {
        self.smis.iter().map(|line| u64::from(line.dropped)).sum()
    }

    /// One sentence for each SMI whose sides differ, and for the bus; empty if all balance.
    pub fn imbalances(&self) -> Vec<String> {
        self.smi_imbalances().into_iter().chain(self.bus_imbalances()).collect()
    }

    /// Every packet that was sent is received, whole or with a CRC error: a broadcast by all other
    /// stations, any other by one.
    fn bus_imbalances(&self) -> Vec<String> {
        let sum = |field: fn(&StationLine) -> u32| self.stations.iter().map(field).fold(0, u32::wrapping_add);
        let (sent, corrupted) = (sum(|line| line.tx_packets), sum(|line| line.tx_corrupted));
        let (whole, spoiled) = (sum(|line| line.rx_packets), sum(|line| line.rx_crc_errors));
        let received = whole.wrapping_add(spoiled);
        let others = (self.stations.len() as u32).saturating_sub(1);
        let mut broadcasts = self.stations.iter().map(|line| line.tx_broadcasts);
        let broadcasts = broadcasts.try_fold(0u32, |sum, count| Some(sum.wrapping_add(count?)));
        let mut found = Vec::new();
        match broadcasts {
            Some(broadcasts) => {
                let due = sent.wrapping_sub(broadcasts).wrapping_add(broadcasts.wrapping_mul(others));
                // The packet on the bus comes in at all its receivers; its sender has counted it, or has not yet.
                let missing = due.wrapping_sub(received);
                if missing != 0 && missing != sum(|line| line.receiving) {
                    found.push(format!(
                        "Centrenet: {sent} packets sent, of them {broadcasts} to all of {others} others, make {due}, but {received} were \
                         received ({:+})",
                        -i64::from(missing as i32)
                    ));
                }
            }
            None => found.extend(out_of_bounds("", sent, received, others)),
        }
        found.extend(out_of_bounds(" with a spoiled CRC", corrupted, spoiled, others));
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

/// Where broadcasts are not counted apart, each packet is received once at least, and by all others
/// at most. The one packet that can be on the bus may be counted by its sender already.
fn out_of_bounds(what: &str, sent: u32, received: u32, others: u32) -> Option<String> {
    let (sent, received, others) = (u64::from(sent), u64::from(received), u64::from(others));
    (received + 1 < sent || received > sent * others)
        .then(|| format!("Centrenet: {sent} packets sent{what}, {received} received so by {others} others"))
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

    /// Three stations, of which the first sends five packets, two of them to both others.
    fn bus(received: [u32; 2], receiving: [u32; 2]) -> Vec<String> {
        let line = |tx_packets, tx_broadcasts, rx_packets, receiving| StationLine {
            tx_packets,
            tx_broadcasts: Some(tx_broadcasts),
            rx_packets,
            receiving,
            ..StationLine::default()
        };
        let [one, other] = [0, 1].map(|at| line(0, 0, received[at], receiving[at]));
        Ledger { smis: vec![], stations: vec![line(5, 2, 0, 0), one, other] }.imbalances()
    }

    #[test]
    fn one_packet_lost_or_doubled_is_seen() {
        assert_eq!(bus([4, 3], [0, 0]), Vec::<String>::new());
        for (received, difference) in [([3, 3], "(-1)"), ([4, 2], "(-1)"), ([5, 3], "(+1)"), ([2, 2], "(-3)")] {
            let found = bus(received, [0, 0]);
            assert!(found.len() == 1 && found[0].ends_with(difference), "{found:?}");
        }
    }

    #[test]
    fn the_packet_on_the_bus_may_be_counted_by_its_sender() {
        for (received, receiving) in [([3, 3], [1, 0]), ([3, 2], [1, 1]), ([4, 3], [1, 1])] {
            assert_eq!(bus(received, receiving), Vec::<String>::new());
        }
        // Both others are receiving, and one packet more is missing.
        assert_eq!(bus([2, 2], [1, 1]).len(), 1);
        assert_eq!(bus([3, 3], [1, 1]).len(), 1);
    }

    #[test]
    fn counters_of_packets_may_wrap() {
        let line = |tx_packets, rx_packets| StationLine {
            tx_packets,
            rx_packets,
            tx_broadcasts: Some(0),
            ..StationLine::default()
        };
        let ledger = |rx| Ledger { smis: vec![], stations: vec![line(u32::MAX, 2), line(4, rx)] };
        assert_eq!(ledger(1).imbalances(), Vec::<String>::new());
        assert_eq!(ledger(0).imbalances().len(), 1);
    }

    /// As records say it that do not count broadcasts apart.
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
