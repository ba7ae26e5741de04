//! The core on a behavioural memory, natively, with everything that it retires.

use super::{arrival, Core};
use crate::support::bench::settle;
use rust_hdl::prelude::*;
use testbed_definitions::map;

/// RAM of the tests.
pub const RAM_BYTES: u32 = 64 * 1024;
/// Where programs start, and where [`Bus::new`] has the trap handler.
pub const START: u32 = map::RAM_BASE;
pub const HANDLER: u32 = map::RAM_BASE + 0x1000;
/// First word of free RAM.
pub const DATA: u32 = map::RAM_BASE + 0x4000;

/// What the retirement port showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retirement {
    /// That in which it was done, whether it is shown in it or later.
    pub cycle: u64,
    pub trap: bool,
    /// The first half of a pair, which retires later.
    pub half: bool,
    pub pc: u32,
    pub instruction: u32,
    pub rd: u32,
    pub value: u32,
    pub cause: u32,
    pub tval: u32,
    pub load: bool,
    pub store: bool,
    pub address: u32,
    pub data: u32,
    pub mask: u32,
}

/// A core with RAM; every device answers 0xd0d0_d0d0 and takes all stores.
pub struct Bus {
    pub core: Core,
    pub cycle: u64,
    ram: Vec<u32>,
    pub retired: Vec<Retirement>,
    /// Every cycle in which an instruction arrives, and its pc.
    pub arrivals: Vec<(u64, u32)>,
    /// Accesses outside RAM: cycle, address, and the data of a store.
    pub device: Vec<(u64, u32, Option<u32>)>,
    /// Stores to devices stall until this cycle.
    pub stall_until: u64,
    /// In which cycles DMA takes which bank of RAM's second port.
    pub dma: fn(u64) -> Option<bool>,
}

impl Bus {
    /// With `program` at [`START`], which first sets `mtvec` to [`HANDLER`], and `handler` there.
    pub fn new(program: &[u32], handler: &[u32]) -> Self {
        let mut core = Core::default();
        core.connect_all();
        core.reset_vector.next = u64::from(START).into();
        core.ram_mask.next = u64::from(RAM_BYTES - 1).into();
        core.hart_id.next = 5.into();
        core.has_smi.next = true;
        let ram = vec![0; RAM_BYTES as usize / 4];
        let mut bus = Bus {
            core,
            cycle: 0,
            ram,
            retired: vec![],
            arrivals: vec![],
            device: vec![],
            stall_until: 0,
            dma: |_| None,
        };
        let [first, second] = super::assembler::li(31, HANDLER);
        let set_up = [first, second, super::assembler::csrw(testbed_definitions::csr::MTVEC, 31)];
        bus.place(START, &set_up);
        bus.place(START + 12, program);
        bus.place(HANDLER, handler);
        bus
    }

    /// Address of the program's instruction `index`.
    pub fn pc(index: usize) -> u32 {
        START + 12 + 4 * index as u32
    }

    /// Writes words to RAM.
    pub fn place(&mut self, address: u32, words: &[u32]) {
        let first = (address - map::RAM_BASE) as usize / 4;
        self.ram[first..first + words.len()].copy_from_slice(words);
    }

    /// A word of RAM.
    pub fn word(&self, address: u32) -> u32 {
        self.ram[(address - map::RAM_BASE) as usize / 4]
    }

    /// One cycle.
    pub fn step(&mut self) {
        self.core.clock.next = false.into();
        self.core.mtime_low.next = (self.cycle & 0xffff_ffff).into();
        self.core.mtime_high.next = 0x77.into();
        self.core.stall.next = self.cycle < self.stall_until;
        super::let_dma_in(&mut self.core, (self.dma)(self.cycle));
        settle(&mut self.core).expect("no loops");
        self.record();
        let fetched = super::Fetched::of(&self.core, |address| self.ram[(address & (RAM_BYTES - 1)) as usize / 4]);
        let rdata = self.access();
        self.core.clock.next = true.into();
        settle(&mut self.core).expect("no loops");
        self.core.rdata.next = u64::from(rdata).into();
        fetched.give(&mut self.core);
        self.cycle += 1;
    }

    /// Runs `cycles` cycles.
    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.step();
        }
    }

    /// Runs until something retires or traps at `pc`, and returns that; a pair's first half is not that.
    pub fn run_to(&mut self, pc: u32) -> Retirement {
        for _ in 0..5_000 {
            let seen = self.retired.len();
            self.step();
            if let Some(&last) = self.retired.get(seen).filter(|last| last.pc == pc && !last.half) {
                return last;
            }
        }
        panic!("{pc:#x} is not reached; the last was {:x?}", self.retired.last());
    }

    fn record(&mut self) {
        let core = &self.core;
        if let Some(pc) = arrival(core) {
            self.arrivals.push((self.cycle, pc));
        }
        if core.retire_valid.val() || core.retire_half.val() {
            assert!(!(core.retire_valid.val() && core.retire_half.val()), "cycle {}: twice", self.cycle);
            self.retired.push(Retirement {
                cycle: self.cycle - super::times::TO_RETIREMENT,
                trap: core.retire_trap.val(),
                half: core.retire_half.val(),
                pc: core.retire_pc.val().to_u32(),
                instruction: core.retire_instruction.val().to_u32(),
                rd: core.retire_rd.val().index() as u32,
                value: core.retire_value.val().to_u32(),
                cause: core.retire_cause.val().to_u32(),
                tval: core.retire_tval.val().to_u32(),
                load: core.retire_load.val(),
                store: core.retire_store.val(),
                address: core.retire_address.val().to_u32(),
                data: core.retire_data.val().to_u32(),
                mask: core.retire_mask.val().index() as u32,
            });
        }
    }

    fn access(&mut self) -> u32 {
        let address = self.core.address.val().to_u32();
        let wdata = self.core.wdata.val().to_u32();
        let (read, write) = (self.core.read.val(), self.core.write.val());
        assert!(!(read && write), "cycle {}: reads and writes at once", self.cycle);
        // Nothing is read that was not asked for.
        let mut answer = 0xbad0_bad0;
        if address & !(RAM_BYTES - 1) == map::RAM_BASE {
            let word = &mut self.ram[(address & (RAM_BYTES - 1)) as usize / 4];
            if read {
                answer = *word;
            }
            if write && !self.core.stall.val() {
                for lane in (0..4).filter(|lane| self.core.mask.val().get_bit(*lane)) {
                    *word = *word & !(0xff << (8 * lane)) | wdata & (0xff << (8 * lane));
                }
            }
        } else {
            if read {
                self.device.push((self.cycle, address, None));
                answer = 0xd0d0_d0d0;
            }
            if write && !self.core.stall.val() {
                self.device.push((self.cycle, address, Some(wdata)));
            }
        }
        answer
    }
}
