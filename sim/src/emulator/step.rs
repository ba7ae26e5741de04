//! The exact step: one instruction, trap or page-map walk at a time, whatever it is and whoever looks.

use super::alu::{access_bytes, extract, operate, taken};
use super::csr::Surroundings;
use super::decode::{decode, Decoded, Op};
use super::memory::lane_bits;
use super::processor::Processor;
use super::shared::{Device, Shared};
use super::translate::{Lookup, EXECUTE, READ, WRITE};
use crate::engine::Retirement;
use testbed_definitions::csr::*;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_SHIFT;
use testbed_definitions::timing::*;

/// What a step leaves to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Done,
    /// Interrupts may be pending or enabled otherwise than before, or DMA may have begun.
    Changed,
    /// A `wfi` has been executed.
    Asleep,
    /// What comes next lies beyond the window.
    Later,
}

/// Where a data access goes.
pub(super) enum Access {
    Physical(u32),
    Fault { cause: u32, cycle: u64 },
    Later,
}

impl Processor {
    /// Executes the next instruction if its X lies before `until`.
    pub(super) fn step(&mut self, shared: &mut Shared, until: u64) -> Step {
        if self.second.is_some() {
            return self.second_half(shared, until);
        }
        if self.fetch_fault.is_none() && self.memory.latched.is_none() && self.stretch.index(self.pc).is_none() {
            self.refetch();
            if self.stretch.index(self.pc).is_none() {
                return self.fetch(shared, until);
            }
        }
        if self.arrival >= until {
            return Step::Later;
        }
        if self.arrival >= self.interrupt_at && self.pending(shared, self.arrival) & self.csrs.enabled == 0 {
            // A line was high between two arrivals only: a store put `mtimecmp` off in the very cycle in which the time had come.
            self.find_interrupt(shared);
        }
        if self.arrival >= self.interrupt_at && self.complete > self.arrival {
            // A load is completed in this cycle: what arrives stays, and is looked at again in the next one.
            if self.memory.latched.is_none() {
                self.memory.latched = self.stretch.index(self.pc).map(|index| self.memory.words[index as usize]);
            }
            self.arrival += 1;
            return Step::Changed;
        }
        if self.arrival >= self.interrupt_at {
            let cause = interrupt_cause(self.pending(shared, self.arrival) & self.csrs.enabled);
            self.trap(self.arrival, 0, cause, 0);
            return Step::Changed;
        }
        if let Some(cause) = self.fetch_fault {
            self.trap(self.arrival, 0, cause, self.pc);
            return Step::Changed;
        }
        if self.arrival + 1 >= until {
            self.let_past = self.arrival + 1;
            if self.ahead.is_none() && shared.dma_near(self.number) {
                self.ahead = Some(self.read_ahead(shared));
            }
            return Step::Later;
        }
        let word = self.arrived(shared);
        self.execute(shared, word, until)
    }

    /// A fetch that is not known to be in RAM: finds its fault, or walks the page map. `arrival` would be its D.
    fn fetch(&mut self, shared: &mut Shared, until: u64) -> Step {
        let lookup = if self.csrs.translates_fetches() { Some(self.tlb.look_up(self.pc, EXECUTE)) } else { None };
        match lookup {
            None => self.fetch_fault = Some(cause::FETCH_ACCESS),
            Some(Lookup::Miss) => {
                // W in place of D.
                if self.arrival >= until {
                    return Step::Later;
                }
                let entry = self.page_map_entry(shared, self.pc, self.arrival);
                if self.tlb.fill(self.pc, entry, EXECUTE, self.memory.bytes()) {
                    self.arrival += CYCLES_WALK;
                } else {
                    self.arrival += 2;
                    self.fetch_fault = Some(cause::FETCH_PAGE);
                }
            }
            Some(_) => self.fetch_fault = Some(cause::FETCH_PAGE),
        }
        self.refetch();
        Step::Done
    }

    /// The page-map entry of `va`, its address on the port in `cycle`.
    fn page_map_entry(&mut self, shared: &mut Shared, va: u32, cycle: u64) -> u32 {
        let base = self.csrs.page_map & PMBASE_MASK & !PMBASE_ENABLE;
        let offset = (base | va >> PAGE_SHIFT << 2) & (self.memory.bytes() - 1);
        shared.settle(self.number, &mut self.memory, offset, cycle);
        self.memory.words[offset as usize / 4]
    }

