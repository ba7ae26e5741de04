//! LU decomposition with partial pivoting: `bsp-lu [N [PROCESSES]]`, of a matrix of N by N.
//!
//! The columns are dealt out cyclically, so that all processes have work until the end. In
//! superstep k the process that has column k looks for the pivot in it, divides what is below by
//! the pivot, and puts the pivot's row and the multipliers to all processes. Each of them then
//! swaps the rows in its columns, and subtracts multiples of row k from the rows below in those
//! behind column k.
//!
//! Sources: Golub and Van Loan, "Matrix Computations", algorithm 3.4.1; Geist and Romine, "LU
//! factorization algorithms on distributed-memory multiprocessor architectures", SIAM Journal on
//! Scientific and Statistical Computing 9 (1988), for columns. Bisseling, "Parallel Scientific
//! Computation", chapter 2, distributes rows too, which makes h smaller by a factor of about
//! sqrt(p).
//!
//! Cost of n by n on p processes: n supersteps. In superstep k, with m = n - k - 1, the owner of
//! column k has 2 m comparisons and divisions, h = 2 (m + 1) (p - 1) words of 32 bits, and w = 2 m
//! ceil(m / p) flops follow. In all about n^2 + 2 n^3 / (3 p) + n^2 (p - 1) g + n l.
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Comparison, Cyclic, Memory, Trial};

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-lu";
const MOST: usize = 80;

/// The process's columns, one behind the other, and all of them for the sequential decomposition.
static COLUMNS: Memory<f64, { MOST * MOST }> = Memory::new(0.0);
static MATRIX: Memory<f64, { MOST * MOST }> = Memory::new(0.0);
/// The row of a pivot, and the multipliers of the rows below.
static PIVOT: Memory<f64, MOST> = Memory::new(0.0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-lu [N (up to 80) [PROCESSES]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES];
    let Some([n, _]) = bulk::numbers((arguments, bsp), usage, [32, 0], ranges) else { return 2 };
    let distribution = Cyclic::new(n, bsp.nprocs());
    let mine = distribution.of(bsp.pid());
    let columns = COLUMNS.lend(n * mine.len());
    for (column, j) in columns.chunks_exact_mut(n).zip(mine) {
        column.iter_mut().enumerate().for_each(|(i, value)| *value = element(n, i, j));
    }
    let pivot = bsp.register(PIVOT.lend(n));

    let mut trial = Trial::begin(bsp);
    decompose(bsp, distribution, columns, pivot);
    trial.stop(bsp);

    let matrix = MATRIX.lend(n * n);
    for (j, column) in matrix.chunks_exact_mut(n).enumerate() {
        column.iter_mut().enumerate().for_each(|(i, value)| *value = element(n, i, j));
    }
    decompose_sequentially(matrix, n);
    let mut comparison = Comparison::default();
    for (column, j) in columns.chunks_exact(n).zip(distribution.of(bsp.pid())) {
        for (i, (value, wanted)) in column.iter().zip(&matrix[n * j..]).enumerate() {
            comparison.same(i * n + j, *value, *wanted);
        }
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// An element of the matrix, between -1 and 1.
fn element(n: usize, i: usize, j: usize) -> f64 {
    bulk::random(i * n + j) as i32 as f64 / (1u32 << 31) as f64
}

/// The row of the pivot of column `k`: the first of the largest elements from row k on.
fn pivot_row(column: &[f64], k: usize) -> usize {
    (k + 1..column.len()).fold(k, |row, i| if column[i].abs() > column[row].abs() { i } else { row })
}

/// Swaps the pivot into row `k` of its column, and makes multipliers of what is below.
fn scale(column: &mut [f64], k: usize, row: usize) {
    column.swap(k, row);
    let pivot = column[k];
    // A column of zeros has no pivot, and needs none.
    if pivot != 0.0 {
        column[k + 1..].iter_mut().for_each(|value| *value /= pivot);
    }
}

/// Swaps rows in a column, and subtracts so many times what is then in row k from the rows below.
fn eliminate(column: &mut [f64], k: usize, row: usize, multipliers: &[f64]) {
    column.swap(k, row);
    let top = column[k];
    column[k + 1..].iter_mut().zip(multipliers).for_each(|(value, multiplier)| *value -= multiplier * top);
}

/// Decomposes the matrix whose columns the processes have.
fn decompose(bsp: &mut Process, distribution: Cyclic, columns: &mut [f64], area: Area<f64>) {
    let (n, me) = (area.len(), bsp.pid());
    for k in 0..n {
        if distribution.owner(k) == me {
            let start = n * distribution.place(k);
            let column = &mut columns[start..start + n];
            let row = pivot_row(column, k);
            scale(column, k, row);
            for pid in 0..bsp.nprocs() {
                bsp.put(pid, &[row as f64], area, 0);
                bsp.put(pid, &column[k + 1..], area, 1);
            }
        }
        bsp.sync();
        let told = area.of(bsp);
        let (row, multipliers) = (told[0] as usize, &told[1..]);
        for (column, j) in columns.chunks_exact_mut(n).zip(distribution.of(me)) {
            if j < k {
                column.swap(k, row);
            } else if j > k {
                eliminate(column, k, row, multipliers);
            }
        }
    }
}

/// The same on one process, row by row: `matrix` has the columns one behind the other.
fn decompose_sequentially(matrix: &mut [f64], n: usize) {
    for k in 0..n {
        let mut row = k;
        for i in k + 1..n {
            if matrix[n * k + i].abs() > matrix[n * k + row].abs() {
                row = i;
            }
        }
        (0..n).for_each(|j| matrix.swap(n * j + k, n * j + row));
        let pivot = matrix[n * k + k];
        for i in k + 1..n {
            if pivot != 0.0 {
                matrix[n * k + i] /= pivot;
            }
            let multiplier = matrix[n * k + i];
            for j in k + 1..n {
                matrix[n * j + i] -= multiplier * matrix[n * j + k];
            }
        }
    }
}
