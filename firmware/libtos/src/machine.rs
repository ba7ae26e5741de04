//! The machine that the program runs on: its clocks, its processors, its monitors.

use testbed_definitions::map::EVENT_PAGE;
use testbed_definitions::monitor::is_reserved;
use testbed_definitions::syscall::{self, identity, Error};

use crate::call;

/// Emits a datum to the monitor as the program's own event: one store, in user mode. What the queue
/// has no room for the monitor counts and marks, so this is always `true`; [`try_send_event`] says
/// whether there is room. Nothing happens where the class `user` is off, and on the master, which has
/// no monitor.
///
/// # Errors
/// [`Error::BadDatum`] if the monitor keeps the datum for its markers.
#[inline(always)]
pub fn send_event(datum: u16) -> Result<bool, Error> {
    if is_reserved(datum) {
        return Err(Error::BadDatum);
    }
    // SAFETY: the page is there for every program on every processor, and holds nothing.
    unsafe { (EVENT_PAGE as *mut u16).write_volatile(datum) };
    Ok(true)
}

/// The same by a call of the kernel's, which says what became of the event: `false` if the monitor's
/// queue is full.
///
/// # Errors
/// [`Error::BadDatum`] as above, [`Error::NoMonitor`] on the master.
#[inline]
pub fn try_send_event(datum: u16) -> Result<bool, Error> {
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