    /// The instruction word that has arrived.
    fn arrived(&mut self, shared: &mut Shared) -> u32 {
        if let Some(word) = self.memory.latched.take() {
            return word;
        }
        let Some(index) = self.stretch.index(self.pc) else { return 0 };
        shared.settle(self.number, &mut self.memory, index * 4, self.arrival - 1);
        self.memory.predecode(index as usize);
        self.memory.words[index as usize]
    }

    /// The word after the one that arrives, as the core reads it in the same cycle; `None` if it can't.
    fn read_ahead(&mut self, shared: &mut Shared) -> Option<u32> {
        let next = self.pc.wrapping_add(4);
        let index = match self.stretch.index(next) {
            Some(index) => index,
            None if !self.csrs.translates_fetches() => self.memory.offset(next)? / 4,
            None => match self.tlb.look_up(next, EXECUTE) {
                Lookup::Hit(offset) => offset / 4,
                _ => return None,
            },
        };
        shared.settle(self.number, &mut self.memory, index * 4, self.arrival);
        Some(self.memory.words[index as usize])
    }

    /// Goes on after a load or store, whose next word may have been read ahead.
    pub(super) fn proceed(&mut self, ahead: Option<u32>, cycles: u64) {
        self.pc = self.pc.wrapping_add(4);
        self.arrival += cycles;
        match ahead {
            Some(_) => self.memory.latched = ahead,
            None => self.arrival += CYCLES_NOT_AHEAD,
        }
    }

