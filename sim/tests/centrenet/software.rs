//! What one processor of the test does: random plans of accesses, some of which react to what loads returned.

use super::traffic::{Access, Profile};
use std::collections::VecDeque;
use testbed_definitions::map::centrenet as register;
use testbed_definitions::packet::Header;
use testbed_hdl::centrenet::node::NODE_RAM_BYTES;
use testbed_hdl::support::random::Random;

/// A planned access.
enum Step {
    Do(Access),
    /// Store to RX_HEAD what the last load returned, plus this.
    Consume(u32),
}

pub struct Software {
    random: Random,
    profile: Profile,
    stations: usize,
    plan: VecDeque<Step>,
    loaded: u32,
    /// Byte offsets that are worth touching: the last payload sent, the ring.
    payload: u32,
    ring: u32,
    ring_words: u32,
}

const REGISTERS: [u32; 22] = [
    register::ID,
    register::CONTROL,
    register::STATUS,
    register::TX_ADDRESS,
    register::RX_BASE,
    register::RX_MASK,
    register::RX_HEAD,
    register::RX_TAIL,
    register::TX_PACKETS,
    register::TX_DROPPED,
    register::TX_CORRUPTED,
    register::TX_NO_STATION,
    register::TX_REFUSED,
    register::TX_RETRIES,
    register::RX_PACKETS,
    register::RX_CRC_ERRORS,
    register::TX_BROADCASTS,
    register::TX_RESENT,
    register::FAULT_DROP,
    register::FAULT_CORRUPT,
    register::FAULT_SEED,
    register::TX_COMMAND,
];

fn store(offset: u32, value: u32) -> Step {
    Step::Do(Access::Store { offset, value })
}

impl Software {
    pub fn new(profile: Profile, seed: u64, stations: usize) -> Self {
        let mut software = Software {
            random: Random::new(seed),
            profile,
            stations,
            plan: VecDeque::new(),
            loaded: 0,
            payload: 0,
            ring: 0,
            ring_words: 1,
        };
        software.set_up_ring();
        software
    }

    /// The result of the load made before.
    pub fn loaded(&mut self, value: u32) {
        self.loaded = value;
    }

    /// What to do in this cycle.
    pub fn next(&mut self) -> Access {
        if self.plan.is_empty() {
            self.make_plan();
        }
        if self.random.chance(1, 3) {
            return Access::Idle;
        }
        match self.plan.pop_front() {
            Some(Step::Do(access)) => access,
            Some(Step::Consume(extra)) => {
                Access::Store { offset: register::RX_HEAD, value: self.loaded.wrapping_add(extra) }
            }
            None => Access::Idle,
        }
    }

    fn make_plan(&mut self) {
        for _ in 0..self.random.below(self.profile.pause.into()) {
            self.plan.push_back(Step::Do(Access::Idle));
        }
        match self.random.below(100) {
            0..=29 => self.send(),
            30..=49 => {
                self.plan.push_back(Step::Do(Access::Load { offset: register::RX_TAIL }));
                self.plan.push_back(Step::Consume(0));
            }
            50..=64 => self.touch_ram(),
            65..=89 => {
                let offset = REGISTERS[self.random.below(21) as usize];
                self.plan.push_back(Step::Do(Access::Load { offset }));
            }
            90..=91 => self.set_up_ring(),
            92 => {
                let enable = u32::from(self.random.chance(4, 5));
                let control = enable | (self.random.below(2) as u32) << 1 | (self.random.below(64) as u32) << 2;
                self.plan.push_back(store(register::CONTROL, control));
            }
            93 => {
                // Nonsense: a head that overtakes, a ring base while it is in use, offsets without a register.
                let value = self.random.next_u32();
                let offset =
                    [register::RX_BASE, register::RX_MASK, register::RX_TAIL, register::ID, 0x4c, 0x5c, 0x1000]
                        [self.random.below(7) as usize];
                self.plan.push_back(store(offset, value));
                self.plan.push_back(Step::Do(Access::Load { offset: offset + self.random.below(4) as u32 }));
            }
            94 if self.random.chance(1, 6) => {
                self.plan.push_back(Step::Do(Access::Load { offset: register::RX_TAIL }));
                let extra = self.random.next_u32() >> self.random.below(32);
                self.plan.push_back(Step::Consume(extra));
            }
            95..=97 => self.faults(),
            _ => {}
        }
    }

