//! Random bulk-synchronous programs: `bsp-random [SEED [PROGRAMS [PROCESSES [MOVES]]]]`. By default
//! the run's own seed, 20 programs, as many processes as there are slaves, and none that moves.
//!
//! Every process knows what all of them do, since all of it follows from the seed: puts, gets and
//! messages of all sizes, which overlap as they like, registrations, tags, and changes of memory in
//! between; what is put and taken unbuffered has memory of its own. So each computes what its own
//! memory and messages must be when a superstep has ended, one process after the other, and
//! compares. MOVES per cent of the supersteps begin on another slave.
//!
//! What the standard leaves open, the library promises: what was read is written before what was put,
//! and either in order of the processes it comes from.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libbsp::{Bsp, Start};
use libtos::random::Random;
use libtos::{migrate_self, println, processors, Arguments, Place};
use programs::bsp_long::{of_superstep, Long, SLOT_BYTES};
use programs::bsp_reference::{bytes_of, Model, Op, AREAS, AREA_BYTES, TAG_BYTES};

libtos::program!(main);
libbsp::memory!();

const NAME: &str = "bsp-random";
/// Supersteps of a program at most.
const SUPERSTEPS: u32 = 12;

struct Only<T>(UnsafeCell<T>);
// SAFETY: the program has one thread.
unsafe impl<T> Sync for Only<T> {}

static BSP: Only<Bsp> = Only(UnsafeCell::new(Bsp::new()));
static MODEL: Only<Model> = Only(UnsafeCell::new(Model::NEW));
static MEMORY: Only<[[u8; AREA_BYTES]; AREAS]> = Only(UnsafeCell::new([[0; AREA_BYTES]; AREAS]));
static LONG: Only<[Long; 2]> = Only(UnsafeCell::new([const { Long::NEW }; 2]));
static FAILED: Only<[u8; 64]> = Only(UnsafeCell::new([0; 64]));

fn main(all: Arguments) -> u32 {
    let start = Start { arguments: all.after(0) };
    let own = start.split().1;
    // SAFETY: the kernel's range.
    let arguments = unsafe { Arguments::from_kernel(own.as_ptr(), own.len()) };
    let Some([seed, programs, processes, moves]) = arguments.numbers([libtos::seed(), 20, 0, 0]) else {
        println!("usage: {NAME} [SEED [PROGRAMS [PROCESSES [MOVES (per cent)]]]]");
        return 2;
    };
    // SAFETY: this thread's.
    let (bsp, model) = unsafe { (&mut *BSP.0.get(), &mut *MODEL.0.get()) };
    bsp.begin(start, processes as usize);
    // SAFETY: this thread's; addresses are taken.
    let long = unsafe { &mut *LONG.0.get() };
    bsp.push_reg(long[0].source.as_ptr() as usize, size_of_val(&long[0].source));
    bsp.push_reg(long[0].slots.as_ptr() as usize, size_of_val(&long[0].slots));
    bsp.sync();
    let mut differences = keeps_what_leaves(bsp) as u32;
    for program in 0..programs {
        differences += run(bsp, model, (seed.wrapping_add(program), moves)) as u32;
    }
    let failed = tell_all(bsp, differences != 0);
    if bsp.pid() == 0 {
        println!("{NAME}: {programs} programs of {} processes, {failed} processes saw a difference", bsp.nprocs());
    }
    bsp.end();
    (failed != 0) as u32
}

