//! Channels: unidirectional, between two threads, which reserve one by using it first.

use testbed_definitions::limits::CHANNELS;
use testbed_definitions::syscall::{self, Error};

use crate::call;

/// Sends a message on a channel; returns when the partner has it. The result is the bytes that the partner took.
pub fn send_block(channel: u8, message: &[u8]) -> Result<usize, Error> {
    // SAFETY: the kernel only reads the buffer.
    let result = unsafe { call::call3(syscall::SEND, channel as u32, message.as_ptr() as u32, message.len() as u32) };
    call::result(result).map(|bytes| bytes as usize)
}

/// Receives a message of at most `buffer.len()` bytes; a longer one is cut. The result is the bytes received.
pub fn receive(channel: u8, buffer: &mut [u8]) -> Result<usize, Error> {
    // SAFETY: the kernel writes to the buffer only.
    let result =
        unsafe { call::call3(syscall::RECEIVE, channel as u32, buffer.as_mut_ptr() as u32, buffer.len() as u32) };
    call::result(result).map(|bytes| bytes as usize)
}

/// occam's PRI ALT: receives from the first channel of `channels` whose sender is ready, or from
/// the first that becomes so within `timeout_us` microseconds; 0 only looks, [`None`] waits for
/// ever. The result is the channel's index in the list and the bytes received; [`Error::Timeout`]
/// if nobody has sent.
///
/// Channels at the front of the list go before those behind them for as long as their senders are ready. [`FairAlt`]
/// gives every channel its turn.
pub fn alt(channels: &[u8], buffer: &mut [u8], timeout_us: Option<u32>) -> Result<(usize, usize), Error> {
    let (list, count) = (channels.as_ptr() as u32, channels.len() as u32);
    let (room, bytes) = (buffer.as_mut_ptr() as u32, buffer.len() as u32);
    let timeout = timeout_us.unwrap_or(syscall::FOREVER);
    // SAFETY: the kernel reads the list and writes to the buffer only.
    let (received, index) = unsafe { call::call(syscall::ALT, [list, count, room, bytes, timeout]) };
    call::result(received).map(|bytes| (index as usize, bytes as usize))
}

/// occam's ALT: [`alt`], but each call looks first at the channel that follows the one it received from last, and
/// at that one last. So a sender that is ready is heard after one message at most from each of the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct FairAlt {
    /// The place in the list that the next call looks at first.
    next: usize,
}

impl FairAlt {
    pub const fn new() -> Self {
        FairAlt { next: 0 }
    }

    /// As [`alt`], fairly from call to call. Calls can have different lists; turns go by places in the list.
    pub fn alt(
        &mut self,
        channels: &[u8],
        buffer: &mut [u8],
        timeout_us: Option<u32>,
    ) -> Result<(usize, usize), Error> {
        let first = if self.next < channels.len() { self.next } else { 0 };
        let mut turned = [0; CHANNELS];
        let list = turned.get_mut(..channels.len()).ok_or(Error::BadLength)?;
        list.copy_from_slice(channels);
        list.rotate_left(first);
        let (index, bytes) = alt(list, buffer, timeout_us)?;
        let place = (index + first) % channels.len();
        self.next = place + 1;
        Ok((place, bytes))
    }
}
