//! Prefix sums: `bsp-prefix [N [PROCESSES [WAY]]]`. Element i becomes the sum of elements 0 to i.
//!
//! The elements lie in blocks. Each process computes the prefix sums of its own block, learns the
//! sum of all blocks before its own, and adds that to each of its elements. WAY says how it learns
//! the sum:
//!
//! 1. each process puts its block's sum to all processes behind it (by default);
//! 2. in rounds r = 0, 1, … process i puts what it has so far to process i + 2^r.
//!
//! Sources: Hillis and Steele, "Data parallel algorithms", Communications of the ACM 29 (1986), for
//! the rounds; JáJá, "An Introduction to Parallel Algorithms" (1992), section 2.1, for the whole.
//!
//! Cost of n elements on p processes, with w in additions:
//!
//! | way | supersteps | w | h, all supersteps | cost |
//! |---|---|---|---|---|
//! | 1 | 1 | 2 n / p + p | p - 1 | 2 n / p + p + (p - 1) g + l |
//! | 2 | R = ceil(log2 p) | 2 n / p + R | R | 2 n / p + R (1 + g + l) |
//!
//! So the rounds pay where p - 1 words cost more than R - 1 barriers: never on a machine this
//! small.
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Blocks, Comparison, Memory, Trial};
use testbed_definitions::limits::GROUP_MEMBERS;

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-prefix";
const MOST: usize = 8_192;

static VALUES: Memory<u32, MOST> = Memory::new(0);
static SUMS: Memory<u32, GROUP_MEMBERS> = Memory::new(0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-prefix [N (up to 8192) [PROCESSES [WAY (1 or 2)]]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES, 1..3];
    let Some([n, _, way]) = bulk::numbers((arguments, bsp), usage, [1_000, 0, 1], ranges) else { return 2 };
    let mine = Blocks::new(n, bsp.nprocs()).of(bsp.pid());
    let values = VALUES.lend(mine.len());
    values.iter_mut().zip(mine.clone()).for_each(|(value, index)| *value = bulk::random(index));
    let sums = bsp.register(SUMS.lend(bsp.nprocs()));

    let mut trial = Trial::begin(bsp);
    let sum = prefix_sums(values, 0);
    let before = if way == 1 { sum_before(bsp, sum, sums) } else { sum_before_in_rounds(bsp, sum, sums) };
    values.iter_mut().for_each(|value| *value = value.wrapping_add(before));
    trial.stop(bsp);

    let mut comparison = Comparison::default();
    let mut wanted = (0..mine.start).fold(0, |sum: u32, index| sum.wrapping_add(bulk::random(index)));
    for (index, value) in mine.zip(values) {
        wanted = wanted.wrapping_add(bulk::random(index));
        comparison.same(index, *value, wanted);
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// Makes prefix sums of values, all of them larger by `before`; the last one.
fn prefix_sums(values: &mut [u32], before: u32) -> u32 {
    values.iter_mut().fold(before, |sum, value| {
        *value = sum.wrapping_add(*value);
        *value
    })
}

/// The sum of what the processes before this one bring.
fn sum_before(bsp: &mut Process, mine: u32, sums: Area<u32>) -> u32 {
    let me = bsp.pid();
    for pid in me + 1..bsp.nprocs() {
        bsp.put(pid, &[mine], sums, me);
    }
    bsp.sync();
    sums.of(bsp)[..me].iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

/// The same in rounds. Behind round r a process knows the sum of the 2^(r + 1) blocks up to its
/// own.
fn sum_before_in_rounds(bsp: &mut Process, mine: u32, sums: Area<u32>) -> u32 {
    let (me, all) = (bsp.pid(), bsp.nprocs());
    let (mut sum, mut distance) = (mine, 1);
    while distance < all {
        if me + distance < all {
            bsp.put(me + distance, &[sum], sums, 0);
        }
        bsp.sync();
        if me >= distance {
            sum = sum.wrapping_add(sums.of(bsp)[0]);
        }
        distance *= 2;
    }
    sum.wrapping_sub(mine)
}
