//! Fast Fourier transform: `bsp-fft [N [PROCESSES]]`, of N complex numbers, a power of two.
//!
//! N = n1 n2, and element j = j1 n2 + j2 lies in row j1 and column j2 of a matrix. The processes
//! have blocks of columns: they transform each of these, and multiply what is in row k1 and column
//! j2 by the root of unity w^(j2 k1). Then the matrix changes hands, so that they have blocks of
//! rows, and they transform each of these. What is then in place k2 of row k1 is element k = k1 +
//! n1 k2 of the result. Any number of processes will do; more than n2 have no work.
//!
//! Sources: Cooley and Tukey, "An algorithm for the machine calculation of complex Fourier series",
//! Mathematics of Computation 19 (1965); Bailey, "FFTs in external or hierarchical memory", Journal
//! of Supercomputing 4 (1990), for rows and columns.
//!
//! Cost of n numbers on p processes, up to sqrt(n), with roots of unity that are known before: one
//! superstep and the rows' transforms behind it, w = 5 n log2 n / p + 6 n / p flops, h = 4 (n / p)
//! (1 - 1 / p) words of 32 bits: (5 log2 n + 6) n / p + 4 (n / p) (1 - 1 / p) g + l.
//!
//! The result is compared with the sum that defines it, in n^2 steps, not with another transform
//! that is as fast.
#![no_std]
#![no_main]

use core::f64::consts::TAU;

use libbsp::safe::{Area, Process};
use libtos::Arguments;
use programs::bulk::{self, Blocks, Comparison, Memory, Trial};

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-fft";
const MOST: usize = 1_024;
/// How far off an element may be, which is the sum of up to [`MOST`] numbers up to 12.
const TOLERANCE: f64 = 1e-8;

/// Real and imaginary part.
type Complex = [f64; 2];
const ZERO: Complex = [0.0; 2];

static ROOTS: Memory<Complex, MOST> = Memory::new(ZERO);
/// The same for the comparison, which takes nothing from the transform.
static TURNS: Memory<Complex, MOST> = Memory::new(ZERO);
static COLUMNS: Memory<Complex, MOST> = Memory::new(ZERO);
static RECEIVED: Memory<Complex, MOST> = Memory::new(ZERO);
static SPARE: Memory<Complex, MOST> = Memory::new(ZERO);

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let usage = "bsp-fft [N (a power of two up to 1024) [PROCESSES]]";
    let ranges = [1..MOST + 1, bulk::PROCESSES];
    let numbers = bulk::numbers((arguments, bsp), usage, [256, 0], ranges);
    let Some([n, _]) = numbers.filter(|numbers| numbers[0].is_power_of_two()) else {
        if numbers.is_some() && bsp.pid() == 0 {
            libtos::println!("usage: {usage}");
        }
        return 2;
    };
    let roots = ROOTS.lend(n);
    roots.iter_mut().enumerate().for_each(|(index, root)| *root = root_of_unity(index, n));
    let shape = Shape::new(n, bsp);
    let columns = COLUMNS.lend(shape.n1 * shape.columns.of(bsp.pid()).len());
    for (column, j2) in columns.chunks_exact_mut(shape.n1).zip(shape.columns.of(bsp.pid())) {
        column.iter_mut().enumerate().for_each(|(j1, value)| *value = element(j1 * shape.n2 + j2));
    }
    let (received, spare) = (bsp.register(RECEIVED.lend(n)), SPARE.lend(n));

    let mut trial = Trial::begin(bsp);
    let rows = fourier_transform(bsp, &shape, roots, columns, received, spare);
    trial.stop(bsp);

    let turns = TURNS.lend(n);
    for (index, turn) in turns.iter_mut().enumerate() {
        let clockwise = TAU * index as f64 / n as f64;
        *turn = [libm::cos(clockwise), -libm::sin(clockwise)];
    }
    let mut comparison = Comparison::default();
    for (row, k1) in rows.chunks_exact(shape.n2).zip(shape.rows.of(bsp.pid())) {
        for (k2, value) in row.iter().enumerate() {
            let k = k1 + shape.n1 * k2;
            let wanted = by_definition(k, turns);
            comparison.near(k, value[0], wanted[0], TOLERANCE);
            comparison.near(k, value[1], wanted[1], TOLERANCE);
        }
    }
    trial.conclude(bsp, format_args!("{NAME} {n}"), comparison)
}

