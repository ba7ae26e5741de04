//! What a policy remembers of moves, so that none goes to and fro.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use crate::{PROCESSORS, THREADS};

/// What is remembered of a thread.
#[derive(Clone, Debug)]
struct Trail {
    thread: ThreadNumber,
    /// How often it has left each processor, and until when it may not come back, in milliseconds.
    left: [(u8, u32); PROCESSORS],
}

/// Bars threads from processors that they have left.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    trails: ArrayVec<Trail, THREADS>,
}

/// A bar is at most so many times the first one, as a power of two.
const LONGEST: u32 = 16;

impl Memory {
    /// A memory without trails.
    pub const NEW: Memory = Memory { trails: ArrayVec::new_const() };

    /// The thread has left a processor, and may come back after `base` milliseconds, the next time
    /// after four times as many, and so on.
    pub fn left(&mut self, thread: ThreadNumber, from: u8, now: u32, base: u32) {
        let at = self.trails.iter().position(|trail| trail.thread == thread).or_else(|| {
            let trail = Trail { thread, left: [(0, 0); PROCESSORS] };
            self.trails.try_push(trail).is_ok().then(|| self.trails.len() - 1)
        });
        if let Some(at) = at {
            let (times, until) = &mut self.trails[at].left[usize::from(from) % PROCESSORS];
            let longer = (2 * u32::from(*times)).min(LONGEST);
            *until = now.saturating_add(base.saturating_mul(1 << longer));
            *times = times.saturating_add(1);
        }
    }

    /// Whether the thread has moved before, or can't be remembered.
    pub fn knows(&self, thread: ThreadNumber) -> bool {
        self.trails.is_full() || self.trails.iter().any(|trail| trail.thread == thread)
    }

    /// Where the thread may not move: a bit for each processor.
    pub fn barred(&self, thread: ThreadNumber, now: u32) -> u16 {
        let Some(trail) = self.trails.iter().find(|trail| trail.thread == thread) else {
            // One that could not be remembered stays where it is.
            return if self.trails.is_full() { u16::MAX } else { 0 };
        };
        let bars = trail.left.iter().enumerate().filter(|(_, left)| left.1 > now);
        bars.fold(0, |bars, (place, _)| bars | 1 << place)
    }
}
