//! Parts of the program `balancer`.

pub mod log;
pub mod policy;
pub mod workers;

use core::cell::UnsafeCell;

/// Something large that the program has once, and only its main thread uses.
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: who takes the value sees to it that nobody else does.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    pub const fn new(value: T) -> Self {
        Global(UnsafeCell::new(value))
    }

    /// The value.
    ///
    /// # Safety
    /// Whoever took it before does not use it any more.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn take(&'static self) -> &'static mut T {
        // SAFETY: the caller's.
        unsafe { &mut *self.0.get() }
    }
}
