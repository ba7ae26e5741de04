//! Lint, native simulation against Verilog, synthesis, and the bus's fairness. That the whole does
//! what `docs/centrenet.md` says is shown where it is compared with the arithmetic model, in
//! `sim/tests/centrenet`.

use super::node::Node;
use super::{Bus, CrcStep, FaultDraws, Phase, Station, Strobe};
use crate::support::differential::compare;
use crate::support::fitting::assert_fits;
use crate::support::lint::assert_clean;
use crate::support::ports::{drive, driven, observed, width, Input, Output, Ports};
use crate::support::random::Random;
use crate::support::synthesis::Family;
use crate::{differential, step};
use rust_hdl::prelude::*;
use testbed_definitions::map::centrenet as register;
use testbed_definitions::packet::Header;

#[test]
fn lint_finds_nothing() {
    assert_clean(Node::new(3));
    assert_clean(Bus::new(16));
}

/// The combinational blocks with registers behind them.
#[derive(LogicBlock, Default)]
struct Linear {
    pub clock: Signal<In, Clock>,
    pub register: Signal<In, Bits<32>>,
    pub word: Signal<In, Bits<32>>,
    pub crc: Signal<Out, Bits<32>>,
    pub first: Signal<Out, Bits<16>>,
    pub second: Signal<Out, Bits<16>>,
    pub after: Signal<Out, Bits<32>>,
    step: CrcStep,
    draws: FaultDraws,
    kept: DFF<Bits<32>>,
}

impl Logic for Linear {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept);
        self.step.register.next = self.register.val();
        self.step.word.next = self.word.val();
        self.draws.state.next = self.word.val();
        self.kept.d.next = self.step.result.val();
        self.crc.next = self.kept.q.val();
        self.first.next = self.draws.first.val();
        self.second.next = self.draws.second.val();
        self.after.next = self.draws.after.val();
    }
}

#[test]
fn linear_blocks_equal_their_verilog() {
    differential! {
        block: Linear = Linear::default(),
        inputs: [register, word],
        outputs: [crc, first, second, after],
        cycles: 3_000,
        seed: 11,
    }
}

#[test]
fn strobe_equals_its_verilog() {
    differential! {
        block: Strobe = Strobe::default(),
        inputs: [],
        outputs: [strobe],
        cycles: 300,
        seed: 12,
    }
}

/// A header that often concerns the station, so that things happen.
fn header(random: &mut Random) -> u64 {
    let destination = [3, 0xff, 4, random.next_u32() as u8][random.below(4) as usize];
    let length = random.below(64) as u16;
    Header { destination, kind: random.next_u32() as u8, length, source: 9 }.pack().into()
}

/// A bus that does in each cycle whatever it likes, software too.
fn shake(block: &mut Station, random: &mut Random) {
    block.station.next = 3.into();
    block.stations.next = 6.into();
    block.strobe.next = random.chance(1, 8);
    block.select.next = random.chance(3, 4);
    block.read.next = random.chance(1, 2);
    block.write.next = random.chance(1, 2);
    block.address.next = (random.below(0x60) & !3).into();
    block.wdata.next = random.bits();
    match random.below(16) {
        0..=3 => {
            block.address.next = u64::from(register::TX_COMMAND).into();
            block.wdata.next = header(random).into();
        }
        4 => {
            block.address.next = u64::from(register::CONTROL).into();
            block.wdata.next = random.below(8).into();
        }
        5 => {
            block.address.next = u64::from(register::FAULT_DROP).into();
            block.wdata.next = random.below(0x8000).into();
        }
        _ => {}
    }
    block.dma_rdata.next = random.bits();
    block.grant.next = random.chance(1, 2);
    use Phase::*;
    let phases = [Idle, Header, Header, Go, Go, Abort, NoTaker, Data, Data, Data, Data, Crc];
    block.phase.next = phases[random.below(12) as usize];
    block.damaged.next = random.chance(1, 2);
    block.word.next = if random.chance(1, 2) { header(random).into() } else { random.bits() };
}

