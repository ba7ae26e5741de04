//! `getopt`, as POSIX has it: options are ahead of other arguments.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, CStr};
use core::ptr::{null, null_mut};

use libtos::console::Line;

/// A variable that the program shares with `getopt`, or that is `getopt`'s own.
#[repr(transparent)]
struct Variable<T>(UnsafeCell<T>);
// SAFETY: POSIX leaves it to the program that only one thread uses `getopt`.
unsafe impl<T> Sync for Variable<T> {}

impl<T: Copy> Variable<T> {
    const fn new(value: T) -> Self {
        Variable(UnsafeCell::new(value))
    }

    fn get(&self) -> T {
        // SAFETY: as above.
        unsafe { *self.0.get() }
    }

    fn set(&self, value: T) {
        // SAFETY: as above.
        unsafe { *self.0.get() = value }
    }
}

#[no_mangle]
static optarg: Variable<*const c_char> = Variable::new(null());
#[no_mangle]
static optind: Variable<c_int> = Variable::new(1);
#[no_mangle]
static opterr: Variable<c_int> = Variable::new(1);
#[no_mangle]
static optopt: Variable<c_int> = Variable::new(0);
/// The next letter in an argument that has several, or null.
static NEXT: Variable<*const c_char> = Variable::new(null());

/// The next option, `?` if there is no such option or its argument is missing (`:` if the options
/// begin with that), -1 at the end.
///
/// # Safety
/// `argv` has `argc` strings, and strings end with a NUL.
#[no_mangle]
unsafe extern "C" fn getopt(argc: c_int, argv: *const *const c_char, options: *const c_char) -> c_int {
    // SAFETY of this function: the caller's promise.
    let argument = || match optind.get() {
        index if (0..argc).contains(&index) => unsafe { *argv.add(index as usize) },
        _ => null(),
    };
    let mut next = NEXT.get();
    if next.is_null() || unsafe { *next } == 0 {
        let text = argument();
        if text.is_null() || unsafe { *text != b'-' as c_char || *text.add(1) == 0 } {
            return -1;
        }
        optind.set(optind.get() + 1);
        next = text.wrapping_add(1);
        if unsafe { CStr::from_ptr(next) } == c"-" {
            NEXT.set(null_mut());
            return -1;
        }
    }
    let letter = unsafe { *next };
    NEXT.set(next.wrapping_add(1));
    optopt.set(letter.into());
    let options = unsafe { CStr::from_ptr(options) }.to_bytes();
    let is_quiet = options.first() == Some(&b':');
    let complain = |what: &str| {
        if opterr.get() != 0 && !is_quiet {
            let letter = [letter];
            Line::new().text(what).text(core::str::from_utf8(&letter).unwrap_or("?")).end();
        }
    };
    let place = options.iter().position(|option| *option == letter && letter != b':');
    let Some(place) = place else {
        complain("invalid option -- ");
        return b'?'.into();
    };
    if options.get(place + 1) == Some(&b':') {
        let rest = NEXT.get();
        NEXT.set(null());
        // The argument is what is behind the letter, or the next argument.
        let given = if unsafe { *rest } != 0 { rest } else { argument() };
        if given.is_null() {
            complain("option requires an argument -- ");
            return if is_quiet { b':' } else { b'?' }.into();
        }
        if given != rest {
            optind.set(optind.get() + 1);
        }
        optarg.set(given);
    }
    letter.into()
}
