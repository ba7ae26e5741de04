//! What experiments have found, as their JSON has it and their pages show it: figures, tables,
//! runs. All text is plain, without markup.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A figure of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The report's number, 9 to 27.
    pub number: u8,
    pub title: String,
    /// Name of its query.
    pub query: String,
    /// The program that ran.
    pub program: String,
    /// A sentence or a few: why it is as it is, with numbers.
    pub explanation: String,
    /// What the report says of its own figure.
    pub report: String,
    pub content: Content,
}

impl Figure {
    /// A figure of a query asked of a program, with its title and what the `report` says of it.
    pub fn new(
        number: u8,
        (title, report): (&str, &str),
        (query, program): (&str, &str),
        explanation: String,
        content: Content,
    ) -> Self {
        Figure {
            number,
            title: title.into(),
            query: query.into(),
            program: program.into(),
            explanation,
            report: report.into(),
            content,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Small multiples: kernels side by side, quiet above busy. One to eight.
    Panels(Vec<Panel>),
    Network(Network),
    /// Stations that events pass, one after the other.
    Pathway(Vec<Station>),
}

/// One plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// Such as "default kernel, quiet".
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// At most five.
    pub series: Vec<Series>,
    /// Straight lines: fits, bounds, the report's.
    pub lines: Vec<Line>,
    pub fits: Vec<Fit>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// With its unit.
    pub label: String,
    /// Values are above 0, and shown on a logarithmic scale.
    pub log: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    pub style: Style,
    /// In order of x.
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    Dots,
    Line,
    /// A value holds until the next point.
    Steps,
    /// From 0 up; a bar reaches to the next point's x, the last one's is as wide as the one before.
    Bars,
}

/// A line from one point to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub name: String,
    pub kind: LineKind,
    pub from: (f64, f64),
    pub to: (f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Our least squares.
    Fit,
    /// Our greatest deviations from it.
    Bound,
    /// The report's average, and its bounds.
    Report,
    ReportBound,
}

/// A straight line through a series by least squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Name of the series.
    pub series: String,
    pub points: usize,
    pub slope: f64,
    pub intercept: f64,
    /// Half widths of the 95 % confidence intervals.
    pub slope_confidence: f64,
    pub intercept_confidence: f64,
    /// 1 if all lie on the line; `None` where a constant is fitted (slope 0).
    pub r2: Option<f64>,
    /// Standard deviation of the residuals, and the greatest ones below and above, as positive numbers.
    pub deviation: f64,
    pub below: f64,
    pub above: f64,
}

/// Threads, where they are, and the channels between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    pub processors: Vec<String>,
    /// By name, such as `10`; the processor by its place in `processors`.
    pub threads: Vec<(String, usize)>,
    pub channels: Vec<Channel>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    pub number: u8,
    /// Places in `threads`.
    pub from: usize,
    pub to: usize,
    /// Communications.
    pub count: u64,
    pub remote: bool,
}

/// Where events pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Station {
    pub name: String,
    /// What passed, or could pass.
    pub figures: String,
    pub report: String,
}

/// A table of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub title: String,
    pub explanation: String,
    pub columns: Vec<String>,
    /// As many cells a row as columns.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Adds the table to a text: columns as wide as their widest cell, those behind the first on the right.
    pub fn align(&self, text: &mut String) {
        let rows: Vec<&Vec<String>> = std::iter::once(&self.columns).chain(&self.rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.columns.len()).map(width).collect();
        for row in rows {
            let mut line = format!("  {:<1$}", row[0], widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(line, "  {cell:>width$}");
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
}

/// A run, and where its folder is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub name: String,
    pub command: String,
    pub cycles: u64,
    pub events: u64,
    /// All events are certain, none lost.
    pub sound: bool,
}
