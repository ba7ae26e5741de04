//! Which wrap markers are believed, where nobody says which words are missing.
//!
//! The first word behind what is missing may be the count of a loss whose first half is gone, and
//! look like a marker. But then the number that it shows is not the next one both before it and
//! behind it: so a marker is believed if it is. Until then words behind it may be of any epoch from
//! that of the last believed one on. Where every hole is announced all markers are.

/// Wraps from an epoch to a marker that shows their number modulo 256: 1 to 256.
pub fn wraps_since(epoch: u64, shown: u8) -> u64 {
    u64::from((u64::from(shown).wrapping_sub(epoch) as u8).wrapping_sub(1)) + 1
}

/// What is believed of the markers of one stream.
pub struct Belief {
    epoch: u64,
    is_last: bool,
    /// Whether the last marker showed the next number after the one before it.
    is_successive: bool,
}

impl Belief {
    /// Of a stream that begins, in epoch 0.
    pub const NEW: Belief = Belief { epoch: 0, is_last: true, is_successive: true };

    /// Epoch of the last marker that is believed.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// A marker comes that shows this number, behind one that began epoch `last`. Returns the least
    /// epoch that it can begin.
    pub fn meet(&mut self, last: u64, shown: u8) -> u64 {
        if self.is_successive && wraps_since(last, shown) == 1 {
            (self.epoch, self.is_last) = (last, true);
        }
        self.epoch + wraps_since(self.epoch, shown)
    }

    /// The marker that was met is the last one now. `proven`: it is one.
    pub fn pass(&mut self, epoch: u64, is_successive: bool, proven: bool) {
        (self.is_last, self.is_successive) = (proven, is_successive);
        if proven {
            self.epoch = epoch;
        }
    }

    /// The least epoch of words behind the last marker, which began epoch `last`. Where no marker
    /// follows them, the next number is taken for one: once in 65,536 it is a count.
    pub fn begun(&self, last: u64, is_followed: bool) -> u64 {
        if self.is_last || (!is_followed && self.is_successive) {
            last
        } else {
            self.epoch
        }
    }
}
