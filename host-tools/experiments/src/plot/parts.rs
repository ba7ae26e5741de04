//! Which axes a panel has: all series share them, or each has its own, or ours are shown again without the report's.

use super::marks;
use super::scale::{Scale, Start};
use crate::model::{Line, LineKind, Panel, Series, Style};

/// From one line of text to the next.
pub(super) const LEADING: f64 = 17.0;
/// Below axes that have others below them, down to these one's name, and with it.
pub(super) const GAP: f64 = 12.0;
const BETWEEN: f64 = GAP + LEADING;
/// Bars that still can be told from those behind them.
const DENSE: usize = 100;
/// Where ours reach less of the report's height than this, they are shown enlarged too.
const SMALL: f64 = 0.5;
/// Heights of axes for all of a panel, and at least for one of several strips.
const WHOLE: f64 = 222.0;
const STRIP: f64 = 58.0;
/// Heights of what is beside the report's, and of what is enlarged.
const BESIDE: f64 = 120.0;
const ENLARGED: f64 = 170.0;

/// Axes and what is on them.
pub(crate) struct Part<'a> {
    /// Above the axes, where there are several.
    pub(crate) name: Option<String>,
    /// With their places in the panel.
    pub(crate) series: Vec<(usize, &'a Series)>,
    pub(crate) lines: Vec<&'a Line>,
    pub(crate) y: Scale,
    pub(crate) height: f64,
}

impl Part<'_> {
    /// What these axes show of a line: they begin at 0 if all points do, and a fit may go below.
    pub(crate) fn seen(&self, line: &Line) -> Option<Line> {
        let floor = self.y.floor();
        let mut seen = line.clone();
        if self.y.is_log() || line.from.1.min(line.to.1) >= floor {
            return Some(seen);
        }
        if line.from.1.max(line.to.1) < floor {
            return None;
        }
        let way = (floor - line.from.1) / (line.to.1 - line.from.1);
        let at = (line.from.0 + way * (line.to.0 - line.from.0), floor);
        let end = if line.from.1 < floor { &mut seen.from } else { &mut seen.to };
        *end = at;
        Some(seen)
    }
}

/// Whether each series has axes of its own, one above the other: several with steps, or with many
/// bars, would hide each other.
pub(crate) fn is_strips(panel: &Panel) -> bool {
    let all = |style: Style| panel.series.iter().all(|series| series.style == style);
    let dense = panel.series.iter().any(|series| series.points.len() > DENSE);
    panel.series.len() > 1 && (all(Style::Steps) || all(Style::Bars) && dense)
}

fn is_reports(line: &Line) -> bool {
    matches!(line.kind, LineKind::Report | LineKind::ReportBound)
}

/// Whether all of ours lie at the bottom of axes that reach up to the report's.
fn is_small(panel: &Panel, series: &[(usize, &Series)], ours: &[&Line]) -> bool {
    let most = |lines: &[&Line]| values(series, lines).map(|(_, y)| y).fold(0.0, f64::max);
    let all: Vec<_> = panel.lines.iter().collect();
    !panel.y.log && ours.len() < all.len() && most(ours) > 0.0 && most(ours) < SMALL * most(&all)
}

/// The parts of a panel, from the top.
pub(crate) fn parts<'a>(panel: &'a Panel) -> Vec<Part<'a>> {
    let series: Vec<_> = panel.series.iter().enumerate().collect();
    let lines: Vec<_> = panel.lines.iter().collect();
    let y = |lines: &[&Line], ticks: usize| scale(&series, lines, |(_, y)| y, panel.y.log, Start::Zero, ticks);
    if is_strips(panel) {
        // All with one scale, so that they compare.
        let y = y(&lines, 3);
        let height = STRIP.max(WHOLE / series.len() as f64 - BETWEEN);
        let strip = |&one: &(usize, &'a Series)| {
            let name = Some(one.1.name.clone());
            Part { name, series: vec![one], lines: lines.clone(), y: y.clone(), height }
        };
        return series.iter().map(strip).collect();
    }
    let ours: Vec<_> = lines.iter().copied().filter(|line| !is_reports(line)).collect();
    let plan = if is_small(panel, &series, &ours) {
        vec![
            (Some("beside the report’s"), lines, BESIDE, 4),
            (Some("enlarged, without the report’s"), ours, ENLARGED, 5),
        ]
    } else {
        vec![(None, lines, WHOLE, 6)]
    };
    plan.into_iter()
        .map(|(name, lines, height, ticks)| {
            let y = y(&lines, ticks);
            Part { name: name.map(String::from), series: series.clone(), lines, y, height }
        })
        .collect()
}

/// The scale along the bottom, for all parts.
pub(crate) fn across(panel: &Panel) -> Scale {
    let series: Vec<_> = panel.series.iter().enumerate().collect();
    let lines: Vec<_> = panel.lines.iter().collect();
    scale(&series, &lines, |(x, _)| x, panel.x.log, Start::Near, 6)
}

fn values<'a>(series: &'a [(usize, &Series)], lines: &'a [&Line]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let points = series.iter().flat_map(|(_, series)| marks::points(series));
    points.chain(lines.iter().flat_map(|line| [line.from, line.to]))
}

/// The scale for one coordinate.
fn scale(
    series: &[(usize, &Series)],
    lines: &[&Line],
    coordinate: impl Fn((f64, f64)) -> f64,
    log: bool,
    start: Start,
    most: usize,
) -> Scale {
    let values = values(series, lines).map(&coordinate);
    if log {
        // The height of a bar may be nothing.
        Scale::logarithmic(values.filter(|&value| value > 0.0))
    } else {
        let points = || series.iter().flat_map(|(_, series)| &series.points).map(|&point| coordinate(point));
        let bars = series.iter().any(|(_, series)| series.style == Style::Bars && !series.points.is_empty());
        // Where points begin at 0, lines that go below are cut.
        let least = if start == Start::Zero && points().next().is_some() && points().all(|value| value >= 0.0) {
            0.0
        } else {
            f64::MIN
        };
        let values = values.map(|value| value.max(least));
        Scale::linear(values.chain((bars && start == Start::Zero).then_some(0.0)), start, most)
    }
}
