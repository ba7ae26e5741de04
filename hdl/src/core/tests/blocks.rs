//! Every block natively against its Verilog.

use super::stream::{csr_number, instruction};
use crate::core::*;
use crate::differential;
use crate::support::fitting::assert_fits;
use crate::support::random::Random;
use crate::support::synthesis::Family;
use rust_hdl::prelude::*;
use testbed_definitions::{map, page};

/// Gives a combinational block the clock that the comparison wants.
macro_rules! clocked {
    ($name:ident, $block:ty, inputs: [$($input:ident: $input_type:ty),*],
     outputs: [$($output:ident: $output_type:ty),*]) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub clock: Signal<In, Clock>,
            $(pub $input: Signal<In, $input_type>,)*
            $(pub $output: Signal<Out, $output_type>,)*
            block: $block,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                $(self.block.$input.next = self.$input.val();)*
                $(self.$output.next = self.block.$output.val();)*
            }
        }
    };
}

/// A word that has interesting values more often than chance gives them.
fn word(random: &mut Random) -> Bits<32> {
    let value = match random.below(4) {
        0 => random.one_of(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe]),
        1 => random.next_u32() & 0xff,
        _ => random.next_u32(),
    };
    u64::from(value).into()
}

#[test]
fn decoder() {
    differential! {
        block: Decoder = Decoder::default(),
        inputs: [instruction, take],
        outputs: [immediate, register_op, immediate_op, subtracts, muldiv, load, store, pair, branch, jal, jalr, link,
                  lui, auipc, csr, writes_csr, ecall, ebreak, mret, wfi, writes_rd, illegal],
        cycles: 6_000, seed: 1,
        stimulus: |block, random, _| {
            block.instruction.next = u64::from(instruction(random)).into();
            block.take.next = random.chance(3, 4);
        }
    }
}

clocked!(ClockedAlu, Alu,
    inputs: [a: Bits<32>, b: Bits<32>, immediate: Bits<32>, takes_b: Bit, operation: Bits<3>, subtracts: Bit, arithmetic: Bit],
    outputs: [result: Bits<32>, equal: Bit, less: Bit, less_unsigned: Bit]);

#[test]
fn alu() {
    differential! {
        block: ClockedAlu = ClockedAlu::default(),
        inputs: [a, b, immediate, takes_b, operation, subtracts, arithmetic],
        outputs: [result, equal, less, less_unsigned],
        cycles: 5_000, seed: 2,
        stimulus: |block, random, _| {
            block.a.next = word(random);
            block.b.next = if random.chance(1, 8) { block.a.next } else { word(random) };
            block.immediate.next = word(random);
            block.takes_b.next = random.chance(1, 2);
            block.operation.next = random.bits();
            block.subtracts.next = random.chance(1, 2);
            block.arithmetic.next = random.chance(1, 2);
        }
    }
}

#[test]
fn alu_computes_what_the_instructions_say() {
    let mut block = ClockedAlu::default();
    block.connect_all();
    let mut random = Random::new(3);
    for _ in 0..3_000 {
        let (a, b) = (word(&mut random).to_u32(), word(&mut random).to_u32());
        let (operation, alternate) = (random.below(8), random.chance(1, 2));
        let takes_b = random.chance(1, 2);
        let other = word(&mut random);
        block.a.next = u64::from(a).into();
        block.b.next = if takes_b { u64::from(b).into() } else { other };
        block.immediate.next = if takes_b { other } else { u64::from(b).into() };
        block.takes_b.next = takes_b;
        block.operation.next = operation.into();
        block.subtracts.next = operation != 0 || alternate;
        block.arithmetic.next = alternate;
        crate::settle_low!(block).unwrap();
        let expected = match (operation, alternate) {
            (0, false) => a.wrapping_add(b),
            (0, true) => a.wrapping_sub(b),
            (1, _) => a << (b & 31),
            (2, _) => ((a as i32) < b as i32).into(),
            (3, _) => (a < b).into(),
            (4, _) => a ^ b,
            (5, false) => a >> (b & 31),
            (5, true) => (a as i32 >> (b & 31)) as u32,
            (6, _) => a | b,
            _ => a & b,
        };
        assert_eq!(block.result.val().to_u32(), expected, "seed 3: {operation} {alternate} {a:#x} {b:#x}");
        if operation != 0 || alternate {
            assert_eq!(block.less.val(), (a as i32) < b as i32);
            assert_eq!(block.less_unsigned.val(), a < b);
        }
        assert_eq!(block.equal.val(), a == block.b.val().to_u32());
    }
}

