//! Multiplier, divider and the whole: natively against their Verilog, lint, synthesis.

use crate::differential;
use crate::pipeline::*;
use crate::support::fitting::assert_fits;
use crate::support::random::Random;
use crate::support::synthesis::Family;
use rust_hdl::prelude::*;

/// A word that has interesting values more often than chance gives them.
fn word(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.one_of(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe]),
        1 => random.next_u32() & 0xff,
        _ => random.next_u32(),
    }
}

#[test]
fn multiplier() {
    differential! {
        block: Multiplier = Multiplier::default(),
        inputs: [take, operation, a, b],
        outputs: [result],
        cycles: 8_000, seed: 4,
        stimulus: |block, random, cycle| {
            // It takes the operands in one cycle and gives the result of the operation in the next.
            block.take.next = cycle % 2 == 0;
            if cycle % 2 == 0 {
                block.operation.next = random.below(4).into();
            }
            block.a.next = u64::from(word(random)).into();
            block.b.next = u64::from(word(random)).into();
        }
    }
}

#[test]
fn divider() {
    differential! {
        block: Divider = Divider::default(),
        inputs: [start, step, operation, a, b],
        outputs: [done, result],
        cycles: 8_000, seed: 4,
        stimulus: |block, random, cycle| {
            // A division every 21 cycles, and sometimes a start in the middle.
            block.start.next = cycle % 21 == 0 || random.chance(1, 200);
            block.step.next = !block.start.next;
            if block.start.next {
                block.operation.next = (4 + random.below(4)).into();
                block.a.next = u64::from(word(random)).into();
                block.b.next = u64::from(word(random)).into();
            }
        }
    }
}

#[test]
fn products_are_those_of_the_manual() {
    let mut block = Multiplier::default();
    block.connect_all();
    let mut random = Random::new(5);
    for _ in 0..2_000 {
        let (a, b, operation) = (word(&mut random), word(&mut random), random.below(4));
        block.a.next = u64::from(a).into();
        block.b.next = u64::from(b).into();
        block.operation.next = operation.into();
        block.take.next = true;
        crate::step!(block).unwrap();
        let (sa, sb) = (i64::from(a as i32), i64::from(b as i32));
        let expected = match operation {
            0 => a.wrapping_mul(b),
            1 => ((sa * sb) >> 32) as u32,
            2 => ((sa * i64::from(b)) >> 32) as u32,
            _ => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        };
        assert_eq!(block.result.val().to_u32(), expected, "seed 5: {operation} {a:#x} {b:#x}");
    }
}

#[test]
fn quotients_are_those_of_the_manual_after_seventeen_steps() {
    let mut block = Divider::default();
    block.connect_all();
    let mut random = Random::new(6);
    for _ in 0..500 {
        let (a, b, operation) = (word(&mut random), word(&mut random), 4 + random.below(4));
        block.a.next = u64::from(a).into();
        block.b.next = u64::from(b).into();
        block.operation.next = operation.into();
        (block.start.next, block.step.next) = (true, false);
        crate::step!(block).unwrap();
        (block.start.next, block.step.next) = (false, true);
        crate::settle_low!(block).unwrap();
        let mut steps = 1;
        while !block.done.val() {
            crate::step!(block).unwrap();
            crate::settle_low!(block).unwrap();
            steps += 1;
            assert!(steps < 50, "it does not end");
        }
        assert_eq!(steps, 17);
        let expected = match operation {
            4 if b == 0 => u32::MAX,
            4 => (a as i32).wrapping_div(b as i32) as u32,
            5 => a.checked_div(b).unwrap_or(u32::MAX),
            6 if b == 0 => a,
            6 => (a as i32).wrapping_rem(b as i32) as u32,
            _ => a.checked_rem(b).unwrap_or(a),
        };
        assert_eq!(block.result.val().to_u32(), expected, "seed 6: {operation} {a:#x} {b:#x}");
    }
}

#[test]
fn the_pipeline_is_clean() {
    crate::support::lint::assert_clean(Pipeline::default());
}

#[test]
fn the_pipeline_synthesises() {
    assert_fits(Pipeline::default(), Family::Ecp5, 0, Some(5_500));
}
