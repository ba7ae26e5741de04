//! What emits the code of a region, and what all its parts use: time, registers, and the way out.

use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AliasRegion, Block, BlockArg, InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::time::{completes_in, cycles};
use crate::hart::csr::Mode;
use crate::hart::decode::{decode, Decoded, Op, SINK, ZEROS};
use crate::hart::times::Times;
use crate::hart::translator::frame::{Exit, Frame, BY_EXIT, CYCLE, INSTRUCTION};
use crate::hart::translator::region::{ends_block, Region};

/// What all accesses have in common: they are aligned and don't fault. Registers, RAM and tables do
/// not overlap.
pub(super) const TABLES: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Table));
pub(super) const RAM: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Heap));
pub(super) const REGISTERS: MemFlags = MemFlags::trusted().with_alias_region(Some(AliasRegion::Vmctx));

/// Pointers that the frame holds.
pub(super) struct Pointers {
    pub frame: Value,
    pub registers: Value,
    pub words: Value,
    pub decoded: Value,
    pub has_code: Value,
    pub tlb: Value,
    pub csrs: Value,
}

/// Where the code stands within a block.
pub(super) struct Position {
    /// Place of the instruction behind the region's first.
    pub at: u32,
    /// Instructions of the block before it, and their cycles.
    pub executed: u32,
    pub passed: i64,
    /// Cycles from the block's begin to when the last load, multiplication or division is complete.
    pub complete: Option<i64>,
    /// What is known of registers.
    pub known: BTreeMap<u8, Value>,
    /// The way out before the present instruction, once it is needed.
    pub out: Option<Block>,
}

pub(super) struct Emitter<'a> {
    pub builder: FunctionBuilder<'a>,
    pub instructions: BTreeMap<u32, Decoded>,
    /// The cycles more that some of them take if they go on to the next word.
    pub extra: BTreeMap<u32, u64>,
    pub blocks: BTreeMap<u32, Block>,
    /// Takes what is returned.
    pub exit: Block,
    pub exits: Vec<Exit>,
    /// Takes the place of an instruction that may be a leader, and goes on there.
    pub dispatch: Block,
    pub pointers: Pointers,
    pub base: Value,
    /// Page of RAM of the region's first word, and that word's place in it.
    pub page: Value,
    pub page_place: u32,
    /// Cycles to go and instructions executed, in one word.
    pub time: Variable,
    pub log: Variable,
    pub mode: Mode,
    pub ram_words: u32,
    pub times: Times,
}

impl<'a> Emitter<'a> {
    /// Begins a function; its way in and its blocks are still empty.
    pub fn new(mut builder: FunctionBuilder<'a>, region: &Region, ram_words: u32, times: Times) -> Self {
        let start = builder.create_block();
        builder.append_block_params_for_function_params(start);
        builder.switch_to_block(start);
        let (frame, entry) = (builder.block_params(start)[0], builder.block_params(start)[1]);
        let mut field = |kind: Type, offset: usize| builder.ins().load(kind, TABLES, frame, offset as i32);
        let pointers = Pointers {
            frame,
            registers: field(I64, offset_of!(Frame, registers)),
            words: field(I64, offset_of!(Frame, words)),
            decoded: field(I64, offset_of!(Frame, decoded)),
            has_code: field(I64, offset_of!(Frame, has_code)),
            tlb: field(I64, offset_of!(Frame, tlb)),
            csrs: field(I64, offset_of!(Frame, csrs)),
        };
        let base = field(I32, offset_of!(Frame, base));
        let page = field(I32, offset_of!(Frame, page));
        let (time_first, log_first) = (field(I64, offset_of!(Frame, time)), field(I64, offset_of!(Frame, log)));
        let variable = |builder: &mut FunctionBuilder, value| {
            let variable = builder.declare_var(I64);
            builder.def_var(variable, value);
            variable
        };
        let time = variable(&mut builder, time_first);
        let log = variable(&mut builder, log_first);
        let exit = builder.create_block();
        builder.append_block_param(exit, I64);
        let dispatch = builder.create_block();
        builder.append_block_param(dispatch, I32);
        builder.ins().jump(dispatch, &[BlockArg::Value(entry)]);
        let blocks = region.leaders.iter().map(|&leader| (leader, builder.create_block())).collect();
        let instructions = region.words.iter().map(|&(at, word)| (at, decode(word).cached())).collect();
        let extra = |&(at, _): &(u32, u32)| Some((at, region.extra(at, times))).filter(|&(_, extra)| extra > 0);
        let extra = region.words.iter().filter_map(extra).collect();
        let mode = region.mode;
        Emitter {
            builder,
            instructions,
            extra,
            blocks,
            exit,
            exits: Vec::new(),
            dispatch,
            pointers,
            base,
            page,
            page_place: region.page_place.unwrap_or(0),
            time,
            log,
            mode,
            ram_words,
            times,
        }
    }

