//! Sample sort: `bsp-samplesort [N [PROCESSES]]` sorts N numbers.
//!
//! Each process sorts its own block, and puts p samples of it, at equal distances, to all others.
//! All of them sort the p^2 samples, and take each p-th as a splitter: process i is to have what
//! lies between splitters i - 1 and i. Each sends what it has there, which is sorted, as a message,
//! and merges what it gets. With regular samples no process gets more than 2 n / p + p numbers as
//! long as they are different.
//!
//! Sources: Shi and Schaeffer, "Parallel sorting by regular sampling", Journal of Parallel and
//! Distributed Computing 14 (1992); Gerbessiotis and Valiant, "Direct bulk-synchronous parallel
//! algorithms", the same journal 22 (1994).
//!
//! Cost of n numbers on p processes, two supersteps and the merge behind them, with w in
//! comparisons and m = 2 n / p + p:
//!
//! | superstep | w | h |
//! |---|---|---|
//! | sort, samples | (n / p) log2 (n / p) | p (p - 1) |
//! | splitters, messages | p^2 log2 p^2 + p log2 (n / p) | m |
//! | merge | m log2 p | |
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Blocks, Comparison, Memory, Trial};
use testbed_definitions::limits::GROUP_MEMBERS;

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-samplesort";
const MOST: usize = 4_096;

/// The process's block, and what it has in the end: all of them, if samples serve badly.
static BLOCK: Memory<u32, MOST> = Memory::new(0);
static SORTED: Memory<u32, MOST> = Memory::new(0);
static SPARE: Memory<u32, MOST> = Memory::new(0);
static SAMPLES: Memory<u32, { GROUP_MEMBERS * GROUP_MEMBERS }> = Memory::new(0);
static COUNTS: Memory<u32, GROUP_MEMBERS> = Memory::new(0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-samplesort [N (up to 4096) [PROCESSES]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES];
    let Some([n, _]) = bulk::numbers((arguments, bsp), usage, [1_000, 0], ranges) else { return 2 };
    let (me, all) = (bsp.pid(), bsp.nprocs());
    let mine = Blocks::new(n, all).of(me);
    let block = BLOCK.lend(mine.len());
    block.iter_mut().zip(mine).for_each(|(value, index)| *value = bulk::random(index));
    let (sorted, spare) = (SORTED.lend(n), SPARE.lend(n));
    let samples = bsp.register(SAMPLES.lend(all * all));
    let counts = bsp.register(COUNTS.lend(all));

    let mut trial = Trial::begin(bsp);
    let count = sample_sort(bsp, block, samples, sorted, spare);
    trial.stop(bsp);

    // Which elements a process has depends on how many those before it have.
    for pid in 0..all {
        bsp.put(pid, &[count as u32], counts, me);
    }
    bsp.sync();
    let counts = counts.of(bsp);
    let first = counts[..me].iter().sum::<u32>() as usize;
    let mut comparison = Comparison::default();
    comparison.same(n, counts.iter().sum::<u32>(), n as u32);
    let wanted = &mut spare[..n];
    wanted.iter_mut().enumerate().for_each(|(index, value)| *value = bulk::random(index));
    wanted.sort_unstable();
    for (index, value) in (first..n).zip(&sorted[..count]) {
        comparison.same(index, *value, wanted[index]);
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// Sorts the blocks of all processes. How many numbers this one has then, at the start of `sorted`.
fn sample_sort(
    bsp: &mut Process,
    block: &mut [u32],
    samples: Area<u32>,
    sorted: &mut [u32],
    spare: &mut [u32],
) -> usize {
    let (me, all) = (bsp.pid(), bsp.nprocs());
    block.sort_unstable();
    let mut mine = [u32::MAX; GROUP_MEMBERS];
    // A process without numbers has only samples behind all others.
    if !block.is_empty() {
        (0..all).for_each(|number| mine[number] = block[number * block.len() / all]);
    }
    for pid in 0..all {
        bsp.put(pid, &mine[..all], samples, me * all);
    }
    bsp.sync();

    let samples = samples.of_mut(bsp);
    samples.sort_unstable();
    let mut splitters = [0; GROUP_MEMBERS];
    (1..all).for_each(|pid| splitters[pid] = samples[pid * all]);
    let mut start = 0;
    for pid in 0..all {
        let is_last = pid + 1 == all;
        let end = if is_last { block.len() } else { block.partition_point(|value| *value < splitters[pid + 1]) };
        // Tags have no bytes: whoever sends does not matter.
        bsp.send(pid, &[0u8; 0], &block[start..end]);
        start = end;
    }
    bsp.sync();
    collect(bsp, sorted, spare)
}

/// Merges the messages, each of which is sorted: neighbours first, then neighbouring pairs.
fn collect(bsp: &mut Process, sorted: &mut [u32], spare: &mut [u32]) -> usize {
    let mut ends = [0; GROUP_MEMBERS + 1];
    let mut runs = 0;
    while let Some(([], values)) = bsp.receive::<[u8; 0], u32>() {
        let start = ends[runs];
        runs += 1;
        ends[runs] = start + values.len();
        sorted[start..ends[runs]].copy_from_slice(values);
    }
    let mut width = 1;
    while width < runs {
        for left in (0..runs).step_by(2 * width) {
            let (middle, right) = ((left + width).min(runs), (left + 2 * width).min(runs));
            let (start, middle, end) = (ends[left], ends[middle], ends[right]);
            merge(&sorted[start..middle], &sorted[middle..end], &mut spare[start..end]);
            sorted[start..end].copy_from_slice(&spare[start..end]);
        }
        width *= 2;
    }
    ends[runs]
}

/// Merges two sorted runs.
fn merge<'a>(mut left: &'a [u32], mut right: &'a [u32], into: &mut [u32]) {
    for place in into {
        let run = match (left.first(), right.first()) {
            (Some(one), Some(other)) if one > other => &mut right,
            (None, _) => &mut right,
            _ => &mut left,
        };
        (*place, *run) = (run[0], &run[1..]);
    }
}
