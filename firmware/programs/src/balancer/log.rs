//! The balancer's log, in a file of the master's filestore.

use libtos::file::{flags, File};
use libtos::{println, Error};
use testbed_balance::log::blocks::{Blocks, Store};
use testbed_definitions::limits::FILE_BYTES;

/// The log's file.
pub struct LogFile(File);

impl Store for LogFile {
    /// If it can't, that is said, and the balancer goes on.
    fn store(&mut self, offset: usize, bytes: &[u8]) -> bool {
        let written = self.0.write(offset as u32, bytes);
        if let Err(error) = written {
            println!("balancer: the log ends here: {}", error.meaning());
        }
        written.is_ok()
    }
}

/// Makes the file, or empties it.
pub fn create(name: &str) -> Result<Blocks<LogFile>, Error> {
    let file = File::open(name, flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
    Ok(Blocks::new(LogFile(file), FILE_BYTES))
}
