//! System calls. A call is like a function call, but keeps `ra` as well ([`testbed_definitions::syscall`]).

use core::arch::asm;
use testbed_definitions::syscall::{Error, YIELD};

/// `ecall` with operands of its own, and with all the registers named whose values a call doesn't keep.
macro_rules! ecall {
    ($($operands:tt)*) => {
        asm!("ecall", $($operands)*, lateout("a5") _, lateout("a6") _, lateout("t0") _, lateout("t1") _,
            lateout("t2") _, lateout("t3") _, lateout("t4") _, lateout("t5") _, lateout("t6") _, options(nostack))
    };
}

/// [`YIELD`], which keeps fewer registers than other calls: the compiler saves those that it needs.
#[inline(always)]
pub fn pass() {
    // SAFETY: the call touches no memory, and changes the registers that are named.
    unsafe {
        ecall!(inlateout("a7") YIELD => _, lateout("a0") _, lateout("a1") _, lateout("a2") _, lateout("a3") _,
            lateout("a4") _, lateout("s2") _, lateout("s3") _, lateout("s4") _, lateout("s5") _, lateout("s6") _,
            lateout("s7") _, lateout("s8") _, lateout("s9") _, lateout("s10") _, lateout("s11") _)
    }
}

/// A call with up to five arguments, and both its results.
///
/// # Safety
/// The arguments must allow what the call does to this program's memory, and it must not be
/// [`YIELD`], which is [`pass`].
#[inline(always)]
pub unsafe fn call(number: u32, arguments: [u32; 5]) -> (u32, u32) {
    let [a0, a1, a2, a3, a4] = arguments;
    let (first, second);
    // SAFETY: what the call does to memory the caller allows.
    unsafe {
        ecall!(inlateout("a7") number => _, inlateout("a0") a0 => first, inlateout("a1") a1 => second,
            inlateout("a2") a2 => _, inlateout("a3") a3 => _, inlateout("a4") a4 => _)
    }
    (first, second)
}

/// A call with up to three arguments and one result.
///
/// # Safety
/// As for [`call`].
#[inline(always)]
pub unsafe fn call3(number: u32, a0: u32, a1: u32, a2: u32) -> u32 {
    let result;
    // SAFETY: as above.
    unsafe {
        ecall!(inlateout("a7") number => _, inlateout("a0") a0 => result, inlateout("a1") a1 => _,
            inlateout("a2") a2 => _, lateout("a3") _, lateout("a4") _)
    }
    result
}

/// A call with five arguments and one result.
///
/// # Safety
/// As for [`call`].
pub unsafe fn call5(number: u32, arguments: [u32; 5]) -> u32 {
    // SAFETY: the caller's.
    unsafe { call(number, arguments) }.0
}

/// A call with at most one argument, which concerns no memory; not [`YIELD`], which is [`pass`].
#[inline(always)]
pub fn value(number: u32, argument: u32) -> u32 {
    let result;
    // SAFETY: callers name calls that touch no memory.
    unsafe {
        ecall!(inlateout("a7") number => _, inlateout("a0") argument => result, lateout("a1") _, lateout("a2") _,
            lateout("a3") _, lateout("a4") _)
    }
    result
}

/// The result of a call that can fail.
pub fn result(value: u32) -> Result<u32, Error> {
    Error::from_code(value as i32).map_or(Ok(value), Err)
}
