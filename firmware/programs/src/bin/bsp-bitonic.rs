//! Bitonic sort: `bsp-bitonic [N [PROCESSES]]` sorts N numbers.
//!
//! Batcher's network sorts the processes' blocks, which are of equal length and sorted themselves:
//! where the network compares two wires, two processes exchange their blocks, and the lower one
//! keeps the lower half of what both have. All comparisons put the lower number first, so that
//! wires behind the last process, up to a power of two, can be thought of as infinite and left out.
//! The last blocks are filled up with numbers that none is greater than.
//!
//! Sources: Batcher, "Sorting networks and their applications", AFIPS Spring Joint Computer
//! Conference 1968; Knuth, "The Art of Computer Programming", volume 3, section 5.3.4, for networks
//! whose comparisons all go one way, and for blocks in place of numbers.
//!
//! Cost of n numbers on p processes, with b = ceil(n / p), L = ceil(log2 p), w in comparisons: a
//! sort of b numbers and S = L (L + 1) / 2 supersteps, each with w = b and h = b: b log2 b + S (b +
//! b g + l).
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Comparison, Memory, Trial};

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-bitonic";
const MOST: usize = 4_096;

static BLOCK: Memory<u32, MOST> = Memory::new(0);
static OTHER: Memory<u32, MOST> = Memory::new(0);
static MERGED: Memory<u32, MOST> = Memory::new(0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-bitonic [N (up to 4096) [PROCESSES]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES];
    let Some([n, _]) = bulk::numbers((arguments, bsp), usage, [1_000, 0], ranges) else { return 2 };
    let length = n.div_ceil(bsp.nprocs());
    let first = length * bsp.pid();
    let block = BLOCK.lend(length);
    for (index, value) in (first..).zip(block.iter_mut()) {
        *value = if index < n { bulk::random(index) } else { u32::MAX };
    }
    let other = bsp.register(OTHER.lend(length));
    let merged = MERGED.lend(MOST);

    let mut trial = Trial::begin(bsp);
    bitonic_sort(bsp, block, other, &mut merged[..length]);
    trial.stop(bsp);

    let wanted = &mut merged[..n];
    wanted.iter_mut().enumerate().for_each(|(index, value)| *value = bulk::random(index));
    wanted.sort_unstable();
    let mut comparison = Comparison::default();
    for (index, value) in (first..n).zip(block) {
        comparison.same(index, *value, wanted[index]);
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// Sorts the blocks of all processes.
fn bitonic_sort(bsp: &mut Process, block: &mut [u32], other: Area<u32>, merged: &mut [u32]) {
    block.sort_unstable();
    let mut size = 2;
    while size < 2 * bsp.nprocs() {
        // Merges pairs of sorted sequences of half the size: the second one is read backwards.
        exchange(bsp, bsp.pid() ^ (size - 1), block, other, merged);
        let mut distance = size / 4;
        while distance > 0 {
            exchange(bsp, bsp.pid() ^ distance, block, other, merged);
            distance /= 2;
        }
        size *= 2;
    }
}

/// A comparison of the network: the lower process keeps the lower half, the other one the rest.
fn exchange(bsp: &mut Process, partner: usize, block: &mut [u32], other: Area<u32>, merged: &mut [u32]) {
    if partner < bsp.nprocs() {
        bsp.put(partner, block, other, 0);
    }
    bsp.sync();
    if partner >= bsp.nprocs() {
        return;
    }
    let theirs = other.of(bsp);
    if bsp.pid() < partner {
        merge_lowest(block, theirs, merged);
    } else {
        merge_highest(block, theirs, merged);
    }
    block.copy_from_slice(merged);
}

/// The lowest numbers of two sorted runs of equal length, as many as `into` has.
fn merge_lowest(one: &[u32], other: &[u32], into: &mut [u32]) {
    let (mut i, mut j) = (0, 0);
    for place in into {
        let is_first = one[i] <= other[j];
        *place = if is_first { one[i] } else { other[j] };
        (i, j) = (i + is_first as usize, j + !is_first as usize);
    }
}

/// The highest ones.
fn merge_highest(one: &[u32], other: &[u32], into: &mut [u32]) {
    let (mut i, mut j) = (one.len(), other.len());
    for place in into.iter_mut().rev() {
        let is_first = one[i - 1] >= other[j - 1];
        *place = if is_first { one[i - 1] } else { other[j - 1] };
        (i, j) = (i - is_first as usize, j - !is_first as usize);
    }
}
