//! The model by itself; against the RTL it is tested in `sim/tests/centrenet`.

use super::*;
use testbed_definitions::map::centrenet as register;
use testbed_definitions::timing::LOOKAHEAD;

const RAM_BYTES: u32 = 4096;
/// Ring of 64 words at 0x800, payload from 0x100 on.
const RING: u32 = 0x800;

struct Memories(Vec<Vec<u32>>);

impl DmaMemory for Memories {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        self.0[station][offset as usize / 4]
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        self.0[station][offset as usize / 4] = value;
    }
}

/// A node whose receivers are all enabled, at cycle 96.
fn node(stations: usize) -> (Network, Memories) {
    let words = (0..RAM_BYTES / 4).collect::<Vec<u32>>();
    let (mut network, mut memory) = (Network::new(stations, RAM_BYTES), Memories(vec![words; stations]));
    for station in 0..stations {
        network.store(station, register::RX_BASE, RING, 0);
        network.store(station, register::RX_MASK, 63, 1);
        network.store(station, register::CONTROL, register::CONTROL_RECEIVE | register::CONTROL_INTERRUPT, 2);
    }
    for window in 1..=3 {
        network.advance((window - 1) * LOOKAHEAD, &mut memory);
    }
    (network, memory)
}

fn run(network: &mut Network, memory: &mut Memories, until: u64) {
    for cycle in (network.reached..until).step_by(LOOKAHEAD as usize) {
        network.advance(cycle, memory);
    }
    network.advance(until, memory);
}

fn command(destination: u8, length: u16) -> u32 {
    Header { destination, kind: 5, length, source: 9 }.pack()
}

/// The latency that the documentation states, and the words in the ring.
#[test]
fn a_packet_arrives_when_the_table_says() {
    for words in [0u64, 1, 7, 40] {
        let (mut network, mut memory) = node(2);
        network.store(0, register::TX_ADDRESS, 0x100, 96);
        network.store(0, register::TX_COMMAND, command(1, words as u16 * 4), 97);
        let visible = 97 + 42 + 2 * words;
        run(&mut network, &mut memory, visible - 1);
        assert_eq!(network.external_from(1, 96), Some(visible + 1));
        // A processor that divides asks from beyond the cycle in which the host looks.
        assert_eq!(network.external_from(1, visible + 20), Some(visible + 20));
        assert_eq!([visible - 1, visible].map(|cycle| network.counters(1, cycle).rx_packets), [0, 1]);
        assert_eq!(network.load(1, register::RX_TAIL, visible - 1), 0);
        assert_eq!(network.load(1, register::RX_TAIL, visible), 1 + words as u32);
        network.catch_up(1, visible, &mut memory);
        let header = Header { destination: 1, kind: 5, length: words as u16 * 4, source: 0 };
        assert_eq!(memory.0[1][0x200], header.pack());
        assert_eq!(memory.0[1][0x201..0x201 + words as usize], memory.0[0][0x40..0x40 + words as usize]);
        assert_eq!(network.counters(0, visible).tx_packets, 1);
    }
}

#[test]
fn an_idle_network_is_quiet() {
    let (mut network, mut memory) = node(3);
    assert_eq!(network.known_until(), u64::MAX);
    network.advance(1 << 40, &mut memory);
    assert_eq!(network.external_from(1, 1 << 39), None);
}

/// A jump over many windows gives what single windows give.
#[test]
fn jumps_change_nothing() {
    let outcome = |step: u64| {
        let (mut network, mut memory) = node(3);
        for (station, destination) in [(0, 1), (1, 2), (2, 0xff), (0, 7)] {
            network.store(station, register::TX_ADDRESS, 0x100 * station as u32, 96 + u64::from(destination));
            network.store(station, register::TX_COMMAND, command(destination, 100), 97 + u64::from(destination));
        }
        let mut until = 96 + 512;
        while until <= 96 + 8192 {
            network.advance(until, &mut memory);
            until += step;
        }
        let counters: Vec<_> = (0..3).map(|station| network.counters(station, 8000)).collect();
        (memory.0, counters)
    };
    assert!(outcome(32) == outcome(512));
    assert!(outcome(32) == outcome(4096));
}

/// All want to send to one station that never consumes: those to others still get through.
#[test]
fn a_full_ring_blocks_only_its_senders() {
    let (mut network, mut memory) = node(4);
    for cycle in 0..8 {
        for station in 0..4u8 {
            let destination = if station == 3 { 2 } else { 3 };
            network.store(
                station.into(),
                register::TX_COMMAND,
                command(destination, if station == 3 { 4 } else { 80 }),
                96 + cycle,
            );
        }
    }
    run(&mut network, &mut memory, 20_000);
    assert_eq!(network.counters(3, 19_000).tx_packets, 8);
    assert_eq!(network.counters(3, 19_000).rx_packets, 3, "three packets of 21 words fit 64 words");
    let retries: u32 = (0..3).map(|station| network.counters(station, 19_000).tx_retries).sum();
    assert!(retries > 100, "{retries}");
    // Now it consumes, and all arrive.
    for round in 0..40u64 {
        let cycle = 20_000 + round * 1_024;
        let tail = network.load(3, register::RX_TAIL, cycle);
        network.store(3, register::RX_HEAD, tail, cycle + 1);
        run(&mut network, &mut memory, cycle + 1_024);
    }
    assert_eq!(network.counters(3, 60_000).rx_packets, 24);
}

/// Four stations with long packets for a fifth: while all have some, none is ahead by more than one.
#[test]
fn grants_go_round() {
    const STATIONS: usize = 5;
    let (mut network, mut memory) = (Network::new(STATIONS, RAM_BYTES), Memories(vec![vec![0; 1024]; STATIONS]));
    network.store(4, register::RX_MASK, 0x7fff, 0);
    network.store(4, register::CONTROL, register::CONTROL_RECEIVE, 1);
    run(&mut network, &mut memory, 96);
    for station in 0..4 {
        for cycle in 0..8 {
            network.store(station, register::TX_COMMAND, command(4, 1600), 96 + cycle);
        }
    }
    let mut spread = 0;
    while network.counters(4, network.reached).rx_packets < 28 {
        let next = network.reached + 1;
        run(&mut network, &mut memory, next);
        let sent: Vec<u32> = (0..4).map(|station| network.counters(station, network.reached).tx_packets).collect();
        spread = spread.max(sent.iter().max().unwrap() - sent.iter().min().unwrap());
        assert!(network.reached < 100_000, "{sent:?}");
    }
    assert_eq!(spread, 1);
}
