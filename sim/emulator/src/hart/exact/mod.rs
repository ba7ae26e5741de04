//! The exact step: one instruction, trap or page-map walk at a time, whatever it is and whoever
//! looks.

mod access;
mod device;
mod pair;
mod system;

use super::alu::{operate, taken};
use super::decode::{decode, Decoded, Op};
use super::interrupts::interrupt_cause;
use super::state::Hart;
use super::tlb::{Lookup, EXECUTE};
use crate::shared::Shared;
use testbed_definitions::csr::*;
use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};
use testbed_definitions::timing::*;

/// What a step leaves to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::hart) enum Step {
    Done,
    /// Interrupts may be pending or enabled otherwise than before, or DMA may have begun.
    Changed,
    /// A `wfi` has been executed.
    Asleep,
    /// What comes next lies beyond the window.
    Later,
    /// What comes next concerns other processors, and this one runs ahead of them.
    Concerns,
}

/// What becomes of the word after an instruction that goes on to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::hart) enum Next {
    Plain,
    /// The pipelined core executes it a cycle later.
    Waits,
    /// It is fetched anew.
    Anew,
}

/// Where a data access goes.
pub(in crate::hart) enum Access {
    Physical(u32),
    Fault { cause: u32, cycle: u64 },
    Later,
}

impl Hart {
    /// Executes the next instruction if its X lies before `until`.
    pub(in crate::hart) fn step(&mut self, shared: &mut Shared, until: u64) -> Step {
        if self.second.is_some() {
            return self.second_half(shared, until);
        }
        if self.fetch_fault.is_none() && self.memory.latched.is_none() && self.stretch.index(self.pc).is_none() {
            self.refetch();
            if self.stretch.index(self.pc).is_none() {
                return self.fetch(shared, until);
            }
        }
        // The cycle in which an interrupt or the fault of the fetch is taken.
        let judged = self.arrival + self.times.to_judgement();
        if self.arrival >= until {
            return Step::Later;
        }
        if judged >= until {
            return Step::Later;
        }
        if judged >= self.interrupt_at && self.pending(shared, judged) & self.csrs.enabled == 0 {
            // A line was high between two arrivals only: a store put `mtimecmp` off in the very
            // cycle in which the time had come.
            self.find_interrupt(shared);
        }
        if judged >= self.interrupt_at && self.complete > judged && !self.times.overlaps {
            // A load is completed in this cycle: what arrives stays, and is looked at again in the
            // next one. (The pipelined core has put off who needs what is loaded.)
            if self.memory.latched.is_none() {
                self.memory.latched = self.stretch.index(self.pc).map(|index| self.memory.words[index as usize]);
            }
            self.arrival += 1;
            return Step::Changed;
        }
        if judged >= self.interrupt_at {
            let cause = interrupt_cause(self.pending(shared, judged) & self.csrs.enabled);
            self.trap(judged, 0, cause, 0);
            return Step::Changed;
        }
        if let Some(cause) = self.fetch_fault {
            self.trap(judged, 0, cause, self.pc);
            return Step::Changed;
        }
        if self.arrival + 1 >= until {
            self.let_past = self.arrival + 1;
            return self.read_before(shared);
        }
        let word = self.arrived(shared);
        self.execute(shared, word, until)
    }

    /// Leaves the X of the instruction at `pc` to the next window; its D is in this one, and so is
    /// what the core reads in it.
    fn read_before(&mut self, shared: &mut Shared) -> Step {
        if self.ahead.is_none() && shared.hazards(self.number).is_some() {
            self.ahead = Some(self.read_ahead(shared));
        }
        Step::Later
    }

