//! System calls.

use core::arch::asm;
use testbed_definitions::syscall::Error;

/// A call with up to three arguments.
///
/// # Safety
/// The arguments must allow what the call does to this program's memory.
pub unsafe fn call3(number: u32, a0: u32, a1: u32, a2: u32) -> u32 {
    let result;
    // SAFETY: the kernel keeps all registers but a0.
    unsafe { asm!("ecall", in("a7") number, inlateout("a0") a0 => result, in("a1") a1, in("a2") a2, options(nostack)) }
    result
}

/// A call with five arguments.
///
/// # Safety
/// As for [`call3`].
pub unsafe fn call5(number: u32, arguments: [u32; 5]) -> u32 {
    let [a0, a1, a2, a3, a4] = arguments;
    let result;
    // SAFETY: the kernel keeps all registers but a0.
    unsafe {
        asm!("ecall", in("a7") number, inlateout("a0") a0 => result, in("a1") a1, in("a2") a2, in("a3") a3, in("a4") a4,
            options(nostack))
    }
    result
}

/// A call with one argument that concerns no memory.
pub fn value(number: u32, argument: u32) -> u32 {
    // SAFETY: see above.
    unsafe { call3(number, argument, 0, 0) }
}

/// The result of a call that can fail.
pub fn result(value: u32) -> Result<u32, Error> {
    Error::from_code(value as i32).map_or(Ok(value), Err)
}
