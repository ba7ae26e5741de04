//! The exact step of `ld` and `sd`: loads and stores of register pairs, a word in X and one in P,
//! the cycle after it.

use super::{Next, Step};
use crate::engine::Retirement;
use crate::hart::alu::access_bytes;
use crate::hart::decode::{decode, Decoded, Op};
use crate::hart::state::{Hart, Second};
use crate::hart::tlb::{READ, WRITE};
use crate::shared::Shared;
use testbed_definitions::csr::cause;
use testbed_definitions::map::RAM_BASE;

impl Hart {
    /// The first half of a load or store of a pair at the virtual address, and the second if it
    /// comes before `until`; beside the address, the word after the instruction if it was read
    /// ahead.
    pub(in crate::hart) fn pair(
        &mut self,
        shared: &mut Shared,
        word: u32,
        instruction: Decoded,
        (va, ahead): (u32, Option<u32>),
        until: u64,
    ) -> Step {
        let loads = instruction.op == Op::Ld;
        let (right, denied) = if loads { (READ, cause::LOAD_ACCESS) } else { (WRITE, cause::STORE_ACCESS) };
        let bytes = access_bytes(instruction.op);
        let address = match self.data_address(shared, word, bytes, right, (va, ahead), until) {
            Ok(address) => address,
            Err(step) => return step,
        };
        // Devices have no pairs.
        let Some(offset) = self.memory.offset(address) else { return self.trap_in_x(word, denied, va) };
        let x = self.arrival + 1;
        let mut ahead = ahead;
        if loads {
            shared.settle(self.number, &mut self.memory, offset, x);
            let value = self.memory.words[offset as usize / 4];
            if instruction.rd != 0 {
                self.registers[instruction.rd as usize] = value;
            }
            self.record_half(x + 1, word, instruction.rd, value, offset);
        } else {
            let value = self.registers[instruction.rs2 as usize];
            ahead = ahead.or(self.overwritten_behind(shared, offset));
            self.store_to_ram(shared, offset, value, 15);
            self.record_half(self.shown(x), word, 0, value, offset);
        }
        self.second = Some(Second { word, offset: offset + 4, ahead });
        self.second_half(shared, until)
    }

    /// The second half of a pair, in the cycle after X, if that is before `until`.
    pub(in crate::hart) fn second_half(&mut self, shared: &mut Shared, until: u64) -> Step {
        let cycle = self.arrival + 2;
        let Some(Second { word, offset, ahead }) = self.second.filter(|_| cycle < until) else {
            // Its D is over.
            self.let_past = self.arrival + 1 + self.times.to_judgement();
            self.interrupt_at = self.interrupt_at.max(self.let_past);
            return Step::Later;
        };
        self.second = None;
        let instruction = decode(word);
        let Decoded { op, rd, rs2, .. } = instruction;
        let other = |register: u8| if register == 0 { 0 } else { register | 1 };
        shared.settle(self.number, &mut self.memory, offset, cycle);
        let index = offset as usize / 4;
        if op == Op::Ld {
            self.retire(cycle + 1, word, other(rd), self.memory.words[index]);
        } else {
            self.memory.store(index, self.registers[other(rs2) as usize], 15);
            self.retire(self.shown(cycle), word, 0, 0);
        }
        let stored = self.memory.words[index];
        self.record_access(|retirement| retirement.access_word(op == Op::Sd, RAM_BASE + offset, stored));
        if op == Op::Ld {
            let next = self.who_waits(shared, instruction, cycle);
            self.proceed(ahead, self.times.load_pair, next);
        } else {
            self.proceed(ahead, self.times.store_pair, Next::Plain);
        }
        Step::Done
    }

    /// Records the first half of a pair: `rd` for a load, `value` loaded or stored.
    fn record_half(&mut self, cycle: u64, word: u32, rd: u8, value: u32, offset: u32) {
        let pc = self.pc;
        let Some(record) = &mut self.record else { return };
        let stores = word & 0x20 != 0;
        let shown = if rd == 0 { 0 } else { value };
        let mut half = Retirement { cycle, half: true, pc, instruction: word, rd, value: shown, ..Default::default() };
        half.access_word(stores, RAM_BASE + offset, value);
        record.push(half);
    }
}
