//! `bsp.h`: the primitives of [`libbsp`] as C has them. A process has one thread that uses them.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};

use libbsp::{member_of, Bsp, Site, Start};

use crate::{end, start, table};

struct Only(UnsafeCell<Bsp>);
// SAFETY: the program's only thread uses it.
unsafe impl Sync for Only {}
static BSP: Only = Only(UnsafeCell::new(Bsp::new()));

fn bsp() -> &'static mut Bsp {
    // SAFETY: no primitive calls another one, or the program.
    unsafe { &mut *BSP.0.get() }
}

fn started() -> Start {
    Start { arguments: start::arguments() }
}

// SAFETY of all below: C's rules: buffers have the bytes that are named, strings end with a NUL.

#[no_mangle]
unsafe extern "C" fn tos_bsp_at(file: *const c_char, line: c_int) {
    bsp().at(unsafe { Site::of_c(file, line as u32) });
}

/// In a process that another one has invoked, what the program does is `spmd` and nothing else.
#[no_mangle]
extern "C" fn bsp_init(spmd: extern "C" fn(), _: c_int, _: *mut *mut c_char) {
    bsp().check_init();
    if member_of(started()) {
        spmd();
        end::exit(0)
    }
}

#[no_mangle]
extern "C" fn bsp_begin(most: c_int) {
    let most = bsp().not_negative("bsp_begin", "the number of processes", most as isize);
    bsp().begin(started(), most);
    end::atexit(check_end);
}

/// What is done when the program ends.
extern "C" fn check_end() {
    bsp().check_end();
}

#[no_mangle]
extern "C" fn bsp_end() {
    table::flush_all();
    bsp().end();
}

#[no_mangle]
extern "C" fn tos_bsp_abort() -> ! {
    table::flush_all();
    bsp().end_all()
}

#[no_mangle]
extern "C" fn bsp_nprocs() -> c_int {
    bsp().nprocs() as c_int
}

#[no_mangle]
extern "C" fn bsp_pid() -> c_int {
    bsp().pid() as c_int
}

#[no_mangle]
extern "C" fn bsp_time() -> f64 {
    bsp().time()
}

#[no_mangle]
extern "C" fn bsp_sync() {
    bsp().sync();
}

#[no_mangle]
extern "C" fn bsp_push_reg(ident: *const c_void, bytes: c_int) {
    bsp().push_reg(ident as usize, count("bsp_push_reg", bytes));
}

#[no_mangle]
extern "C" fn bsp_pop_reg(ident: *const c_void) {
    bsp().pop_reg(ident as usize);
}

/// A number of bytes: not negative.
fn count(primitive: &str, bytes: c_int) -> usize {
    bsp().not_negative(primitive, "the number of bytes", bytes as isize)
}

/// A place in an area, and a number of bytes: not negative.
fn range(primitive: &str, offset: c_int, bytes: c_int) -> (usize, usize) {
    (bsp().not_negative(primitive, "the offset", offset as isize), count(primitive, bytes))
}

#[no_mangle]
unsafe extern "C" fn bsp_put(pid: c_int, from: *const c_void, to: *mut c_void, offset: c_int, bytes: c_int) {
    let (offset, bytes) = range("bsp_put", offset, bytes);
    unsafe { bsp().put(pid as usize, from.cast(), to as usize, offset, bytes) }
}

#[no_mangle]
unsafe extern "C" fn bsp_hpput(pid: c_int, from: *const c_void, to: *mut c_void, offset: c_int, bytes: c_int) {
    let (offset, bytes) = range("bsp_hpput", offset, bytes);
    unsafe { bsp().hpput(pid as usize, from.cast(), to as usize, offset, bytes) }
}

#[no_mangle]
unsafe extern "C" fn bsp_get(pid: c_int, from: *const c_void, offset: c_int, to: *mut c_void, bytes: c_int) {
    let (offset, bytes) = range("bsp_get", offset, bytes);
    unsafe { bsp().get(pid as usize, from as usize, offset, to.cast(), bytes) }
}

#[no_mangle]
unsafe extern "C" fn bsp_hpget(pid: c_int, from: *const c_void, offset: c_int, to: *mut c_void, bytes: c_int) {
    let (offset, bytes) = range("bsp_hpget", offset, bytes);
    unsafe { bsp().hpget(pid as usize, from as usize, offset, to.cast(), bytes) }
}

#[no_mangle]
unsafe extern "C" fn bsp_set_tagsize(bytes: *mut c_int) {
    bsp().not_null("bsp_set_tagsize", "the argument", bytes);
    unsafe { *bytes = bsp().set_tagsize(count("bsp_set_tagsize", *bytes)) as c_int }
}

#[no_mangle]
unsafe extern "C" fn bsp_send(pid: c_int, tag: *const c_void, from: *const c_void, bytes: c_int) {
    unsafe { bsp().send(pid as usize, tag.cast(), from.cast(), count("bsp_send", bytes)) }
}

#[no_mangle]
unsafe extern "C" fn bsp_qsize(messages: *mut c_int, bytes: *mut c_int) {
    let (count, sum) = bsp().qsize();
    bsp().not_null("bsp_qsize", "the first argument", messages);
    unsafe { *messages = count as c_int };
    if !bytes.is_null() {
        unsafe { *bytes = sum as c_int };
    }
}

#[no_mangle]
unsafe extern "C" fn bsp_get_tag(status: *mut c_int, tag: *mut c_void) {
    bsp().not_null("bsp_get_tag", "the first argument", status);
    unsafe { *status = bsp().get_tag(tag.cast()).map_or(-1, |bytes| bytes as c_int) }
}

#[no_mangle]
unsafe extern "C" fn bsp_move(to: *mut c_void, most: c_int) {
    unsafe { bsp().take(to.cast(), count("bsp_move", most)) }
}

#[no_mangle]
unsafe extern "C" fn bsp_hpmove(tag: *mut *mut c_void, payload: *mut *mut c_void) -> c_int {
    let Some((tag_at, at, bytes)) = bsp().hpmove() else { return -1 };
    bsp().not_null("bsp_hpmove", "the first argument", tag);
    bsp().not_null("bsp_hpmove", "the second argument", payload);
    unsafe { (*tag, *payload) = (tag_at as *mut c_void, at as *mut c_void) };
    bytes as c_int
}

// Prints as printf does, and ends all processes.
core::arch::global_asm!(
    ".section .text.bsp_abort, \"ax\"",
    ".global bsp_abort",
    ".type bsp_abort, @function",
    "bsp_abort:",
    "call printf",
    "tail tos_bsp_abort",
);
