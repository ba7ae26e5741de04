//! Users' memory, as calls name it: checked through the page map before the call is accepted.

use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{allows, READ, WRITE};

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::state::process::Process;

/// Checks that a call may use `bytes` bytes from `address` in this way (`page_map::READ`, `WRITE`).
pub fn user_range(process: Process, address: u32, bytes: u32, access: u32) -> Result<(), Error> {
    if bytes > VIRTUAL_BYTES {
        return Err(Error::BadLength);
    }
    if allows(process.map(), address, bytes, access) {
        Ok(())
    } else {
        Err(Error::BadPointer)
    }
}

/// Reads a user's bytes into `buffer`, as many as it has.
pub fn read_user(process: Process, address: u32, buffer: &mut [u8]) -> Result<(), Error> {
    let bytes = buffer.len() as u32;
    user_range(process, address, bytes, READ)?;
    // SAFETY: the buffer is the caller's.
    unsafe { memory::copy_from_user(process.map(), address, buffer.as_mut_ptr() as u32, bytes) }
        .ok_or(Error::BadPointer)
}

/// Writes words to a user's memory.
pub fn write_user(process: Process, address: u32, words: &[u32]) -> Result<(), Error> {
    let bytes = size_of_val(words) as u32;
    user_range(process, address, bytes, WRITE)?;
    // SAFETY: the words are the caller's.
    unsafe { memory::copy_to_user(words.as_ptr() as u32, process.map(), address, bytes) }.ok_or(Error::BadPointer)
}

/// Reads a packet's payload from word `index` on into `buffer`, as much as it has; the packet has
/// so much.
pub fn read_packet(packet: &Packet, index: usize, buffer: &mut [u8]) {
    let mut to = buffer.as_mut_ptr() as u32;
    for (from, part) in packet.pieces(index, buffer.len() as u32) {
        // SAFETY: the piece is in the receive ring, and all of them make up the buffer.
        unsafe { memory::copy(from, to, part) };
        to += part;
    }
}
