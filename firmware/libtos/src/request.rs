//! Requests to slaves to move threads, whosever they are: for balancers.

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::request::Wanted;
use testbed_definitions::syscall::{self, Error};

use crate::call;

/// Asks slave `from` to move a thread to slave `to`, and waits for the answer: the thread that has
/// arrived there. [`Error::Timeout`] if none could move in time
/// ([`testbed_definitions::request::EXPIRY_US`]), any other error if none may. For operators.
pub fn request(wanted: Wanted, from: u8, to: u8) -> Result<ThreadNumber, Error> {
    // SAFETY: concerns no memory.
    let result = unsafe { call::call3(syscall::REQUEST, wanted.pack(), from.into(), to.into()) };
    call::result(result).map(|number| ThreadNumber::from_bits(number as u16))
}
