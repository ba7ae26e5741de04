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
    /// How often what its moves promised has not come, and until when that counts.
    doubt: (u8, u32),
}

/// Bars threads from processors that they have left.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    trails: ArrayVec<Trail, THREADS>,
}

/// A bar is at most so many times the first one, as a power of two.
const LONGEST: u32 = 16;
/// Doubt doubles what has to be predicted, at most so often.
pub const MOST_DOUBT: u8 = 4;

impl Memory {
    /// A memory without trails.
    pub const NEW: Memory = Memory { trails: ArrayVec::new_const() };

    /// The thread has left a processor, and may come back after `base` milliseconds, the next time
    /// after four times as many, and so on.
    pub fn left(&mut self, thread: ThreadNumber, from: u8, now: u32, base: u32) {
        if let Some(trail) = self.trail(thread) {
            lengthen(&mut trail.left[usize::from(from) % PROCESSORS], now, base);
        }
    }

    /// What a move of the thread promised has come, or has not.
    pub fn judged(&mut self, thread: ThreadNumber, has_come: bool, now: u32, base: u32) {
        let Some(trail) = self.trails.iter_mut().find(|trail| trail.thread == thread) else { return };
        if has_come {
            trail.doubt = (trail.doubt.0.saturating_sub(1), now);
        } else if trail.doubt.0 < MOST_DOUBT {
            lengthen(&mut trail.doubt, now, base);
        }
    }

    /// How often what moves of the thread promised has not come lately.
    pub fn doubt(&self, thread: ThreadNumber, now: u32) -> u8 {
        let trail = self.trails.iter().find(|trail| trail.thread == thread);
        trail.filter(|trail| trail.doubt.1 > now).map_or(0, |trail| trail.doubt.0)
    }

    fn trail(&mut self, thread: ThreadNumber) -> Option<&mut Trail> {
        let at = self.trails.iter().position(|trail| trail.thread == thread).or_else(|| {
            let trail = Trail { thread, left: [(0, 0); PROCESSORS], doubt: (0, 0) };
            self.trails.try_push(trail).is_ok().then(|| self.trails.len() - 1)
        })?;
        self.trails.get_mut(at)
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

/// Once more, which holds four times as long as the last time.
fn lengthen((times, until): &mut (u8, u32), now: u32, base: u32) {
    let longer = (2 * u32::from(*times)).min(LONGEST);
    *until = now.saturating_add(base.saturating_mul(1 << longer));
    *times = times.saturating_add(1);
}
