//! Loads and stores: through the TLB or not, in RAM, and not over instructions.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::emitter::{Emitter, Position, RAM, TABLES};
use crate::hart::alu::access_bytes;
use crate::hart::decode::{Decoded, Op};
use crate::hart::memory::CODE_SHIFT;
use crate::hart::times::PAGE_WORDS;
use crate::hart::tlb::Entry;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};

/// Where a load or store goes, known to be aligned, granted and in RAM.
pub(super) struct Address {
    /// Offset in RAM in bytes.
    pub offset: Value,
    /// Where that is on this computer.
    pub host: Value,
}

impl Emitter<'_> {
    /// The way to the memory that a load or store names, which needs this right; the region is left
    /// if there is none.
    pub fn address(&mut self, position: &mut Position, decoded: Decoded, right: u32) -> Address {
        let bytes = access_bytes(decoded.op);
        let register = self.register(position, decoded.rs1);
        let address = self.builder.ins().iadd_imm(register, i64::from(decoded.imm as i32));
        let (refused, offset) = match self.mode.translating {
            true => self.look_up(address, bytes, right),
            false => self.untranslated(address, bytes),
        };
        self.exit_if(refused, position);
        let offset = self.builder.ins().uextend(I64, offset);
        let host = self.builder.ins().iadd(self.pointers.words, offset);
        Address { offset, host }
    }

    /// As [`crate::hart::tlb::Tlb::hit`]: not zero if there is none or it is misaligned, and the
    /// offset.
    fn look_up(&mut self, address: Value, bytes: u32, right: u32) -> (Value, Value) {
        let builder = &mut self.builder;
        let page = builder.ins().ushr_imm(address, i64::from(PAGE_SHIFT));
        // The index as `tlb_index` makes it.
        let half = builder.ins().ushr_imm(address, i64::from(PAGE_SHIFT) + 9 - 3);
        let half = builder.ins().band_imm(half, 8);
        let low = builder.ins().band_imm(page, 7);
        let index = builder.ins().bor(half, low);
        let index = builder.ins().imul_imm(index, size_of::<Entry>() as i64);
        let index = builder.ins().uextend(I64, index);
        let entry = builder.ins().iadd(self.pointers.tlb, index);
        let tag = builder.ins().load(I32, TABLES, entry, offset_of!(Entry, tag) as i32);
        let rights = builder.ins().load(I32, TABLES, entry, offset_of!(Entry, rights) as i32);
        let base = builder.ins().load(I32, TABLES, entry, offset_of!(Entry, base) as i32);
        let mut refused = builder.ins().bxor(tag, page);
        let granted = builder.ins().band_imm(rights, i64::from(right));
        let missing = builder.ins().bxor_imm(granted, i64::from(right));
        refused = builder.ins().bor(refused, missing);
        if bytes > 1 {
            let odd = builder.ins().band_imm(address, i64::from(bytes - 1));
            refused = builder.ins().bor(refused, odd);
        }
        let within = builder.ins().band_imm(address, i64::from(PAGE_BYTES - 1));
        let offset = builder.ins().bor(base, within);
        (refused, offset)
    }

    /// Without the TLB: not zero if it is not in RAM or misaligned, and the offset.
    fn untranslated(&mut self, address: Value, bytes: u32) -> (Value, Value) {
        let offset = self.builder.ins().iadd_imm(address, -i64::from(RAM_BASE));
        let end = i64::from(self.ram_words) * 4 / i64::from(bytes);
        // What a misaligned offset has below comes to the top, and is beyond any RAM.
        let element = match bytes {
            1 => offset,
            _ => self.builder.ins().rotr_imm(offset, i64::from(bytes.trailing_zeros())),
        };
        let refused = self.builder.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, element, end);
        (refused, offset)
    }

    /// What a load of one register gets.
    pub fn load(&mut self, op: Op, address: Address) -> Value {
        let builder = &mut self.builder;
        match op {
            Op::Lb => builder.ins().sload8(I32, RAM, address.host, 0),
            Op::Lbu => builder.ins().uload8(I32, RAM, address.host, 0),
            Op::Lh => builder.ins().sload16(I32, RAM, address.host, 0),
            Op::Lhu => builder.ins().uload16(I32, RAM, address.host, 0),
            _ => builder.ins().load(I32, RAM, address.host, 0),
        }
    }

    /// A store of register `source`, or of it and the next, noted in the log.
    pub fn store(&mut self, position: &mut Position, op: Op, address: &Address, source: u8) {
        let index = self.builder.ins().ushr_imm(address.offset, 2);
        let pairs = op == Op::Sd;
        self.refuse_code(position, index, pairs);
        let value = self.register(position, source);
        // The words as they were, for whoever goes back.
        let word = self.builder.ins().band_imm(address.offset, !3);
        let word = self.builder.ins().iadd(self.pointers.words, word);
        let log = self.builder.use_var(self.log);
        for half in 0..=i32::from(pairs) {
            let former = self.builder.ins().load(I32, RAM, word, 4 * half);
            let index = self.builder.ins().ireduce(I32, index);
            let index = self.builder.ins().iadd_imm(index, i64::from(half));
            self.builder.ins().store(TABLES, index, log, 8 * half);
            self.builder.ins().store(TABLES, former, log, 8 * half + 4);
        }
        let log = self.builder.ins().iadd_imm(log, 8 + 8 * i64::from(pairs));
        self.builder.def_var(self.log, log);
        match op {
            Op::Sb => self.builder.ins().istore8(RAM, value, address.host, 0),
            Op::Sh => self.builder.ins().istore16(RAM, value, address.host, 0),
            _ => self.builder.ins().store(RAM, value, address.host, 0),
        };
        if pairs {
            let second = self.register(position, source | 1);
            self.builder.ins().store(RAM, second, address.host, 4);
        }
    }

    /// Leaves the region where a store would overwrite an instruction; on the pipelined core also where
    /// it is to the page that it was fetched from.
    fn refuse_code(&mut self, position: &mut Position, index: Value, pairs: bool) {
        let stretch = self.builder.ins().ushr_imm(index, CODE_SHIFT as i64);
        let flag = self.builder.ins().iadd(self.pointers.has_code, stretch);
        let flag = self.builder.ins().uload8(I32, TABLES, flag, 0);
        let (near, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(near);
        self.builder.ins().brif(flag, near, &[], on, &[]);
        self.builder.switch_to_block(near);
        if self.times.overlaps {
            let page = self.builder.ins().ireduce(I32, stretch);
            let behind = (self.page_place + position.at) / PAGE_WORDS;
            let here = self.builder.ins().iadd_imm(self.page, i64::from(behind));
            let same = self.builder.ins().icmp(IntCC::Equal, page, here);
            self.exit_if(same, position);
        }
        let at = self.builder.ins().imul_imm(index, size_of::<Decoded>() as i64);
        let at = self.builder.ins().iadd(self.pointers.decoded, at);
        let mut op = self.builder.ins().uload8(I32, TABLES, at, offset_of!(Decoded, op) as i32);
        if pairs {
            let next = (size_of::<Decoded>() + offset_of!(Decoded, op)) as i32;
            let second = self.builder.ins().uload8(I32, TABLES, at, next);
            op = self.builder.ins().bor(op, second);
        }
        self.exit_if(op, position);
        self.builder.ins().jump(on, &[]);
        self.builder.switch_to_block(on);
    }
}