/// The first process sends as much as it has to all others, gets nothing, and changes it at once: what
/// they get must be what it was. Whether this process saw a difference.
fn keeps_what_leaves(bsp: &mut Bsp) -> bool {
    const SENT: u8 = 0x5a;
    // SAFETY: this thread's; others write between two ends of supersteps, while nobody looks.
    let [ours, other] = unsafe { &mut *LONG.0.get() };
    let (slots, bytes) = (ours.slots.as_ptr() as usize, size_of_val(&ours.slots));
    other.slots.as_flattened_mut().fill(SENT);
    if bsp.pid() == 0 {
        for pid in 1..bsp.nprocs() {
            // SAFETY: memory of this thread's, which stays until the superstep has ended.
            unsafe { bsp.hpput(pid, other.slots.as_ptr().cast(), slots, 0, bytes) };
        }
    }
    bsp.sync();
    other.slots.as_flattened_mut().fill(0);
    let differs = bsp.pid() != 0 && ours.slots.as_flattened().iter().any(|byte| *byte != SENT);
    if differs {
        println!("process {} got what was written after the superstep", bsp.pid());
    }
    ours.slots.as_flattened_mut().fill(0);
    differs
}

/// How many processes have failed.
fn tell_all(bsp: &mut Bsp, failed: bool) -> usize {
    let cells = FAILED.0.get() as usize;
    bsp.push_reg(cells, 64);
    bsp.sync();
    for pid in 0..bsp.nprocs() {
        // SAFETY: a byte of this frame's.
        unsafe { bsp.put(pid, &raw const failed as *const u8, cells, bsp.pid(), 1) };
    }
    bsp.sync();
    // SAFETY: this thread's; no superstep ends meanwhile.
    unsafe { (*FAILED.0.get()).iter().filter(|failed| **failed != 0).count() }
}

/// Runs a program; whether this process saw a difference.
fn run(bsp: &mut Bsp, model: &mut Model, (seed, moves): (u32, u32)) -> bool {
    let (me, all) = (bsp.pid(), bsp.nprocs());
    model.begin(seed, all);
    // SAFETY: this thread's.
    let memory = unsafe { &mut *MEMORY.0.get() };
    memory.copy_from_slice(&model.memory[me]);
    let supersteps = 1 + Random::new(seed).below(SUPERSTEPS);
    let mut places = Random::new(seed ^ (me as u32 + 1) << 24);
    let mut wrong = false;
    for step in 0..supersteps {
        if places.chance(moves) && processors() > 2 {
            let to = 1 + places.below(processors() as u32 - 1);
            // It may be there already.
            let _ = migrate_self(Place::Processor(to as u8));
        }
        model.superstep(step, step + 1 == supersteps, &mut |rank, op| {
            if rank == me {
                perform(bsp, op);
            }
        });
        perform_long(bsp, (seed, step));
        bsp.sync();
        wrong |= compare(bsp, model, (seed, step)) || compare_long(me, all, (seed, step), step + 1 == supersteps);
    }
    wrong
}

/// Does what this process has to.
fn perform(bsp: &mut Bsp, op: &Op) {
    // SAFETY: this thread's; places are in their areas.
    unsafe {
        let start = |area: usize| (&raw mut (*MEMORY.0.get())[area]) as *mut u8;
        match *op {
            Op::Write { area, at, bytes, pattern } => {
                let place = core::slice::from_raw_parts_mut(start(area).add(at), bytes);
                place.iter_mut().enumerate().for_each(|(index, byte)| *byte = bytes_of(pattern, index));
            }
            Op::Put { to, from, area, offset, bytes } => {
                bsp.put(to, start(from.0).add(from.1), start(area) as usize, offset, bytes);
            }
            Op::Get { from, area, offset, to, bytes } => {
                bsp.get(from, start(area) as usize, offset, start(to.0).add(to.1), bytes);
            }
            Op::Send { to, tag, from, bytes, .. } => {
                let tag: [u8; TAG_BYTES] = core::array::from_fn(|index| bytes_of(tag, index));
                bsp.send(to, tag.as_ptr(), start(from.0).add(from.1), bytes);
            }
            Op::Push { area, sizes } => bsp.push_reg(start(area) as usize, sizes[bsp.pid()] as usize),
            Op::Pop { area } => bsp.pop_reg(start(area) as usize),
            Op::SetTagSize { bytes } => {
                bsp.set_tagsize(bytes);
            }
        }
    }
}

