//! With what the program was started.

use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use testbed_definitions::limits::FIRST_STACK_PAGES;
use testbed_definitions::page::PAGE_BYTES;

use crate::end;

/// Arguments of `main` at most, with the program's name.
const ARGUMENTS: usize = 64;
/// Begins an argument that is not the user's: it says which process of several this is
/// ([`libbsp::Start`]).
const MARK: u8 = 1;

extern "C" {
    static __stack_start: u8;
    static __stack_end: u8;
    fn main(argc: c_int, argv: *const *const c_char) -> c_int;
}

/// The arguments as the kernel has passed them.
static ADDRESS: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The arguments as the kernel has passed them: a NUL behind each.
pub fn arguments() -> &'static [u8] {
    let address = ADDRESS.load(Ordering::Relaxed);
    if address.is_null() {
        return &[];
    }
    // SAFETY: the kernel's range, which stays as it is.
    unsafe { core::slice::from_raw_parts(address, BYTES.load(Ordering::Relaxed)) }
}

/// Tells where stacks of other threads can be, behind the one that the linker script asks for.
fn keep_stack() {
    let bytes = (&raw const __stack_end).addr() - (&raw const __stack_start).addr();
    let pages = bytes.div_ceil(PAGE_BYTES as usize) as u32;
    if pages > FIRST_STACK_PAGES {
        libtos::first_stack_has(pages);
    }
}

/// The start-up code comes here with the arguments as the kernel passes them: a NUL after each.
#[no_mangle]
extern "C" fn program_main(address: *const u8, bytes: usize) -> ! {
    keep_stack();
    ADDRESS.store(address.cast_mut(), Ordering::Relaxed);
    BYTES.store(bytes, Ordering::Relaxed);
    // The program's own name is not passed.
    let mut argv = [c"".as_ptr(); ARGUMENTS + 1];
    let mut argc = 1;
    let mut start = 0;
    for at in 0..bytes {
        // SAFETY: the kernel's range.
        if unsafe { *address.add(at) } == 0 && argc < ARGUMENTS {
            // SAFETY: as above.
            let word = unsafe { address.add(start) };
            // SAFETY: as above.
            if start != 0 || unsafe { *word } != MARK {
                argv[argc] = word.cast();
                argc += 1;
            }
            start = at + 1;
        }
    }
    argv[argc] = core::ptr::null();
    // SAFETY: the C program's main, called once.
    let code = unsafe { main(argc as c_int, argv.as_ptr()) };
    end::exit(code)
}
