//! What has come for a processor's readers.

use crate::ring::Ring;

/// Bytes that a processor keeps; longer lines are read in pieces.
pub const INBOX_BYTES: usize = 256;

/// On every processor: what has come and has not been read.
pub struct Inbox {
    ring: Ring<INBOX_BYTES>,
    newlines: u16,
    /// The master has been asked and has not sent the last piece; and has been told that nobody
    /// wants it any more.
    asked: bool,
    cancelled: bool,
    ended: bool,
}

impl Inbox {
    pub const fn new() -> Self {
        Inbox { ring: Ring::new(), newlines: 0, asked: false, cancelled: false, ended: false }
    }

    /// Takes a piece; the room was promised when the master was asked.
    pub fn put(&mut self, bytes: &[u8], last: bool, end: bool) {
        for &byte in bytes {
            if self.ring.push(byte) {
                self.newlines += (byte == b'\n') as u16;
            }
        }
        if last {
            (self.asked, self.cancelled) = (false, false);
        }
        self.ended |= end;
    }

    /// Whether a reader need not wait: a line is there, or as much of one as there is room for, or
    /// no more comes.
    pub const fn is_ready(&self) -> bool {
        self.newlines > 0 || self.ring.room() == 0 || self.ended
    }

    /// Takes bytes up to a newline, that included, or as many as `buffer` has room for. The number
    /// is 0 at the end of input only, if there is room.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        for (index, place) in buffer.iter_mut().enumerate() {
            let Some(byte) = self.ring.pop() else { return index };
            *place = byte;
            if byte == b'\n' {
                self.newlines -= 1;
                return index + 1;
            }
        }
        buffer.len()
    }

    /// Somebody waits: how many bytes to ask the master for, if it is to be asked.
    pub fn ask(&mut self) -> Option<u16> {
        if self.asked || self.is_ready() {
            return None;
        }
        self.asked = true;
        Some(self.ring.room() as u16)
    }

    /// Nobody waits any more: whether to tell the master.
    pub fn cancel(&mut self) -> bool {
        let tell = self.asked && !self.cancelled;
        self.cancelled |= tell;
        tell
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox::new()
    }
}
