//! `qsort` and `bsearch`.

use core::cmp::Ordering;
use core::ffi::{c_int, c_void};
use core::ptr::{null_mut, swap_nonoverlapping};

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// A program's array: elements of so many bytes each, and what orders them.
struct Array {
    base: *mut u8,
    bytes: usize,
    compare: Compare,
}

// SAFETY of the methods: indices are of elements of the array, and C's promise is that it has them.
impl Array {
    fn at(&self, index: usize) -> *mut u8 {
        self.base.wrapping_add(index * self.bytes)
    }

    unsafe fn is_less(&self, one: usize, other: usize) -> bool {
        unsafe { (self.compare)(self.at(one).cast(), self.at(other).cast()) < 0 }
    }

    unsafe fn swap(&self, one: usize, other: usize) {
        unsafe { swap_nonoverlapping(self.at(one), self.at(other), self.bytes) }
    }

    /// Lets an element sink in the heap `..end` until none below it is greater.
    unsafe fn sink(&self, mut parent: usize, end: usize) {
        loop {
            let mut child = 2 * parent + 1;
            if child >= end {
                return;
            }
            unsafe {
                if child + 1 < end && self.is_less(child, child + 1) {
                    child += 1;
                }
                if !self.is_less(parent, child) {
                    return;
                }
                self.swap(parent, child);
            }
            parent = child;
        }
    }
}

/// Heapsort: in place, without recursion (stacks are small), and never slower than n log n. Equal
/// elements come in any order.
///
/// # Safety
/// C's rules.
#[no_mangle]
unsafe extern "C" fn qsort(base: *mut c_void, count: usize, bytes: usize, compare: Compare) {
    let array = Array { base: base.cast(), bytes, compare };
    unsafe {
        for parent in (0..count / 2).rev() {
            array.sink(parent, count);
        }
        for end in (1..count).rev() {
            array.swap(0, end);
            array.sink(0, end);
        }
    }
}

/// # Safety
/// C's rules; the array is in the order of `compare`.
#[no_mangle]
unsafe extern "C" fn bsearch(
    key: *const c_void,
    base: *const c_void,
    count: usize,
    bytes: usize,
    compare: Compare,
) -> *mut c_void {
    let array = Array { base: base.cast_mut().cast(), bytes, compare };
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from + (to - from) / 2;
        match unsafe { compare(key, array.at(middle).cast()) }.cmp(&0) {
            Ordering::Equal => return array.at(middle).cast(),
            Ordering::Less => to = middle,
            Ordering::Greater => from = middle + 1,
        }
    }
    null_mut()
}
