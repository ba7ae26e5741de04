//! The pipelined core's tests. In what it does it is held to the first core's; when it does it is
//! told in [`timing`].

// The same files as the first core's, with this core under the name `Core`.
#![allow(clippy::duplicate_mod)]

#[path = "../../core/tests/assembler.rs"]
mod assembler;
mod blocks;
#[path = "../../core/tests/bus.rs"]
mod bus;
#[path = "../../core/tests/classes.rs"]
mod classes;
#[path = "../../core/tests/csrs.rs"]
mod csrs;
#[path = "../../core/tests/paging.rs"]
mod paging;
#[path = "../../core/tests/pairs.rs"]
mod pairs;
#[path = "../../core/tests/stream.rs"]
mod stream;
mod timing;
#[path = "../../core/tests/traps.rs"]
mod traps;

use super::Pipeline as Core;
use crate::core::state;
use crate::ports;
use crate::support::{ports::Ports, random::Random};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// If an instruction is in X for the first time, its pc.
fn arrival(core: &Core) -> Option<u32> {
    let begins = core.state.q.val().get_bit(state::X as usize) && !core.again.q.val();
    begins.then(|| core.pc.q.val().to_u32())
}

/// DMA takes a bank of RAM's second port in this cycle, the odd one or the even one.
fn let_dma_in(core: &mut Core, takes: Option<bool>) {
    core.free_0.next = takes != Some(false);
    core.free_1.next = takes != Some(true);
}

/// What RAM will have read for fetches in the next cycle.
struct Fetched([u32; 4]);

impl Fetched {
    /// Of what is asked in this cycle. Where DMA is in the way it is no word of the program.
    fn of(core: &Core, word: impl Fn(u32) -> u32) -> Self {
        let first = core.address.val().to_u32();
        let second = first & !1023 | (first + 4) & 1023;
        let (even, odd) = if first & 4 == 0 { (first, second) } else { (second, first) };
        let ahead = |address: Bits<32>, free: bool| if free { word(address.to_u32()) } else { 0xbad0_bad0 };
        Fetched([
            word(even),
            word(odd),
            ahead(core.ahead_0.val(), core.free_0.val()),
            ahead(core.ahead_1.val(), core.free_1.val()),
        ])
    }

    fn give(self, core: &mut Core) {
        let [code_0, code_1, fetched_0, fetched_1] = self.0.map(|word| u64::from(word).into());
        (core.code_0.next, core.code_1.next) = (code_0, code_1);
        (core.fetched_0.next, core.fetched_1.next) = (fetched_0, fetched_1);
    }
}

/// What goes in and out of the core, for [`stream`].
fn ports() -> Ports<Core> {
    let core = Core::default();
    ports!(core: Core, clock: clock,
        inputs: [rdata, code_0, code_1, fetched_0, fetched_1, free_0, free_1, stall, irq_timer, irq_software,
                 irq_external, mtime_low, mtime_high, reset_vector, ram_mask, hart_id, has_smi, has_mmi],
        outputs: [address, read, write, wdata, mask, ahead_0, ahead_1, retire_valid, retire_half, retire_trap,
                  retire_pc, retire_instruction, retire_rd, retire_value, retire_cause, retire_tval, retire_load,
                  retire_store, retire_address, retire_data, retire_mask, instret_low])
}

/// Its states: the first core's but L.
const STATES: usize = 8;

/// Where the core's words come from in [`stream`]: lines of the script lie wherever it looks, until
/// others do.
#[derive(Default)]
struct Feed {
    lines: BTreeMap<u32, [u32; LINE]>,
    /// What was asked for in the cycle before.
    asked: Option<Fetched>,
}

/// Words of a line.
const LINE: usize = 16;

impl Feed {
    /// Data come from elsewhere.
    fn word(&mut self, core: &mut Core, _: &mut stream::Script, random: &mut Random) -> Option<u32> {
        if let Some(asked) = self.asked.take() {
            asked.give(core);
        }
        // As DMA does it: every second cycle, now and then another one.
        let_dma_in(core, random.chance(1, 2).then(|| random.chance(1, 2)));
        None
    }

    fn note(&mut self, core: &mut Core, script: &mut stream::Script, random: &mut Random) {
        crate::support::bench::settle(core).expect("no loops");
        let first = testbed_definitions::map::RAM_BASE / 4 / LINE as u32;
        if self.lines.is_empty() {
            self.lines.insert(first, [(); LINE].map(|()| script.next(random)));
        }
        if random.chance(1, 10) {
            self.lines.retain(|&line, _| line == first);
        }
        let lines = std::cell::RefCell::new(&mut self.lines);
        let script = std::cell::RefCell::new((script, random));
        let word = |address: u32| {
            let (line, place) = (address / 4 / LINE as u32, address as usize / 4 % LINE);
            let fill = || {
                let (script, random) = &mut *script.borrow_mut();
                [(); LINE].map(|()| script.next(random))
            };
            lines.borrow_mut().entry(line).or_insert_with(fill)[place]
        };
        let asked = Fetched::of(core, word);
        self.asked = Some(asked);
    }
}

/// The seed with which [`stream`] reaches everything.
const STREAM_SEED: u64 = 14;

/// What the tests take to be the core's times.
mod times {
    pub use testbed_definitions::timing::pipelined::*;
    /// From the retirement of a load to where the next instruction begins, which waits for it.
    pub const FROM_LOAD_TO_ARRIVAL: u64 = 2;
    pub const CYCLES_NOT_AHEAD: u64 = CYCLES_ANEW;
    pub const CYCLES_PORT_FREE: u64 = CYCLES_ANEW;
    /// From the D of an instruction to the trap of a fault of its fetch.
    pub const CYCLES_TO_FETCH_TRAP: u64 = 1;
}
