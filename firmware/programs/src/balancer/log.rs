//! The balancer's log, in a file of the master's filestore.

use core::fmt::{self, Write};

use libtos::file::{flags, File};
use libtos::Error;
use testbed_balance::log::LINE_BYTES;
use testbed_definitions::limits::FILE_BYTES;

/// Bytes that are kept before they are written.
const BLOCK: usize = 4096;
/// What is said when the file is full: a remark.
const FULL: &str = "# the file is full: what comes is not logged\n";

/// The log. What has been written so far is in the file after [`Log::flush`], in whole lines if no line
/// is longer than [`LINE_BYTES`].
pub struct Log {
    file: File,
    offset: usize,
    block: [u8; BLOCK],
    used: usize,
    /// Nothing more is written.
    is_closed: bool,
}

impl Log {
    /// Makes the file, or empties it.
    pub fn create(name: &str) -> Result<Log, Error> {
        let file = File::open(name, flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
        Ok(Log { file, offset: 0, block: [0; BLOCK], used: 0, is_closed: false })
    }

    /// Writes to the file what has been kept. If that fails, it is said once, and nothing more is
    /// logged: whoever balances goes on.
    pub fn flush(&mut self) {
        if self.used == 0 {
            return;
        }
        let written = self.file.write(self.offset as u32, &self.block[..self.used]);
        self.offset += core::mem::take(&mut self.used);
        if let Err(error) = written {
            self.is_closed = true;
            libtos::println!("balancer: the log ends here: {}", error.meaning());
        }
    }

    /// A line begins: there is room for it in the block, and in the file for it and what is said when
    /// that is full.
    fn begin_line(&mut self) {
        if self.used + LINE_BYTES + FULL.len() > BLOCK {
            self.flush();
        }
        if self.offset + self.used + LINE_BYTES + FULL.len() > FILE_BYTES && !self.is_closed {
            self.put(FULL);
            self.is_closed = true;
        }
    }

    /// What does not fit is cut; nothing is that long.
    fn put(&mut self, text: &str) {
        let room = &mut self.block[self.used..];
        let bytes = text.len().min(room.len());
        room[..bytes].copy_from_slice(&text.as_bytes()[..bytes]);
        self.used += bytes;
    }
}

impl Write for Log {
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