#[test]
fn station_equals_its_verilog() {
    for seed in [21, 22, 23] {
        differential! {
            block: Station = Station::default(),
            inputs: [
                select, address, read, write, wdata, strobe, station, stations, dma_rdata, grant, phase, word,
                damaged,
            ],
            outputs: [rdata, dma_address, dma_write, dma_wdata, irq, request, sent_word, ack, nack],
            cycles: 6_000,
            seed: seed,
            stimulus: |block, random, _| { shake(block, random); }
        }
    }
}

macro_rules! bus_ports {
    ($example:ident, $($i:literal),*) => {
        Ports::<Bus> {
            clock_name: "clock",
            clock: |bus| &mut bus.clock,
            inputs: vec![$(
                bus_ports!(@in $example, request, $i), bus_ports!(@in $example, sent_word, $i),
                bus_ports!(@in $example, ack, $i), bus_ports!(@in $example, nack, $i)
            ),*],
            outputs: vec![
                $(Output {
                    name: concat!("grant$", $i), width: 1, get: |bus| observed(&bus.grant[$i]),
                },)*
                Output { name: "phase", width: 3, get: |bus| observed(&bus.phase) },
                Output { name: "word", width: 32, get: |bus| observed(&bus.word) },
                Output { name: "damaged", width: 1, get: |bus| observed(&bus.damaged) },
            ],
        }
    };
    (@in $example:ident, $name:ident, $i:literal) => {
        Input {
            name: concat!(stringify!($name), "$", $i),
            width: width(&$example.$name[$i]),
            get: |bus| driven(&bus.$name[$i]),
            set: |bus, word| drive(&mut bus.$name[$i], word),
        }
    };
}

#[test]
fn bus_equals_its_verilog() {
    let bus = Bus::new(3);
    let ports = bus_ports!(bus, 0, 1, 2);
    let stimulus = |bus: &mut Bus, random: &mut Random, _| {
        for i in 0..3 {
            bus.request[i].next = random.chance(1, 2);
            bus.sent_word[i].next = header(random).into();
            bus.ack[i].next = random.chance(1, 2);
            bus.nack[i].next = random.chance(1, 4);
        }
    };
    if let Err(error) = compare(bus, &ports, 5_000, 31, stimulus) {
        panic!("{error}");
    }
}

/// A station that requests waits for at most `N - 1` grants to others.
#[test]
fn no_station_waits_longer_than_a_round() {
    const N: usize = 7;
    let mut bus = Bus::new(N);
    bus.connect_all();
    let mut random = Random::new(41);
    let (mut waited, mut longest, mut grants) = ([0; N], 0, 0);
    for _ in 0..4_000 {
        for (i, waited) in waited.iter_mut().enumerate() {
            // Requests stay until they are granted, as a station's do.
            if !bus.request[i].val() && random.chance(1, 12) {
                bus.request[i].next = true;
                *waited = 0;
            }
        }
        step!(bus).unwrap();
        if let Some(granted) = (0..N).find(|&i| bus.grant[i].val()) {
            assert!(bus.request[granted].val(), "station {granted} has not asked");
            assert_eq!((0..N).filter(|&i| bus.grant[i].val()).count(), 1);
            bus.request[granted].next = false;
            grants += 1;
            for (i, waited) in waited.iter_mut().enumerate().filter(|&(i, _)| i != granted) {
                *waited += u32::from(bus.request[i].val());
                longest = longest.max(*waited);
            }
        }
    }
    assert!(grants > 800, "{grants}");
    assert_eq!(longest, N as u32 - 1);
}

/// Without latches; the transmit buffer is block RAM (with 16-bit iCE40 blocks the two queues are too).
#[test]
fn station_synthesises() {
    assert_fits(Station::default(), Family::Ecp5, 1, None);
    assert_fits(Station::default(), Family::Ice40, 8, None);
    assert_fits(Bus::new(6), Family::Ecp5, 0, None);
}
