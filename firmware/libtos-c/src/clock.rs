//! `time.h` and its kin: the clock since reset, of all the machine. It doesn't know the date.

use core::ffi::{c_int, c_long, c_uint, c_void};

use libtos::call;
use testbed_definitions::syscall;

use crate::error;

const SECOND_US: u64 = 1_000_000;
/// As in `time.h`.
const CLOCK_REALTIME: c_int = 0;
const CLOCK_MONOTONIC: c_int = 1;
const TIME_UTC: c_int = 1;

/// Seconds, and a part of one: nanoseconds in `struct timespec`, microseconds in `struct timeval`.
#[repr(C)]
struct Time {
    seconds: c_long,
    part: c_long,
}

/// Microseconds since reset, for 49 days.
fn microseconds() -> u64 {
    // SAFETY: concerns no memory.
    let (milliseconds, low) = unsafe { call::call(syscall::CLOCK, [0; 5]) };
    let whole = u64::from(milliseconds) * 1000;
    whole + u64::from(low.wrapping_sub(whole as u32))
}

impl Time {
    /// Since reset; `unit` is the part's in a microsecond.
    fn now(unit: u64) -> Self {
        let now = microseconds();
        Time { seconds: (now / SECOND_US) as c_long, part: (now % SECOND_US * unit) as c_long }
    }
}

/// Lets other threads run for a time.
fn wait(mut microseconds: u64) {
    while microseconds > 0 {
        let some = microseconds.min(1000 * SECOND_US);
        libtos::delay_us(some as u32);
        microseconds -= some;
    }
}

/// Milliseconds since reset (`CLOCKS_PER_SEC` is 1,000).
#[no_mangle]
extern "C" fn clock() -> c_uint {
    libtos::clock()
}

// SAFETY of all below: C's rules: places that are not null have room for what is stored.

/// Seconds since reset.
#[no_mangle]
unsafe extern "C" fn time(place: *mut c_long) -> c_long {
    let seconds = (libtos::clock() / 1000) as c_long;
    if !place.is_null() {
        unsafe { *place = seconds };
    }
    seconds
}

#[no_mangle]
extern "C" fn difftime(end: c_long, start: c_long) -> f64 {
    (i64::from(end) - i64::from(start)) as f64
}

#[no_mangle]
unsafe extern "C" fn clock_gettime(clock: c_int, place: *mut Time) -> c_int {
    if !matches!(clock, CLOCK_REALTIME | CLOCK_MONOTONIC) {
        error::set(error::EINVAL);
        return -1;
    }
    unsafe { *place = Time::now(1000) };
    0
}

#[no_mangle]
unsafe extern "C" fn clock_getres(clock: c_int, place: *mut Time) -> c_int {
    if !matches!(clock, CLOCK_REALTIME | CLOCK_MONOTONIC) {
        error::set(error::EINVAL);
        return -1;
    }
    if !place.is_null() {
        unsafe { *place = Time { seconds: 0, part: 1000 } };
    }
    0
}

#[no_mangle]
unsafe extern "C" fn timespec_get(place: *mut Time, base: c_int) -> c_int {
    if base != TIME_UTC {
        return 0;
    }
    unsafe { *place = Time::now(1000) };
    base
}

#[no_mangle]
unsafe extern "C" fn gettimeofday(place: *mut Time, _zone: *mut c_void) -> c_int {
    if !place.is_null() {
        unsafe { *place = Time::now(1) };
    }
    0
}

#[no_mangle]
extern "C" fn usleep(microseconds: c_uint) -> c_int {
    wait(microseconds.into());
    0
}

/// Nothing wakes a thread early, so nothing is left of the time.
#[no_mangle]
extern "C" fn sleep(seconds: c_uint) -> c_uint {
    wait(u64::from(seconds) * SECOND_US);
    0
}

#[no_mangle]
unsafe extern "C" fn nanosleep(wanted: *const Time, left: *mut Time) -> c_int {
    let wanted = unsafe { &*wanted };
    let (Ok(seconds), Ok(part @ 0..1_000_000_000)) = (u64::try_from(wanted.seconds), u64::try_from(wanted.part)) else {
        error::set(error::EINVAL);
        return -1;
    };
    wait(seconds * SECOND_US + part.div_ceil(1000));
    if !left.is_null() {
        unsafe { *left = Time { seconds: 0, part: 0 } };
    }
    0
}
