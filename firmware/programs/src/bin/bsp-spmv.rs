//! A sparse matrix times a vector: `bsp-spmv [N [PROCESSES [NONZEROS]]]`, of N by N with so many
//! nonzeros in each row.
//!
//! The p = M N' processes form a grid of M rows and N' columns, as square as possible. Nonzero (i,
//! j) is where row i and column j of the matrix are dealt out to, cyclically; the vectors are dealt
//! out cyclically over all processes. Each process gets the elements of the vector that its columns
//! need (fan-out), multiplies, and sends the sums of its rows, with the row's number as the tag, to
//! those that have these elements of the result (fan-in), which add them up.
//!
//! Source: Bisseling, "Parallel Scientific Computation", chapter 4, algorithm 4.1, with a Cartesian
//! distribution.
//!
//! Cost of c nonzeros a row: two supersteps and the sums behind them, with words of 32 bits:
//!
//! | superstep | w | h |
//! |---|---|---|
//! | fan-out | | 2 n / N' |
//! | products, fan-in | 2 c n / p | 2 n / M |
//! | sums | n / M | |
//!
//! So with M = N' = sqrt(p): 2 c n / p + n / sqrt(p) + 4 n / sqrt(p) g + 2 l.
#![no_std]
#![no_main]

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Comparison, Cyclic, Memory, Trial};

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-spmv";
const MOST: usize = 512;
const MOST_NONZEROS: usize = 8;

/// A nonzero of the matrix.
#[derive(Clone, Copy)]
struct Nonzero {
    row: u32,
    column: u32,
    value: f64,
}

/// This process's nonzeros, by rows.
static NONZEROS: Memory<Nonzero, { MOST * MOST_NONZEROS }> = Memory::new(Nonzero { row: 0, column: 0, value: 0.0 });
static X: Memory<f64, MOST> = Memory::new(0.0);
static Y: Memory<f64, MOST> = Memory::new(0.0);
/// The elements of the vector that this process's columns need.
static FETCHED: Memory<f64, MOST> = Memory::new(0.0);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-spmv [N (up to 512) [PROCESSES [NONZEROS (of a row, up to 8)]]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES, 0..MOST_NONZEROS + 1];
    let Some([n, _, each]) = bulk::numbers((arguments, bsp), usage, [200, 0, 5], ranges) else { return 2 };
    let grid = Grid::new(bsp);
    let all = (0..n).flat_map(|row| (0..each).map(move |number| nonzero(n, row, number)));
    let mine = || all.clone().filter(|nonzero| grid.owner(nonzero) == bsp.pid());
    let nonzeros = NONZEROS.lend(mine().count());
    nonzeros.iter_mut().zip(mine()).for_each(|(place, nonzero)| *place = nonzero);
    let elements = Cyclic::new(n, bsp.nprocs());
    let vector = X.lend(elements.of(bsp.pid()).len());
    vector.iter_mut().zip(elements.of(bsp.pid())).for_each(|(value, index)| *value = bulk::small(index));
    let (x, fetched) = (bsp.register(vector), bsp.register(FETCHED.lend(n.div_ceil(grid.columns))));
    bsp.set_tagsize::<u32>();

    let mut trial = Trial::begin(bsp);
    let y = Y.lend(elements.of(bsp.pid()).len());
    multiply(bsp, (&grid, nonzeros), (x, elements), fetched, y);
    trial.stop(bsp);

    let mut comparison = Comparison::default();
    for (index, value) in elements.of(bsp.pid()).zip(y) {
        let row = (0..each).map(|number| nonzero(n, index, number));
        let wanted: f64 = row.map(|nonzero| nonzero.value * bulk::small(nonzero.column as usize)).sum();
        comparison.same(index, *value, wanted);
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// A nonzero of a row of the matrix; two may be in one column, and count together.
fn nonzero(n: usize, row: usize, number: usize) -> Nonzero {
    let random = bulk::random(row * MOST_NONZEROS + number);
    Nonzero { row: row as u32, column: random % n as u32, value: (random >> 28) as f64 + 1.0 }
}

/// The processes as a grid.
struct Grid {
    rows: usize,
    columns: usize,
}

impl Grid {
    fn new(bsp: &Process) -> Self {
        let all = bsp.nprocs();
        let rows = (1..=all).filter(|rows| rows * rows <= all && all % rows == 0).max().unwrap_or(1);
        Grid { rows, columns: all / rows }
    }

    /// The process that has a nonzero.
    fn owner(&self, nonzero: &Nonzero) -> usize {
        nonzero.row as usize % self.rows * self.columns + nonzero.column as usize % self.columns
    }
}

/// Multiplies the matrix by the vector `x`. Each process adds up its elements of the product in
/// `y`.
fn multiply(
    bsp: &mut Process,
    (grid, nonzeros): (&Grid, &[Nonzero]),
    (x, elements): (Area<f64>, Cyclic),
    fetched: Area<f64>,
    y: &mut [f64],
) {
    let mut is_asked_for = [false; MOST];
    for nonzero in nonzeros {
        let column = nonzero.column as usize;
        if !core::mem::replace(&mut is_asked_for[column], true) {
            let from = (x, elements.place(column));
            bsp.get(elements.owner(column), from, (fetched, column / grid.columns), 1);
        }
    }
    bsp.sync();

    for row in nonzeros.chunk_by(|one, other| one.row == other.row) {
        let of_x = |nonzero: &Nonzero| fetched.of(bsp)[nonzero.column as usize / grid.columns];
        let sum: f64 = row.iter().map(|nonzero| nonzero.value * of_x(nonzero)).sum();
        bsp.send(elements.owner(row[0].row as usize), &row[0].row, &[sum]);
    }
    bsp.sync();

    while let Some((row, sum)) = bsp.receive::<u32, f64>() {
        y[elements.place(row as usize)] += sum[0];
    }
}