    /// The instruction is done, and goes on to the next word unless it ends a block.
    pub fn pass(&mut self, position: &mut Position, op: Op) {
        if let Some(cycles) = completes_in(op, self.times) {
            position.complete = Some(position.passed + cycles as i64);
        }
        position.executed += 1;
        position.passed += cycles(op, self.times) as i64;
        if !ends_block(op) {
            position.passed += self.extra_at(position.at);
        }
    }

    /// The cycles more that the instruction at a place takes if it goes on to the next word.
    pub fn extra_at(&self, at: u32) -> i64 {
        self.extra.get(&at).map_or(0, |&extra| extra as i64)
    }

    /// Notes time, count and completion as of `position`.
    pub fn arrive(&mut self, position: &Position) {
        let time = self.builder.use_var(self.time);
        if let Some(complete) = position.complete {
            let complete = self.builder.ins().iadd_imm(time, -complete * CYCLE);
            self.builder.ins().store(TABLES, complete, self.pointers.frame, offset_of!(Frame, complete) as i32);
        }
        let change = i64::from(position.executed) * INSTRUCTION - position.passed * CYCLE;
        let time = self.builder.ins().iadd_imm(time, change);
        self.builder.def_var(self.time, time);
    }

    /// The way out at `position`, with `next` to come; what is returned.
    pub fn exit_at(&mut self, position: &Position, next: u32) -> BlockArg {
        let &Position { executed, passed, complete, .. } = position;
        let number = self.exits.len() as i64;
        self.exits.push(Exit { at: next, executed, passed, complete });
        BlockArg::Value(self.builder.ins().iconst(I64, BY_EXIT + number))
    }

    /// Leaves the region before the present instruction if `condition` is not zero.
    pub fn exit_if(&mut self, condition: Value, position: &mut Position) {
        let on = self.builder.create_block();
        match position.out {
            Some(out) => {
                self.builder.ins().brif(condition, out, &[], on, &[]);
            }
            None => {
                let out = self.builder.create_block();
                self.builder.set_cold_block(out);
                self.builder.ins().brif(condition, out, &[], on, &[]);
                self.builder.switch_to_block(out);
                let number = self.exit_at(position, position.at);
                self.builder.ins().jump(self.exit, &[number]);
                position.out = Some(out);
            }
        }
        self.builder.switch_to_block(on);
    }

    /// What a register holds.
    pub fn register(&mut self, position: &mut Position, number: u8) -> Value {
        if let Some(&value) = position.known.get(&number) {
            return value;
        }
        let value = match number {
            0 => self.builder.ins().iconst(I32, 0),
            number if number >= ZEROS => self.builder.ins().iconst(I32, 0),
            number => self.builder.ins().load(I32, REGISTERS, self.pointers.registers, 4 * i32::from(number)),
        };
        position.known.insert(number, value);
        value
    }

    /// Writes a register.
    pub fn set(&mut self, position: &mut Position, number: u8, value: Value) {
        // Nobody reads what stands for x0 as a destination.
        if number < SINK {
            self.builder.ins().store(REGISTERS, value, self.pointers.registers, 4 * i32::from(number));
            position.known.insert(number, value);
        }
    }
}
