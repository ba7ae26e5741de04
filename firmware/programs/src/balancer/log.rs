//! The balancer's log, in a file of the master's filestore.

use core::fmt::{self, Write};

use libtos::file::{flags, File};
use libtos::Error;
use testbed_definitions::limits::FILE_BYTES;

/// Bytes that are kept before they are written.
const BLOCK: usize = 4096;
/// Room for what is said when the file is full.
const LAST: usize = 64;

/// The log. What has been written so far is in the file after [`Log::flush`].
pub struct Log {
    file: File,
    offset: usize,
    block: [u8; BLOCK],
    used: usize,
    /// Bytes for which there was no room.
    cut: u32,
}

impl Log {
    /// Makes the file, or empties it.
    pub fn create(name: &str) -> Result<Log, Error> {
        let file = File::open(name, flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
        Ok(Log { file, offset: 0, block: [0; BLOCK], used: 0, cut: 0 })
    }

    /// Writes to the file what has been kept.
    pub fn flush(&mut self) -> Result<(), Error> {
        let written = self.file.write(self.offset as u32, &self.block[..self.used]);
        self.offset += core::mem::take(&mut self.used);
        written.map(drop)
    }
}

impl Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.cut > 0 || self.offset + self.used + text.len() + LAST > FILE_BYTES {
            if self.cut == 0 {
                self.put("\n# the file is full: what comes is not logged\n");
            }
            self.cut = self.cut.saturating_add(text.len() as u32);
            return Ok(());
        }
        self.put(text);
        Ok(())
    }
}

impl Log {
    fn put(&mut self, text: &str) {
        for part in text.as_bytes().chunks(BLOCK) {
            if self.used + part.len() > BLOCK {
                // What can't be written is lost with the file.
                let _ = self.flush();
            }
            self.block[self.used..self.used + part.len()].copy_from_slice(part);
            self.used += part.len();
        }
    }
}
