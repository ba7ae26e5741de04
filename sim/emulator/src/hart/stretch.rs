//! Where instructions are fetched from.

/// A stretch of addresses from which instructions are fetched without a further look at the TLB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// Virtual address of the first word.
    pub base: u32,
    /// Index in RAM of the first word.
    pub first: u32,
    pub words: u32,
    /// The TLB has forgotten it since. On the pipelined core words that follow in order come from it
    /// all the same, up to the next fetch that begins anew.
    pub lost: bool,
}

impl Stretch {
    pub const NONE: Stretch = Stretch { base: 0, first: 0, words: 0, lost: false };

    /// Index in RAM behind the last word.
    pub fn end(&self) -> u32 {
        self.first + self.words
    }

    /// Index in RAM of the word at `pc`.
    pub fn index(&self, pc: u32) -> Option<u32> {
        let word = pc.wrapping_sub(self.base) / 4;
        (word < self.words).then_some(self.first + word)
    }
}
