//! `tmpfile` and `tmpnam`: files with names that no other file has.

use core::ffi::c_char;
use core::ptr::null_mut;

use libtos::file::File;
use libtos::Error;
use testbed_definitions::file::NAME_BYTES;

use crate::end;
use crate::error::{set, EMFILE};
use crate::opening::{how, Name};
use crate::shared::Shared;
use crate::table::{self, FilePointer};

/// Names that `tmpnam` gives at least, as `TMP_MAX` in `stdio.h` has it.
const NAMES: u32 = 10_000;

/// How many names were given, and the last one, with a NUL.
struct Given {
    count: u32,
    last: [u8; NAME_BYTES + 1],
}

static GIVEN: Shared<Given> = Shared::new(Given { count: 0, last: [0; NAME_BYTES + 1] });

/// The next name, which this process has not had before.
fn next() -> Name {
    let count = GIVEN.with(|given| {
        given.count = (given.count + 1) % NAMES;
        given.count
    });
    // Processes' ids have 16 bits, and are unique in the machine.
    Name::numbered("tmp~", u32::from(libtos::process::process()) * NAMES + count)
}

/// A file to be written and read, which goes when it is closed or the program ends.
#[no_mangle]
extern "C" fn tmpfile() -> FilePointer {
    end::at_end(table::close_temporaries);
    let how = how::READ | how::WRITE | how::CREATE | how::EXCLUSIVE | how::TEMPORARY;
    for _ in 0..NAMES {
        match table::open(next().text(), how) {
            Ok(file) => return file,
            Err(number) if number == crate::error::number(Error::FileExists) => {}
            Err(number) => {
                set(number);
                break;
            }
        }
    }
    null_mut()
}

/// A name that no file has here, in the caller's `L_tmpnam` bytes, or in some that the next call
/// changes.
///
/// # Safety
/// `buffer` is null, or has room.
#[no_mangle]
unsafe extern "C" fn tmpnam(buffer: *mut c_char) -> *mut c_char {
    let free = (0..NAMES).map(|_| next()).find(|name| File::open(name.text(), 0) == Err(Error::NoFile));
    let Some(name) = free else {
        set(EMFILE);
        return null_mut();
    };
    let copy = |place: *mut u8| {
        // SAFETY: the caller's promise; or `last`, which has as many. The NUL behind it stays.
        unsafe { name.bytes().as_ptr().copy_to(place, NAME_BYTES) };
        unsafe { place.add(NAME_BYTES).write(0) };
        place.cast()
    };
    if buffer.is_null() {
        GIVEN.with(|given| copy(given.last.as_mut_ptr()))
    } else {
        copy(buffer.cast())
    }
}
