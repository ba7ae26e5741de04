//! Loads and stores in X, and the way of a data address through the TLB.

use super::device::Device;
use super::{Access, Next, Step};
use crate::hart::alu::{access_bytes, extract};
use crate::hart::decode::Decoded;
use crate::hart::memory::lane_bits;
use crate::hart::state::Hart;
use crate::hart::times::PAGE_WORDS;
use crate::hart::tlb::{Lookup, READ, WRITE};
use crate::shared::Shared;
use testbed_definitions::csr::cause;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::timing::CYCLES_WALK;

impl Hart {
    /// A load at the virtual address; beside it, the word after the instruction if it was read
    /// ahead.
    pub(super) fn load(
        &mut self,
        shared: &mut Shared,
        word: u32,
        instruction: Decoded,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Step {
        let Decoded { op, rd, .. } = instruction;
        let address = match self.data_address(shared, word, access_bytes(op), READ, (va, ahead), until) {
            Ok(address) => address,
            Err(step) => return step,
        };
        let x = self.arrival + 1;
        let content = if let Some(offset) = self.memory.offset(address) {
            shared.settle(self.number, &mut self.memory, offset, x);
            self.memory.words[offset as usize / 4]
        } else if let Some(device) = Device::at(address, self.number) {
            if shared.ahead && Self::load_concerns_others(device) {
                self.hold(word, ahead);
                return Step::Concerns;
            }
            self.device_load(shared, device, address, x)
        } else {
            return self.trap_in_x(word, cause::LOAD_ACCESS, va);
        };
        self.retire(x + 1, word, rd, extract(op, content, address));
        self.record_access(|retirement| {
            retirement.load = true;
            retirement.address = address;
        });
        let next =
            if self.memory.offset(address).is_none() { Next::Waits } else { self.who_waits(shared, instruction, x) };
        self.proceed(ahead, self.times.load, next);
        Step::Done
    }

    /// A store at the virtual address; beside it, the word after the instruction if it was read
    /// ahead.
    pub(super) fn store(
        &mut self,
        shared: &mut Shared,
        word: u32,
        instruction: Decoded,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Step {
        let bytes = access_bytes(instruction.op);
        let address = match self.data_address(shared, word, bytes, WRITE, (va, ahead), until) {
            Ok(address) => address,
            Err(step) => return step,
        };
        let value = self.registers[instruction.rs2 as usize];
        let (lanes, mask) = match bytes {
            1 => ((value & 0xff) * 0x0101_0101, 1 << (address & 3)),
            2 => ((value & 0xffff) * 0x0001_0001, 3 << (address & 2)),
            _ => (value, 15),
        };
        let (mut ahead, mut next) = (ahead, Next::Waits);
        let after = if let Some(offset) = self.memory.offset(address) {
            ahead = ahead.or(self.overwritten_behind(shared, offset));
            next = Next::Plain;
            self.store_to_ram(shared, offset, lanes, mask);
            Step::Done
        } else if let Some(device) = Device::at(address, self.number) {
            if shared.ahead && self.store_concerns_others(shared, device, address) {
                self.hold(word, ahead);
                return Step::Concerns;
            }
            if let Err(retry) = self.device_store(shared, device, address, lanes, self.arrival + 1) {
                // X is repeated; D is not.
                self.arrival = retry - 1;
                self.hold(word, ahead);
                return Step::Done;
            }
            Step::Changed
        } else if self.opens_event_page(va) {
            // There is no SMI here.
            Step::Done
        } else {
            return self.trap_in_x(word, cause::STORE_ACCESS, va);
        };
        self.retire(self.shown(self.arrival + 1), word, 0, 0);
        self.record_access(|retirement| {
            retirement.store = true;
            retirement.address = address;
            retirement.data = lanes & lane_bits(mask);
            retirement.mask = mask;
        });
        self.proceed(ahead, self.times.store, next);
        after
    }

    /// The word after the instruction at `pc`, which stores in X to this offset in RAM, if that is in
    /// the page that it was fetched from: the pipelined core executes that word as it was before.
    pub(super) fn overwritten_behind(&mut self, shared: &mut Shared, offset: u32) -> Option<u32> {
        let here = self.stretch.index(self.pc)?;
        let word = self.following(shared, self.arrival + 1);
        word.filter(|_| here / PAGE_WORDS == offset / 4 / PAGE_WORDS)
    }

    pub(in crate::hart) fn store_to_ram(&mut self, shared: &mut Shared, offset: u32, lanes: u32, mask: u8) {
        shared.settle(self.number, &mut self.memory, offset, self.arrival + 1);
        self.memory.store(offset as usize / 4, lanes, mask);
    }

    /// The physical address of so many bytes at the virtual address `va`, or the step in which the
    /// instruction ends instead: misaligned, refused, or put off.
    #[inline(always)]
    pub(super) fn data_address(
        &mut self,
        shared: &mut Shared,
        word: u32,
        bytes: u32,
        right: u32,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Result<u32, Step> {
        if va & (bytes - 1) != 0 {
            let cause = if right == READ { cause::LOAD_MISALIGNED } else { cause::STORE_MISALIGNED };
            return Err(self.trap_in_x(word, cause, va));
        }
        match self.translate(shared, va, right, until) {
            Access::Physical(address) => Ok(address),
            Access::Fault { cause, cycle } => Err(self.trap(cycle, word, cause, va)),
            Access::Later => Err(self.hold(word, ahead)),
        }
    }

    /// Translates a data address in X, walking the page map if it must; then `arrival` moves so
    /// that X follows the walk.
    pub(in crate::hart) fn translate(&mut self, shared: &mut Shared, va: u32, right: u32, until: u64) -> Access {
        if !self.mode.translating {
            return Access::Physical(va);
        }
        let cause = if right == READ { cause::LOAD_PAGE } else { cause::STORE_PAGE };
        let x = self.arrival + 1;
        match self.tlb.look_up(va, right) {
            Lookup::Hit(offset) => Access::Physical(RAM_BASE + offset),
            Lookup::Denied if right == WRITE && self.opens_event_page(va) => Access::Physical(va),
            Lookup::Denied => Access::Fault { cause, cycle: x },
            Lookup::Miss if x + 1 >= until => Access::Later,
            Lookup::Miss => {
                let entry = self.page_map_entry(shared, va, x + 1);
                if !self.tlb.fill(va, entry, right, self.memory.bytes()) {
                    return Access::Fault { cause, cycle: x + 2 };
                }
                self.tlb_changed();
                self.arrival += CYCLES_WALK;
                if self.arrival + 1 >= until {
                    return Access::Later;
                }
                self.translate(shared, va, right, until)
            }
        }
    }

    /// Puts the instruction off: its X, or the walk it needs, comes in a later cycle. Its D is
    /// over.
    pub(in crate::hart) fn hold(&mut self, word: u32, ahead: Option<u32>) -> Step {
        self.memory.latched = Some(word);
        self.ahead = (!self.times.overlaps).then_some(ahead);
        self.let_past = self.arrival + 1 + self.times.to_judgement();
        self.interrupt_at = self.interrupt_at.max(self.let_past);
        Step::Later
    }
}
