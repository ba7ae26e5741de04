//! The curves of Figures 7 to 12: speed-up by nodes, loss, copies and work, for each of the six c(n).

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::conceptual;
use crate::pattern::Pattern;
use crate::superstep::{Network, Resend, Superstep};

/// The paper's figures that the model draws.
pub const FIRST: u8 = 7;
pub const LAST: u8 = 12;
/// All of them.
pub const NUMBERS: RangeInclusive<u8> = FIRST..=LAST;

/// Steps in a doubling where an axis is logarithmic.
const STEPS: i32 = 2;
/// Most nodes of the figures are those of the last one.
const NODES_MOST_LOG: i32 = 17;
/// The figures by loss have lines for these nodes, and the one by copies is for the third of them.
const NODES: [f64; 5] = [2.0, 32.0, 1024.0, 16384.0, 131072.0];
const HOUR: f64 = 3600.0;

/// What the paper does not print with its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// The probabilities of a loss that have a curve each.
    pub losses: Vec<f64>,
    /// Seconds, as in [`Network`].
    pub alpha: f64,
    pub beta: f64,
    /// The nodes of Figure 10.
    pub nodes: f64,
}

impl Default for Assumed {
    /// Losses as they were measured (Figure 1), and below; alpha and beta as in the first columns of
    /// Table II.
    fn default() -> Assumed {
        let losses = vec![0.0005, 0.005, 0.045, 0.1, 0.15];
        Assumed { losses, alpha: 65536.0 / 17.5e6, beta: 0.069, nodes: NODES[2] }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub number: u8,
    pub title: String,
    /// What its x is.
    pub x: &'static str,
    pub log_x: bool,
    /// (a) to (f).
    pub panels: Vec<Panel>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    pub pattern: Pattern,
    pub series: Vec<Series>,
}

/// A curve: the speed-up at each x.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The figure of this number; `None` if it is none of the model's.
pub fn figure(number: u8, assumed: &Assumed) -> Option<Figure> {
    let nodes = || (0..=STEPS * NODES_MOST_LOG).map(|i| 2f64.powf(f64::from(i) / f64::from(STEPS)));
    let hours = || (-8..=24).map(|i| 2f64.powf(f64::from(i) / f64::from(STEPS)));
    let by_loss = |of: &dyn Fn(Pattern, f64, f64) -> f64, xs: &[f64]| {
        panels(assumed.losses.iter().map(|loss| (format!("loss {}", percent(*loss)), *loss)).collect(), of, xs)
    };
    let network = |loss| Network { loss, alpha: assumed.alpha, beta: assumed.beta };
    let speedup = |pattern: Pattern, nodes: f64, copies, work, loss| {
        Superstep { nodes, packets: pattern.packets(nodes), copies, work }.speedup(&network(loss), Resend::Missing)
    };
    let (title, x, log_x, panels): (&str, _, _, _) = match number {
        7 => (
            "The conceptual approach, two copies",
            "nodes",
            true,
            by_loss(&|pattern, loss, n| conceptual::speedup(pattern, n, loss, 2), &nodes().collect::<Vec<_>>()),
        ),
        8 => (
            "Work of 4 hours, one copy",
            "nodes",
            true,
            by_loss(&|pattern, loss, n| speedup(pattern, n, 1, 4.0 * HOUR, loss), &nodes().collect::<Vec<_>>()),
        ),
        9 => {
            let losses: Vec<f64> = (1..=30).map(|i| f64::from(i) / 100.0).collect();
            let named = NODES.map(|n| (format!("{n} nodes"), n)).to_vec();
            let of = |pattern: Pattern, n, loss| speedup(pattern, n, 1, 10.0 * HOUR, loss);
            ("Work of 10 hours, one copy", "loss", false, panels(named, &of, &losses))
        }
        10 => {
            let copies: Vec<f64> = (1..=10).map(f64::from).collect();
            let n = assumed.nodes;
            let of = |pattern: Pattern, loss, k| speedup(pattern, n, k as u32, 10.0 * HOUR, loss);
            ("Work of 10 hours", "copies", false, by_loss(&of, &copies))
        }
        11 | 12 => {
            let n = if number == 11 { NODES[0] } else { NODES[4] };
            // The second has to go on further: more nodes need more work.
            let more = n / 2.0;
            let hours: Vec<f64> =
                hours().map(|hours| hours * if number == 11 { 1.0 / 64.0 } else { more.sqrt() / 16.0 }).collect();
            let of = |pattern: Pattern, loss, hours: f64| speedup(pattern, n, 1, hours * HOUR, loss);
            (
                if number == 11 { "2 nodes, one copy" } else { "131072 nodes, one copy" },
                "hours of work",
                true,
                by_loss(&of, &hours),
            )
        }
        _ => return None,
    };
    let title = if number == 10 { format!("{title}, {} nodes", assumed.nodes) } else { title.into() };
    Some(Figure { number, title, x, log_x, panels })
}

/// A panel for each c(n), each with a curve for each of the named parameters.
fn panels(named: Vec<(String, f64)>, of: &dyn Fn(Pattern, f64, f64) -> f64, xs: &[f64]) -> Vec<Panel> {
    let series = |pattern, (name, parameter): &(String, f64)| Series {
        name: name.clone(),
        points: xs.iter().map(|x| (*x, of(pattern, *parameter, *x))).collect(),
    };
    let panel = |pattern| Panel { pattern, series: named.iter().map(|one| series(pattern, one)).collect() };
    Pattern::ALL.map(panel).to_vec()
}

/// `0.0005` as `0.05%`.
pub fn percent(fraction: f64) -> String {
    format!("{}%", (fraction * 1e8).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_six_panels_with_a_curve_for_each_parameter() {
        for number in NUMBERS {
            let figure = figure(number, &Assumed::default()).unwrap();
            assert_eq!((figure.panels.len(), figure.panels[0].series.len()), (6, 5));
            let points = figure.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
            for (x, speedup) in points {
                assert!(*x > 0.0 && (0.0..=131072.0).contains(speedup), "Figure {number}: {x} {speedup}");
            }
        }
        assert_eq!(figure(6, &Assumed::default()), None);
    }

    #[test]
    fn probabilities_are_written_as_percentages() {
        assert_eq!([0.0005, 0.07, 0.1, 1e-9].map(percent), ["0.05%", "7%", "10%", "0%"]);
    }
}
