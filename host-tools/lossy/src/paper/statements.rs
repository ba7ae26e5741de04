//! What the text says of Figures 7 to 12, held against their curves. The paper prints no values of them,
//! and neither the alpha and beta of Figures 8 to 12: these are [`Assumed`].

use serde::Serialize;

use crate::conceptual::{best_nodes, printed_best_nodes};
use crate::figures::{figure, percent, Assumed, Figure, Panel};
use crate::pattern::Pattern;

/// A sentence of the text, and what the curves say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    pub figure: u8,
    pub says: &'static str,
    pub holds: bool,
    pub found: String,
}

/// The best number of nodes of the conceptual approach, as printed and exactly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestNodes {
    pub pattern: Pattern,
    pub loss: f64,
    pub copies: u32,
    /// `None` where the paper prints no number.
    pub printed: Option<f64>,
    /// Infinity is no number in JSON: `None` where an `f64` does not hold it.
    pub exact: Option<f64>,
    /// The whole number that is the fastest.
    pub whole: Option<u64>,
}

/// For each loss, of the c(n) that have one.
pub fn best(losses: &[f64], copies: u32) -> Vec<BestNodes> {
    let patterns = [Pattern::LogSquared, Pattern::Linear, Pattern::LinearLog, Pattern::Quadratic];
    let one = |pattern, loss| {
        let exact = best_nodes(pattern, loss, copies);
        let finite = |value: f64| value.is_finite().then_some(value);
        BestNodes {
            pattern,
            loss,
            copies,
            printed: printed_best_nodes(pattern, loss, copies).and_then(finite),
            exact: finite(exact.nodes()),
            whole: exact.whole(pattern, loss, copies),
        }
    };
    patterns.into_iter().flat_map(|pattern| losses.iter().map(move |loss| one(pattern, *loss))).collect()
}

/// All of them, in the order of the figures.
pub fn statements(assumed: &Assumed) -> Vec<Statement> {
    let curves = |number| figure(number, assumed).into_iter();
    let mut found: Vec<Statement> = curves(7).flat_map(|figure| conceptual(&figure, assumed)).collect();
    found.extend(curves(8).map(|figure| complexity(&figure)));
    found.extend(curves(9).flat_map(|figure| losses(&figure)));
    found.extend(curves(10).map(|figure| copies(&figure)));
    found.extend(curves(11).chain(curves(12)).map(|figure| work(&figure)));
    found
}

fn panel(figure: &Figure, pattern: Pattern) -> impl Iterator<Item = &Vec<(f64, f64)>> {
    let panels = figure.panels.iter().filter(move |panel| panel.pattern == pattern);
    panels.flat_map(|panel| &panel.series).map(|series| &series.points)
}

