//! `tos.h`: the report's calls under the report's names. Those that return a count return a negated
//! error (`TOS_...` in `tos.h`) instead if they fail.

use core::ffi::{c_char, c_int, c_uint, c_void, CStr};

use libtos::call::{self, call3, call5};
use libtos::Error;
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::syscall;

fn code(result: Result<u32, Error>) -> c_int {
    result.map_or_else(Error::code, |value| value as c_int)
}

// SAFETY of all below: C's rules: buffers have the bytes that are named, strings end with a NUL.
// The kernel itself checks that they are this process's.

/// 0 if the child can't be created, otherwise its number; `tos_create` says why not.
#[no_mangle]
extern "C" fn create(id: c_int, pages: c_int, processor: c_int, entry: extern "C" fn() -> !, stack: usize) -> c_int {
    tos_create(id, pages, processor, entry, stack).max(0)
}

#[no_mangle]
extern "C" fn tos_create(
    id: c_int,
    pages: c_int,
    processor: c_int,
    entry: extern "C" fn() -> !,
    stack: usize,
) -> c_int {
    let Ok(id) = u8::try_from(id) else { return Error::NoThread.code() };
    code(libtos::create(id, pages as u32, processor, entry, stack as u32).map(u32::from))
}

#[no_mangle]
extern "C" fn stack_for(pages: c_int) -> usize {
    libtos::stack_for(pages as u32) as usize
}

#[no_mangle]
extern "C" fn wait() -> c_int {
    libtos::wait() as c_int
}

#[no_mangle]
unsafe extern "C" fn send_block(channel: c_int, buffer: *const c_void, length: c_int) -> c_int {
    code(call::result(unsafe { call3(syscall::SEND, channel as u32, buffer as u32, length as u32) }))
}

#[no_mangle]
unsafe extern "C" fn receive(channel: c_int, buffer: *mut c_void, length: c_int) -> c_int {
    code(call::result(unsafe { call3(syscall::RECEIVE, channel as u32, buffer as u32, length as u32) }))
}

/// Receives from the first of `count` channels that is ready; its place in the list goes to `which`.
#[no_mangle]
unsafe extern "C" fn alt(
    channels: *const u8,
    count: c_int,
    buffer: *mut c_void,
    length: c_int,
    timeout_us: c_uint,
    which: *mut c_int,
) -> c_int {
    let arguments = [channels as u32, count as u32, buffer as u32, length as u32, timeout_us];
    let (bytes, index) = unsafe { call::call(syscall::ALT, arguments) };
    let result = call::result(bytes);
    if result.is_ok() && !which.is_null() {
        unsafe { *which = index as c_int };
    }
    code(result)
}

/// As `alt`, but fair: it looks first behind the place in the list that `which` has from the call before.
#[no_mangle]
unsafe extern "C" fn fair_alt(
    channels: *const u8,
    count: c_int,
    buffer: *mut c_void,
    length: c_int,
    timeout_us: c_uint,
    which: *mut c_int,
) -> c_int {
    let mut list = [0; CHANNELS];
    let Some(list) = usize::try_from(count).ok().and_then(|count| list.get_mut(..count)) else {
        return Error::BadLength.code();
    };
    for (offset, place) in list.iter_mut().enumerate() {
        *place = unsafe { *channels.add(offset) };
    }
    let first = unsafe { *which }.checked_add(1).filter(|first| (0..count).contains(first)).unwrap_or(0);
    list.rotate_left(first as usize);
    let mut index = 0;
    let result = unsafe { alt(list.as_ptr(), count, buffer, length, timeout_us, &raw mut index) };
    if result >= 0 {
        unsafe { *which = (index + first) % count };
    }
    result
}

/// 0, or a negated error. Thread 0 is the caller; a negative `from` is this processor, a negative `to` any.
#[no_mangle]
extern "C" fn migrate(thread: c_int, from: c_int, to: c_int) -> c_int {
    // SAFETY: concerns no memory.
    code(call::result(unsafe { call3(syscall::MIGRATE, thread as u32, from as u32, to as u32) }))
}

#[no_mangle]
extern "C" fn try_send_event(datum: c_int) -> c_int {
    code(call::result(call::value(syscall::SEND_EVENT, datum as u32)))
}

#[no_mangle]
extern "C" fn delay_us(microseconds: c_uint) {
    libtos::delay_us(microseconds);
}

#[no_mangle]
extern "C" fn yield_now() {
    libtos::yield_now();
}

#[no_mangle]
extern "C" fn thread_number() -> c_int {
    c_int::from(libtos::thread_number())
}

#[no_mangle]
extern "C" fn thread_id() -> c_int {
    c_int::from(libtos::thread_id())
}

#[no_mangle]
extern "C" fn processor() -> c_int {
    c_int::from(libtos::processor())
}

#[no_mangle]
extern "C" fn processors() -> c_int {
    c_int::from(libtos::processors())
}

#[no_mangle]
extern "C" fn clock_us() -> c_uint {
    libtos::clock_us()
}

/// Cycles of the machine in a second.
#[no_mangle]
extern "C" fn clock_hz() -> c_uint {
    libtos::clock_hz()
}

/// Starts a program: its process, or a negated error. Arguments have a NUL after each, `bytes` in all.
#[no_mangle]
unsafe extern "C" fn invoke(name: *const c_char, arguments: *const c_char, bytes: c_int, processor: c_int) -> c_int {
    unsafe { invoke_with(0, name, arguments, bytes, processor) }
}

/// The same with the right of an operator, if the caller has it.
#[no_mangle]
unsafe extern "C" fn invoke_operator(
    name: *const c_char,
    arguments: *const c_char,
    bytes: c_int,
    processor: c_int,
) -> c_int {
    unsafe { invoke_with(syscall::invoke::OPERATOR, name, arguments, bytes, processor) }
}

unsafe fn invoke_with(
    flags: u32,
    name: *const c_char,
    arguments: *const c_char,
    bytes: c_int,
    processor: c_int,
) -> c_int {
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let how = u32::from(u8::try_from(processor).unwrap_or(0xff)) | flags;
    let words = [name.as_ptr() as u32, name.len() as u32, arguments as u32, bytes as u32, how];
    code(call::result(unsafe { call5(syscall::INVOKE, words) }))
}

/// 0 once the process has ended, its exit code in `code`; or a negated error.
#[no_mangle]
unsafe extern "C" fn await_end(process: c_int, exit_code: *mut c_int) -> c_int {
    code(libtos::process::await_end(process as u16).map(|ended| {
        if !exit_code.is_null() {
            unsafe { *exit_code = ended as c_int };
        }
        0
    }))
}

#[no_mangle]
extern "C" fn kill(process: c_int) -> c_int {
    code(libtos::process::kill(process as u16).map(|()| 0))
}

/// Bytes of console input, 0 at its end, or a negated error.
#[no_mangle]
unsafe extern "C" fn read_console(buffer: *mut c_char, bytes: c_int) -> c_int {
    // As with any call, the kernel checks that the program may write there.
    code(call::result(unsafe { call::call3(syscall::READ_LINE, buffer as u32, bytes.max(0) as u32, 0) }))
}
