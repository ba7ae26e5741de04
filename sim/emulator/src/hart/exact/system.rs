//! CSRs, privilege, sleep and traps; and the record of what retires.

use super::Step;
use crate::engine::Retirement;
use crate::hart::csr::Surroundings;
use crate::hart::decode::Decoded;
use crate::hart::state::Hart;
use crate::shared::Shared;
use testbed_definitions::csr::*;
use testbed_definitions::timing::{CYCLES_MRET, CYCLES_TRAP_ON_ARRIVAL};

impl Hart {
    pub(super) fn csr_instruction(&mut self, shared: &mut Shared, word: u32, instruction: Decoded, a: u32) -> Step {
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
        self.simple(word, instruction.rd, value);
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

    pub(super) fn mret(&mut self, word: u32) -> Step {
        self.retire(self.shown(self.arrival + 1), word, 0, 0);
        self.csrs.mret();
        self.pc = self.csrs.exception_pc();
        self.arrival += CYCLES_MRET;
        self.overwrites = false;
        self.privilege_changed();
        Step::Changed
    }

    pub(super) fn wait(&mut self, word: u32) -> Step {
        self.retire(self.shown(self.arrival + 1), word, 0, 0);
        self.pc = self.pc.wrapping_add(4);
        // The first cycle asleep.
        self.arrival += 2;
        self.asleep = true;
        self.overwrites = false;
        Step::Asleep
    }

    fn privilege_changed(&mut self) {
        self.mode = self.csrs.mode();
        self.refetch();
    }

    pub(in crate::hart) fn trap_in_x(&mut self, word: u32, cause: u32, value: u32) -> Step {
        self.trap(self.arrival + 1, word, cause, value)
    }

    /// Takes a trap in `cycle`; the handler arrives two cycles later.
    pub(in crate::hart) fn trap(&mut self, cycle: u64, word: u32, cause: u32, value: u32) -> Step {
        let shown = self.shown(cycle);
        if let Some(record) = &mut self.record {
            let pc = self.pc;
            record.push(Retirement {
                cycle: shown,
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
        self.overwrites = false;
        self.privilege_changed();
        Step::Changed
    }

    /// Counts and records the instruction at `pc`, which the retirement port shows in `cycle`.
    pub(in crate::hart) fn retire(&mut self, cycle: u64, word: u32, rd: u8, value: u32) {
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
    pub(in crate::hart) fn record_access(&mut self, complete: impl FnOnce(&mut Retirement)) {
        if let Some(last) = self.record.as_mut().and_then(|record| record.last_mut()) {
            complete(last);
        }
    }
}
