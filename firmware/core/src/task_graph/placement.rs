//! Reads where the threads of a program start.

use super::line::{number, numbered, words, Fault, What};
use super::{FIRST, THREADS};

/// Notes the processor of a thread, which has none yet, on a machine with so many processors.
pub(super) fn place<'a>(
    places: &mut [Option<u8>; THREADS],
    processors: u8,
    thread: u8,
    processor: &'a str,
) -> Result<(), What<'a>> {
    let last = u32::from(processors).saturating_sub(1);
    let processor = number(processor, "a processor", 0, last)? as u8;
    match places[usize::from(thread - FIRST)].replace(processor) {
        None => Ok(()),
        Some(_) => Err(What::Twice(thread, "place")),
    }
}

/// Reads a placement: a line `place THREAD PROCESSOR` for each thread, and no other.
pub struct Placement {
    places: [Option<u8>; THREADS],
    threads: u8,
    processors: u8,
    line: u32,
}

impl Placement {
    /// For so many threads, from [`FIRST`] on, on a machine with so many processors.
    pub fn new(threads: u8, processors: u8) -> Self {
        Placement { places: [None; THREADS], threads: threads.min(THREADS as u8), processors, line: 0 }
    }

    /// Takes the next line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn line<'a>(&mut self, line: Option<&'a [u8]>) -> Result<(), Fault<'a>> {
        self.line += 1;
        numbered(self.line, line, |text| self.statement(text))
    }

    fn statement<'a>(&mut self, text: &'a str) -> Result<(), What<'a>> {
        let (count, [statement, thread, processor]) = words::<3>(text);
        if count == 0 {
            return Ok(());
        }
        if statement != "place" || count != 3 {
            return Err(What::Form("place THREAD PROCESSOR"));
        }
        let thread = number(thread, "a thread", FIRST.into(), u32::from(FIRST + self.threads) - 1)? as u8;
        place(&mut self.places, self.processors, thread, processor)
    }

    /// The processors of all threads, from [`FIRST`] on.
    ///
    /// # Errors
    /// A thread has none.
    pub fn end(self) -> Result<[Option<u8>; THREADS], Fault<'static>> {
        let missing = self.places.iter().take(self.threads.into()).position(Option::is_none);
        match missing {
            None => Ok(self.places),
            Some(thread) => Err(Fault { line: self.line + 1, what: What::Unplaced(FIRST + thread as u8) }),
        }
    }
}
