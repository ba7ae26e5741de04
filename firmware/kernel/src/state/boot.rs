//! The boot block, as the host left it.

use core::cell::UnsafeCell;
use testbed_definitions::boot::{option, word, ARGUMENT_BYTES, LARGE_RAM, MAGIC, WORDS};

use crate::state::tables::Tables;

/// Words that the host writes before reset and nobody afterwards.
#[repr(transparent)]
pub struct BootBlock(UnsafeCell<[u32; WORDS]>);

// SAFETY: nobody writes it while the kernel runs.
unsafe impl Sync for BootBlock {}

/// In the loaded data, so that the host finds it in the image. It begins as zeros, but for what the
/// kernel tells the host.
#[used]
#[no_mangle]
#[link_section = ".data.boot"]
static BOOT_BLOCK: BootBlock = BootBlock(UnsafeCell::new({
    let mut words = [0; WORDS];
    words[word::TABLES] = Tables::of(0).pages();
    words[word::TABLES_LARGE] = Tables::of(LARGE_RAM).pages();
    words
}));

/// A word of the block (`definitions::boot::word`).
pub fn get(index: usize) -> u32 {
    // SAFETY: the static is initialised; the read is volatile because the host changed it behind
    // the compiler's back.
    unsafe { BOOT_BLOCK.0.get().cast::<u32>().add(index % WORDS).read_volatile() }
}

/// Whether a host has filled the block.
pub fn is_valid() -> bool {
    get(word::MAGIC) == MAGIC
}

fn bytes(address: u32, length: usize) -> &'static [u8] {
    // SAFETY: the callers pass regions that the host filled before reset and the page allocator
    // leaves alone.
    unsafe { core::slice::from_raw_parts(address as *const u8, length) }
}

/// The balancer's arguments, which lie behind the program's.
pub fn balancer_arguments() -> &'static [u8] {
    let before = (get(word::ARGUMENT_BYTES) as usize).min(ARGUMENT_BYTES);
    let length = (get(word::OPTIONS) >> option::BALANCER_ARGUMENTS_SHIFT) as usize;
    let start = BOOT_BLOCK.0.get() as u32 + 4 * word::ARGUMENTS as u32 + before as u32;
    bytes(start, length.min(ARGUMENT_BYTES - before))
}

/// The program's arguments, separated by NUL.
pub fn arguments() -> &'static [u8] {
    let length = (get(word::ARGUMENT_BYTES) as usize).min(ARGUMENT_BYTES);
    bytes(BOOT_BLOCK.0.get() as u32 + 4 * word::ARGUMENTS as u32, length)
}
