//! A number as it is printed, which says how far it was rounded.

use serde::{Serialize, Serializer};

/// A decimal number as it stands in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed(&'static str);

impl Printed {
    pub const fn new(text: &'static str) -> Printed {
        Printed(text)
    }

    pub fn text(self) -> &'static str {
        self.0
    }

    pub fn value(self) -> f64 {
        self.0.parse().expect("the paper's numbers are decimal")
    }

    /// Half of a unit of its last digit.
    pub fn half_unit(self) -> f64 {
        let behind = self.0.split_once('.').map_or(0, |(_, behind)| behind.len());
        0.5 * 10f64.powi(-(behind as i32))
    }

    /// Between what it was rounded from.
    pub fn bounds(self) -> [f64; 2] {
        [self.value() - self.half_unit(), self.value() + self.half_unit()]
    }

    /// Whether a value is printed so.
    pub fn is(self, value: f64) -> bool {
        // A half is rounded either way, and need not be exact in binary.
        (value - self.value()).abs() <= self.half_unit() * (1.0 + 1e-9)
    }
}

impl Serialize for Printed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_how_it_was_rounded() {
        let number = Printed::new("0.045");
        assert!(number.is(0.0454) && number.is(0.0455) && !number.is(0.0456));
        assert_eq!(Printed::new("7").bounds(), [6.5, 7.5]);
    }
}
