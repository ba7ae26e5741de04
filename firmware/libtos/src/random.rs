//! Pseudo-random numbers, the same on every engine for the same seed.

/// Marsaglia's xorshift with 32 bits of state.
#[derive(Clone, Copy, Debug)]
pub struct Random(u32);

impl Random {
    /// Any seed will do; those of neighbours give unrelated sequences.
    pub fn new(seed: u32) -> Self {
        let mixed = (seed ^ seed >> 16).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        Random(if mixed == 0 { 1 } else { mixed })
    }

    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((self.word() as u64 * limit as u64) >> 32) as u32
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}
