//! The verdict of a program that tries what the kernel does: how many results were not as they should be.

use core::cell::Cell;

use libtos::{println, Error};

/// Counts wrong results; shared by all parts of a program's first thread.
#[derive(Default)]
pub struct Verdict {
    wrong: Cell<u32>,
}

impl Verdict {
    /// Prints what came of a call, and counts it unless it ended as expected; of a success the value doesn't matter.
    pub fn expect<T>(&self, what: &str, result: Result<T, Error>, expected: Result<(), Error>) {
        let result = result.map(drop);
        println!("{what}: {}", result.err().map_or("done", Error::meaning));
        self.count(result == expected);
    }

    /// Prints whether something is right, and counts it unless it is.
    pub fn check(&self, what: &str, right: bool) {
        println!("{what}: {}", if right { "right" } else { "WRONG" });
        self.count(right);
    }

    /// Counts what isn't right, and prints nothing.
    pub fn count(&self, right: bool) {
        self.wrong.set(self.wrong.get() + !right as u32);
    }

    /// How many results were wrong.
    pub fn wrong(&self) -> u32 {
        self.wrong.get()
    }
}
