//! `assert.h`.

use core::ffi::{c_char, c_int, CStr};

use libtos::console::Line;
use libtos::halt;

use crate::table;

/// Where `assert` comes if it does not hold: says so, and ends the program.
///
/// # Safety
/// Texts end with a NUL.
#[no_mangle]
unsafe extern "C" fn __assert_fail(
    condition: *const c_char,
    file: *const c_char,
    line: c_int,
    function: *const c_char,
) -> ! {
    // SAFETY: the caller's promise.
    let [condition, file, function] = [condition, file, function].map(|text| unsafe { CStr::from_ptr(text) });
    // What the program has printed until now comes first; then one line that nothing else can mix
    // with.
    table::flush_all();
    let [condition, file, function] = [condition, file, function].map(|text| text.to_str().unwrap_or("?"));
    let mut out = Line::new();
    out.text(file).text(":").number(line as u32).text(": ").text(function).text(": assertion `").text(condition);
    out.text("' failed").end();
    halt()
}
