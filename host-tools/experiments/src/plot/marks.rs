//! Series and lines of a panel as paths, from the places of their points.

use std::collections::HashSet;
use std::fmt::Write;

use itertools::Itertools;

use super::text::tenths;
use crate::model::{Line, LineKind, Series, Style};

/// A place in the picture, in tenths of a pixel.
pub(crate) type Place = (i32, i32);

fn number(value: i32) -> String {
    tenths(f64::from(value) / 10.0)
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marks {
    Style(Style),
    /// Steps, with what is below them.
    Area,
}

/// The class of a series' marks, by its place in the panel.
pub(crate) fn class(series: &Series, index: usize, marks: Marks) -> String {
    let style = match (marks, series.points.len()) {
        // Many points need small dots.
        (Marks::Style(Style::Dots), 0..=80) => "dots big",
        (Marks::Style(Style::Dots), 81..=400) => "dots",
        (Marks::Style(Style::Dots), _) => "dots small",
        (Marks::Style(Style::Line), _) => "line",
        (Marks::Style(Style::Steps), _) => "line steps",
        (Marks::Style(Style::Bars), _) => "bars",
        (Marks::Area, _) => "line steps area",
    };
    format!("s{index} {style}")
}

/// The class of a line; in the colours of the series that its name begins with, if there is one.
pub(crate) fn line_class(line: &Line, series: &[Series]) -> String {
    let kind = match line.kind {
        LineKind::Fit => "fit",
        LineKind::Bound => "bound",
        LineKind::Report => "report",
        LineKind::ReportBound => "report-bound",
    };
    let of =
        series.iter().enumerate().filter(|(_, series)| !series.name.is_empty() && line.name.starts_with(&series.name));
    match of.max_by_key(|(_, series)| series.name.len()) {
        Some((index, _)) => format!("s{index} {kind}"),
        None => kind.into(),
    }
}

/// A path of a class; nothing if it is empty.
pub(crate) fn put(out: &mut String, class: &str, path: &str) {
    if !path.is_empty() {
        let _ = write!(out, r#"<path class="{class}" d="{path}"/>"#);
    }
}

/// The path of a series whose points are at these places; `base` is where bars and areas stand.
pub(crate) fn path(marks: Marks, places: &[Place], base: i32) -> String {
    match marks {
        Marks::Style(Style::Dots) => dots(places),
        Marks::Style(Style::Line) => line(places),
        Marks::Style(Style::Steps) => steps(places, None),
        Marks::Style(Style::Bars) => bars(places, base),
        Marks::Area => steps(places, Some(base)),
    }
}

/// Lines of hardly any length, whose ends make dots; equal ones once. (Square ends of none are not printed.)
fn dots(places: &[Place]) -> String {
    let mut seen = HashSet::new();
    places
        .iter()
        .filter(|place| seen.insert(**place))
        .map(|&(x, y)| format!("M{} {}h.1", number(x), number(y)))
        .collect()
}

pub(crate) fn line(places: &[Place]) -> String {
    let distinct = places.iter().dedup().collect_vec();
    // A single point is a line of hardly any length.
    if let [&(x, y)] = distinct[..] {
        return format!("M{} {}h.1", number(x), number(y));
    }
    let points = distinct.into_iter().map(|&(x, y)| format!("{} {}", number(x), number(y))).join("L");
    if points.is_empty() {
        points
    } else {
        format!("M{points}")
    }
}

/// From and to the base if there is one.
fn steps(places: &[Place], base: Option<i32>) -> String {
    let Some(&(x, y)) = places.first() else { return String::new() };
    let mut path = match base {
        Some(base) => format!("M{} {}V{}", number(x), number(base), number(y)),
        None => format!("M{} {}", number(x), number(y)),
    };
    let (mut held, mut end) = (y, x);
    for &(x, y) in &places[1..] {
        end = x;
        if y != held {
            let _ = write!(path, "H{}V{}", number(x), number(y));
            held = y;
        }
    }
    let _ = write!(path, "H{}", number(end));
    if let Some(base) = base {
        let _ = write!(path, "V{}", number(base));
    }
    path
}

/// The outline of each group of bars, so that edges between a thousand bars don't fill the plot.
/// The last place is the last bar's right edge.
fn bars(places: &[Place], base: i32) -> String {
    let mut path = String::new();
    // The height at which the outline is.
    let mut at = base;
    for (&(left, top), &(right, _)) in places.iter().tuple_windows() {
        if at == base && top != base {
            let _ = write!(path, "M{} {}", number(left), number(base));
        }
        if at != top {
            let _ = write!(path, "V{}", number(top));
        }
        if top != base {
            let _ = write!(path, "H{}", number(right));
        }
        at = top;
    }
    if at != base {
        let _ = write!(path, "V{}", number(base));
    }
    path
}

/// Points of a series, and for bars one more: where the last one ends.
pub(crate) fn points(series: &Series) -> Vec<(f64, f64)> {
    let mut points = series.points.clone();
    if let (Style::Bars, Some(&(last, _))) = (series.style, points.last()) {
        let width = match points[..] {
            [.., (before, _), (last, _)] if last > before => last - before,
            // By itself a bar has no width; this one can be seen.
            _ => (last.abs() / 10.0).max(f64::MIN_POSITIVE),
        };
        points.push((if (last + width).is_finite() { last + width } else { last }, 0.0));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_dots_are_drawn_once() {
        assert_eq!(dots(&[(10, 25), (10, 25), (11, 25)]), "M1 2.5h.1M1.1 2.5h.1");
    }

    #[test]
    fn steps_hold_until_the_next_point() {
        let places = [(0, 50), (10, 50), (20, 30), (40, 30)];
        assert_eq!(steps(&places, None), "M0 5H2V3H4");
        assert_eq!(steps(&places, Some(100)), "M0 10V5H2V3H4V10");
        assert_eq!(steps(&[], Some(100)), "");
    }

    #[test]
    fn bars_reach_to_the_next_and_stand_on_their_base() {
        let series = Series { name: "b".into(), style: Style::Bars, points: vec![(0.0, 2.0), (5.0, 3.0)] };
        assert_eq!(points(&series), [(0.0, 2.0), (5.0, 3.0), (10.0, 0.0)]);
        assert_eq!(bars(&[(0, 50), (10, 100), (20, 80), (30, 80), (40, 0)], 100), "M0 10V5H1V10M2 10V8H3H4V10");
        assert_eq!(bars(&[(0, 100), (10, 0)], 100), "");
    }

    #[test]
    fn one_point_of_a_line_can_be_seen() {
        assert_eq!(line(&[(10, 20), (10, 20)]), "M1 2h.1");
        assert_eq!(line(&[(10, 20), (30, 20)]), "M1 2L3 2");
        assert_eq!(line(&[]), "");
    }
}
