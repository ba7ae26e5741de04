//! The ends of threads and of the program.

use core::ffi::c_int;
use core::hint::black_box;
use core::sync::atomic::{AtomicPtr, Ordering};

use libtos::thread_id;
use testbed_definitions::syscall::EXIT_HALT;

use crate::shared::Shared;
use crate::table;

/// Functions that `atexit` takes at most; C wants as many.
const HANDLERS: usize = 32;
/// The first thread's id: with it the program ends.
const FIRST_THREAD: u8 = 1;

type Handler = extern "C" fn();

struct Handlers {
    functions: [Option<Handler>; HANDLERS],
    count: usize,
}

static REGISTERED: Shared<Handlers> = Shared::new(Handlers { functions: [None; HANDLERS], count: 0 });

/// [`run`], or null: only `atexit` names it, so that programs without it have none of this.
static AT_EXIT: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Calls the functions of `atexit` if the program ends, the last one first.
fn run(code: c_int) {
    if !is_last(code) {
        return;
    }
    if code as u32 != EXIT_HALT {
        // The program goes on as long as there are children, and so does what they use.
        libtos::wait();
    }
    while let Some(function) = REGISTERED.with(|handlers| {
        handlers.count = handlers.count.saturating_sub(1);
        handlers.functions[handlers.count].take()
    }) {
        function();
    }
}

/// 0, or another number if there is no room.
#[no_mangle]
pub extern "C" fn atexit(function: Handler) -> c_int {
    // If the compiler saw that it is never anything else, `exit` would name it too.
    AT_EXIT.store(black_box(run as fn(c_int) as *mut ()), Ordering::Relaxed);
    REGISTERED.with(|handlers| match handlers.functions.get_mut(handlers.count) {
        Some(place) => {
            *place = Some(function);
            handlers.count += 1;
            0
        }
        None => -1,
    })
}

/// What is done when the program ends, behind all else, or null: only what needs it names it.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Does this too when the program ends; there is one such thing.
pub fn at_end(work: fn()) {
    AT_END.store(black_box(work as *mut ()), Ordering::Relaxed);
}

/// Whether the program ends with this thread.
fn is_last(code: c_int) -> bool {
    thread_id() == FIRST_THREAD || code as u32 == EXIT_HALT
}

/// Ends this thread, after writing what is in the buffers of streams.
#[no_mangle]
pub extern "C" fn exit(code: c_int) -> ! {
    let run = AT_EXIT.load(Ordering::Relaxed);
    if !run.is_null() {
        // SAFETY: it is a function of that type.
        let run = unsafe { core::mem::transmute::<*mut (), fn(c_int)>(run) };
        run(code);
    }
    table::flush_all();
    let at_end = AT_END.load(Ordering::Relaxed);
    if !at_end.is_null() && is_last(code) {
        if code as u32 != EXIT_HALT {
            libtos::wait();
        }
        // SAFETY: it is a function of that type.
        let at_end = unsafe { core::mem::transmute::<*mut (), fn()>(at_end) };
        at_end();
    }
    libtos::exit(code as u32)
}

/// Ends this thread at once.
#[no_mangle]
extern "C" fn _exit(code: c_int) -> ! {
    libtos::exit(code as u32)
}

#[no_mangle]
extern "C" fn _Exit(code: c_int) -> ! {
    libtos::exit(code as u32)
}

#[no_mangle]
pub extern "C" fn abort() -> ! {
    libtos::halt()
}