    /// A fetch that is not known to be in RAM: finds its fault, or walks the page map. `arrival`
    /// would be its D.
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
        let base = self.csrs.page_map & PMBASE_BASE;
        let offset = (base | va >> PAGE_SHIFT << 2) & (self.memory.bytes() - 1);
        shared.settle(self.number, &mut self.memory, offset, cycle);
        self.memory.words[offset as usize / 4]
    }

    /// The instruction word that has arrived. The pipelined core is taken to read it in X: it promises
    /// only that what DMA has written is seen behind the next jump, so nothing needs to be kept of words
    /// that were fetched before.
    fn arrived(&mut self, shared: &mut Shared) -> u32 {
        if let Some(word) = self.memory.latched.take() {
            return word;
        }
        let Some(index) = self.stretch.index(self.pc) else { return 0 };
        let fetched = if self.times.overlaps { self.arrival + 1 } else { self.arrival - 1 };
        shared.settle(self.number, &mut self.memory, index * 4, fetched);
        if self.memory.decoded[index as usize].get() == Decoded::UNDECODED {
            self.memory.predecode(index as usize);
        }
        self.memory.words[index as usize]
    }

    /// The word after the one that arrives, as the core reads it in the same cycle; `None` if it
    /// can't.
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

    /// The same for a load or store, unless that is known from before. Nothing on the pipelined core.
    fn read_with(&mut self, shared: &mut Shared, before: Option<Option<u32>>) -> Option<u32> {
        match before {
            Some(ahead) => ahead,
            None if self.times.overlaps => None,
            None => self.read_ahead(shared),
        }
    }

    /// Goes on after a load or store: on the first core its next word may have been read ahead, on the
    /// pipelined one it is given if this is a store to the page that it was fetched from.
    pub(in crate::hart) fn proceed(&mut self, ahead: Option<u32>, cycles: u64, next: Next) {
        self.go_on(cycles, next);
        self.overwrites = self.times.overlaps && ahead.is_some();
        self.memory.latched = ahead;
        if !self.times.overlaps && ahead.is_none() {
            self.arrival += CYCLES_NOT_AHEAD;
        }
    }

    fn execute(&mut self, shared: &mut Shared, word: u32, until: u64) -> Step {
        let ahead = self.ahead.take();
        let instruction = decode(word);
        let Decoded { op, rd, rs1, rs2, imm } = instruction;
        let (a, b) = (self.registers[rs1 as usize], self.registers[rs2 as usize]);
        match op {
            Op::Lui => self.simple(word, rd, imm),
            Op::Auipc => self.simple(word, rd, self.pc.wrapping_add(imm)),
            Op::Jal => self.jump(word, rd, self.pc.wrapping_add(imm)),
            Op::Jalr => self.jump(word, rd, a.wrapping_add(imm) & !1),
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                if taken(op, a, b) {
                    self.branch(word, self.pc.wrapping_add(imm))
                } else {
                    self.simple(word, 0, 0)
                }
            }
            Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => {
                let ahead = self.read_with(shared, ahead);
                self.load(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Sb | Op::Sh | Op::Sw => {
                let ahead = self.read_with(shared, ahead);
                self.store(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Ld | Op::Sd => {
                let ahead = self.read_with(shared, ahead);
                self.pair(shared, word, instruction, (a.wrapping_add(imm), ahead), until)
            }
            Op::Mul | Op::Mulh | Op::Mulhsu | Op::Mulhu => {
                let next = self.who_waits(shared, instruction, self.arrival + 1);
                self.long(word, rd, operate(op, a, b), self.times.multiply, next)
            }
            Op::Div | Op::Divu | Op::Rem | Op::Remu => {
                self.long(word, rd, operate(op, a, b), self.times.divide, Next::Plain)
            }
            Op::FenceI => {
                self.retire(self.shown(self.arrival + 1), word, 0, 0);
                self.go_on(self.times.alu, Next::Anew);
                Step::Done
            }
            Op::Fence => self.simple(word, 0, 0),
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
                self.simple(word, rd, operate(op, a, b))
            }
        }
    }

    /// Commits an instruction of class ALU.
    fn simple(&mut self, word: u32, rd: u8, value: u32) -> Step {
        self.retire(self.shown(self.arrival + 1), word, rd, value);
        self.go_on(self.times.alu, Next::Plain);
        Step::Done
    }

    /// Commits a multiplication or division, done in the last of so many cycles.
    fn long(&mut self, word: u32, rd: u8, value: u32, cycles: u64, next: Next) -> Step {
        let last = self.arrival + cycles - 1 + self.times.to_judgement();
        self.retire(self.shown(last), word, rd, value);
        self.go_on(cycles, next);
        Step::Done
    }

    /// When the retirement port shows what is done in `cycle`.
    pub(in crate::hart) fn shown(&self, cycle: u64) -> u64 {
        cycle + self.times.to_retirement()
    }

    /// Goes on to the word after the instruction at `pc`, which has taken so many cycles.
    fn go_on(&mut self, cycles: u64, next: Next) {
        self.pc = self.pc.wrapping_add(4);
        self.arrival += cycles;
        let page_ends = self.times.overlaps && self.pc.is_multiple_of(PAGE_BYTES);
        if next == Next::Anew || self.overwrites || page_ends {
            self.arrival += self.times.anew;
            self.begin_anew();
        } else if next == Next::Waits {
            self.arrival += self.times.late;
        }
    }

    /// Whether the word after the instruction at `pc` waits on the pipelined core for what the
    /// instruction writes; it is looked at in `cycle`.
    pub(in crate::hart) fn who_waits(&mut self, shared: &mut Shared, instruction: Decoded, cycle: u64) -> Next {
        match self.following(shared, cycle) {
            Some(word) if instruction.is_waited_for_by(word) => Next::Waits,
            _ => Next::Plain,
        }
    }

    /// The word after the instruction at `pc` as it is in RAM in `cycle`, if the pipelined core has
    /// fetched it with that one.
    pub(in crate::hart) fn following(&mut self, shared: &mut Shared, cycle: u64) -> Option<u32> {
        if !self.times.overlaps || self.overwrites {
            return None;
        }
        let index = self.stretch.index(self.pc).filter(|&index| !self.times.ends_page(index))? + 1;
        shared.settle(self.number, &mut self.memory, 4 * index, cycle);
        Some(self.memory.words[index as usize])
    }

    /// Commits an instruction that jumps.
    fn leave(&mut self, word: u32, rd: u8, value: u32, target: u32) -> Step {
        self.retire(self.shown(self.arrival + 1), word, rd, value);
        self.pc = target;
        self.arrival += self.times.jump;
        self.begin_anew();
        Step::Done
    }

    fn jump(&mut self, word: u32, rd: u8, target: u32) -> Step {
        if target & 3 != 0 {
            return self.trap_in_x(word, cause::FETCH_MISALIGNED, target);
        }
        self.leave(word, rd, self.pc.wrapping_add(4), target)
    }

    fn branch(&mut self, word: u32, target: u32) -> Step {
        if target & 3 != 0 {
            return self.trap_in_x(word, cause::FETCH_MISALIGNED, target);
        }
        self.leave(word, 0, 0, target)
    }
}