#[test]
fn muldiv() {
    differential! {
        block: MulDiv = MulDiv::default(),
        inputs: [start, step, operation, a, b],
        outputs: [done, result],
        cycles: 8_000, seed: 4,
        stimulus: |block, random, cycle| {
            // An operation every 37 cycles, as the core does it, and sometimes a start in the middle.
            block.start.next = cycle % 37 == 0 || random.chance(1, 200);
            block.step.next = !block.start.next;
            if block.start.next {
                block.operation.next = random.bits();
                block.a.next = word(random);
                block.b.next = word(random);
            }
        }
    }
}

/// RISC-V's multiply and divide, `funct3` 0 to 7.
fn muldiv_expected(operation: u64, a: u32, b: u32) -> u32 {
    let (sa, sb) = (i64::from(a as i32), i64::from(b as i32));
    match operation {
        0 => a.wrapping_mul(b),
        1 => ((sa * sb) >> 32) as u32,
        2 => ((sa * i64::from(b)) >> 32) as u32,
        3 => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        4 if b == 0 => u32::MAX,
        4 => (a as i32).wrapping_div(b as i32) as u32,
        5 => a.checked_div(b).unwrap_or(u32::MAX),
        6 if b == 0 => a,
        6 => (a as i32).wrapping_rem(b as i32) as u32,
        _ => a.checked_rem(b).unwrap_or(a),
    }
}

#[test]
fn muldiv_computes_in_the_steps_that_it_promises() {
    let mut block = MulDiv::default();
    block.connect_all();
    let mut random = Random::new(5);
    for _ in 0..1_500 {
        let (a, b) = (word(&mut random).to_u32(), word(&mut random).to_u32());
        let operation = random.below(8);
        block.a.next = u64::from(a).into();
        block.b.next = u64::from(b).into();
        block.operation.next = operation.into();
        (block.start.next, block.step.next) = (true, false);
        crate::step!(block).unwrap();
        (block.start.next, block.step.next) = (false, true);
        crate::settle_low!(block).unwrap();
        let mut steps = 1;
        while !block.done.val() && steps < 40 {
            crate::step!(block).unwrap();
            crate::settle_low!(block).unwrap();
            steps += 1;
        }
        assert_eq!(steps, if operation < 4 { 5 } else { 33 });
        let expected = muldiv_expected(operation, a, b);
        assert_eq!(block.result.val().to_u32(), expected, "seed 5: {operation} {a:#x} {b:#x}");
    }
}

clocked!(ClockedLanes, Lanes, inputs: [offset: Bits<3>, width: Bits<3>, stored: Bits<32>, word: Bits<32>],
    outputs: [store_data: Bits<32>, mask: Bits<4>, load_data: Bits<32>, misaligned: Bit]);

#[test]
fn lanes() {
    differential! {
        block: ClockedLanes = ClockedLanes::default(),
        inputs: [offset, width, stored, word], outputs: [store_data, mask, load_data, misaligned],
        cycles: 3_000, seed: 6,
    }
}

clocked!(ClockedFlow, Flow,
    inputs: [pc: Bits<32>, immediate: Bits<32>, sum: Bits<32>, condition: Bits<3>, equal: Bit, less: Bit,
             less_unsigned: Bit, branch: Bit, jal: Bit, jalr: Bit, load: Bit, store: Bit, state: Bits<9>,
             walk_fetch: Bit, ahead: Bit],
    outputs: [after: Bits<32>, target: Bits<32>, misaligned: Bit, va: Bits<32>, falls: Bit, fetch: Bit]);

