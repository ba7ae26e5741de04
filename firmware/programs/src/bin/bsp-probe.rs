//! Measures what a superstep costs, for `testbed bsp probe`: `bsp-probe [PROCESSES [LARGEST
//! [WAYS]]]`.
//!
//! Prints lines of words, which the host reads: what was measured, its parameters, and machine cycles
//! of a superstep on the slowest process. LARGEST is the number of words of the largest relation in short messages,
//! WAYS how many ways are measured: `bsp_put`, `bsp_hpput`, `bsp_get`, `bsp_hpget`.
//!
//! | line | measured |
//! |---|---|
//! | `operations KIND COUNT CYCLES` | a sum of products of so many numbers (two operations each) |
//! | `barrier PROCESSES CYCLES` | a superstep in which nothing is done |
//! | `relation KIND PROCESSES WORDS SIZE CYCLES` | each process sends so many words to the others together, in messages of SIZE words |
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::hint::black_box;

use libbsp::safe::{Area, Process};
use libtos::{clock_hz, println, Arguments};

libbsp::program!(main, |arguments| arguments.number(0, 0).unwrap_or(0));

/// Supersteps of which a measurement is the mean.
const ROUNDS: u32 = 16;
/// Numbers of a sum.
const NUMBERS: usize = 512;
/// Words of the longest message, and of the largest relation of short ones.
const LONGEST: usize = 4_096;
const LARGEST: usize = 1_024;

struct Memory<const N: usize>(UnsafeCell<[u32; N]>);
// SAFETY: the program has one thread.
unsafe impl<const N: usize> Sync for Memory<N> {}
static TARGET: Memory<LONGEST> = Memory(UnsafeCell::new([0; LONGEST]));
static SOURCE: Memory<LONGEST> = Memory(UnsafeCell::new([0; LONGEST]));
static TIMES: Memory<64> = Memory(UnsafeCell::new([0; 64]));

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let known = arguments.numbers([0, LARGEST, ALL.len()]);
    let Some([_, largest, ways]) = known.filter(|numbers| numbers[1] <= LARGEST && numbers[2] <= ALL.len()) else {
        println!("usage: bsp-probe [PROCESSES [LARGEST (up to {LARGEST} words) [WAYS (up to {})]]]", ALL.len());
        return 2;
    };
    // SAFETY: each is lent once.
    let (target, source, times) = unsafe {
        (bsp.register(&mut *TARGET.0.get()), bsp.register(&mut *SOURCE.0.get()), bsp.register(&mut *TIMES.0.get()))
    };
    bsp.sync();
    let mut probe = Probe { bsp, target, source, times };
    probe.operations("u32", |index| index as u32, |a, b, sum| a.wrapping_mul(b).wrapping_add(sum));
    probe.operations("f32", |index| index as f32, |a, b, sum| a * b + sum);
    probe.operations("f64", |index| index as f64, |a, b, sum| a * b + sum);
    probe.barrier();
    for way in &ALL[..ways] {
        let way = *way;
        let mut words = 1;
        while words <= LONGEST {
            if words <= largest {
                probe.relation(way, words, 1);
            }
            if words > 1 {
                probe.relation(way, words, words);
            }
            words *= 2;
        }
        let mut size = 2;
        while size < largest {
            probe.relation(way, largest, size);
            size *= 2;
        }
    }
    0
}

/// How words go from one process to another.
#[derive(Clone, Copy)]
enum Way {
    Put,
    HpPut,
    Get,
    HpGet,
}

/// All of them.
const ALL: [Way; 4] = [Way::Put, Way::HpPut, Way::Get, Way::HpGet];

struct Probe<'a> {
    bsp: &'a mut Process,
    target: Area<u32>,
    source: Area<u32>,
    times: Area<u32>,
}

impl Probe<'_> {
    /// So many words go to a process, or come from it, from this place on.
    fn transfer(&mut self, way: Way, pid: usize, at: usize, count: usize) {
        let (source, target) = ((self.source, at), (self.target, at));
        match way {
            Way::Put => self.bsp.put_area(pid, source, target, count),
            Way::HpPut => self.bsp.hpput_area(pid, source, target, count),
            Way::Get => self.bsp.get(pid, target, source, count),
            Way::HpGet => self.bsp.hpget(pid, target, source, count),
        }
    }

    /// Cycles of the slowest process since each one's `start`, for so many rounds.
    fn cycles_since(&mut self, start: f64, rounds: u32) -> u32 {
        let mine = ((self.bsp.time() - start) * clock_hz() as f64 / rounds as f64) as u32;
        let me = self.bsp.pid();
        for pid in 0..self.bsp.nprocs() {
            self.bsp.put(pid, &[mine], self.times, me);
        }
        self.bsp.sync();
        let all = self.bsp.nprocs();
        self.times.of(self.bsp)[..all].iter().copied().max().unwrap_or(0)
    }

    fn tell(&self, line: core::fmt::Arguments) {
        if self.bsp.pid() == 0 {
            println!("{line}");
        }
    }

    fn operations<T: Copy>(&mut self, name: &str, number: fn(usize) -> T, step: impl Fn(T, T, T) -> T) {
        let numbers: [T; NUMBERS] = core::array::from_fn(number);
        let start = self.bsp.time();
        for _ in 0..ROUNDS {
            let numbers = black_box(&numbers);
            black_box(numbers.iter().rev().zip(numbers).fold(numbers[0], |sum, (a, b)| step(*a, *b, sum)));
        }
        let cycles = self.cycles_since(start, ROUNDS);
        self.tell(format_args!("operations {name} {} {cycles}", 2 * NUMBERS));
    }

    fn barrier(&mut self) {
        self.bsp.sync();
        let start = self.bsp.time();
        for _ in 0..ROUNDS {
            self.bsp.sync();
        }
        let cycles = self.cycles_since(start, ROUNDS);
        self.tell(format_args!("barrier {} {cycles}", self.bsp.nprocs()));
    }

    /// Each process sends `words` words, in messages of `size`, to one process after the other.
    fn relation(&mut self, way: Way, words: usize, size: usize) {
        let (me, all) = (self.bsp.pid(), self.bsp.nprocs());
        if all == 1 {
            return;
        }
        let rounds = (ROUNDS * 64 / words.max(64) as u32).max(2);
        self.bsp.sync();
        let start = self.bsp.time();
        for _ in 0..rounds {
            let (mut at, mut pid) = (0, me);
            while at < words {
                let count = size.min(words - at);
                pid = if pid + 1 == all { 0 } else { pid + 1 };
                if pid == me {
                    pid = if pid + 1 == all { 0 } else { pid + 1 };
                }
                self.transfer(way, pid, at, count);
                at += count;
            }
            self.bsp.sync();
        }
        let cycles = self.cycles_since(start, rounds);
        let name = match way {
            Way::Put => "put",
            Way::HpPut => "hpput",
            Way::Get => "get",
            Way::HpGet => "hpget",
        };
        self.tell(format_args!("relation {name} {all} {words} {size} {cycles}"));
    }
}
