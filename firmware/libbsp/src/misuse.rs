//! What is done about a program that breaks the rules of the standard: it ends, and says where and
//! why.

use core::fmt::Arguments;

use libtos::println;

use crate::state::{Bsp, Phase};

impl Bsp {
    /// Ends the whole program, saying what was wrong and where.
    #[cold]
    pub(crate) fn misuse(&self, reason: Arguments) -> ! {
        match (self.site.file(), self.phase) {
            (Some(file), Phase::Within) => println!("{file}:{}: process {}: {reason}", self.site.line, self.rank),
            (Some(file), _) => println!("{file}:{}: {reason}", self.site.line),
            (None, Phase::Within) => println!("bsp: process {}: {reason}", self.rank),
            (None, _) => println!("bsp: {reason}"),
        }
        self.end_all()
    }

    /// A number of bytes, or a place.
    #[inline]
    pub fn not_negative(&self, primitive: &str, number: isize) -> usize {
        if number < 0 {
            self.misuse(format_args!("{primitive} with {number} as a place or a number of bytes"));
        }
        number as usize
    }

    /// Somewhere to put a result.
    #[inline]
    pub fn not_null(&self, primitive: &str, place: usize) {
        self.within(primitive);
        if place == 0 {
            self.misuse(format_args!("{primitive} with NULL as a place for what it tells"));
        }
    }

    /// The primitive can only be used between `bsp_begin` and `bsp_end`.
    #[inline]
    pub(crate) fn within(&self, primitive: &str) {
        match self.phase {
            Phase::Within => {}
            Phase::Before => self.misuse(format_args!("{primitive} before bsp_begin")),
            Phase::After => self.misuse(format_args!("{primitive} after bsp_end")),
        }
    }

    /// The primitive names another process.
    #[inline]
    pub(crate) fn check_pid(&self, primitive: &str, pid: usize) {
        self.within(primitive);
        if pid >= self.count {
            let count = self.count;
            self.misuse(format_args!("{primitive} names process {}, but there are {count}", pid as isize))
        }
    }
}