#[test]
fn flow() {
    differential! {
        block: ClockedFlow = ClockedFlow::default(),
        inputs: [pc, immediate, sum, condition, equal, less, less_unsigned, branch, jal, jalr, load, store, state,
                 walk_fetch, ahead],
        outputs: [after, target, misaligned, va, falls, fetch],
        cycles: 5_000, seed: 7,
    }
}

#[test]
fn register_file() {
    differential! {
        block: RegisterFile = RegisterFile::default(),
        inputs: [address_1, address_2, read, read_2, forward, forward_address, forward_data, write, write_address,
                 write_data],
        outputs: [data_1, data_2],
        cycles: 3_000, seed: 8,
        stimulus: |block, random, _| {
            // Never both at once: what such a read gives is not promised.
            block.read.next = random.chance(1, 2);
            block.read_2.next = random.chance(1, 2);
            block.write.next = !block.read.next && !block.read_2.next;
            block.address_1.next = random.bits();
            block.address_2.next = random.bits();
            block.write_address.next = random.bits();
            block.write_data.next = random.bits();
            block.forward.next = random.chance(1, 2);
            block.forward_address.next = random.bits();
            block.forward_data.next = random.bits();
        }
    }
}

#[test]
fn counter() {
    differential! {
        block: Counter = Counter::default(),
        inputs: [count, write_low, write_high, value], outputs: [low, high],
        cycles: 3_000, seed: 9,
        stimulus: |block, random, _| {
            block.count.next = random.chance(3, 4);
            block.write_low.next = random.chance(1, 10);
            block.write_high.next = random.chance(1, 10);
            block.value.next = random.one_of(&[0, 0xffff_fffe, 0xffff_ffff]).into();
        }
    }
}

clocked!(ClockedEventPage, EventPage, inputs: [base: Bits<32>, low: Bits<13>], outputs: [on: Bit]);

fn on_event_page(address: u64) -> bool {
    address >> page::PAGE_SHIFT == u64::from(map::EVENT_PAGE >> page::PAGE_SHIFT)
}

/// A base and an offset whose sum is near the page of events, on it or off it by a carry, or anything.
fn summands(random: &mut Random) -> (u32, i32) {
    let offset = (random.next_u32() as i32) >> 20;
    let near = map::EVENT_PAGE.wrapping_add(random.next_u32() % 4096).wrapping_sub(1536);
    let sum = match random.below(4) {
        0 => random.next_u32(),
        1 => near ^ 1 << random.below(32),
        _ => near,
    };
    (sum.wrapping_sub(offset as u32), offset)
}

#[test]
fn the_page_of_events_is_known_before_the_sum() {
    let mut block = EventPage::default();
    block.connect_all();
    let mut random = Random::new(31);
    let mut on = 0;
    for _ in 0..100_000 {
        let (base, offset) = summands(&mut random);
        block.base.next = u64::from(base).into();
        block.low.next = u64::from(base.wrapping_add_signed(offset) & 0x1fff).into();
        assert!(simulate(&mut block, 10));
        assert_eq!(block.on.val(), on_event_page(base.wrapping_add_signed(offset).into()), "{base:#x} + {offset:#x}");
        on += u32::from(block.on.val());
    }
    assert!(on > 5_000, "{on}");
    differential! {
        block: ClockedEventPage = ClockedEventPage::default(),
        inputs: [base, low],
        outputs: [on],
        cycles: 10_000, seed: 32,
        stimulus: |block, random, _cycle| {
            let (base, offset) = summands(random);
            block.base.next = u64::from(base).into();
            block.low.next = u64::from(base.wrapping_add_signed(offset) & 0x1fff).into();
        }
    }
}