    fn send(&mut self) {
        let burst = if self.random.chance(1, 12) { 12 } else { 1 };
        for _ in 0..burst {
            self.payload = self.random.below(NODE_RAM_BYTES.into()) as u32;
            let far = self.random.next_u32() / NODE_RAM_BYTES * NODE_RAM_BYTES;
            self.plan.push_back(store(register::TX_ADDRESS, self.payload.wrapping_add(far)));
            let length = match self.random.below(100) {
                0..=1 => self.random.below(4096) as u32,
                2..=20 => self.random.below(self.profile.length.into()) as u32,
                _ => self.random.below(40) as u32,
            };
            let destination = match self.random.below(12) {
                0 => self.random.next_u32() as u8,
                1..=2 => 0xff,
                _ => self.random.below(self.stations as u64) as u8,
            };
            let kind = self.random.next_u32() as u8;
            let header = Header { destination, kind, length: length as u16, source: self.random.below(16) as u8 };
            self.plan.push_back(store(register::TX_COMMAND, header.pack()));
        }
        if self.random.chance(1, 3) {
            self.touch_ram();
        }
    }

    /// A run of reads and writes of RAM where DMA is likely.
    fn touch_ram(&mut self) {
        for _ in 0..1 + self.random.below(20) {
            let near = match self.random.below(8) {
                0 => self.random.next_u32(),
                // Where the next packet goes, if RX_TAIL was loaded last.
                1..=4 => {
                    let index = self.loaded.wrapping_add(self.random.below(16) as u32);
                    self.ring.wrapping_add((index & (self.ring_words - 1)) * 4)
                }
                5..=6 => self.payload.wrapping_add(self.random.below(160) as u32),
                _ => self.ring.wrapping_add(self.random.below(u64::from(self.ring_words) * 4) as u32),
            };
            let word = near % NODE_RAM_BYTES / 4;
            let access = if self.random.chance(1, 2) {
                Access::RamRead { word }
            } else {
                Access::RamWrite { word, value: self.random.next_u32() }
            };
            self.plan.push_back(Step::Do(access));
        }
    }

    /// As software should: disable, wait until the receiver is off, set, empty, enable. Sometimes it doesn't wait.
    fn set_up_ring(&mut self) {
        self.plan.push_back(store(register::CONTROL, 0));
        let (waits, poll) = (self.random.below(2) * 100, Access::Load { offset: register::STATUS });
        let wait = if self.random.chance(1, 2) { poll } else { Access::Idle };
        for _ in 0..waits {
            self.plan.push_back(Step::Do(wait));
        }
        self.ring = self.random.below(NODE_RAM_BYTES.into()) as u32 & !3;
        let (least, most) = self.profile.ring_bits;
        self.ring_words = 1 << (least + self.random.below(u64::from(most - least + 1)) as u32);
        self.plan.push_back(store(register::RX_BASE, self.ring));
        self.plan.push_back(store(register::RX_MASK, self.ring_words - 1));
        self.plan.push_back(Step::Do(Access::Load { offset: register::STATUS }));
        self.plan.push_back(Step::Do(Access::Load { offset: register::RX_TAIL }));
        self.plan.push_back(Step::Consume(0));
        self.plan.push_back(store(register::CONTROL, 1 | (self.random.below(4) as u32) << 1));
    }

    fn faults(&mut self) {
        let threshold = |random: &mut Random| match random.below(4) {
            0 => 0x1_0000,
            1 => random.below(0x1_0000) as u32,
            _ => 0,
        };
        if self.random.below(100) < u64::from(self.profile.faults) {
            let (drop, corrupt) = (threshold(&mut self.random), threshold(&mut self.random));
            let seed = if self.random.chance(1, 3) { 0 } else { self.random.next_u32() };
            self.plan.push_back(store(register::FAULT_DROP, drop / 2));
            self.plan.push_back(store(register::FAULT_CORRUPT, corrupt));
            self.plan.push_back(store(register::FAULT_SEED, seed));
        }
    }
}
