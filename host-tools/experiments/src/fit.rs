//! Straight lines through measured points.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::model::Fit;

/// The level of the confidence intervals.
const CONFIDENCE: f64 = 0.95;

/// The line through the points by least squares; `None` of fewer than three points, or if all have one x.
pub fn line(series: &str, points: &[(f64, f64)]) -> Option<Fit> {
    let count = points.len() as f64;
    let (x_mean, y_mean) = means(points)?;
    let sum = |of: fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - x_mean, y - y_mean)).sum::<f64>();
    let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    if points.len() < 3 || xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let intercept = y_mean - slope * x_mean;
    let (below, above, squares) = residuals(points, slope, intercept);
    let deviation = (squares / (count - 2.0)).sqrt();
    let t = quantile(count - 2.0);
    Some(Fit {
        series: series.into(),
        points: points.len(),
        slope,
        intercept,
        slope_confidence: t * deviation / xx.sqrt(),
        intercept_confidence: t * deviation * (1.0 / count + x_mean * x_mean / xx).sqrt(),
        r2: Some(if yy > 0.0 { 1.0 - squares / yy } else { 1.0 }),
        deviation,
        below,
        above,
    })
}

/// The mean as a line without slope; `None` of no points.
pub fn constant(series: &str, points: &[(f64, f64)]) -> Option<Fit> {
    let count = points.len() as f64;
    let (_, intercept) = means(points)?;
    let (below, above, squares) = residuals(points, 0.0, intercept);
    let freedom = (count - 1.0).max(1.0);
    let deviation = (squares / freedom).sqrt();
    Some(Fit {
        series: series.into(),
        points: points.len(),
        slope: 0.0,
        intercept,
        slope_confidence: 0.0,
        intercept_confidence: quantile(freedom) * deviation / count.sqrt(),
        r2: None,
        deviation,
        below,
        above,
    })
}

/// How much of each figure the values have, by least squares; `None` if there are too few points, or
/// some figures say the same.
pub fn least_squares<const N: usize>(points: &[([f64; N], f64)]) -> Option<[f64; N]> {
    // The normal equations: a row has the sums of products with one figure, and with the value.
    let mut rows = [([0.0; N], 0.0); N];
    for (figures, value) in points {
        for (row, one) in rows.iter_mut().zip(figures) {
            row.0.iter_mut().zip(figures).for_each(|(sum, other)| *sum += one * other);
            row.1 += one * value;
        }
    }
    let scale: [f64; N] = std::array::from_fn(|index| rows[index].0[index]);
    for pivot in 0..N {
        // What the figures before leave of this one's square.
        if points.len() < N || rows[pivot].0[pivot] <= 1e-9 * scale[pivot] {
            return None;
        }
        let (figures, value) = rows[pivot];
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = row.0[pivot] / figures[pivot];
            row.0.iter_mut().zip(figures).for_each(|(sum, other)| *sum -= factor * other);
            row.1 -= factor * value;
        }
    }
    Some(std::array::from_fn(|index| rows[index].1 / rows[index].0[index]))
}

/// The middle one of the values, the upper one of two; `None` of no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A group of values that lie closer to each other than to all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    pub mean: f64,
    pub count: usize,
}

/// The values in groups, in ascending order: a distance of more than `gap` between neighbours divides
/// two groups.
pub fn clusters(values: impl IntoIterator<Item = f64>, gap: f64) -> Vec<Cluster> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let groups = values.chunk_by(|one, next| next - one <= gap);
    groups.map(|group| Cluster { mean: group.iter().sum::<f64>() / group.len() as f64, count: group.len() }).collect()
}

