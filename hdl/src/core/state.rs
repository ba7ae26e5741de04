//! Bits of the state register. One is set, but for cycle 0, state R, when none is, and for the
//! cycle that completes a load while the next instruction arrives, when D and L are.

pub const F: u8 = 0;
pub const D: u8 = 1;
pub const X: u8 = 2;
pub const L: u8 = 3;
pub const M: u8 = 4;
pub const S: u8 = 5;
pub const W: u8 = 6;
pub const T: u8 = 7;
pub const P: u8 = 8;
