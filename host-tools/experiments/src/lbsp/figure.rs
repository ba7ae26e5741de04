//! `testbed lbsp figure N`: the curves of the paper's Figures 7 to 12, and what its text says of them.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use testbed_lossy::figures::{self, Assumed, Figure as Curves, Panel};
use testbed_lossy::paper::statements::{self, Statement};
use testbed_lossy::pattern::Pattern;

use super::network::NetworkOptions;
use super::output::Output;
use super::quantities::{number, probability, whole};
use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::model::Table;
use crate::progress::Progress;

/// Lines of a panel's table, at most.
const LINES: usize = 12;
/// Curves of a panel, at most: more could not be told apart.
const CURVES: usize = 5;

/// The curves of one of the paper's figures of the model, 7 to 12
#[derive(Args, Debug)]
pub struct Figure {
    /// The figure's number
    #[arg(value_parser = clap::value_parser!(u8).range(i64::from(figures::FIRST)..=i64::from(figures::LAST)))]
    number: u8,
    /// Probabilities of a loss with a curve each, at most five
    /// [default: 0.05%,0.5%,4.5%,10%,15%, or what the network has]
    #[arg(long, value_name = "P", value_delimiter = ',', value_parser = probability)]
    losses: Vec<f64>,
    /// Nodes of Figure 10
    #[arg(long, default_value = "1024", value_parser = whole)]
    nodes: f64,
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    output: Output,
}

/// A point of a curve.
#[derive(Serialize)]
struct Point<'a> {
    figure: u8,
    packets: Pattern,
    curve: &'a str,
    x: f64,
    speedup: f64,
}

#[derive(Serialize)]
struct Found {
    assumed: Assumed,
    figure: Curves,
    statements: Vec<Statement>,
}

impl Experiment for Figure {
    fn make(&self, _: &dyn Progress) -> Result<String, ExperimentError> {
        let known = self.network.known()?;
        let usual = Assumed::default();
        let losses = match (self.losses.is_empty(), known.has_loss) {
            (false, _) => self.losses.clone(),
            (true, true) => vec![known.network.loss],
            (true, false) => usual.losses,
        };
        if losses.len() > CURVES {
            let help = format!("give at most {CURVES}");
            return Err(ExperimentError::Option(format!("--losses: there are {}\n  help: {help}", losses.len())));
        }
        let assumed = Assumed { losses, alpha: known.network.alpha, beta: known.network.beta, nodes: self.nodes };
        let Some(figure) = figures::figure(self.number, &assumed) else {
            return Err(ExperimentError::Option(format!("the model draws no Figure {}", self.number)));
        };
        let statements = statements::statements(&assumed).into_iter().filter(|one| one.figure == self.number);
        let found = Found { statements: statements.collect(), assumed, figure };
        self.output.print(&found, &points(&found.figure), || text(&found, &known.notes))
    }
}

fn points(figure: &Curves) -> Vec<Point<'_>> {
    let mut points = Vec::new();
    for panel in &figure.panels {
        for series in &panel.series {
            let point = |(x, speedup): &(f64, f64)| Point {
                figure: figure.number,
                packets: panel.pattern,
                curve: &series.name,
                x: *x,
                speedup: *speedup,
            };
            points.extend(series.points.iter().map(point));
        }
    }
    points
}

/// Places of the points that are shown: those of whole numbers, if there are enough of them, evenly
/// from the end.
fn chosen(panel: &Panel) -> Vec<usize> {
    let points = panel.series.first().map_or(&[][..], |series| &series.points);
    let all: Vec<usize> = (0..points.len()).collect();
    let whole: Vec<usize> = all.iter().copied().filter(|index| points[*index].0.fract() == 0.0).collect();
    let of = if whole.len() >= LINES / 2 { whole } else { all };
    let step = of.len().div_ceil(LINES).max(1);
    let mut chosen: Vec<usize> = of.into_iter().rev().step_by(step).collect();
    chosen.reverse();
    chosen
}

fn text(found: &Found, notes: &[String]) -> String {
    let Curves { number: figure, title, x, panels, .. } = &found.figure;
    let (alpha, beta) = (number(found.assumed.alpha), number(found.assumed.beta));
    let network = if *figure == 7 { String::new() } else { format!("; alpha {alpha} s, beta {beta} s") };
    let mut text = format!("Figure {figure}: speed-up by {x}. {title}{network}\n");
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    for (letter, panel) in ('a'..).zip(panels) {
        let _ = writeln!(text, "\n({letter}) c(n) = {}", panel.pattern);
        let chosen = chosen(panel);
        let row = |index: &usize| {
            let x = panel.series[0].points[*index].0;
            std::iter::once(x).chain(panel.series.iter().map(|series| series.points[*index].1)).map(number).collect()
        };
        let columns = std::iter::once(x.to_string()).chain(panel.series.iter().map(|series| series.name.clone()));
        let rows = chosen.iter().map(row).collect();
        Table { title: String::new(), explanation: String::new(), columns: columns.collect(), rows }.align(&mut text);
    }
    text += "\nWhat the paper says of it\n";
    for Statement { says, holds, found, .. } in &found.statements {
        let _ = writeln!(text, "  {says}: {}\n    {found}", if *holds { "so it is" } else { "NOT SO" });
    }
    text
}
