//! The equation of the ledger, in every cycle: each packet that was sent comes in at one station, or at all others.

use testbed_definitions::map::centrenet as register;
use testbed_definitions::packet::{Header, BROADCAST};
use testbed_definitions::timing::LOOKAHEAD;
use testbed_hdl::support::random::Random;
use testbed_sim::engine::StationCounters;
use testbed_sim::model::centrenet::{DmaMemory, Network};

const STATIONS: usize = 5;
const RAM_BYTES: u32 = 4096;

struct Zeros;

impl DmaMemory for Zeros {
    fn read(&mut self, _: usize, _: u32) -> u32 {
        0
    }
    fn write(&mut self, _: usize, _: u32, _: u32) {}
}

/// A node whose receivers are on, with rings of 512 words; some packets are spoiled, and
/// every other station sends those again.
fn node() -> Network {
    let mut network = Network::new(STATIONS, RAM_BYTES);
    for station in 0..STATIONS {
        network.store(station, register::RX_MASK, 511, 1);
        let confirm = if station % 2 == 1 { register::CONTROL_CONFIRM } else { 0 };
        network.store(station, register::CONTROL, register::CONTROL_RECEIVE | confirm, 2);
        network.store(station, register::FAULT_CORRUPT, 0x2000, 3);
    }
    (1..=3).for_each(|window| network.advance((window - 1) * LOOKAHEAD, &mut Zeros));
    network
}

fn sum(counters: &[StationCounters], field: fn(&StationCounters) -> u32) -> u32 {
    counters.iter().map(field).sum()
}

/// Packets whose words have not all come in, though their sender has counted them; by receivers.
fn missing(counters: &[StationCounters]) -> u32 {
    let (sent, broadcasts) = (sum(counters, |one| one.tx_packets), sum(counters, |one| one.tx_broadcasts));
    let received = sum(counters, |one| one.rx_packets) + sum(counters, |one| one.rx_crc_errors);
    (sent + broadcasts * (STATIONS as u32 - 2)).checked_sub(received).expect("nothing is received that was not sent")
}

#[test]
fn the_packets_of_a_node_balance_in_every_cycle() {
    let (mut network, mut random) = (node(), Random::new(7));
    let (mut between, mut receiving) = (0, 0);
    for cycle in 3 * LOOKAHEAD..60_000 {
        if cycle % LOOKAHEAD == 0 {
            network.advance(cycle, &mut Zeros);
        }
        let counters: Vec<_> = (0..STATIONS).map(|station| network.counters(station, cycle)).collect();
        let (missing, takers) = (missing(&counters), sum(&counters, |one| one.receiving));
        assert!(missing == 0 || missing == takers, "cycle {cycle}: {missing} missing, {takers} receiving");
        (between, receiving) = (between + u32::from(missing > 0), receiving + u32::from(takers > 0));
        for station in 0..STATIONS {
            let tail = network.load(station, register::RX_TAIL, cycle);
            network.store(station, register::RX_HEAD, tail, cycle);
            if random.chance(1, 300) {
                let destination = [BROADCAST, random.below(STATIONS as u64) as u8][random.below(2) as usize];
                let header = Header { destination, kind: 0, length: random.below(80) as u16, source: 0 };
                network.store(station, register::TX_COMMAND, header.pack(), cycle);
            }
        }
    }
    let counters: Vec<_> = (0..STATIONS).map(|station| network.counters(station, 59_999)).collect();
    println!("{counters:?}, {between} cycles between the counts, {receiving} of receptions");
    assert!(sum(&counters, |one| one.tx_broadcasts) > 100 && sum(&counters, |one| one.rx_crc_errors) > 20);
    assert!(sum(&counters, |one| one.tx_resent) > 5);
    assert!(between > 100 && receiving > between);
}
