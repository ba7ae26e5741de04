//! Messages that the superstep before has brought.

use crate::items::{Items, Kind};

/// Messages that have come and have not been taken.
pub struct Queue {
    items: Items,
    pub messages: u32,
    /// The bytes of all of them, without tags.
    pub bytes: u32,
}

impl Queue {
    pub const EMPTY: Queue = Queue { items: Items::NONE, messages: 0, bytes: 0 };

    /// # Safety
    /// As for [`Items::new`].
    pub unsafe fn new(start: usize, end: usize, (messages, bytes): (u32, u32)) -> Queue {
        // SAFETY: the caller's.
        Queue { items: unsafe { Items::new(start, end) }, messages, bytes }
    }

    /// The next message: bytes of its tag and of itself, and where the tag is.
    pub fn first(&self) -> Option<(usize, usize, usize)> {
        let (header, data) = self.items.clone().find(|(header, _)| header.kind() == Kind::Message)?;
        Some((header.offset as usize, header.bytes as usize, data))
    }

    /// The next message has been taken.
    pub fn pass(&mut self, bytes: usize) {
        self.items.find(|(header, _)| header.kind() == Kind::Message);
        (self.messages, self.bytes) = (self.messages - 1, self.bytes - bytes as u32);
    }
}
