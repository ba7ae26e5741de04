//! An axis: which values it spans, where its ticks are, and how they are labelled.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::number::{fixed, short};

/// Part of the span that is left free at an end.
const MARGIN: f64 = 0.04;
/// An axis whose least value is below this part of its greatest begins at 0.
const NEAR_ZERO: f64 = 0.3;
/// A span below this part of the values themselves is shown as one value.
const NO_SPAN: f64 = 1e-6;
/// Powers of ten that a logarithmic axis labels at most, one by one.
const DECADES: i32 = 7;
/// A logarithmic axis spans this factor at least (as a power of ten), so that a 1, 2 or 5 lies on it.
const LEAST_DECADES: f64 = 0.5;

/// Where a linear axis begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At 0, if no value is below: for what is measured, so that sizes compare.
    Zero,
    /// At 0 if that is near: for what it is measured against.
    Near,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Ends; of a logarithmic axis their decimal logarithms.
    low: f64,
    high: f64,
    log: bool,
    pub(crate) ticks: Vec<f64>,
    /// Between the ticks of a logarithmic axis.
    minor: Vec<f64>,
    form: Form,
}

/// How the ticks of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Fixed { divisor: f64, decimals: usize, suffix: &'static str },
    Short,
}

impl Scale {
    /// A linear axis for finite values, with about `most` ticks.
    pub(crate) fn linear(values: impl Iterator<Item = f64>, start: Start, most: usize) -> Self {
        let (mut least, mut greatest, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
        for value in values {
            (least, greatest) = (least.min(value), greatest.max(value));
            whole &= value.fract() == 0.0;
        }
        if least > greatest {
            (least, greatest) = (0.0, 1.0);
        }
        let (low, high) = ends(least, greatest, start);
        let step = step(low, high, most, whole);
        // From the greatest down to the least, by whole steps, so that no error adds up.
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        let ticks: Vec<f64> = (0..=(last - first) as usize).map(|index| (first + index as f64) * step).collect();
        let form = form(&ticks, step);
        Scale { low, high, log: false, ticks, minor: Vec::new(), form }
    }

    /// A logarithmic axis for values above 0.
    pub(crate) fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value.log10()), high.max(value.log10()));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let margin = ((high - low) * MARGIN).max((LEAST_DECADES - (high - low)) / 2.0).max(0.0);
        (low, high) = (low - margin, high + margin);
        let (ticks, minor) = decades(low, high);
        Scale { low, high, log: true, ticks, minor, form: Form::Short }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        // By halves, since the span of the greatest numbers is no number.
        (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }

    /// The least value that the axis shows.
    pub(crate) fn floor(&self) -> f64 {
        if self.log {
            10f64.powf(self.low)
        } else {
            self.low
        }
    }

    pub(crate) fn is_log(&self) -> bool {
        self.log
    }

    pub(crate) fn label(&self, tick: f64) -> String {
        match self.form {
            Form::Fixed { divisor, decimals, suffix } => fixed(tick / divisor, decimals) + suffix,
            Form::Short => short(tick, 3),
        }
    }
}

/// Ends of a linear axis for these values.
fn ends(least: f64, greatest: f64, start: Start) -> (f64, f64) {
    let size = least.abs().max(greatest.abs());
    let from_zero = least >= 0.0 && (start == Start::Zero || least <= NEAR_ZERO * greatest);
    let to_zero = greatest <= 0.0 && (start == Start::Zero || greatest >= NEAR_ZERO * least);
    let (low, high) = if from_zero { (0.0, greatest) } else { (least, if to_zero { 0.0 } else { greatest }) };
    // A single value in the middle, or 0 at the bottom.
    if size < f64::MIN_POSITIVE / NO_SPAN {
        return (0.0, 1.0);
    }
    if high / 2.0 - low / 2.0 < size * NO_SPAN {
        return ((low - size / 10.0).max(f64::MIN), (high + size / 10.0).min(f64::MAX));
    }
    let margin = (high / 2.0 - low / 2.0) * (2.0 * MARGIN);
    let below = if from_zero { 0.0 } else { margin };
    let above = if to_zero { 0.0 } else { margin };
    ((low - below).max(f64::MIN), (high + above).min(f64::MAX))
}

/// 1, 2 or 5 times a power of ten, so that there are at most so many steps; 1 at least between whole numbers.
fn step(low: f64, high: f64, most: usize, whole: bool) -> f64 {
    let rough = (high / 2.0 - low / 2.0) / (most as f64 / 2.0);
    let power = 10f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    if whole {
        step.max(1.0)
    } else {
        step
    }
}

