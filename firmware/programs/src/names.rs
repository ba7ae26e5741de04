//! Names of processors, which the host has left in the program's file.

use testbed_definitions::names::{Table, NAME_BYTES};
use testbed_definitions::packet::STATIONS_MAX;

/// Filled by the host; called as `testbed_definitions::names::SYMBOL` says.
#[no_mangle]
#[link_section = ".rodata.names"]
static PROCESSOR_NAMES: Table = [[0; NAME_BYTES]; STATIONS_MAX];

/// The names by number; none if the host has left none.
pub fn processor_names() -> impl Iterator<Item = &'static str> {
    // The compiler must not take the table for what it sees above.
    let table: &'static Table = core::hint::black_box(&PROCESSOR_NAMES);
    let text = |name: &'static [u8; NAME_BYTES]| {
        let used = name.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        core::str::from_utf8(&name[..used]).unwrap_or("")
    };
    table.iter().map(text).take_while(|name| !name.is_empty())
}

/// The number of the processor of this name.
pub fn processor_named(wanted: &str) -> Option<u8> {
    processor_names().position(|name| name == wanted).map(|number| number as u8)
}
