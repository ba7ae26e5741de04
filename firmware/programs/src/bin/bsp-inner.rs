//! The inner product of two vectors: `bsp-inner [N [PROCESSES]]`.
//!
//! The vectors are dealt out cyclically. Each process adds up the products of its own elements,
//! tells all others its sum, and adds up all sums, so that every process has the inner product.
//!
//! Source: Bisseling, "Parallel Scientific Computation" (Oxford, 2nd edition 2020), algorithm 1.1.
//!
//! Cost of n elements on p processes: one superstep, w = 2 n / p + p flops, h = 2 (p - 1) words of
//! 32 bits: 2 n / p + p + 2 (p - 1) g + l.
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Comparison, Cyclic, Memory, Trial};
use testbed_definitions::limits::GROUP_MEMBERS;

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-inner";
const MOST: usize = 4_096;

static X: Memory<f64, MOST> = Memory::new(0.0);
static Y: Memory<f64, MOST> = Memory::new(0.0);
static SUMS: Memory<f64, GROUP_MEMBERS> = Memory::new(0.0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-inner [N (up to 4096) [PROCESSES]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES];
    let Some([n, _]) = bulk::numbers((arguments, bsp), usage, [1_000, 0], ranges) else { return 2 };
    let mine = Cyclic::new(n, bsp.nprocs()).of(bsp.pid());
    let (x, y) = (X.lend(mine.len()), Y.lend(mine.len()));
    for ((x, y), index) in x.iter_mut().zip(y.iter_mut()).zip(mine) {
        (*x, *y) = (element_of_x(index), element_of_y(index));
    }
    let sums = bsp.register(SUMS.lend(bsp.nprocs()));

    let mut trial = Trial::begin(bsp);
    let product = inner_product(bsp, x, y, sums);
    trial.stop(bsp);

    // Every process has the result; element i of the comparison is that of process i.
    let mut comparison = Comparison::default();
    let wanted: f64 = (0..n).map(|index| element_of_x(index) * element_of_y(index)).sum();
    comparison.same(bsp.pid(), product, wanted);
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

fn element_of_x(index: usize) -> f64 {
    bulk::small(2 * index)
}

fn element_of_y(index: usize) -> f64 {
    bulk::small(2 * index + 1)
}

/// The inner product of two vectors, of which each process has its part.
fn inner_product(bsp: &mut Process, x: &[f64], y: &[f64], sums: Area<f64>) -> f64 {
    let mine: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    for pid in 0..bsp.nprocs() {
        bsp.put(pid, &[mine], sums, bsp.pid());
    }
    bsp.sync();
    sums.of(bsp).iter().sum()
}
