//! What C programs for TOS link against: `libtos.a`, with the headers of `include/`. The report's list (section 2.1.3), and what programs
//! for other machines expect of standard C; and the calls for threads and channels. `docs/programs.md` says how to build a program.
//!
//! All state (streams, heap, environment) is the process's, shared by its threads wherever they are, and guarded by
//! [`libtos::lock::Lock`]s.
#![no_std]

mod assert;
mod builtins;
mod character;
mod clock;
mod complex;
mod end;
mod environment;
mod error;
mod float;
mod format;
mod heap;
mod ieee;
mod input;
mod jump;
mod locale;
mod math;
mod nearest;
mod number;
mod option;
mod out;
mod print;
mod rand48;
mod random;
mod real;
mod scan;
mod shared;
mod signal;
mod sort;
mod stdio;
mod stream;
mod string;
mod strings;
mod table;
mod tos;
mod variadic;

use core::ffi::{c_char, c_int};

/// Arguments of `main` at most, with the program's name.
const ARGUMENTS: usize = 64;

extern "C" {
    fn main(argc: c_int, argv: *const *const c_char) -> c_int;
}

/// The start-up code comes here with the arguments as the kernel passes them: a NUL after each.
#[no_mangle]
extern "C" fn program_main(address: *const u8, bytes: usize) -> ! {
    // The program's own name is not passed.
    let mut argv = [c"".as_ptr(); ARGUMENTS + 1];
    let mut argc = 1;
    let mut start = 0;
    for at in 0..bytes {
        // SAFETY: the kernel's range.
        if unsafe { *address.add(at) } == 0 && argc < ARGUMENTS {
            // SAFETY: as above.
            argv[argc] = unsafe { address.add(start) }.cast();
            argc += 1;
            start = at + 1;
        }
    }
    argv[argc] = core::ptr::null();
    // SAFETY: the C program's main, called once.
    let code = unsafe { main(argc as c_int, argv.as_ptr()) };
    end::exit(code)
}
