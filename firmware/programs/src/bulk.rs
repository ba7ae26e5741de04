//! What the bulk-synchronous programs have in common: their memory, the distributions of vectors
//! and matrices over processes, random numbers, and the comparison with a sequential result.
//! `firmware/c/bsp/common.h` has the same for those in C.

use core::cell::{Cell, UnsafeCell};
use core::fmt::{Display, Formatter, Result};
use core::ops::Range;

use libbsp::safe::{Area, Process};
use libtos::random::Random;
use libtos::{clock_hz, println, Arguments};
use testbed_definitions::limits::GROUP_MEMBERS;

/// Memory of a process that is lent once, to the library or to the program itself.
pub struct Memory<T, const N: usize> {
    cells: UnsafeCell<[T; N]>,
    is_lent: Cell<bool>,
}
// SAFETY: a bulk-synchronous process has one thread.
unsafe impl<T, const N: usize> Sync for Memory<T, N> {}

impl<T: Copy, const N: usize> Memory<T, N> {
    pub const fn new(value: T) -> Self {
        Memory { cells: UnsafeCell::new([value; N]), is_lent: Cell::new(false) }
    }

    /// The first `count` values.
    ///
    /// # Panics
    /// They have been lent before, or there are fewer.
    // No two references are given out.
    #[allow(clippy::mut_from_ref)]
    pub fn lend(&'static self, count: usize) -> &'static mut [T] {
        assert!(!self.is_lent.replace(true), "the same memory is lent twice");
        // SAFETY: this happens once, so nobody else has a reference.
        unsafe { &mut (&mut *self.cells.get())[..count] }
    }
}

/// Numbers that are shared out in consecutive blocks, whose lengths differ by one at most.
#[derive(Clone, Copy)]
pub struct Blocks {
    count: usize,
    processes: usize,
}

impl Blocks {
    /// `count` numbers on so many processes.
    pub fn new(count: usize, processes: usize) -> Self {
        Blocks { count, processes }
    }

    /// The first number of a process's block.
    pub fn start(self, pid: usize) -> usize {
        self.count * pid / self.processes
    }

    /// The numbers that a process has.
    pub fn of(self, pid: usize) -> Range<usize> {
        self.start(pid)..self.start(pid + 1)
    }

    /// The process that has a number.
    pub fn owner(self, index: usize) -> usize {
        ((index + 1) * self.processes - 1) / self.count
    }
}

/// Numbers that are dealt out one by one: process `i % processes` has number `i`.
#[derive(Clone, Copy)]
pub struct Cyclic {
    count: usize,
    processes: usize,
}

impl Cyclic {
    /// `count` numbers on so many processes.
    pub fn new(count: usize, processes: usize) -> Self {
        Cyclic { count, processes }
    }

    /// The numbers that a process has, in order.
    pub fn of(self, pid: usize) -> impl ExactSizeIterator<Item = usize> {
        (pid..self.count.max(pid)).step_by(self.processes)
    }

    /// The process that has a number.
    pub fn owner(self, index: usize) -> usize {
        index % self.processes
    }

