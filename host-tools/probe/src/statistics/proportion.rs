//! How often something happens, with bounds.

use serde::Serialize;

/// Standard deviations that leave out 5 % of a normal distribution.
pub const DEVIATIONS: f64 = 1.959_963_984_540_054;

/// A figure and between which bounds it lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bounded {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Bounded {
    /// The same of a falling or rising function of the figure.
    pub fn map(self, function: impl Fn(f64) -> f64) -> Bounded {
        let (one, other) = (function(self.low), function(self.high));
        Bounded { value: function(self.value), low: one.min(other), high: one.max(other) }
    }

    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The mean of several figures, between the means of their bounds.
    pub fn mean(all: &[Bounded]) -> Option<Bounded> {
        let mean = |of: fn(&Bounded) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        (!all.is_empty()).then(|| Bounded {
            value: mean(|one| one.value),
            low: mean(|one| one.low),
            high: mean(|one| one.high),
        })
    }
}

/// A share of `part` in `whole` with Wilson's interval. `inflation` is how many outcomes say as much
/// as one independent one: 1 if all are independent. `None` of nothing.
pub fn wilson(part: u64, whole: u64, inflation: f64) -> Option<Bounded> {
    if whole == 0 || part > whole {
        return None;
    }
    let count = (whole as f64 / inflation.max(1.0)).max(1.0);
    let value = part as f64 / whole as f64;
    let z2 = DEVIATIONS * DEVIATIONS;
    let middle = (value + z2 / (2.0 * count)) / (1.0 + z2 / count);
    let half = DEVIATIONS / (1.0 + z2 / count) * (value * (1.0 - value) / count + z2 / (4.0 * count * count)).sqrt();
    // At the ends the interval reaches them; rounding must not leave the figure outside.
    Some(Bounded { value, low: (middle - half).clamp(0.0, value), high: (middle + half).clamp(value, 1.0) })
}
