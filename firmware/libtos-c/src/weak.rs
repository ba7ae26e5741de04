//! Names that are POSIX's and not C's: a program that has a function of its own with such a name
//! gets its own.

/// `name`, unless the program has one, is `inner`.
macro_rules! weak {
    ($name:literal, $inner:literal) => {
        core::arch::global_asm!(concat!(".weak ", $name), concat!(".set ", $name, ", ", $inner));
    };
}
pub(crate) use weak;
