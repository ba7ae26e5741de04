//! When samples are wanted sooner than the balancer was told.
//!
//! At first, and while a slave has nothing to do and threads wait on another, each period until
//! something is known is lost. But a program may be best where it is although other slaves idle, and
//! samples cost it time: where hurry has moved nothing, it is tried again after longer and longer.

/// For so many rounds it hurries at first, and after slaves have been seen to be uneven.
const FIRST_ROUNDS: u8 = 50;
const UNEVEN_ROUNDS: u8 = 10;
/// After hurry that has moved nothing it rests for so many rounds, the next time for twice as many, and
/// so on, up to this power of two as many.
const REST_ROUNDS: u16 = 4;
const LONGEST: u8 = 5;

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
            if self.left == 0 && self.has_moved {
                self.vain = 0;
            } else if self.left == 0 {
                self.rest = REST_ROUNDS << self.vain;
                self.vain = (self.vain + 1).min(LONGEST);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many rounds it hurries in, where slaves are always uneven and threads move in
    /// those rounds in which they do.
    fn rounds(hurry: &mut Hurry, all: u32, moves: bool) -> u32 {
        (0..all)
            .filter(|_| {
                hurry.round(true);
                if moves {
                    hurry.moved();
                }
                hurry.is_on()
            })
            .count() as u32
    }

    #[test]
    fn hurry_in_vain_becomes_seldom() {
        let mut hurry = Hurry::NEW;
        assert!(!hurry.is_on());
        hurry.begin();
        assert!(hurry.is_on());
        let early = rounds(&mut hurry, 100, false);
        assert!(early > u32::from(FIRST_ROUNDS), "{early}");
        rounds(&mut hurry, 1_000, false);
        // At last ten rounds of hurry and 128 of rest, by turns.
        let late = rounds(&mut hurry, 1_380, false);
        assert!((90..=110).contains(&late), "{late}");
        // Once it brings something it goes on.
        hurry.moved();
        assert!(rounds(&mut hurry, 100, true) >= 90);
    }

    #[test]
    fn where_slaves_are_even_there_is_none() {
        let mut hurry = Hurry::NEW;
        hurry.begin();
        (0..FIRST_ROUNDS).for_each(|_| hurry.round(false));
        assert!((0..1_000).all(|_| {
            hurry.round(false);
            !hurry.is_on()
        }));
    }
}