fn rises(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// To the last digits, which rounding may turn round.
fn never_rises(points: &[(f64, f64)]) -> bool {
    points.windows(2).all(|pair| pair[0].1 * (1.0 + 1e-12) >= pair[1].1)
}

fn last(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(0.0, |(_, y)| *y)
}

fn conceptual(figure: &Figure, assumed: &Assumed) -> Vec<Statement> {
    let statement = |says, holds, found| Statement { figure: figure.number, says, holds, found };
    let one = |points: &Vec<(f64, f64)>| {
        let [first, last] = [points[0], points[points.len() - 1]];
        (last.1 / first.1 / (last.0 / first.0) - 1.0).abs() < 1e-9
    };
    let worst = assumed.losses.iter().copied().fold(0.0, f64::max);
    let peaks = best(&[worst], 2);
    let at: Vec<String> = peaks
        .iter()
        .map(|peak| {
            format!("{} at {}", peak.pattern, peak.exact.map_or("more than 1e308".into(), |n| format!("{n:.4}")))
        })
        .collect();
    let grows = [Pattern::Constant, Pattern::Log].iter().all(|one| best_nodes(*one, worst, 2).nodes().is_infinite());
    vec![
        statement(
            "with c(n) = 1 the speed-up is linear",
            panel(figure, Pattern::Constant).all(one),
            "S / n is the same for all n".into(),
        ),
        statement(
            "with c(n) = log n it only grows",
            panel(figure, Pattern::Log).all(|points| rises(points)) && grows,
            "it grows with these losses; with p^k of more than 1 - 1/sqrt 2 = 0.293 it would only fall".into(),
        ),
        statement(
            "with log^2 n, n, n log n and n^2 there is a best n",
            peaks.iter().all(|peak| peak.exact.is_none_or(|n| n > 1.0)),
            format!("with a loss of {}: {}", percent(worst), at.join(", ")),
        ),
    ]
}

fn complexity(figure: &Figure) -> Statement {
    let of = |panel: &Panel| panel.series.iter().map(|series| last(&series.points)).collect::<Vec<_>>();
    let ends: Vec<Vec<f64>> = figure.panels.iter().map(of).collect();
    let holds = ends.windows(2).all(|pair| pair[0].iter().zip(&pair[1]).all(|(low, high)| low > high));
    let least = |index: usize| ends[index].iter().copied().fold(f64::INFINITY, f64::min);
    Statement {
        figure: figure.number,
        says: "speed-up deteriorates faster the higher the complexity, as with n log n and n^2",
        holds,
        found: format!(
            "with 131072 nodes and the greatest loss it is {:.0} with c(n) = 1, {:.0} with n log n and {:.2} with n^2",
            least(0),
            least(4),
            least(5)
        ),
    }
}

fn losses(figure: &Figure) -> Vec<Statement> {
    let all = figure.panels.iter().flat_map(|panel| &panel.series);
    let falls = all.clone().all(|series| never_rises(&series.points));
    let two = figure.panels.iter().filter_map(|panel| panel.series.first());
    let least = two.map(|series| last(&series.points)).fold(f64::INFINITY, f64::min);
    let statement = |says, holds, found| Statement { figure: figure.number, says, holds, found };
    vec![
        statement("the lower the loss, the higher the speed-up", falls, "no curve rises anywhere".into()),
        statement(
            "with n = 2 it is linear whatever the complexity and the loss",
            least > 1.99,
            format!("with 2 nodes, n^2 packets and a loss of 30% it is still {least:.4}"),
        ),
    ]
}

fn copies(figure: &Figure) -> Statement {
    let named = [Pattern::Linear, Pattern::LinearLog, Pattern::Quadratic];
    let curves = || named.iter().flat_map(|pattern| panel(figure, *pattern).map(move |points| (pattern, points)));
    let falls = |points: &[(f64, f64)]| never_rises(points);
    let falling = curves().filter(|(_, points)| falls(points)).count();
    let peak =
        |points: &[(f64, f64)]| points.iter().copied().reduce(|best, one| if one.1 > best.1 { one } else { best });
    let latest = curves().filter_map(|(_, points)| peak(points)).map(|(k, _)| k).fold(1.0, f64::max);
    let from_two = curves().filter(|(_, points)| falls(&points[1..])).count();
    Statement {
        figure: figure.number,
        says: "with c(n) = n, n log n and n^2 more copies only make it slower",
        holds: falling == curves().count(),
        found: format!(
            "{falling} of {} curves fall from the first copy on, {from_two} from the second on; the latest peak is at {latest} copies",
            curves().count()
        ),
    }
}

fn work(figure: &Figure) -> Statement {
    let n = if figure.number == 11 { 2.0 } else { 131072.0 };
    let all = || figure.panels.iter().flat_map(|panel| &panel.series);
    let rises = all().all(|series| rises(&series.points));
    let least = all().map(|series| last(&series.points)).fold(f64::INFINITY, f64::min);
    let hours = all().flat_map(|series| &series.points).map(|(x, _)| *x).fold(0.0, f64::max);
    Statement {
        figure: figure.number,
        says: "the more work, the closer speed-up comes to the number of nodes",
        holds: rises,
        found: format!("all curves rise; the slowest, at {hours} hours, has come to {:.4} of n", least / n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hold_but_what_is_said_of_copies() {
        let statements = statements(&Assumed::default());
        let figures: Vec<_> = statements.iter().filter(|one| !one.holds).map(|one| one.figure).collect();
        assert_eq!((figures, statements.len()), (vec![10], 9));
    }

    #[test]
    fn printed_best_numbers_are_those_of_small_losses() {
        for one in best(&[0.0005, 0.005, 0.045, 0.1], 2) {
            let (Some(printed), Some(exact)) = (one.printed, one.exact) else { continue };
            // Of log^2 n the logarithm is approximated, and then rounded down to a whole number.
            let wanted = exact.max(1.0).ln();
            let slack = 2.0 * one.loss.powi(2) * wanted.max(1.0) + 1.0 / exact;
            assert!((printed.max(1.0).ln() - wanted).abs() <= slack, "{one:?}");
        }
    }
}
