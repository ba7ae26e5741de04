//! A heap for programs with one thread, for `#[global_allocator]`: first fit on a list of free blocks
//! in order of address, neighbours joined when a block is freed. It is what the linker script leaves
//! behind the program's data if `malloc` and `tos_heap_bytes` are defined.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

extern "C" {
    static mut __heap_start: u8;
    static mut __heap_end: u8;
}

/// Blocks are multiples of this, and begin at one.
const UNIT: usize = 16;

/// At the beginning of a free block.
struct Block {
    bytes: usize,
    next: *mut Block,
}

struct State {
    free: *mut Block,
    is_ready: bool,
}

/// The heap of the program.
pub struct Heap(UnsafeCell<State>);

// SAFETY: the programs that use it have one thread.
unsafe impl Sync for Heap {}

impl Heap {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Heap(UnsafeCell::new(State { free: null_mut(), is_ready: false }))
    }
}

fn units(layout: Layout) -> usize {
    layout.size().max(1).next_multiple_of(UNIT)
}

// SAFETY: blocks that are given out lie in the heap, and nobody else is given any of them.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: there is one thread, and no allocation inside another.
        let state = unsafe { &mut *self.0.get() };
        if !state.is_ready {
            state.is_ready = true;
            let (start, end) = (&raw mut __heap_start as usize, &raw mut __heap_end as usize);
            let (start, end) = (start.next_multiple_of(UNIT), end & !(UNIT - 1));
            // SAFETY: the heap's first bytes.
            unsafe { release(state, start as *mut Block, end - start) };
        }
        if layout.align() > UNIT {
            return null_mut();
        }
        let wanted = units(layout);
        let mut link: *mut *mut Block = &mut state.free;
        // SAFETY: the list has only free blocks.
        unsafe {
            while !(*link).is_null() {
                let block = *link;
                if (*block).bytes >= wanted {
                    // From its end, so that what is left of it stays where it is in the list.
                    let rest = (*block).bytes - wanted;
                    if rest == 0 {
                        *link = (*block).next;
                    }
                    (*block).bytes = rest;
                    return (block as *mut u8).add(rest);
                }
                link = &mut (*block).next;
            }
        }
        null_mut()
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above; the block was given out with this layout.
        unsafe { release(&mut *self.0.get(), place as *mut Block, units(layout)) }
    }
}

/// Puts a block into the list, and joins it with its neighbours.
///
/// # Safety
/// The block is in the heap, and nobody uses it.
unsafe fn release(state: &mut State, block: *mut Block, bytes: usize) {
    // SAFETY: the list has only free blocks, and this is one now.
    unsafe {
        let (mut before, mut next) = (null_mut::<Block>(), state.free);
        while !next.is_null() && next < block {
            (before, next) = (next, (*next).next);
        }
        block.write(Block { bytes, next });
        if !next.is_null() && block as usize + bytes == next as usize {
            (*block).bytes += (*next).bytes;
            (*block).next = (*next).next;
        }
        if before.is_null() {
            state.free = block;
        } else if before as usize + (*before).bytes == block as usize {
            (*before).bytes += (*block).bytes;
            (*before).next = (*block).next;
        } else {
            (*before).next = block;
        }
    }
}
