//! The monitors: which events are emitted, which of them the filters let through, and, on the
//! master, what has been collected. Every program can ask; an operator can change that, and take
//! what has been collected ([`Error::NoPermission`]). What it changes shows in the trace.

use testbed_definitions::filter::Command;
use testbed_definitions::map::mmi;
use testbed_definitions::syscall::{self, monitor, Error};

use crate::call;

pub use testbed_definitions::map::EVENT_PAGE;
pub use testbed_definitions::monitor::MmiWord;
pub use testbed_definitions::{event, filter};

/// Where the MMI puts what it collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// To the trace port, as after reset.
    Port,
    /// To the trace port, and to the queue that [`read`] empties: nothing is collected while that is full.
    PortAndQueue,
    /// To the trace port, and to the queue while it has room: what it has none for is counted
    /// ([`missed`]), and the port has it all the same.
    PortAndSome,
}

/// The event classes, bits of [`event`]`::DIAG_ALL`.
pub fn classes() -> u32 {
    tell(monitor::CLASSES, 0).unwrap_or(0)
}

/// Changes the event classes on all processors. `FixedSetting` if that would change class `ready`,
/// or any with it, or there is no such class.
pub fn set_classes(classes: u32) -> Result<(), Error> {
    tell(monitor::SET_CLASSES, classes).map(drop)
}

/// Changes a register of the monitors' filters; it has taken effect when the call returns.
/// `FixedSetting` for one that can't be changed or isn't there.
pub fn command(command: Command) -> Result<(), Error> {
    tell(monitor::COMMAND, command.pack()).map(drop)
}

/// A register of the filter of this processor's monitor.
pub fn setting(register: u8) -> u16 {
    tell(monitor::SETTING, register as u32).unwrap_or(0) as u16
}

/// Sets where the MMI puts what it collects from now on. [`Error::NoMonitor`] on other processors than the master.
pub fn deliver(delivery: Delivery) -> Result<(), Error> {
    let port = mmi::CONTROL_POLL | mmi::CONTROL_TRACE;
    let control = match delivery {
        Delivery::Port => port,
        Delivery::PortAndQueue => port | mmi::CONTROL_QUEUE,
        Delivery::PortAndSome => port | mmi::CONTROL_QUEUE | mmi::CONTROL_QUEUE_MAY_MISS,
    };
    tell(monitor::DELIVER, control).map(drop)
}

/// Chooses what goes to the queue, from now on: pairs of the slaves whose bits are 1 in `slaves`
/// (bit 1 for the first slave), and of those the ones whose datum is `datum` where `mask` has ones;
/// `u16::MAX` and 0 for all. The trace port has everything.
pub fn want(slaves: u16, mask: u16, datum: u16) -> Result<(), Error> {
    tell(monitor::WANT, slaves.into())?;
    tell(monitor::WANT_DATUM, u32::from(datum) << 16 | u32::from(mask)).map(drop)
}

/// Pairs that were wanted and found no room in the queue, since reset.
pub fn missed() -> Result<u32, Error> {
    tell(monitor::MISSED, 0)
}

/// The period of the slaves' load samples, in microseconds.
pub fn sample_period_us() -> u32 {
    tell(monitor::SAMPLE_PERIOD, 0).unwrap_or(0)
}

/// Changes it, on all processors, to one within [`testbed_definitions::load::PERIODS_US`]. Samples
/// are sent while class `load` is on.
pub fn set_sample_period_us(microseconds: u32) -> Result<(), Error> {
    tell(monitor::SAMPLE_PERIOD, microseconds.max(1)).map(drop)
}

/// Takes words that the MMI has put into the queue, as many as there are and `buffer` has room for,
/// 64 at most: time-stamp and datum of an event one after the other ([`MmiWord`]).
/// [`Error::NoMonitor`] on other processors than the master.
pub fn read(buffer: &mut [u32]) -> Result<usize, Error> {
    // SAFETY: the kernel writes to the buffer only.
    let result = unsafe { call::call3(syscall::READ_MONITOR, buffer.as_mut_ptr() as u32, buffer.len() as u32, 0) };
    call::result(result).map(|words| words as usize)
}

fn tell(what: u32, value: u32) -> Result<u32, Error> {
    // SAFETY: concerns no memory.
    call::result(unsafe { call::call3(syscall::MONITOR, what, value, 0) })
}
