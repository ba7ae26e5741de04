//! The generators of POSIX with 48 bits of state, `drand48` and its family: the same sequences as
//! everywhere. All threads of the process draw from one, but for functions that are given a state.

use core::cell::UnsafeCell;
use core::ffi::{c_double, c_long, c_ushort};

use crate::shared::Shared;

const MASK: u64 = (1 << 48) - 1;
const MULTIPLIER: u64 = 0x5_deec_e66d;
const INCREMENT: u64 = 0xb;
/// The lowest bits of a state that `srand48` makes.
const SEEDED_LOW: u64 = 0x330e;

/// Three words, the lowest first, as programs hold them.
type Words = [c_ushort; 3];

struct Generator {
    state: u64,
    multiplier: u64,
    increment: u64,
}

static GENERATOR: Shared<Generator> = Shared::new(Generator { state: 0, multiplier: MULTIPLIER, increment: INCREMENT });

/// What `seed48` returns the address of: the state before it.
struct Before(UnsafeCell<Words>);
// SAFETY: C leaves it to the program that only one thread looks at it.
unsafe impl Sync for Before {}
static BEFORE: Before = Before(UnsafeCell::new([0; 3]));

fn joined(words: &Words) -> u64 {
    words.iter().rev().fold(0, |state, word| state << 16 | u64::from(*word))
}

fn words(state: u64) -> Words {
    [state as c_ushort, (state >> 16) as c_ushort, (state >> 32) as c_ushort]
}

impl Generator {
    fn after(&self, state: u64) -> u64 {
        state.wrapping_mul(self.multiplier).wrapping_add(self.increment) & MASK
    }

    fn seed(&mut self, state: u64) {
        *self = Generator { state, multiplier: MULTIPLIER, increment: INCREMENT };
    }
}

/// The next state of the one that all threads share.
fn shared() -> u64 {
    GENERATOR.with(|generator| {
        generator.state = generator.after(generator.state);
        generator.state
    })
}

/// The next state of the caller's own.
///
/// # Safety
/// `own` is an array of three words.
unsafe fn of(own: *mut Words) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let state = GENERATOR.with(|generator| generator.after(joined(&*own)));
        *own = words(state);
        state
    }
}

/// From 0 to 1, without 1. The 48 bits are those of the fraction, and so nothing is rounded.
fn unit(state: u64) -> c_double {
    f64::from_bits(1f64.to_bits() | state << 4) - 1.0
}

/// From 0 to 2^31, without that.
fn natural(state: u64) -> c_long {
    (state >> 17) as c_long
}

/// From -2^31 to 2^31, without that.
fn signed(state: u64) -> c_long {
    (state >> 16) as c_long
}

#[no_mangle]
extern "C" fn drand48() -> c_double {
    unit(shared())
}

#[no_mangle]
extern "C" fn lrand48() -> c_long {
    natural(shared())
}

#[no_mangle]
extern "C" fn mrand48() -> c_long {
    signed(shared())
}

// SAFETY of all below: C's rules: a state has three words, parameters have seven.

#[no_mangle]
unsafe extern "C" fn erand48(own: *mut Words) -> c_double {
    unit(unsafe { of(own) })
}

#[no_mangle]
unsafe extern "C" fn nrand48(own: *mut Words) -> c_long {
    natural(unsafe { of(own) })
}

#[no_mangle]
unsafe extern "C" fn jrand48(own: *mut Words) -> c_long {
    signed(unsafe { of(own) })
}

#[no_mangle]
extern "C" fn srand48(seed: c_long) {
    GENERATOR.with(|generator| generator.seed(u64::from(seed as u32) << 16 | SEEDED_LOW));
}

#[no_mangle]
unsafe extern "C" fn seed48(seed: *const Words) -> *mut Words {
    GENERATOR.with(|generator| {
        unsafe {
            *BEFORE.0.get() = words(generator.state);
            generator.seed(joined(&*seed));
        }
        BEFORE.0.get()
    })
}

/// State, multiplier (three words each) and increment.
#[no_mangle]
unsafe extern "C" fn lcong48(parameters: *const [c_ushort; 7]) {
    let [state @ .., a, b, c, increment] = unsafe { &*parameters };
    let multiplier = joined(&[*a, *b, *c]);
    let generator = Generator { state: joined(state), multiplier, increment: u64::from(*increment) };
    GENERATOR.with(|shared| *shared = generator);
}
