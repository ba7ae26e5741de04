//! When samples are wanted sooner than the balancer was told.
//!
//! At first, and while a slave has nothing to do and threads wait on another, each period until
//! something is known is lost. But a program may be best where it is although other slaves idle, and
//! samples cost it time: where hurry has moved nothing, it is tried again after longer and longer.

/// For so many rounds it hurries at first, and after slaves have been seen to be uneven.
const FIRST_ROUNDS: u8 = 50;
const UNEVEN_ROUNDS: u8 = 10;
/// After hurry that has moved nothing it rests for so many rounds, after more of it for twice as many
/// each time, up to this power of two as many.
const REST_ROUNDS: u16 = 4;
const LONGEST: u8 = 6;

/// Counts rounds of samples.
#[derive(Clone, Debug)]
pub struct Hurry {
    /// Rounds for which it still hurries.
    left: u8,
    has_moved: bool,
    /// How often hurry has moved nothing, one time after the other, and rounds for which it rests.
    vain: u8,
    rest: u16,
}

impl Hurry {
    /// Without hurry.
    pub const NEW: Hurry = Hurry { left: 0, has_moved: false, vain: 0, rest: 0 };

    /// It hurries, at a program's start.
    pub fn begin(&mut self) {
        self.left = FIRST_ROUNDS;
    }

    /// Whether samples are wanted sooner.
    pub fn is_on(&self) -> bool {
        self.left > 0
    }

    /// Slaves have sent samples, by which they are even or not.
    pub fn round(&mut self, is_uneven: bool) {
        if self.left > 0 {
            self.left -= 1;
            if self.left == 0 {
                self.vain = if self.has_moved { 0 } else { (self.vain + 1).min(LONGEST) };
                self.rest = if self.has_moved { 0 } else { REST_ROUNDS << (self.vain - 1) };
            }
        } else {
            self.rest = self.rest.saturating_sub(1);
        }
        if is_uneven && self.left == 0 && self.rest == 0 {
            (self.left, self.has_moved) = (UNEVEN_ROUNDS, false);
        }
    }

    /// A thread has moved.
    pub fn moved(&mut self) {
        (self.has_moved, self.rest) = (true, 0);
    }
}