#[test]
fn mmu() {
    differential! {
        block: Mmu = Mmu::default(),
        inputs: [va, after, falls, fetch, store, on_event_page, pair, user_fetch, user_data, page_map, flush, ram_mask, has_smi, has_mmi, walk, fill,
                 entry],
        outputs: [address, ram_address, miss, page_fault, access_fault, walk_good],
        cycles: 10_000, seed: 10,
        stimulus: |block, random, cycle| {
            let base = random.one_of(&[0, 0, 0, map::RAM_BASE, map::CLINT_BASE, map::UART_BASE, map::CENTRENET_BASE,
                                       map::SMI_BASE, map::MMI_BASE, map::SYSTEM_BASE]);
            // Few pages, so that there are hits, and tags that differ in one index.
            let page = random.below(4) << 10 | random.below(4) << 13 | random.below(2) << 19;
            let above = random.one_of(&[0, 0, 0, 0x10_0000]);
            let va = u64::from(base) + page + above + random.below(1024);
            let near = u64::from(map::EVENT_PAGE) - 4 + random.below(1032);
            let va = if random.chance(1, 8) { near } else { va };
            block.va.next = va.into();
            block.on_event_page.next = on_event_page(va);
            // Walks are never of `after`.
            let after = random.below(4) << 10 | random.below(4) << 13;
            block.after.next = (u64::from(random.one_of(&[0, 0, map::RAM_BASE])) + after + above).into();
            block.falls.next = random.chance(1, 4);
            block.fetch.next = random.chance(1, 3);
            block.store.next = random.chance(1, 3);
            block.pair.next = random.chance(1, 4);
            block.user_fetch.next = random.chance(3, 4);
            block.user_data.next = random.chance(3, 4);
            block.page_map.next = (random.next_u64() & 0x3f_f000 | u64::from(random.chance(7, 8)) | random.below(2) << 1).into();
            block.flush.next = random.chance(1, 100);
            block.fill.next = random.chance(1, 4) && !block.flush.next;
            block.walk.next = random.chance(1, 8);
            block.entry.next = random.bits();
            if cycle % 50 == 0 {
                block.ram_mask.next = random.one_of(&[0x3fff, 0xffff, 0x3f_ffff]).into();
                block.has_smi.next = random.chance(1, 2);
                block.has_mmi.next = random.chance(1, 2);
            }
        }
    }
}

#[test]
fn csr_file() {
    differential! {
        block: CsrFile = CsrFile::default(),
        inputs: [number, operation, operand, rs1_field, writes, commit, trap, trap_pc, trap_cause, trap_value, mret,
                 retire, irq_timer, irq_software, irq_external, mtime_low, mtime_high, hart_id],
        outputs: [value, illegal, user, user_data, page_map, flush, vector, return_pc, interrupt, interrupt_cause,
                  wake, instret_low],
        cycles: 10_000, seed: 11,
        stimulus: |block, random, _| {
            block.number.next = u64::from(csr_number(random)).into();
            block.operation.next = random.bits();
            block.operand.next = word(random);
            block.rs1_field.next = random.bits();
            block.writes.next = random.chance(3, 4);
            let action = random.below(16);
            block.commit.next = action < 10;
            block.trap.next = action == 10;
            block.mret.next = action == 11;
            block.trap_pc.next = word(random);
            block.trap_cause.next = random.bits();
            block.trap_value.next = word(random);
            block.retire.next = random.chance(1, 2);
            block.irq_timer.next = random.chance(1, 8);
            block.irq_software.next = random.chance(1, 8);
            block.irq_external.next = random.chance(1, 8);
            block.mtime_low.next = random.bits();
            block.mtime_high.next = random.bits();
            block.hart_id.next = 9.into();
        }
    }
}

#[test]
fn the_core_is_clean() {
    crate::support::lint::assert_clean(Core::default());
}

#[test]
fn the_core_synthesises() {
    // With the retirement port, and carries and LUT RAM counted as LUTs. On ECP5 the register file fits into LUT RAM.
    for (family, block_rams, most) in [(Family::Ice40, 4, 4_550), (Family::Ecp5, 0, 5_000)] {
        assert_fits(Core::default(), family, block_rams, Some(most));
    }
}
