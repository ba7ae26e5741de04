//! Indirect memory: `bsp-hash [N [PROCESSES [LAYOUT [PATTERN [READS [ROUNDS [WAY]]]]]]]` reads from an
//! array of N elements that is spread over all processes.
//!
//! | argument | values |
//! |---|---|
//! | LAYOUT | 0 blocks, 1 in turn, 2 and more hashed, by the function of that number |
//! | PATTERN | 0 elements by lot, 1 each of them P behind the one before, for P processes, 2 consecutive ones, 3 the same one always, 4 one that does not exist |
//! | READS | elements that a process reads at once |
//! | ROUNDS | how often it does |
//! | WAY | 0 lists of places, 1 the same, each element asked for once, 2 a `bsp_get` for each |
//!
//! Cost of a round of p processes that read k elements each, with lists, if no process has more than
//! m of the elements: two supersteps, w in operations
//!
//! | superstep | w | h |
//! |---|---|---|
//! | lists | k | max(k, m) + 2 (p - 1) |
//! | answers | m | max(k, m) |
//!
//! Where elements are by lot, m is what balls in bins have: k + O(sqrt(k log p)) with many of them.
//! (Valiant, "A bridging model for parallel computation", Communications of the ACM 33, 1990).
#![no_std]
#![no_main]

use libbsp::array::{list_words, own_words, Array, Layout, Lent, Spread};
use libbsp::safe::{Area, Process};
use libbsp::slaves;
use libtos::{clock_hz, println, Arguments};
use programs::bulk::{self, Comparison, Memory, Trial};
use testbed_definitions::limits::GROUP_MEMBERS;

libbsp::program!(main, bulk::processes);

const NAME: &str = "bsp-hash";
const USAGE: &str = "bsp-hash [N (up to 4096) [PROCESSES [LAYOUT [PATTERN (0 to 4) [READS (up to 256) [ROUNDS (up to 64) [WAY (0 to 2)]]]]]]]";
const MOST: usize = 4_096;
const READS: usize = 256;
const ROUNDS: usize = 64;
/// Sixteen of its processes have room on a processor, so not all of these are large at once: words of
/// lists, and processes times rounds.
const LIST_WORDS: usize = 8_192;
const SERVED_WORDS: usize = 1_024;
/// Writes of a superstep.
const WRITES: usize = 64;
/// Room of a process with others; a hashed array has few places more than elements.
const ROOM: usize = MOST + 64;

static ELEMENTS: Memory<u32, ROOM> = Memory::new(0);
static ANSWERS: Memory<u32, READS> = Memory::new(0);
static VALUES: Memory<u32, READS> = Memory::new(0);
static LISTS: Memory<u32, LIST_WORDS> = Memory::new(0);
static OWN: Memory<u32, { own_words(GROUP_MEMBERS, READS) }> = Memory::new(0);
/// Cycles of a round on each process, and what it has been asked for in each, for the first process
/// to look at.
static TIMES: Memory<u32, GROUP_MEMBERS> = Memory::new(0);
static SERVED: Memory<u32, SERVED_WORDS> = Memory::new(0);

/// What an element is, which follows from its index.
fn element(index: usize) -> u32 {
    bulk::random(index) | 1
}

#[derive(Clone, Copy)]
struct Reads {
    elements: usize,
    pattern: usize,
    count: usize,
    way: usize,
}

