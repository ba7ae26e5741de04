//! `rand`: the same sequence for a seed on every engine. All threads of the process draw from one;
//! `rand_r` is for those that want their own.

use core::ffi::{c_int, c_long, c_uint};

use libtos::random::Random;

use crate::shared::Shared;

/// As in `stdlib.h`.
const RAND_MAX: u32 = 0x7fff_ffff;

/// Before `srand` it is as after `srand(1)`.
static RANDOM: Shared<Option<Random>> = Shared::new(None);

#[no_mangle]
extern "C" fn rand() -> c_int {
    let word = RANDOM.with(|random| random.get_or_insert_with(|| Random::new(1)).word());
    (word & RAND_MAX) as c_int
}

#[no_mangle]
extern "C" fn srand(seed: c_uint) {
    RANDOM.with(|random| *random = Some(Random::new(seed)));
}

/// # Safety
/// `seed` is a number of the caller's.
#[no_mangle]
unsafe extern "C" fn rand_r(seed: *mut c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        *seed = seed.read().wrapping_mul(0x9e37_79b1).wrapping_add(0x85eb_ca77);
        (Random::new(*seed).word() & RAND_MAX) as c_int
    }
}

/// As `rand`, under the name that BSD gave to a better one.
#[no_mangle]
extern "C" fn random() -> c_long {
    c_long::from(rand())
}

#[no_mangle]
extern "C" fn srandom(seed: c_uint) {
    srand(seed);
}
