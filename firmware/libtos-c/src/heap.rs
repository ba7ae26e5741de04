//! `malloc` and its family: first fit on a list of free blocks in order of address, neighbours
//! joined when a block is freed. The heap is what the linker script leaves behind the program's
//! data: 64 KiB unless the symbol `tos_heap_bytes` says otherwise.

use core::ffi::{c_int, c_void};
use core::ptr::{copy_nonoverlapping, null_mut, write_bytes};

use libtos::Error;

use crate::error;
use crate::shared::Shared;

extern "C" {
    static mut __heap_start: u8;
    static mut __heap_end: u8;
}

/// Blocks are multiples of this, and begin at one.
const UNIT: usize = 8;

/// Ahead of every block; its bytes include the header. `next` is for free blocks.
struct Header {
    bytes: usize,
    next: *mut Header,
}

const HEADER: usize = size_of::<Header>().next_multiple_of(UNIT);

struct Heap {
    free: *mut Header,
    is_ready: bool,
}

// SAFETY of the methods: the list's headers are in the heap, which nobody else writes to, except
// for blocks that have been given out.
impl Heap {
    fn prepare(&mut self) {
        if self.is_ready {
            return;
        }
        self.is_ready = true;
        let (start, end) = (&raw mut __heap_start as usize, &raw mut __heap_end as usize);
        let (start, end) = (start.next_multiple_of(UNIT), end & !(UNIT - 1));
        if end > start + HEADER {
            self.free = start as *mut Header;
            // SAFETY: the heap's first bytes.
            unsafe { self.free.write(Header { bytes: end - start, next: null_mut() }) };
        }
    }

    fn allocate(&mut self, bytes: usize) -> *mut u8 {
        self.prepare();
        let Some(wanted) = bytes.max(1).checked_next_multiple_of(UNIT).and_then(|bytes| bytes.checked_add(HEADER))
        else {
            return null_mut();
        };
        let mut link: *mut *mut Header = &mut self.free;
        unsafe {
            while !(*link).is_null() {
                let block = *link;
                let rest = (*block).bytes.wrapping_sub(wanted);
                if (*block).bytes < wanted {
                    link = &raw mut (*block).next;
                    continue;
                }
                if rest > HEADER {
                    let behind = block.byte_add(wanted);
                    behind.write(Header { bytes: rest, next: (*block).next });
                    (*block).bytes = wanted;
                    *link = behind;
                } else {
                    *link = (*block).next;
                }
                return block.byte_add(HEADER).cast();
            }
        }
        null_mut()
    }

    /// A block that begins at a multiple of `alignment`, a power of two, [`UNIT`] at least.
    fn allocate_aligned(&mut self, alignment: usize, bytes: usize) -> *mut u8 {
        let block = bytes.checked_add(alignment).map_or(null_mut(), |all| self.allocate(all));
        let gap = block.align_offset(alignment);
        if block.is_null() || gap == 0 {
            return block;
        }
        unsafe {
            // What is ahead has room for a header at least, and is a block that goes back.
            let (ahead, header) = (block.sub(HEADER).cast::<Header>(), block.add(gap - HEADER).cast::<Header>());
            header.write(Header { bytes: (*ahead).bytes - gap, next: null_mut() });
            (*ahead).bytes = gap;
            self.release(block);
            header.byte_add(HEADER).cast()
        }
    }

    /// `address` is of a block that was given out.
    unsafe fn release(&mut self, address: *mut u8) {
        let block: *mut Header = unsafe { address.sub(HEADER) }.cast();
        let mut before: *mut Header = null_mut();
        let mut after = self.free;
        unsafe {
            while !after.is_null() && after < block {
                before = after;
                after = (*after).next;
            }
            (*block).next = after;
            if !after.is_null() && block.byte_add((*block).bytes) == after {
                (*block).bytes += (*after).bytes;
                (*block).next = (*after).next;
            }
            if before.is_null() {
                self.free = block;
            } else if before.byte_add((*before).bytes) == block {
                (*before).bytes += (*block).bytes;
                (*before).next = (*block).next;
            } else {
                (*before).next = block;
            }
        }
    }
}

static HEAP: Shared<Heap> = Shared::new(Heap { free: null_mut(), is_ready: false });

#[no_mangle]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    given(HEAP.with(|heap| heap.allocate(bytes)))
}

/// A block, or null, which sets `errno`.
fn given(block: *mut u8) -> *mut c_void {
    if block.is_null() {
        error::set(-Error::NoMemory.code());
    }
    block.cast()
}

/// # Safety
/// A block of `malloc`, `calloc` or `realloc` that has not been freed, or null.
#[no_mangle]
pub unsafe extern "C" fn free(block: *mut c_void) {
    if !block.is_null() {
        // SAFETY: the caller's promise.
        HEAP.with(|heap| unsafe { heap.release(block.cast()) });
    }
}

#[no_mangle]
pub extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    // Too many bytes for a number are too many for the heap.
    let all = count.saturating_mul(bytes);
    let block = malloc(all);
    if !block.is_null() {
        // SAFETY: it has so many bytes.
        unsafe { write_bytes(block.cast::<u8>(), 0, all) };
    }
    block
}

/// # Safety
/// As for `free`.
#[no_mangle]
pub unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    if block.is_null() {
        return malloc(bytes);
    }
    // SAFETY: the header of a block that was given out.
    let had = unsafe { (*block.byte_sub(HEADER).cast::<Header>()).bytes } - HEADER;
    if bytes <= had {
        return block;
    }
    let new = malloc(bytes);
    if !new.is_null() {
        // SAFETY: both have so many bytes, and are different blocks.
        unsafe {
            copy_nonoverlapping(block.cast::<u8>(), new.cast(), had);
            free(block);
        }
    }
    new
}

/// Null, too, if the alignment is not a power of two.
#[no_mangle]
extern "C" fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
    if !alignment.is_power_of_two() {
        error::set(error::EINVAL);
        return null_mut();
    }
    if alignment <= UNIT {
        return malloc(bytes);
    }
    given(HEAP.with(|heap| heap.allocate_aligned(alignment, bytes)))
}

/// 0, or an error, which is not in `errno`.
///
/// # Safety
/// `place` has room for the block's address.
#[no_mangle]
unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, bytes: usize) -> c_int {
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        return error::EINVAL;
    }
    let block = HEAP.with(|heap| heap.allocate_aligned(alignment.max(UNIT), bytes));
    if block.is_null() {
        return -Error::NoMemory.code();
    }
    // SAFETY: the caller's promise.
    unsafe { *place = block.cast() };
    0
}
