//! What several analyses show in the same way.

use std::fmt::{self, Write};

use super::table::grouped;
use crate::analysis::measure::Omitted;

/// What was left out, a line a reason.
pub fn omitted(out: &mut String, omitted: &Omitted) -> fmt::Result {
    omitted.0.iter().try_for_each(|(reason, count)| writeln!(out, "  left out, {}: {reason}", grouped(*count)))
}

/// Part of a whole, in per cent.
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// A bar of at most `width` characters.
pub fn bar(value: f64, most: f64, width: usize) -> String {
    let length = if most > 0.0 { (value / most * width as f64).round() as usize } else { 0 };
    "#".repeat(length.max(usize::from(value > 0.0)).min(width))
}
