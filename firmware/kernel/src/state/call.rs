//! System calls: what they name, and what becomes of them.

use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::READ;

/// Memory that a call names: address, bytes and access.
pub type Range = (u32, u32, u32);

/// A call names no memory.
pub const NO_MEMORY: Range = (0, 0, READ);

/// What has become of a call.
pub enum Outcome {
    /// It is over, with this result.
    Done(Result<u32, Error>),
    /// It is over, with these two results.
    Both(u32, u32),
    /// Its thread waits, has left or has ended: whoever lets it go on answers the call.
    Waits,
    /// Nothing has been done for want of room: it is made again.
    Again,
}

impl From<Result<u32, Error>> for Outcome {
    #[inline(always)]
    fn from(result: Result<u32, Error>) -> Self {
        Outcome::Done(result)
    }
}

impl From<Result<(u32, u32), Error>> for Outcome {
    #[inline(always)]
    fn from(result: Result<(u32, u32), Error>) -> Self {
        match result {
            Ok((first, second)) => Outcome::Both(first, second),
            Err(error) => Outcome::Done(Err(error)),
        }
    }
}

impl From<Result<Outcome, Error>> for Outcome {
    #[inline(always)]
    fn from(result: Result<Outcome, Error>) -> Self {
        result.unwrap_or_else(|error| Outcome::Done(Err(error)))
    }
}

impl From<()> for Outcome {
    #[inline(always)]
    fn from((): ()) -> Self {
        Outcome::Waits
    }
}

/// Whether memory that a call names can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Now.
    Here,
    /// After a page has come; the thread is blocked and will repeat its call. Never in the small
    /// kernel, whose pages are here or nowhere.
    Coming,
    /// Never.
    Refused(Error),
}