impl Reads {
    /// What a process reads in a round.
    fn index(&self, (pid, all): (usize, usize), round: usize, read: usize) -> usize {
        let number = (round * all + pid) * self.count + read;
        let index = match self.pattern {
            0 => bulk::random(number) as usize,
            1 => number * all,
            2 => (round * self.elements / ROUNDS) + (pid * self.count + read) % self.elements.div_ceil(all),
            3 => self.elements / 2,
            _ => return self.elements,
        };
        index % self.elements
    }
}

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let defaults = [1_000, 0, 2, 0, 32, 8, 0];
    let ranges = [1..MOST + 1, bulk::PROCESSES, 0..usize::MAX, 0..5, 1..READS + 1, 1..ROUNDS + 1, 0..3];
    let Some([elements, _, layout, pattern, count, rounds, way]) =
        bulk::numbers((arguments, bsp), USAGE, defaults, ranges)
    else {
        return 2;
    };
    let layout = match layout {
        0 => Layout::Blocks,
        1 => Layout::Cyclic,
        seed => Layout::Hashed(seed as u32),
    };
    let reads = Reads { elements, pattern, count, way };
    let all = bsp.nprocs();
    let Some(spread) = Spread::new(elements, all, layout) else { return 2 };
    if list_words(all, count) > LIST_WORDS || all * rounds > SERVED_WORDS {
        if bsp.pid() == 0 {
            println!(
                "{NAME}: no room: PROCESSES * (READS + 2) up to {LIST_WORDS}, PROCESSES * ROUNDS up to {SERVED_WORDS}"
            );
        }
        return 2;
    }
    let values = bsp.register(VALUES.lend(count));
    let served = bsp.register(SERVED.lend(all * rounds));
    let times = bsp.register(TIMES.lend(all));
    let lent = Lent {
        elements: ELEMENTS.lend(spread.room()),
        answers: ANSWERS.lend(count),
        lists: LISTS.lend(list_words(all, count)),
        own: OWN.lend(own_words(all, count)),
    };
    let mut array = Array::new(bsp, elements, layout, lent);
    array.combine(way == 1);
    bsp.sync();
    write(bsp, &array);

    let mut comparison = Comparison::default();
    let mut trial = Trial::begin(bsp);
    let mut seconds = 0.0;
    for round in 0..rounds {
        let (asked, taken) = read(bsp, (&mut array, values), reads, round, &mut comparison);
        seconds += taken;
        bsp.put(0, &[asked as u32], served, bsp.pid() * rounds + round);
    }
    let cycles = (seconds * clock_hz() as f64) as u32 / rounds as u32;
    bsp.put(0, &[cycles], times, bsp.pid());
    bsp.sync();
    if bsp.pid() == 0 {
        let slowest = times.of(bsp).iter().copied().max().unwrap_or(0);
        let (most, mean) = asked(served.of(bsp), all, rounds);
        println!("{NAME}: {slowest} cycles a round, {most} elements asked of a slave at most, {mean} on average");
    }
    trial.stop(bsp);
    trial.conclude(bsp, format_args!("{NAME} {elements}"), comparison)
}

/// Each process writes some elements, wherever they are, and one of them that of others too: what the
/// last process writes lasts.
fn write(bsp: &mut Process, array: &Array<u32>) {
    let (me, all, elements) = (bsp.pid(), bsp.nprocs(), array.spread().elements());
    array.write(bsp, 0, if me + 1 == all { element(0) } else { 0 });
    // As many supersteps in each process.
    for first in (0..elements).step_by(WRITES * all) {
        for index in (first + me..elements.min(first + WRITES * all)).step_by(all).filter(|index| *index > 0) {
            array.write(bsp, index, 0);
            array.write(bsp, index, element(index));
        }
        bsp.sync();
    }
}

/// A round; the result is how many elements were asked of this process, and the seconds that it took.
fn read(
    bsp: &mut Process,
    (array, values): (&mut Array<u32>, Area<u32>),
    reads: Reads,
    round: usize,
    comparison: &mut Comparison,
) -> (usize, f64) {
    let who = (bsp.pid(), bsp.nprocs());
    let mut indices = [0; READS];
    let indices = &mut indices[..reads.count];
    (0..).zip(&mut *indices).for_each(|(read, index)| *index = reads.index(who, round, read) as u32);
    let mut found = [0; READS];
    let found = &mut found[..reads.count];
    bsp.sync();
    let start = bsp.time();
    let asked = match reads.way {
        2 => {
            for (read, index) in indices.iter().enumerate() {
                array.read(bsp, *index as usize, (values, read));
            }
            bsp.sync();
            found.copy_from_slice(values.of(bsp));
            0
        }
        _ => array.read_all(bsp, indices, found),
    };
    let taken = bsp.time() - start;
    for (index, value) in indices.iter().zip(found) {
        comparison.same(*index as usize, *value, element(*index as usize));
    }
    (asked, taken)
}

/// Of all rounds, the most that the processes of a slave were asked for, on average, and what all
/// slaves were on average: both in elements a round.
fn asked(served: &[u32], all: usize, rounds: usize) -> (u32, u32) {
    let slaves = slaves().min(all);
    let of_slave = |slave: usize, round: usize| -> u32 {
        (slave..all).step_by(slaves).map(|pid| served[pid * rounds + round]).sum()
    };
    let most = |round: usize| (0..slaves).map(|slave| of_slave(slave, round)).max().unwrap_or(0);
    let total: u32 = served.iter().sum();
    let sum: u32 = (0..rounds).map(most).sum();
    (sum / rounds as u32, total / (rounds * slaves) as u32)
}
