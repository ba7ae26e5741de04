//! The machine that the program runs on: its clocks, its processors, its monitors.

use testbed_definitions::syscall::{self, identity, Error};

use crate::call;

/// Emits a datum to the monitor: `false` if its queue is full.
pub fn send_event(datum: u16) -> Result<bool, Error> {
    call::result(call::value(syscall::SEND_EVENT, datum as u32)).map(|taken| taken != 0)
}

/// Milliseconds since reset.
pub fn clock() -> u32 {
    call::value(syscall::CLOCK, 0)
}

/// Microseconds since reset, modulo 2^32: it wraps after 71 minutes, so only differences mean anything.
pub fn clock_us() -> u32 {
    // SAFETY: concerns no memory.
    unsafe { call::call(syscall::CLOCK, [0; 5]).1 }
}

/// The processor it runs on.
pub fn processor() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSOR) as u8
}

/// Processors of the machine.
pub fn processors() -> u8 {
    call::value(syscall::IDENTITY, identity::PROCESSORS) as u8
}

/// The run's seed, for what is to be random. The small kernel does not tell it: there this is `UnknownCall`'s code.
pub fn seed() -> u32 {
    call::value(syscall::IDENTITY, identity::SEED)
}

/// The machine's clock in hertz.
pub fn clock_hz() -> u32 {
    call::value(syscall::IDENTITY, identity::CLOCK_HZ)
}
