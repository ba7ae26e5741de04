//! Random traffic, run on the model as the emulator would run it, and recorded with everything a core could see.

use super::software::Software;
use testbed_definitions::timing::LOOKAHEAD;
use testbed_hdl::centrenet::node::NODE_RAM_BYTES;
use testbed_hdl::support::random::Random;
use testbed_sim::engine::StationCounters;
use testbed_sim::model::centrenet::{DmaMemory, Network};

/// What kind of traffic.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub name: &'static str,
    /// Longest of the long payloads, in bytes.
    pub length: u32,
    /// Ring sizes, as powers of two words.
    pub ring_bits: (u32, u32),
    /// Longest pause between two things that a processor does.
    pub pause: u32,
    /// Percentage of occasions on which fault registers are changed.
    pub faults: u32,
}

impl Profile {
    pub const MIXED: Self = Profile { name: "mixed", length: 300, ring_bits: (5, 9), pause: 24, faults: 20 };
    /// Back-pressure.
    pub const SMALL_RINGS: Self = Profile { name: "small rings", length: 120, ring_bits: (2, 6), pause: 40, faults: 0 };
    pub const LONG: Self = Profile { name: "long", length: 2_040, ring_bits: (8, 10), pause: 60, faults: 0 };
    pub const FAULTS: Self = Profile { name: "faults", length: 60, ring_bits: (5, 8), pause: 10, faults: 100 };
}

/// What a core does in a cycle.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    Idle,
    Load { offset: u32 },
    Store { offset: u32, value: u32 },
    RamRead { word: u32 },
    RamWrite { word: u32, value: u32 },
}

/// One station in one cycle: what the core does, what its load or read gives (one cycle later),
/// whether the line is high.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    pub access: Access,
    pub result: u32,
    pub external: bool,
}

/// A run: `cycles[t][station]`.
pub struct Recording {
    pub name: String,
    pub cycles: Vec<Vec<Cycle>>,
    pub counters: Vec<StationCounters>,
    /// Accesses to RAM that DMA was about to touch.
    pub hazards: u64,
}

/// Register places at the start of the device.
const REGISTERS: u32 = 24;

struct Memories(Vec<Vec<u32>>);

impl DmaMemory for Memories {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        self.0[station][offset as usize / 4]
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        self.0[station][offset as usize / 4] = value;
    }
}

struct Run {
    network: Network,
    memory: Memories,
    hazards: u64,
}

impl Run {
    fn perform(&mut self, station: usize, access: Access, cycle: u64) -> u32 {
        match access {
            Access::Idle => 0,
            Access::Load { offset } => self.network.load(station, offset, cycle),
            Access::Store { offset, value } => {
                self.network.store(station, offset, value, cycle);
                0
            }
            Access::RamRead { word } => {
                self.guard(station, word, cycle);
                self.memory.0[station][word as usize]
            }
            Access::RamWrite { word, value } => {
                self.guard(station, word, cycle);
                self.memory.0[station][word as usize] = value;
                0
            }
        }
    }

    fn guard(&mut self, station: usize, word: u32, cycle: u64) {
        if self.network.hazards(station).contains(word * 4) {
            self.hazards += 1;
            self.network.catch_up(station, cycle, &mut self.memory);
        }
    }
}

/// Runs random software on `stations` processors for `cycles` cycles, then reads all of RAM and all registers.
pub fn record(stations: usize, profile: Profile, seed: u64, cycles: u64) -> Recording {
    let name = format!("{} stations, profile {}, seed {seed}", stations, profile.name);
    println!("{name}, {cycles} cycles");
    let mut random = Random::new(seed);
    let mut software: Vec<_> = (0..stations).map(|_| Software::new(profile, random.next_u64(), stations)).collect();
    let mut run = Run {
        network: Network::new(stations, NODE_RAM_BYTES),
        memory: Memories(vec![vec![0; NODE_RAM_BYTES as usize / 4]; stations]),
        hazards: 0,
    };
    let words = NODE_RAM_BYTES / 4;
    let end = cycles + u64::from(words + REGISTERS);
    let mut table: Vec<Vec<Cycle>> = (0..end).map(|_| Vec::with_capacity(stations)).collect();
    let (mut from, irregular) = (0, seed % 2 == 1);
    while from < end {
        // Windows need not be aligned, nor full.
        let length = if irregular { 1 + random.below(LOOKAHEAD) } else { LOOKAHEAD };
        let until = end.min(from + length);
        run.network.advance(from, &mut run.memory);
        for (station, software) in software.iter_mut().enumerate() {
            for cycle in from..until {
                let external = run.network.external_from(station, cycle) == Some(cycle);
                let access = match cycle.checked_sub(cycles).map(|step| step as u32) {
                    Some(step) if step < words => Access::RamRead { word: step },
                    Some(step) => Access::Load { offset: (step - words) * 4 },
                    None => software.next(),
                };
                let result = run.perform(station, access, cycle);
                if matches!(access, Access::Load { .. }) {
                    software.loaded(result);
                }
                table[cycle as usize].push(Cycle { access, result, external });
            }
        }
        from = until;
    }
    let counters = (0..stations).map(|station| run.network.counters(station, end)).collect();
    Recording { name, cycles: table, counters, hazards: run.hazards }
}

impl Recording {
    /// The traffic has exercised what its profile is for, each at least `times`.
    pub fn must_show(&self, profile: &Profile, times: u32) {
        let sum = |counter: fn(&StationCounters) -> u32| self.counters.iter().map(counter).sum::<u32>();
        let mut shown = vec![("packets received", sum(|c| c.rx_packets)), ("no station", sum(|c| c.tx_no_station))];
        shown.push(("accesses to words under DMA", self.hazards as u32));
        shown.push(("retries", sum(|c| c.tx_retries)));
        if profile.faults > 0 {
            shown.extend([("dropped", sum(|c| c.tx_dropped)), ("CRC errors", sum(|c| c.rx_crc_errors))]);
        }
        println!("{}: {shown:?}, refused {}", self.name, sum(|c| c.tx_refused));
        for (what, number) in shown {
            assert!(number >= times, "{}: {what} only {number} times", self.name);
        }
    }

    /// Panics unless the RTL's `result` and `external` are the model's. `result` is that of the
    /// access in the cycle before.
    pub fn check(&self, cycle: usize, station: usize, rdata: u32, ram_rdata: u32, external: bool) {
        let want = &self.cycles[cycle][station];
        let place = |what: &str| format!("{}: cycle {cycle}, station {station}, {what}", self.name);
        assert_eq!(want.external, external, "{}: model, then RTL", place("external line"));
        let Some(before) = cycle.checked_sub(1).map(|before| self.cycles[before][station]) else { return };
        let got = match before.access {
            Access::RamRead { .. } => ram_rdata,
            _ => rdata,
        };
        if !matches!(before.access, Access::RamWrite { .. }) {
            let what = place(&format!("{:x?} of the cycle before", before.access));
            assert_eq!(before.result, got, "{what}: model {:#x}, RTL {got:#x}", before.result);
        }
    }
}
