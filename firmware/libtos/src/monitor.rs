//! The monitors: which events are emitted, and which of them the filters let through. Any program may change that: what it changes shows in the trace.

use testbed_definitions::filter::Command;
use testbed_definitions::syscall::{self, monitor, Error};

use crate::call;

pub use testbed_definitions::{event, filter};

/// The event classes, bits of [`event`]`::DIAG_ALL`.
pub fn classes() -> u32 {
    tell(monitor::CLASSES, 0).unwrap_or(0)
}

/// Changes the event classes on all processors. `FixedSetting` if that would change class `ready`, or any with it, or there is no such class.
pub fn set_classes(classes: u32) -> Result<(), Error> {
    tell(monitor::SET_CLASSES, classes).map(drop)
}

/// Changes a register of the monitors' filters; it has taken effect when the call returns. `FixedSetting` for one that can't be changed or isn't there.
pub fn command(command: Command) -> Result<(), Error> {
    tell(monitor::COMMAND, command.pack()).map(drop)
}

/// A register of the filter of this processor's monitor.
pub fn setting(register: u8) -> u16 {
    tell(monitor::SETTING, register as u32).unwrap_or(0) as u16
}

fn tell(what: u32, value: u32) -> Result<u32, Error> {
    // SAFETY: concerns no memory.
    call::result(unsafe { call::call3(syscall::MONITOR, what, value, 0) })
}