/// Puts and takes what is long.
fn perform_long(bsp: &mut Bsp, (seed, step): (u32, u32)) {
    let (put, take) = of_superstep((seed, step), bsp.pid(), bsp.nprocs());
    // SAFETY: this thread's; places are in their areas, and nobody uses them before the superstep
    // has ended.
    unsafe {
        let memory = &raw mut (*LONG.0.get())[0];
        (*memory).begin((seed, step), bsp.pid());
        let (source, slots) = ((&raw const (*memory).source) as *const u8, (&raw mut (*memory).slots) as *mut u8);
        if let Some((to, part)) = put {
            let offset = part.rank * SLOT_BYTES + part.to;
            bsp.hpput(to, source.add(part.at), slots as usize, offset, part.bytes);
        }
        if let Some(part) = take {
            let to = ((&raw mut (*memory).taken) as *mut u8).add(part.to);
            bsp.hpget(part.rank, source as usize, part.at, to, part.bytes);
        }
    }
}

/// Compares that with what it must be, all of it in the last superstep; `true` if it differs.
fn compare_long(me: usize, all: usize, (seed, step): (u32, u32), is_last: bool) -> bool {
    // SAFETY: this thread's; no superstep ends meanwhile.
    let [ours, wanted] = unsafe { &mut *LONG.0.get() };
    let mut is_right = true;
    for rank in 0..all {
        let (put, take) = of_superstep((seed, step), rank, all);
        let put = put.filter(|(to, _)| *to == me);
        if let Some((_, part)) = put {
            wanted.put((seed, step), part);
        }
        if let Some(part) = take.filter(|_| rank == me) {
            wanted.take((seed, step), part);
            is_right &= ours.taken == wanted.taken;
        }
        if put.is_some() || is_last {
            is_right &= ours.has_slot(rank, wanted);
        }
    }
    if !is_right {
        println!("program {seed}, superstep {step}, process {me}: what was put or taken unbuffered is another one");
    }
    !is_right
}

/// Compares memory and messages with the model's; `true` if they differ.
fn compare(bsp: &mut Bsp, model: &Model, (seed, step): (u32, u32)) -> bool {
    let me = bsp.pid();
    // SAFETY: this thread's; no superstep ends meanwhile.
    let memory = unsafe { &*MEMORY.0.get() };
    for (area, (ours, wanted)) in memory.iter().zip(&model.memory[me]).enumerate() {
        if let Some(at) = ours.iter().zip(wanted).position(|(ours, wanted)| ours != wanted) {
            let (got, wanted) = (ours[at], wanted[at]);
            println!("program {seed}, superstep {step}, process {me}: byte {at} of area {area} is {got}, not {wanted}");
            return true;
        }
    }
    let (count, bytes) = bsp.qsize();
    let wanted = model.messages(me);
    let sum: usize = wanted.clone().map(|message| message.bytes.len()).sum();
    if (count, bytes) != (wanted.clone().count(), sum) {
        println!("program {seed}, superstep {step}, process {me}: {count} messages of {bytes} bytes, not {sum}");
        return true;
    }
    for (number, message) in wanted.enumerate() {
        // A message in three is left, with all behind it.
        if (seed ^ step) % 3 == 0 && number % 3 == 2 {
            break;
        }
        let mut tag = [0; TAG_BYTES];
        // SAFETY: tags have no more bytes.
        let bytes = unsafe { bsp.get_tag(tag.as_mut_ptr()) };
        let Some((_, at, moved)) = bsp.hpmove() else { return true };
        // SAFETY: the library has said so.
        let ours = unsafe { core::slice::from_raw_parts(at as *const u8, moved) };
        let tag_is_right = (0..message.tag_bytes).all(|index| tag[index] == bytes_of(message.tag, index));
        if bytes != Some(moved) || ours != message.bytes || !tag_is_right {
            println!("program {seed}, superstep {step}, process {me}: message {number} is another one");
            return true;
        }
    }
    false
}
