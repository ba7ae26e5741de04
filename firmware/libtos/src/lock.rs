//! Mutual exclusion between the threads of a process.
//!
//! The processors have no atomic instructions, and threads of a process may be on several of them.
//! What there is: the page protocol makes the process's data coherent and its accesses appear in
//! one order. That is all that Lamport's fast mutual exclusion needs (*A Fast Mutual Exclusion
//! Algorithm*, ACM TOCS 5(1), 1987): seven accesses when nobody else wants the lock, no kernel, no
//! fairness. Waiting threads yield. A thread that ends while it has the lock keeps it for ever.

use core::sync::atomic::{compiler_fence, AtomicU8, Ordering};
use testbed_definitions::limits::THREADS;

use crate::{thread_id, yield_now};

/// A lock for the threads of one process.
pub struct Lock {
    /// Who was last to want it, and who has it or is about to; ids are never 0.
    first: AtomicU8,
    owner: AtomicU8,
    wants: [AtomicU8; THREADS],
}

/// Accesses must not be reordered by the compiler; processors don't.
fn load(place: &AtomicU8) -> u8 {
    compiler_fence(Ordering::SeqCst);
    let value = place.load(Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    value
}
fn store(place: &AtomicU8, value: u8) {
    compiler_fence(Ordering::SeqCst);
    place.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

impl Lock {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Lock { first: AtomicU8::new(0), owner: AtomicU8::new(0), wants: [const { AtomicU8::new(0) }; THREADS] }
    }

    /// Does something while no other thread of the process is inside. Not to be nested.
    pub fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        let me = thread_id();
        self.enter(me);
        let result = work();
        store(&self.owner, 0);
        self.want(me, 0);
        result
    }

    fn want(&self, me: u8, value: u8) {
        store(&self.wants[me as usize % THREADS], value);
    }

    fn enter(&self, me: u8) {
        loop {
            self.want(me, 1);
            store(&self.first, me);
            if load(&self.owner) != 0 {
                self.want(me, 0);
                self.until_free();
                continue;
            }
            store(&self.owner, me);
            if load(&self.first) == me {
                return;
            }
            // Somebody came in between: whoever is last to write `owner` gets it, once all others have seen that.
            self.want(me, 0);
            for other in &self.wants {
                while load(other) != 0 {
                    yield_now();
                }
            }
            if load(&self.owner) == me {
                return;
            }
            self.until_free();
        }
    }

    fn until_free(&self) {
        while load(&self.owner) != 0 {
            yield_now();
        }
    }
}