/// All ticks alike: with as many decimals as the step needs, in millions where there are such.
fn form(ticks: &[f64], step: f64) -> Form {
    let size = ticks.iter().fold(0.0, |size: f64, tick| size.max(tick.abs()));
    let (divisor, suffix) = match size {
        size if size >= 1e15 => return Form::Short,
        size if size >= 1e9 => (1e9, "\u{202f}G"),
        size if size >= 1e6 => (1e6, "\u{202f}M"),
        _ => (1.0, ""),
    };
    let decimals = (-(step / divisor).log10().floor()).max(0.0) as usize;
    if decimals > 6 {
        return Form::Short;
    }
    Form::Fixed { divisor, decimals, suffix }
}

/// Ticks and what lies between them: powers of ten and 2 to 9 times these, or 1, 2 and 5 on a short axis.
fn decades(low: f64, high: f64) -> (Vec<f64>, Vec<f64>) {
    let inside = |value: &f64| value.is_normal() && (low..=high).contains(&value.log10());
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let factors: &[u8] = if high - low < 2.0 { &[1, 2, 5] } else { &[1] };
    let stride = 1 + (last - first) / DECADES;
    let multiples = |exponent: i32, factor: u8| f64::from(factor) * 10f64.powi(exponent);
    let ticks = (first..=last)
        .filter(|exponent| exponent.rem_euclid(stride) == 0)
        .flat_map(|exponent| factors.iter().map(move |&factor| multiples(exponent, factor)))
        .filter(inside)
        .collect();
    let minor = (first..=last)
        .filter(|_| stride == 1)
        .flat_map(|exponent| {
            (1..=9).filter(|factor| !factors.contains(factor)).map(move |factor| multiples(exponent, factor))
        })
        .filter(inside)
        .collect();
    (ticks, minor)
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.place(*value).clamp(0.0, 1.0) * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { &self.minor } else { &self.ticks }.clone()
    }

    fn range(&self) -> Range<f64> {
        if self.log {
            10f64.powf(self.low)..10f64.powf(self.high)
        } else {
            self.low..self.high
        }
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks.iter().map(|&tick| scale.label(tick)).collect()
    }

    fn linear(values: &[f64]) -> Scale {
        Scale::linear(values.iter().copied(), Start::Zero, 6)
    }

    #[test]
    fn ticks_are_round_numbers() {
        let shown = |values: &[f64]| labels(&linear(values)).join(" ");
        assert_eq!(shown(&[300.0, 5000.0]), "0 1\u{202f}000 2\u{202f}000 3\u{202f}000 4\u{202f}000 5\u{202f}000");
        assert_eq!(shown(&[0.1, 2.4]), "0.0 0.5 1.0 1.5 2.0");
        assert_eq!(shown(&[1.0, 3.0]), "0 1 2 3");
        assert_eq!(
            shown(&[2.5e6, 1e4]),
            "0.0\u{202f}M 0.5\u{202f}M 1.0\u{202f}M 1.5\u{202f}M 2.0\u{202f}M 2.5\u{202f}M"
        );
        assert_eq!(shown(&[-1.0, 1.0]), "−1 0 1");
        assert_eq!(shown(&[]), "0 1");
    }

    #[test]
    fn a_single_value_has_room_around_it() {
        for value in [0.0, 7.0, -3.5, 1e-320, f64::MAX, f64::MIN] {
            let scale = linear(&[value]);
            let place = scale.place(value);
            assert!((0.0..=1.0).contains(&place), "{value}: {place}");
            assert!(!scale.ticks.is_empty() && scale.ticks.len() < 14, "{value}: {:?}", scale.ticks);
        }
        let far = Scale::linear([1e9, 1e9].into_iter(), Start::Near, 6);
        assert!((0.4..0.6).contains(&far.place(1e9)) && far.ticks.len() >= 2, "{far:?}");
    }

    #[test]
    fn time_begins_at_zero_only_if_that_is_near() {
        assert_eq!(Scale::linear([3.0, 20.0].into_iter(), Start::Near, 6).low, 0.0);
        assert!(Scale::linear([15.0, 20.0].into_iter(), Start::Near, 6).low > 14.0);
    }

    #[test]
    fn logarithmic_axes_have_powers_of_ten() {
        let scale = |values: &[f64]| Scale::logarithmic(values.iter().copied());
        assert_eq!(scale(&[1.0, 5000.0]).ticks, [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(labels(&scale(&[300.0])), ["200", "500"]);
        assert_eq!(scale(&[1.0, 5000.0]).minor[..3], [0.8, 0.9, 2.0]);
        for values in [[5e-324, f64::MAX], [1e-300, 1e-299], [1e307, 1e307]] {
            let scale = scale(&values);
            assert!((1..14).contains(&scale.ticks.len()), "{values:?}: {:?}", scale.ticks);
        }
    }
}