    /// The place of a number among those of its process.
    pub fn place(self, index: usize) -> usize {
        index / self.processes
    }
}

/// A random number that follows from an index alone, so that every process knows all of the input.
pub fn random(index: usize) -> u32 {
    Random::new(index as u32).word()
}

/// A random whole number from -8 to 7. Sums of products of such numbers are exact in any order.
pub fn small(index: usize) -> f64 {
    (random(index) >> 28) as f64 - 8.0
}

/// The numbers among a program's arguments, each with its default and its range; the second one is
/// the number of processes, which the program has got already. If they make no sense the first
/// process prints `usage`, and the program ends with status 2.
pub fn numbers<const N: usize>(
    (arguments, bsp): (Arguments, &Process),
    usage: &str,
    defaults: [usize; N],
    ranges: [Range<usize>; N],
) -> Option<[usize; N]> {
    let numbers = arguments.numbers(defaults);
    let numbers = numbers.filter(|numbers| numbers.iter().zip(&ranges).all(|(number, range)| range.contains(number)));
    if numbers.is_none() && bsp.pid() == 0 {
        println!("usage: {usage}");
    }
    numbers
}

/// How many processes the second argument asks for; 0 for one on each processor.
pub fn processes(arguments: Arguments) -> usize {
    arguments.number(1, 0).unwrap_or(0)
}

/// Numbers of processes that [`numbers`] takes.
pub const PROCESSES: Range<usize> = 0..GROUP_MEMBERS + 1;

/// An element of a result that is not the sequential one.
#[derive(Clone, Copy)]
struct Difference {
    index: usize,
    got: f64,
    wanted: f64,
}

/// A number as it is printed, with nine decimal places: the formatting of all doubles that there are
/// would make a program larger by half.
struct Decimal(f64);

impl Display for Decimal {
    fn fmt(&self, formatter: &mut Formatter) -> Result {
        let Decimal(number) = *self;
        if number.abs() >= 1e18 || number.is_nan() {
            // Nothing that is compared gets that large unless it is wrong.
            return formatter.write_str("no number, or one beyond 1e18");
        }
        let (sign, size) = (if number < 0.0 { "-" } else { "" }, number.abs());
        let whole = size as u64;
        let billionths = ((size - whole as f64) * 1e9) as u64;
        match billionths {
            0 => write!(formatter, "{sign}{whole}"),
            _ => write!(formatter, "{sign}{whole}.{billionths:09}"),
        }
    }
}

/// The elements of a result that a process has, as the sequential result has them too.
#[derive(Default)]
pub struct Comparison {
    first: Option<Difference>,
}

impl Comparison {
    /// Compares element `index`, which has to be the same.
    pub fn same(&mut self, index: usize, got: impl Into<f64>, wanted: impl Into<f64>) {
        self.near(index, got, wanted, 0.0);
    }

    /// Compares element `index`, which may be off by `tolerance`.
    pub fn near(&mut self, index: usize, got: impl Into<f64>, wanted: impl Into<f64>, tolerance: f64) {
        let (got, wanted): (f64, f64) = (got.into(), wanted.into());
        let difference = got - wanted;
        // Of a number that is none, neither holds.
        let is_near = -tolerance <= difference && difference <= tolerance;
        if !is_near && self.first.is_none_or(|first| index < first.index) {
            self.first = Some(Difference { index, got, wanted });
        }
    }
}

/// What a process tells the others: cycles, whether anything is wrong, and its first difference.
type Told = [f64; 5];
static TOLD: Memory<Told, GROUP_MEMBERS> = Memory::new([0.0; 5]);

/// Measures a computation, and says in the end whether its result is right.
pub struct Trial {
    told: Area<Told>,
    /// Seconds since the process began.
    begun: f64,
    cycles: f64,
}

impl Trial {
    /// Begins to measure, in a superstep of its own, in which the caller's registrations take
    /// effect too.
    pub fn begin(bsp: &mut Process) -> Self {
        let told = bsp.register(TOLD.lend(bsp.nprocs()));
        bsp.sync();
        Trial { told, begun: bsp.time(), cycles: 0.0 }
    }

    /// The computation has ended.
    pub fn stop(&mut self, bsp: &Process) {
        self.cycles = (bsp.time() - self.begun) * clock_hz() as f64;
    }

    /// Prints the line of the result, on the first process: what has been done, on how many
    /// processes, whether all elements of all processes were right, and the cycles of the slowest.
    /// The result is the program's status.
    pub fn conclude(self, bsp: &mut Process, what: impl Display, comparison: Comparison) -> u32 {
        let me = bsp.pid();
        let mine = match comparison.first {
            None => [self.cycles, 0.0, 0.0, 0.0, 0.0],
            Some(Difference { index, got, wanted }) => [self.cycles, 1.0, index as f64, got, wanted],
        };
        for pid in 0..bsp.nprocs() {
            bsp.put(pid, &[mine], self.told, me);
        }
        bsp.sync();
        let all = self.told.of(bsp);
        let cycles = all.iter().map(|told| told[0]).fold(0.0, f64::max) as u32;
        let wrong = all.iter().filter(|told| told[1] != 0.0).min_by(|one, other| one[2].total_cmp(&other[2]));
        if me == 0 {
            match wrong {
                None => println!("{what} on {}: right, {cycles} cycles", all.len()),
                Some([_, _, index, got, wanted]) => {
                    let (index, got, wanted) = (*index as usize, Decimal(*got), Decimal(*wanted));
                    println!("{what} on {}: WRONG, element {index} is {got}, not {wanted}", all.len());
                }
            }
        }
        wrong.is_some() as u32
    }
}
