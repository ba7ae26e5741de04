//! Stations that events pass, as boxes one after the other.

use std::fmt::Write;

use itertools::Itertools;

use super::text::{lines, put, tenths, Anchor};
use crate::model::Station;

/// How the boxes follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// From left to right, for wide pages.
    Across,
    /// From top to bottom, for narrow ones.
    Down,
}

const PADDING: f64 = 10.0;
const ARROW: f64 = 34.0;
const LEADING: f64 = 17.0;
/// Half the width of an arrow's head.
const HEAD: f64 = 5.0;

impl Flow {
    /// A box's width, and the size of its text.
    fn shape(self) -> (f64, f64) {
        match self {
            Flow::Across => (200.0, 12.5),
            Flow::Down => (340.0, 13.5),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Flow::Across => "pathway across",
            Flow::Down => "pathway down",
        }
    }
}

/// A station's lines of text, each with its class.
fn content(station: &Station, flow: Flow) -> Vec<(&'static str, String)> {
    let (width, size) = flow.shape();
    let report = if station.report.is_empty() { String::new() } else { format!("The report: {}", station.report) };
    // Bold text is wider.
    [("name", &station.name, 1.08), ("figures", &station.figures, 1.0), ("told", &report, 1.0)]
        .into_iter()
        .flat_map(|(class, text, wider)| {
            lines(text, width - 2.0 * PADDING, size * wider).into_iter().map(move |line| (class, line))
        })
        .collect()
}

/// Stations as an SVG element.
pub fn pathway(stations: &[Station], flow: Flow) -> String {
    let (width, _) = flow.shape();
    let contents: Vec<_> = stations.iter().map(|station| content(station, flow)).collect();
    let height = |lines: usize| LEADING * lines.max(1) as f64 + 2.0 * PADDING;
    let highest = contents.iter().map(|lines| height(lines.len())).fold(height(1), f64::max);
    // Boxes beside each other are equally high.
    let mut boxes = Vec::new();
    let (mut x, mut y) = (1.0, 1.0);
    for lines in &contents {
        let high = if flow == Flow::Across { highest } else { height(lines.len()) };
        boxes.push((x, y, high));
        match flow {
            Flow::Across => x += width + ARROW,
            Flow::Down => y += high + ARROW,
        }
    }
    let wide = boxes.last().map_or(width, |(x, ..)| x + width + 1.0);
    let high = boxes.last().map_or(highest, |(_, y, high)| y + high + 1.0);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="{}" role="img" aria-label="Where events pass" viewBox="0 0 {} {}" width="{}" height="{}">"#,
        flow.class(),
        tenths(wide),
        tenths(high),
        tenths(wide),
        tenths(high)
    );
    for ((x, y, high), lines) in boxes.iter().zip(&contents) {
        let _ = write!(
            out,
            r#"<rect class="station" x="{}" y="{}" width="{width}" height="{}" rx="6"/>"#,
            tenths(*x),
            tenths(*y),
            tenths(*high)
        );
        for (index, (class, line)) in lines.iter().enumerate() {
            put(&mut out, class, (x + PADDING, y + PADDING + LEADING * (index as f64 + 0.75)), Anchor::Start, line);
        }
    }
    for (from, to) in boxes.into_iter().tuple_windows() {
        arrow(&mut out, flow, width, from, to);
    }
    out + "</svg>"
}

fn arrow(out: &mut String, flow: Flow, width: f64, (x, y, high): (f64, f64, f64), next: (f64, f64, f64)) {
    let (from, to) = match flow {
        Flow::Across => ((x + width + 2.0, y + high / 2.0), (next.0 - 2.0, y + high / 2.0)),
        Flow::Down => ((x + width / 2.0, y + high + 2.0), (x + width / 2.0, next.1 - 2.0)),
    };
    let (x, y) = (tenths(to.0), tenths(to.1));
    let head = match flow {
        Flow::Across => format!("M{x} {y}l-{0} -{HEAD}v{0}z", 2.0 * HEAD),
        Flow::Down => format!("M{x} {y}l-{HEAD} -{0}h{0}z", 2.0 * HEAD),
    };
    let _ = write!(
        out,
        r#"<path class="channel" d="M{} {}L{x} {y}"/><path class="head channel" d="{head}"/>"#,
        tenths(from.0),
        tenths(from.1)
    );
}
