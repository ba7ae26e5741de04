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

    /// An argument that can't be negative, and what it is.
    #[inline]
    pub fn not_negative(&self, primitive: &str, what: &str, number: isize) -> usize {
        if number < 0 {
            self.misuse(format_args!("{primitive}: {what} is {number}, which is negative"));
        }
        number as usize
    }

    /// The primitive writes to, or reads, what an argument points to.
    #[inline]
    pub fn not_null<T>(&self, primitive: &str, what: &str, pointer: *const T) {
        if pointer.is_null() {
            self.misuse(format_args!("{primitive}: {what} is a null pointer"));
        }
    }

    /// The program ends although others wait for it at the end of a superstep.
    pub fn check_end(&self) {
        if self.phase == Phase::Within {
            self.misuse(format_args!("the process ends without bsp_end; this was its last primitive"));
        }
    }

    /// `bsp_init` has to come first.
    pub fn check_init(&self) {
        if self.phase != Phase::Before {
            self.misuse(format_args!("bsp_init after bsp_begin"));
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
