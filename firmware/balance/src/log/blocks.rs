//! Keeps the log's lines until there are enough of them, or somebody wants them stored, and ends the
//! log where its file is full.

use core::fmt;

use super::LINE_BYTES;

/// Bytes that are kept before they are stored.
const BLOCK: usize = 4096;
/// What is said when the file is full: a remark.
pub const FULL: &str = "# the file is full: what comes is not logged\n";

/// Where the bytes go.
pub trait Store {
    /// Stores bytes from `offset` on, behind what has been stored before. `false`: it can't, and
    /// nothing more is stored.
    fn store(&mut self, offset: usize, bytes: &[u8]) -> bool;
}

/// Takes lines of up to [`LINE_BYTES`], and stores whole lines only.
#[derive(Debug)]
pub struct Blocks<S> {
    store: S,
    /// Bytes that may be stored in all.
    limit: usize,
    /// Bytes that have been stored.
    offset: usize,
    block: [u8; BLOCK],
    used: usize,
    /// Nothing more is taken.
    is_closed: bool,
}

impl<S: Store> Blocks<S> {
    /// Nothing yet; up to `limit` bytes go to the store.
    pub const fn new(store: S, limit: usize) -> Self {
        Blocks { store, limit, offset: 0, block: [0; BLOCK], used: 0, is_closed: false }
    }

    /// Stores what has been kept.
    pub fn flush(&mut self) {
        if self.used == 0 {
            return;
        }
        self.is_closed |= !self.store.store(self.offset, &self.block[..self.used]);
        self.offset += core::mem::take(&mut self.used);
    }

    /// A line begins: the block has to have room for it, and the file for it and for [`FULL`].
    fn begin_line(&mut self) {
        if self.used + LINE_BYTES + FULL.len() > BLOCK {
            self.flush();
        }
        if !self.is_closed && self.offset + self.used + LINE_BYTES + FULL.len() > self.limit {
            self.put(FULL);
            self.is_closed = true;
        }
    }

    /// What the block has no room for is cut: lines are not that long.
    fn put(&mut self, text: &str) {
        let room = &mut self.block[self.used..];
        let bytes = text.len().min(room.len());
        room[..bytes].copy_from_slice(&text.as_bytes()[..bytes]);
        self.used += bytes;
    }
}

impl<S: Store> fmt::Write for Blocks<S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive('\n') {
            if self.used == 0 || self.block[self.used - 1] == b'\n' {
                self.begin_line();
            }
            if !self.is_closed {
                self.put(part);
            }
        }
        Ok(())
    }
}
