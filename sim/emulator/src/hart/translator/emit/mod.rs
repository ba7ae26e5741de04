//! From a region's instructions to Cranelift's.
//!
//! Registers stay in memory: a block reads each once and writes each result through, so that it can
//! be left at any instruction. Before a block it is asked whether all its instructions arrive before
//! the limit; what comes behind the last such block is the interpreter's. An instruction that can't
//! be done leaves the region before it has done anything.

mod access;
mod arithmetic;
mod emitter;
mod time;

use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, BlockArg, BlockCall, Function, InstBuilder, JumpTableData, Value};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use self::arithmetic::{condition, takes_immediate};
use self::emitter::{Emitter, Position, RAM, TABLES};
use self::time::{cycles, needs};
use super::frame::{Exit, Frame, CYCLE};
use super::region::{ends_block, is_branch, Region};
use crate::hart::decode::{Decoded, Op};
use crate::hart::times::Times;
use crate::hart::tlb::{READ, WRITE};

/// Makes the function that executes `region` in a RAM of so many words on the core of these times,
/// from a [`Frame`] and the place of a leader on; returns the exits that it knows.
pub(super) fn emit(
    function: &mut Function,
    context: &mut FunctionBuilderContext,
    region: &Region,
    ram_words: u32,
    times: Times,
) -> Vec<Exit> {
    let builder = FunctionBuilder::new(function, context);
    let mut emitter = Emitter::new(builder, region, ram_words, times);
    for &leader in &region.leaders {
        emitter.block(leader);
    }
    emitter.finish()
}

