//! What the program `fuzz` does to itself.

use core::cell::UnsafeCell;

use libtos::call::call;
use libtos::process::process;
use libtos::random::Random;
use libtos::{create, exit, stack_for, thread_id, yield_now};
use testbed_definitions::exchange;
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::ids::ProcessId;
use testbed_definitions::map;
use testbed_definitions::page::{DATA_BASE, VIRTUAL_BYTES};
use testbed_definitions::syscall::{self, open};

/// Exit code of a victim that has made all its calls.
pub const DONE: u32 = 42;
const STACK_PAGES: u32 = 2;
/// Threads that touch what is not theirs.
const WILD: u8 = 3;
const FIRST_WILD: u8 = 2;

/// Where calls may write to.
struct Scratch(UnsafeCell<[u32; 1024]>);
// SAFETY: whatever is in it, means nothing.
unsafe impl Sync for Scratch {}
static SCRATCH: Scratch = Scratch(UnsafeCell::new([0; 1024]));
static SEED: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(0);

/// Makes `calls` random calls, beside threads that do worse.
pub fn run(seed: u32, calls: u32) -> u32 {
    SEED.store(seed, core::sync::atomic::Ordering::Relaxed);
    for index in 0..WILD {
        // It may end before the next one is created, and its number be used again.
        let _ = create(FIRST_WILD + index, STACK_PAGES, -1, wild, stack_for(STACK_PAGES));
    }
    let mut random = Random::new(seed);
    for _ in 0..calls {
        random_call(&mut random);
    }
    DONE
}

/// An argument of any kind.
fn argument(random: &mut Random) -> u32 {
    let any = random.word();
    match random.below(12) {
        0 => any,
        1 => any % 8,
        2 => any % 200,
        3 => any % 10_000,
        4 | 5 => SCRATCH.0.get() as u32 + any % 4096,
        6 => any % DATA_BASE,
        7 => DATA_BASE + any % DATA_BASE,
        8 => map::RAM_BASE + any % 0x10_0000,
        9 => VIRTUAL_BYTES - any % 16,
        10 => any % 16 * 0x1000_0000,
        _ => 0u32.wrapping_sub(any % 64),
    }
}

/// One call that does not wait for ever, and does what it does to this process only: with a number
/// up to the last call's, two that are none, or any.
fn random_call(random: &mut Random) {
    let number = if random.chance(5) { argument(random) } else { random.below(syscall::EXCHANGE + 3) };
    let mut arguments: [u32; 5] = core::array::from_fn(|_| argument(random));
    match number {
        syscall::EXIT | syscall::WAIT | syscall::SEND | syscall::RECEIVE => return random_transfer(random, &arguments),
        // It keeps less than `call` counts on.
        syscall::YIELD => return yield_now(),
        // Text only where the console won't see it.
        syscall::WRITE => arguments[1] = if random.chance(50) { 0 } else { VIRTUAL_BYTES | arguments[1] },
        syscall::ALT => arguments[4] %= 300,
        syscall::DELAY => arguments[0] %= 300,
        // It would wait until somebody types.
        syscall::READ_LINE if random.chance(50) => arguments[1] = 0,
        syscall::READ_LINE => arguments = [arguments[0] | VIRTUAL_BYTES, arguments[1] | 1, 0, 0, 0],
        // The monitors are everybody's.
        syscall::MONITOR => arguments[1] |= 0xff00_0000,
        // Its own threads must come to an end; others' processes are not its business.
        syscall::CREATE => {
            arguments[3] = if random.chance(50) { quit as *const () as usize as u32 } else { arguments[3] | 1 }
        }
        syscall::KILL | syscall::CONTROL | syscall::AWAIT => arguments[0] |= 0xf000,
        // Nor are files.
        syscall::OPEN => arguments[2] &= !open::CREATE,
        syscall::INVOKE | syscall::UNLINK | syscall::RENAME | syscall::CHMOD if arguments[1] <= NAME_BYTES as u32 => {
            arguments[1] = 0;
        }
        // A group of its own, for whose other members it would wait for ever, or none.
        syscall::FORM => {
            let own = process() as u32;
            // SAFETY: whatever is there, means nothing.
            unsafe { (SCRATCH.0.get() as *mut u32).write_volatile(own) };
            arguments[0] = SCRATCH.0.get() as u32 | if random.chance(50) { VIRTUAL_BYTES } else { 0 };
            (arguments[1], arguments[2]) = (if random.chance(80) { 1 } else { arguments[1] | 0x100 }, arguments[2] % 3);
        }
        syscall::EXCHANGE if random.chance(80) => {
            arguments[0] = exchange::member(ProcessId::from_bits(process()), arguments[0] as u8 % 3, 0);
            arguments[1] &= 0x0003_01ff;
        }
        _ => {}
    }
    // SAFETY: none; the kernel must see to it.
    unsafe { call(number, arguments) };
}

/// Sends or receives what must be refused: a bad channel, length or buffer.
fn random_transfer(random: &mut Random, arguments: &[u32; 5]) {
    let &[channel, buffer, bytes, ..] = arguments;
    let number = if random.chance(50) { syscall::SEND } else { syscall::RECEIVE };
    let (channel, buffer, bytes) = match random.below(3) {
        0 => (channel | 0x80, buffer, bytes),
        1 => (channel, buffer | VIRTUAL_BYTES, bytes | 1),
        _ => (channel, buffer, bytes | VIRTUAL_BYTES),
    };
    // SAFETY: as above.
    unsafe { call(number, [channel, buffer, bytes, 0, 0]) };
}

extern "C" fn quit() -> ! {
    exit(0)
}

/// Makes some calls, and then something that it must be ended for.
extern "C" fn wild() -> ! {
    let seed = SEED.load(core::sync::atomic::Ordering::Relaxed) ^ (thread_id() as u32) << 24;
    let mut random = Random::new(seed);
    for _ in 0..random.below(100) {
        random_call(&mut random);
    }
    for _ in 0..100 {
        // Mostly outside of the process: all the rest of memory and the devices.
        let mut address = argument(&mut random);
        if address < VIRTUAL_BYTES && random.chance(90) {
            address |= VIRTUAL_BYTES << random.below(11);
        }
        // SAFETY: none; that is what it is about.
        unsafe {
            match random.below(6) {
                0 => core::arch::asm!("lw t0, 0({0})", in(reg) address, out("t0") _),
                1 => core::arch::asm!("sw zero, 0({0})", in(reg) address),
                2 => core::arch::asm!("sb zero, 0({0})", in(reg) address | 1),
                3 => core::arch::asm!("jr {0}", in(reg) address | VIRTUAL_BYTES),
                4 => core::arch::asm!("csrw mstatus, {0}", in(reg) address),
                _ => core::arch::asm!("mret"),
            }
        }
    }
    exit(0)
}