    fn execute(&mut self, shared: &mut Shared, word: u32, until: u64) -> Step {
        let ahead = self.ahead.take();
        let instruction = decode(word);
        let Decoded { op, rd, rs1, rs2, imm } = instruction;
        let (a, b) = (self.registers[rs1 as usize], self.registers[rs2 as usize]);
        let next = self.pc.wrapping_add(4);
        match op {
            Op::Lui => self.simple(word, rd, imm, next),
            Op::Auipc => self.simple(word, rd, self.pc.wrapping_add(imm), next),
            Op::Jal => self.jump(word, rd, self.pc.wrapping_add(imm)),
            Op::Jalr => self.jump(word, rd, a.wrapping_add(imm) & !1),
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                self.branch(word, if taken(op, a, b) { self.pc.wrapping_add(imm) } else { next })
            }
            Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => {
                let ahead = ahead.unwrap_or_else(|| self.read_ahead(shared));
                self.load(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Sb | Op::Sh | Op::Sw => {
                let ahead = ahead.unwrap_or_else(|| self.read_ahead(shared));
                self.store(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Ld | Op::Sd => {
                let ahead = ahead.unwrap_or_else(|| self.read_ahead(shared));
                self.pair(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => self.long(word, rd, operate(op, a, b), CYCLES_MULTIPLY),
            Op::Div | Op::Divu | Op::Rem | Op::Remu => self.long(word, rd, operate(op, a, b), CYCLES_DIVIDE),
            Op::Fence => self.simple(word, 0, 0, next),
            Op::Csr => self.csr_instruction(shared, word, instruction, a),
            Op::Mret if !self.csrs.user => self.mret(word),
            Op::Wfi => self.wait(word),
            Op::Ecall => {
                let cause = if self.csrs.user { cause::ECALL_U } else { cause::ECALL_M };
                self.trap_in_x(word, cause, 0)
            }
            Op::Ebreak => self.trap_in_x(word, cause::BREAKPOINT, self.pc),
            Op::Mret | Op::Illegal | Op::Undecoded | Op::MisalignedTarget => self.trap_in_x(word, cause::ILLEGAL, word),
            _ => {
                let b = if word & 0x20 != 0 { b } else { imm };
                self.simple(word, rd, operate(op, a, b), next)
            }
        }
    }

    /// Commits an instruction of class ALU.
    fn simple(&mut self, word: u32, rd: u8, value: u32, next: u32) -> Step {
        self.retire(self.arrival + 1, word, rd, value);
        self.pc = next;
        self.arrival += CYCLES_ALU;
        Step::Done
    }

    fn long(&mut self, word: u32, rd: u8, value: u32, cycles: u64) -> Step {
        self.retire(self.arrival + cycles - 1, word, rd, value);
        self.pc = self.pc.wrapping_add(4);
        self.arrival += cycles;
        Step::Done
    }

    fn jump(&mut self, word: u32, rd: u8, target: u32) -> Step {
        if target & 3 != 0 {
            return self.trap_in_x(word, cause::FETCH_MISALIGNED, target);
        }
        self.simple(word, rd, self.pc.wrapping_add(4), target)
    }

    fn branch(&mut self, word: u32, target: u32) -> Step {
        if target & 3 != 0 {
            return self.trap_in_x(word, cause::FETCH_MISALIGNED, target);
        }
        self.simple(word, 0, 0, target)
    }

    /// A load at the virtual address; beside it, the word after the instruction if it was read ahead.
    fn load(
        &mut self,
        shared: &mut Shared,
        word: u32,
        instruction: Decoded,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Step {
        let Decoded { op, rd, .. } = instruction;
        if va & (access_bytes(op) - 1) != 0 {
            return self.trap_in_x(word, cause::LOAD_MISALIGNED, va);
        }
        let address = match self.translate(shared, va, READ, until) {
            Access::Physical(address) => address,
            Access::Fault { cause, cycle } => return self.trap(cycle, word, cause, va),
            Access::Later => return self.hold(word, ahead),
        };
        let x = self.arrival + 1;
        let content = if let Some(offset) = self.memory.offset(address) {
            shared.settle(self.number, &mut self.memory, offset, x);
            self.memory.words[offset as usize / 4]
        } else if let Some(device) = Device::at(address, self.number) {
            self.device_load(shared, device, address, x)
        } else {
            return self.trap_in_x(word, cause::LOAD_ACCESS, va);
        };
        self.retire(x + 1, word, rd, extract(op, content, address));
        self.record_access(|retirement| {
            retirement.load = true;
            retirement.address = address;
        });
        self.proceed(ahead, CYCLES_LOAD);
        Step::Done
    }

    /// A store at the virtual address; beside it, the word after the instruction if it was read ahead.
    fn store(
        &mut self,
        shared: &mut Shared,
        word: u32,
        instruction: Decoded,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Step {
        let bytes = access_bytes(instruction.op);
        if va & (bytes - 1) != 0 {
            return self.trap_in_x(word, cause::STORE_MISALIGNED, va);
        }
        let address = match self.translate(shared, va, WRITE, until) {
            Access::Physical(address) => address,
            Access::Fault { cause, cycle } => return self.trap(cycle, word, cause, va),
            Access::Later => return self.hold(word, ahead),
        };
        let value = self.registers[instruction.rs2 as usize];
        let (lanes, mask) = match bytes {
            1 => ((value & 0xff) * 0x0101_0101, 1 << (address & 3)),
            2 => ((value & 0xffff) * 0x0001_0001, 3 << (address & 2)),
            _ => (value, 15),
        };
        let after = if let Some(offset) = self.memory.offset(address) {
            self.store_to_ram(shared, offset, lanes, mask);
            Step::Done
        } else if let Some(device) = Device::at(address, self.number) {
            if let Err(retry) = self.device_store(shared, device, address, lanes, self.arrival + 1) {
                // X is repeated; D is not.
                self.arrival = retry - 1;
                self.hold(word, ahead);
                return Step::Done;
            }
            Step::Changed
        } else {
            return self.trap_in_x(word, cause::STORE_ACCESS, va);
        };
        self.retire(self.arrival + 1, word, 0, 0);
        self.record_access(|retirement| {
            retirement.store = true;
            retirement.address = address;
            retirement.data = lanes & lane_bits(mask);
            retirement.mask = mask;
        });
        self.proceed(ahead, CYCLES_STORE);
        after
    }

    pub(super) fn store_to_ram(&mut self, shared: &mut Shared, offset: u32, lanes: u32, mask: u8) {
        shared.settle(self.number, &mut self.memory, offset, self.arrival + 1);
        self.memory.store(offset as usize / 4, lanes, mask);
    }

    /// Translates a data address in X, walking the page map if it must; then `arrival` moves so that X follows the walk.
    pub(super) fn translate(&mut self, shared: &mut Shared, va: u32, right: u32, until: u64) -> Access {
        if !self.translating {
            return Access::Physical(va);
        }
        let cause = if right == READ { cause::LOAD_PAGE } else { cause::STORE_PAGE };
        let x = self.arrival + 1;
        match self.tlb.look_up(va, right) {
            Lookup::Hit(offset) => Access::Physical(RAM_BASE + offset),
            Lookup::Denied => Access::Fault { cause, cycle: x },
            Lookup::Miss if x + 1 >= until => Access::Later,
            Lookup::Miss => {
                let entry = self.page_map_entry(shared, va, x + 1);
                if !self.tlb.fill(va, entry, right, self.memory.bytes()) {
                    return Access::Fault { cause, cycle: x + 2 };
                }
                self.refetch();
                self.arrival += CYCLES_WALK;
                if self.arrival + 1 >= until {
                    return Access::Later;
                }
                self.translate(shared, va, right, until)
            }
        }
    }

    /// Puts the instruction off: its X, or the walk it needs, comes in a later cycle. Its D is over.
    pub(super) fn hold(&mut self, word: u32, ahead: Option<u32>) -> Step {
        self.memory.latched = Some(word);
        self.ahead = Some(ahead);
        self.let_past = self.arrival + 1;
        self.interrupt_at = self.interrupt_at.max(self.let_past);
        Step::Later
    }

    fn csr_instruction(&mut self, shared: &mut Shared, word: u32, instruction: Decoded, a: u32) -> Step {
        let number = (word >> 20) as u16;
        let immediate = word & 0x4000 != 0;
        let operand = if immediate { u32::from(instruction.rs1) } else { a };
        let (writes, cycle) = (word & 0x2000 == 0 || instruction.rs1 != 0, self.arrival + 1);
        let around = Surroundings {
            cycle,
            time: self.clint.time(cycle),
            retired: self.retired,
            pending: if number == MIP { self.pending(shared, cycle) } else { 0 },
            hart: self.number as u32,
        };
        let Some(value) = self.csrs.read(number, writes, around) else {
            return self.trap_in_x(word, cause::ILLEGAL, word);
        };
        self.simple(word, instruction.rd, value, self.pc.wrapping_add(4));
        if !writes {
            return Step::Done;
        }
        let written = match word >> 12 & 3 {
            1 => operand,
            2 => value | operand,
            _ => value & !operand,
        };
        self.csrs.write(number, written, around);
        if number == PMBASE {
            self.tlb.flush();
        }
        self.privilege_changed();
        Step::Changed
    }

    fn mret(&mut self, word: u32) -> Step {
        self.retire(self.arrival + 1, word, 0, 0);
        self.csrs.mret();
        self.pc = self.csrs.exception_pc;
        self.arrival += CYCLES_MRET;
        self.privilege_changed();
        Step::Changed
    }

    fn wait(&mut self, word: u32) -> Step {
        self.retire(self.arrival + 1, word, 0, 0);
        self.pc = self.pc.wrapping_add(4);
        // The first cycle asleep.
        self.arrival += 2;
        self.asleep = true;
        Step::Asleep
    }

    fn privilege_changed(&mut self) {
        self.translating = self.csrs.translates_data();
        self.refetch();
    }

    pub(super) fn trap_in_x(&mut self, word: u32, cause: u32, value: u32) -> Step {
        self.trap(self.arrival + 1, word, cause, value)
    }

    /// Takes a trap in `cycle`; the handler arrives two cycles later.
    pub(super) fn trap(&mut self, cycle: u64, word: u32, cause: u32, value: u32) -> Step {
        if let Some(record) = &mut self.record {
            let pc = self.pc;
            record.push(Retirement {
                cycle,
                trap: true,
                pc,
                instruction: word,
                cause,
                tval: value,
                ..Default::default()
            });
        }
        self.csrs.trap(self.pc, cause, value);
        self.pc = self.csrs.vector;
        self.arrival = cycle + CYCLES_TRAP_ON_ARRIVAL;
        self.fetch_fault = None;
        self.memory.latched = None;
        self.ahead = None;
        self.privilege_changed();
        Step::Changed
    }

    /// Counts and records the instruction at `pc`, committed in `cycle`.
    pub(super) fn retire(&mut self, cycle: u64, word: u32, rd: u8, value: u32) {
        if rd != 0 {
            self.registers[rd as usize] = value;
        }
        self.retired += 1;
        self.complete = cycle + 1;
        if let Some(record) = &mut self.record {
            let value = if rd == 0 { 0 } else { value };
            record.push(Retirement { cycle, pc: self.pc, instruction: word, rd, value, ..Default::default() });
        }
    }

    /// Completes the record of the instruction just retired.
    pub(super) fn record_access(&mut self, complete: impl FnOnce(&mut Retirement)) {
        if let Some(last) = self.record.as_mut().and_then(|record| record.last_mut()) {
            complete(last);
        }
    }
}

/// `mcause` of the interrupt that goes first among those pending.
fn interrupt_cause(pending: u32) -> u32 {
    let code = if pending & INTERRUPT_EXTERNAL != 0 {
        cause::EXTERNAL
    } else if pending & INTERRUPT_SOFTWARE != 0 {
        cause::SOFTWARE
    } else {
        cause::TIMER
    };
    MCAUSE_INTERRUPT | code
}