/// The matrix, and who has what of it.
struct Shape {
    n1: usize,
    n2: usize,
    columns: Blocks,
    rows: Blocks,
}

impl Shape {
    fn new(n: usize, bsp: &Process) -> Self {
        let n1 = 1 << (n.ilog2() / 2);
        let (n2, all) = (n / n1, bsp.nprocs());
        Shape { n1, n2, columns: Blocks::new(n2, all), rows: Blocks::new(n1, all) }
    }
}

/// An element of what is transformed.
fn element(index: usize) -> Complex {
    [bulk::small(2 * index), bulk::small(2 * index + 1)]
}

/// w^index, with w the n-th root of unity whose angle is the least below 0.
fn root_of_unity(index: usize, n: usize) -> Complex {
    let angle = -TAU * index as f64 / n as f64;
    [libm::cos(angle), libm::sin(angle)]
}

fn product(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn sum(a: Complex, b: Complex) -> Complex {
    [a[0] + b[0], a[1] + b[1]]
}

/// Transforms what the processes have in columns; this process's rows of the result.
fn fourier_transform<'a>(
    bsp: &mut Process,
    shape: &Shape,
    roots: &[Complex],
    columns: &mut [Complex],
    received: Area<Complex>,
    spare: &'a mut [Complex],
) -> &'a [Complex] {
    let (me, mine) = (bsp.pid(), shape.columns.of(bsp.pid()));
    for (column, j2) in columns.chunks_exact_mut(shape.n1).zip(mine.clone()) {
        transform(column, roots);
        column.iter_mut().enumerate().for_each(|(k1, value)| *value = product(*value, roots[j2 * k1]));
    }
    // Each process gets what this one has of its rows, row by row, in one piece.
    for pid in 0..bsp.nprocs() {
        let theirs = shape.rows.of(pid);
        let piece = &mut spare[..theirs.len() * mine.len()];
        let places = theirs.clone().flat_map(|k1| (0..mine.len()).map(move |column| (k1, column)));
        places.zip(piece.iter_mut()).for_each(|((k1, column), value)| *value = columns[column * shape.n1 + k1]);
        bsp.put(pid, piece, received, theirs.len() * mine.start);
    }
    bsp.sync();

    let count = shape.rows.of(me).len();
    let received = received.of(bsp);
    let rows = &mut spare[..count * shape.n2];
    for pid in 0..bsp.nprocs() {
        let theirs = shape.columns.of(pid);
        for row in 0..count {
            let from = count * theirs.start + row * theirs.len();
            let to = row * shape.n2 + theirs.start;
            rows[to..to + theirs.len()].copy_from_slice(&received[from..from + theirs.len()]);
        }
    }
    rows.chunks_exact_mut(shape.n2).for_each(|row| transform(row, roots));
    rows
}

/// Transforms a sequence in place: each number is swapped with that of the reversed index, then
/// pairs, quadruples and so on are combined. `roots` are those of a multiple of its length.
fn transform(values: &mut [Complex], roots: &[Complex]) {
    let length = values.len();
    let bits = length.ilog2();
    for index in 0..length {
        let reversed = index.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        if index < reversed {
            values.swap(index, reversed);
        }
    }
    let mut half = 1;
    while half < length {
        let stride = roots.len() / (2 * half);
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (index, (low, high)) in low.iter_mut().zip(high).enumerate() {
                let turned = product(*high, roots[index * stride]);
                *high = [low[0] - turned[0], low[1] - turned[1]];
                *low = sum(*low, turned);
            }
        }
        half *= 2;
    }
}

/// Element `k` of the result: the sum of all elements j, each turned by j k n-ths of a circle.
fn by_definition(k: usize, turns: &[Complex]) -> Complex {
    let n = turns.len();
    (0..n).fold(ZERO, |total, j| sum(total, product(element(j), turns[j * k % n])))
}
