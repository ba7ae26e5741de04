//! `signal.h`, as far as it is true: there are no signals, but a program can raise one of its own,
//! and what that does cannot be changed.

use core::ffi::c_int;

use crate::end::abort;
use crate::error;

/// The signals of C, as in `signal.h`; all of them end a program.
const SIGNALS: [c_int; 6] = [2, 4, 6, 8, 11, 15];
/// As in `signal.h`.
const SIG_DFL: usize = 0;
const SIG_ERR: usize = usize::MAX;

#[no_mangle]
extern "C" fn raise(signal: c_int) -> c_int {
    if SIGNALS.contains(&signal) {
        abort();
    }
    error::set(error::EINVAL);
    -1
}

/// What a signal does stays what it is by default.
#[no_mangle]
extern "C" fn signal(signal: c_int, handler: usize) -> usize {
    if SIGNALS.contains(&signal) && handler == SIG_DFL {
        return SIG_DFL;
    }
    error::set(error::EINVAL);
    SIG_ERR
}