impl Emitter<'_> {
    /// The block that begins with `leader`.
    fn block(&mut self, leader: u32) {
        self.builder.switch_to_block(self.blocks[&leader]);
        let mut count = 0;
        while let Some(decoded) = self.instructions.get(&(leader + count)) {
            count += 1;
            if ends_block(decoded.op) || self.blocks.contains_key(&(leader + count)) {
                break;
            }
        }
        let mut position =
            Position { at: leader, executed: 0, passed: 0, complete: None, known: BTreeMap::new(), out: None };
        self.ask_for_time(&mut position, count);
        for at in leader..leader + count {
            position.at = at;
            let decoded = self.instructions[&at];
            if ends_block(decoded.op) {
                self.leave(&mut position, decoded);
                return;
            }
            position.out = None;
            if !self.execute(&mut position, decoded) {
                let out = self.exit_at(&position, at);
                self.builder.ins().jump(self.exit, &[out]);
                return;
            }
            self.pass(&mut position, decoded.op);
        }
        self.arrive(&position);
        self.go_on(leader + count);
    }

    /// Leaves the region where not all `count` instructions from here on arrive before the limit as
    /// early as they have to.
    fn ask_for_time(&mut self, position: &mut Position, count: u32) {
        let (mut passed, mut needed) = (0, 0);
        for at in position.at..position.at + count {
            let op = self.instructions[&at].op;
            needed = passed + needs(op) as i64;
            passed += cycles(op, self.times) as i64 + self.extra_at(at);
        }
        let time = self.builder.use_var(self.time);
        let late = self.builder.ins().icmp_imm(IntCC::SignedLessThan, time, needed * CYCLE);
        self.exit_if(late, position);
    }

    /// Goes on with the instruction at a place that is known.
    fn go_on(&mut self, at: u32) {
        let (block, arguments) = self.target(at);
        self.builder.ins().jump(block, &arguments);
    }

    /// The block to go to, and its arguments, for the instruction at a place that is known.
    fn target(&mut self, at: u32) -> (Block, Vec<BlockArg>) {
        match self.blocks.get(&at) {
            Some(&block) => (block, vec![]),
            None => {
                let at = self.builder.ins().iconst(I64, i64::from(at));
                (self.exit, vec![BlockArg::Value(at)])
            }
        }
    }

    /// A branch or jump, which ends the block.
    fn leave(&mut self, position: &mut Position, decoded: Decoded) {
        let Decoded { op, rd, rs1, rs2, imm } = decoded;
        let (at, next, target) = (position.at, position.at + 1, position.at.wrapping_add(imm));
        if is_branch(op) {
            let (a, b) = (self.register(position, rs1), self.register(position, rs2));
            let taken = self.builder.ins().icmp(condition(op), a, b);
            self.pass(position, op);
            // What is added where it is taken is taken back where it is not: loops mostly go on.
            let jumps = (self.times.jump - self.times.alu) as i64;
            position.passed += jumps;
            self.arrive(position);
            let longer = jumps - self.extra_at(at);
            let ((taken_block, taken_arguments), (next_block, next_arguments)) =
                (self.target(target), self.target(next));
            if longer == 0 {
                self.builder.ins().brif(taken, taken_block, &taken_arguments, next_block, &next_arguments);
                return;
            }
            let way = self.builder.create_block();
            self.builder.ins().brif(taken, taken_block, &taken_arguments, way, &[]);
            self.builder.switch_to_block(way);
            let time = self.builder.use_var(self.time);
            let time = self.builder.ins().iadd_imm(time, longer * CYCLE);
            self.builder.def_var(self.time, time);
            self.builder.ins().jump(next_block, &next_arguments);
        } else if op == Op::Jal {
            let link = self.builder.ins().iadd_imm(self.base, i64::from(4 * (at + 1)));
            self.set(position, rd, link);
            self.pass(position, op);
            self.arrive(position);
            self.go_on(target);
        } else {
            let a = self.register(position, rs1);
            let to = self.builder.ins().iadd_imm(a, i64::from(imm as i32));
            let odd = self.builder.ins().band_imm(to, 2);
            position.out = None;
            self.exit_if(odd, position);
            let link = self.builder.ins().iadd_imm(self.base, i64::from(4 * (at + 1)));
            self.set(position, rd, link);
            self.pass(position, op);
            self.arrive(position);
            let away = self.builder.ins().isub(to, self.base);
            let place = self.builder.ins().ushr_imm(away, 2);
            self.builder.ins().jump(self.dispatch, &[BlockArg::Value(place)]);
        }
    }

    /// Any other instruction. Says whether it can be done at all.
    fn execute(&mut self, position: &mut Position, decoded: Decoded) -> bool {
        let Decoded { op, rd, rs1, rs2, imm } = decoded;
        match op {
            Op::Fence | Op::FenceI => {}
            Op::Lui => {
                let value = self.builder.ins().iconst(I32, i64::from(imm));
                self.set(position, rd, value);
            }
            Op::Auipc => {
                let here = i64::from((4 * position.at).wrapping_add(imm) as i32);
                let value = self.builder.ins().iadd_imm(self.base, here);
                self.set(position, rd, value);
            }
            Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu => {
                let address = self.address(position, decoded, READ);
                let value = self.load(op, address);
                self.set(position, rd, value);
            }
            Op::Ld => {
                let address = self.address(position, decoded, READ);
                let low = self.builder.ins().load(I32, RAM, address.host, 0);
                let high = self.builder.ins().load(I32, RAM, address.host, 4);
                self.set(position, rd, low);
                self.set(position, rd | 1, high);
            }
            Op::Sb | Op::Sh | Op::Sw | Op::Sd => {
                // On the first core the word after it has been read when it stores: only of
                // instructions is it known here that a store to them is refused.
                if !self.times.overlaps && !self.instructions.contains_key(&(position.at + 1)) {
                    return false;
                }
                let address = self.address(position, decoded, WRITE);
                self.store(position, op, &address, rs2);
            }
            Op::CsrRead | Op::CsrSwap if !self.mode.machine => return false,
            Op::Time if !self.mode.times => return false,
            Op::CsrRead => {
                let value = self.builder.ins().load(I32, TABLES, self.pointers.csrs, 4 * i32::from(rs1));
                self.set(position, rd, value);
            }
            Op::CsrSwap => {
                let place = 4 * i32::from(rs2);
                let a = self.register(position, rs1);
                let kept = self.builder.ins().band_imm(a, i64::from(imm));
                let before = self.builder.ins().load(I32, TABLES, self.pointers.csrs, place);
                self.builder.ins().store(TABLES, kept, self.pointers.csrs, place);
                self.set(position, rd, before);
            }
            Op::Time => {
                let value = self.clock(position, imm);
                self.set(position, rd, value);
            }
            _ => {
                let a = self.register(position, rs1);
                let b = match takes_immediate(op) {
                    true => self.builder.ins().iconst(I32, i64::from(imm)),
                    false => self.register(position, rs2),
                };
                let value = self.operate(op, a, b);
                self.set(position, rd, value);
            }
        }
        true
    }

    /// The time at the present instruction, or its `high` half.
    fn clock(&mut self, position: &Position, high: u32) -> Value {
        let clock = self.builder.ins().load(I64, TABLES, self.pointers.frame, offset_of!(Frame, clock) as i32);
        let time = self.builder.use_var(self.time);
        let left = self.builder.ins().sshr_imm(time, i64::from(CYCLE.ilog2()));
        let begun = self.builder.ins().isub(clock, left);
        let now = self.builder.ins().iadd_imm(begun, position.passed);
        let half = self.builder.ins().ushr_imm(now, 32 * i64::from(high));
        self.builder.ins().ireduce(I32, half)
    }

    /// The way in, by a leader's place, and the way out.
    fn finish(mut self) -> Vec<Exit> {
        self.builder.switch_to_block(self.dispatch);
        let place = self.builder.block_params(self.dispatch)[0];
        let returned = self.builder.ins().uextend(I64, place);
        let pool = &mut self.builder.func.dfg.value_lists;
        let places = self.blocks.keys().next_back().map_or(0, |last| last + 1);
        // Arguments for the variables will be added to each call, so each has a list of its own.
        let mut call = |at: u32| match self.blocks.get(&at) {
            Some(&block) => BlockCall::new(block, [], pool),
            None => BlockCall::new(self.exit, [BlockArg::Value(returned)], pool),
        };
        let calls: Vec<_> = (0..places).map(&mut call).collect();
        let otherwise = call(places);
        let table = self.builder.create_jump_table(JumpTableData::new(otherwise, &calls));
        self.builder.ins().br_table(place, table);
        self.builder.switch_to_block(self.exit);
        let next = self.builder.block_params(self.exit)[0];
        for (variable, offset) in [(self.time, offset_of!(Frame, time)), (self.log, offset_of!(Frame, log))] {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(TABLES, value, self.pointers.frame, offset as i32);
        }
        self.builder.ins().return_(&[next]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
        self.exits
    }
}