impl Fit {
    /// The value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

fn means(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let sums = points.iter().fold((0.0, 0.0), |sums, (x, y)| (sums.0 + x, sums.1 + y));
    (!points.is_empty()).then(|| (sums.0 / count, sums.1 / count))
}

/// Greatest deviations below and above the line, and the sum of squares.
fn residuals(points: &[(f64, f64)], slope: f64, intercept: f64) -> (f64, f64, f64) {
    points.iter().fold((0.0f64, 0.0f64, 0.0), |(below, above, squares), (x, y)| {
        let residual = y - (intercept + slope * x);
        // What rounding leaves of a point on the line.
        let residual = if residual.abs() < 1e-9 * y.abs().max(1.0) { 0.0 } else { residual };
        (below.max(-residual), above.max(residual), squares + residual * residual)
    })
}

fn quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_come_back_from_values_that_are_made_of_them() {
        let of = |figures: [f64; 3]| (figures, 7.0 * figures[0] - 2.0 * figures[1] + 0.5 * figures[2]);
        let points = [[1.0, 2.0, 3.0], [4.0, 1.0, 9.0], [5.0, 5.0, 1.0], [100.0, 3.0, 2.0]].map(of);
        let found = least_squares(&points).unwrap();
        for (found, wanted) in found.into_iter().zip([7.0, -2.0, 0.5]) {
            assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
        }
        assert_eq!(least_squares(&points[..2]), None);
        // The second says the same as the first.
        let same = [1.0, 3.0, 7.0, 8.0].map(|one| ([one, 2.0 * one], one));
        assert_eq!(least_squares(&same), None);
    }

    #[test]
    fn values_fall_into_groups_by_the_gaps_between_them() {
        let found = clusters([410.0, 0.0, 200.0, 25.0, 400.0, 0.0], 50.0);
        let pairs: Vec<_> = found.iter().map(|one| (one.mean, one.count)).collect();
        assert_eq!(pairs, [(25.0 / 3.0, 3), (200.0, 1), (405.0, 2)]);
        assert_eq!(clusters([], 50.0), []);
    }

    #[test]
    fn a_known_regression() {
        // Anscombe's first set: slope 0.500, intercept 3.000, R^2 0.667, standard error of the
        // slope 0.118 (t of 9 degrees: 2.262).
        let points = [
            (10.0, 8.04),
            (8.0, 6.95),
            (13.0, 7.58),
            (9.0, 8.81),
            (11.0, 8.33),
            (14.0, 9.96),
            (6.0, 7.24),
            (4.0, 4.26),
            (12.0, 10.84),
            (7.0, 4.82),
            (5.0, 5.68),
        ];
        let fit = line("", &points).unwrap();
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 6e-4, "{value}, not {expected}");
        near(fit.slope, 0.5001);
        near(fit.intercept, 3.0001);
        near(fit.r2.unwrap(), 0.6665);
        near(fit.slope_confidence, 2.2622 * 0.1179);
        near(fit.intercept_confidence, 2.2622 * 1.1247);
        near(fit.deviation, 1.2366);
    }

    #[test]
    fn a_constant_is_the_mean() {
        let fit = constant("", &[(0.0, 3.0), (1.0, 5.0), (2.0, 4.0)]).unwrap();
        assert_eq!((fit.intercept, fit.slope, fit.below, fit.above, fit.r2), (4.0, 0.0, 1.0, 1.0, None));
        assert_eq!(constant("", &[]), None);
        assert_eq!(line("", &[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    }

    proptest! {
        #[test]
        fn points_on_a_line_give_the_line(slope in -100f64..100.0, intercept in -100f64..100.0, count in 3usize..50) {
            let points: Vec<_> = (0..count).map(|x| (x as f64, intercept + slope * x as f64)).collect();
            let fit = line("", &points).unwrap();
            prop_assert!((fit.slope - slope).abs() < 1e-6 && (fit.intercept - intercept).abs() < 1e-6);
            prop_assert!(fit.below < 1e-6 && fit.above < 1e-6);
        }

        #[test]
        fn all_points_are_between_the_bounds(points in proptest::collection::vec((0f64..1e4, -1e4f64..1e4), 3..60)) {
            if let Some(fit) = line("", &points) {
                for (x, y) in points {
                    prop_assert!(y >= fit.at(x) - fit.below - 1e-6 && y <= fit.at(x) + fit.above + 1e-6);
                }
            }
        }
    }
}
