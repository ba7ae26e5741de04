//! What was found, and how it is summed up.

use serde::Serialize;

use super::ends::Ends;
use super::rows::{Row, OFF};
use super::speedup::Speedup;
use crate::fit;

/// The programs, each with two sizes.
pub const PROGRAMS: [(&str, [u32; 2]); 7] = [
    ("bsp-inner", [400, 4_000]),
    ("bsp-prefix", [400, 4_000]),
    ("bsp-samplesort", [600, 3_000]),
    ("bsp-bitonic", [500, 2_000]),
    ("bsp-spmv", [100, 300]),
    ("bsp-fft", [64, 256]),
    ("bsp-lu", [16, 40]),
];
/// The program that measures.
pub const PROBE: &str = "bsp-probe";
/// The formulas: with g constant, with g of the messages' length, and where terms overlap.
pub const FORMULAS: [&str; 3] = ["w + g h + l", "w + g(k) h + l(s)", "max{l, w, g hs, g hr}"];

impl Row {
    /// What the [`FORMULAS`] predict.
    pub fn predicted(&self) -> [f64; 3] {
        [self.sum, self.by_length, self.max]
    }
}

/// The median of the errors' sizes, the largest, and how many are beyond [`OFF`]; `None` of none.
pub fn errors(errors: impl Iterator<Item = f64>) -> Option<(f64, f64, usize)> {
    let sizes: Vec<f64> = errors.map(f64::abs).collect();
    let most = sizes.iter().copied().fold(0.0, f64::max);
    Some((fit::median(sizes.iter().copied())?, most, sizes.iter().filter(|size| **size > OFF).count()))
}

/// All rows, with what they were predicted by.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Held {
    pub ends: Vec<Ends>,
    pub rows: Vec<Row>,
    pub speedups: Vec<Speedup>,
}
