//! State of the process, whose threads may be on several processors.

use core::cell::UnsafeCell;

use libtos::lock::Lock;

/// State that only one thread of the process uses at a time.
pub struct Shared<T> {
    lock: Lock,
    state: UnsafeCell<T>,
}

// SAFETY: `with` is the only way to the state, and lets one thread in at a time.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub const fn new(state: T) -> Self {
        Shared { lock: Lock::new(), state: UnsafeCell::new(state) }
    }

    /// Not to be nested.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the lock.
        self.lock.with(|| work(unsafe { &mut *self.state.get() }))
    }
}
