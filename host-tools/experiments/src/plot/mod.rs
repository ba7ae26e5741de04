//! A panel as SVG, with text and axes from its own size on, in a page's colours ([`STYLE`]): no
//! colour stands in the SVG itself.
//!
//! Plotters spaces out axes and puts values into places; marks are paths, one a series, so that a
//! thousand points stay a few kilobytes.

mod canvas;
mod check;
mod legend;
mod marks;
mod network;
pub(crate) mod number;
mod parts;
mod pathway;
mod scale;
pub(crate) mod text;

use std::convert::Infallible;
use std::fmt::Write;

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::{IntoFont, TextStyle};

pub use check::{PlotError, SERIES_MAX};
pub use legend::legend;
pub use network::network;
pub use pathway::{pathway, Flow};

use crate::model::{Line, Panel, Style};
use canvas::{Canvas, Role, FINE, TEXT};
use marks::{Marks, Place};
use parts::{Part, GAP, LEADING};
use scale::Scale;
use text::{lines, put, tenths, width, xml, Anchor};

/// How the classes in plots look; the colours' names are those of the Testbed's pages.
pub const STYLE: &str = include_str!("style.css");

/// Width of a plot, in pixels of its own; a page scales it.
const WIDTH: f64 = 520.0;
/// From an axis to its labels, and twice a tick's length.
const TICK: f64 = 6.0;
/// Right of the axes: half a label.
const RIGHT: f64 = 24.0;
/// Points along a straight line, which bends on a logarithmic axis.
const BEND: u32 = 48;

type Chart<'a, 'b> = ChartContext<'a, Canvas<'b>, Cartesian2d<Scale, Scale>>;

/// Where everything is.
struct Layout<'a> {
    parts: Vec<Part<'a>>,
    /// Tops of the parts' axes.
    tops: Vec<f64>,
    x: Scale,
    x_label: Vec<String>,
    y_label: Vec<String>,
    left: f64,
    bottom: f64,
}

/// A panel as an SVG element with this `id`. What its marks are is [`legend`]'s.
///
/// # Errors
/// A value that has no place on its axis, named by panel and series; more than [`SERIES_MAX`] series.
pub fn svg(panel: &Panel, id: &str) -> Result<String, PlotError> {
    check::panel(panel)?;
    let layout = Layout::of(panel);
    let height = tenths(layout.whole());
    let mut out = String::new();
    let label = format!("{}: {} against {}", panel.title, panel.y.label, panel.x.label);
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" id="{}" class="plot" role="img" aria-label="{}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">"#,
        xml(id),
        xml(&label)
    );
    let marks = layout.axes(panel, &mut out)?;
    out.push_str(&marks);
    layout.words(panel, &mut out);
    out.push_str("</svg>");
    Ok(out)
}

impl<'a> Layout<'a> {
    fn of(panel: &'a Panel) -> Self {
        let parts = parts::parts(panel);
        let labels = parts.iter().flat_map(|part| part.y.ticks.iter().map(|&tick| part.y.label(tick)));
        let widest = labels.map(|label| width(&label, TEXT)).fold(0.0, f64::max);
        let y_label = lines(&panel.y.label, WIDTH - 8.0, TEXT);
        let x_label = lines(&panel.x.label, WIDTH - 8.0, TEXT);
        let mut top = LEADING * y_label.len() as f64 + 8.0;
        let mut tops = Vec::new();
        for part in &parts {
            top += if part.name.is_some() { LEADING } else { 0.0 };
            tops.push(top);
            top += part.height + GAP;
        }
        let bottom = TICK + LEADING * (x_label.len() as f64 + 1.0) + 4.0;
        Layout { parts, tops, x: parts::across(panel), x_label, y_label, left: widest + TICK + 6.0, bottom }
    }

    /// Height of the picture.
    fn whole(&self) -> f64 {
        let ends = self.parts.iter().zip(&self.tops).map(|(part, top)| top + part.height);
        ends.fold(0.0, f64::max) + self.bottom
    }

    /// Draws all axes, and returns the marks, which go on top of them.
    fn axes(&self, panel: &Panel, out: &mut String) -> Result<String, PlotError> {
        let mut marks = String::new();
        let root = Canvas { out, size: (WIDTH, self.whole()) }.into_drawing_area();
        for (index, (part, &top)) in self.parts.iter().zip(&self.tops).enumerate() {
            let last = index + 1 == self.parts.len();
            let bottom = if last { self.bottom } else { GAP };
            let area = root.clone().shrink((px(0.0), px(top)), (px(WIDTH), px(part.height + bottom)));
            let chart = self
                .chart(&area, part, bottom, last)
                .map_err(|error| PlotError::Axes { panel: panel.title.clone(), reason: error.to_string() })?;
            self.marks(panel, part, &chart, &mut marks);
        }
        Ok(marks)
    }

    /// Axes in an area with so much room below them, with or without labels there.
    fn chart<'c, 'b>(
        &self,
        area: &'c DrawingArea<Canvas<'b>, Shift>,
        part: &Part,
        bottom: f64,
        labelled: bool,
    ) -> Result<Chart<'c, 'b>, DrawingAreaErrorKind<Infallible>> {
        let mut chart = ChartBuilder::on(area)
            .margin_right(px(RIGHT))
            .x_label_area_size(px(bottom))
            .y_label_area_size(px(self.left))
            .build_cartesian_2d(self.x.clone(), part.y.clone())?;
        let font: TextStyle = ("sans-serif", TEXT * FINE).into_font().color(&Role::Tick.color());
        chart
            .configure_mesh()
            .set_all_tick_mark_size(px(TICK / 2.0))
            .bold_line_style(Role::Grid.color())
            .light_line_style(Role::FineGrid.color())
            .axis_style(Role::Axis.color())
            .label_style(font)
            .x_label_formatter(&|value| if labelled { self.x.label(*value) } else { String::new() })
            .draw()?;
        Ok(chart)
    }

    fn marks(&self, panel: &Panel, part: &Part, chart: &Chart, out: &mut String) {
        let base = chart.backend_coord(&(0.0, if part.y.is_log() { part.y.floor() } else { 0.0 })).1;
        for &(index, series) in &part.series {
            let places: Vec<Place> = marks::points(series).iter().map(|point| chart.backend_coord(point)).collect();
            // Alone on its axes, a value that holds is shown by its area too.
            let style = match series.style {
                Style::Steps if part.series.len() == 1 => Marks::Area,
                style => Marks::Style(style),
            };
            marks::put(out, &marks::class(series, index, style), &marks::path(style, &places, base));
        }
        for line in &part.lines {
            let Some(line_seen) = part.seen(line) else { continue };
            let places: Vec<Place> =
                self.along(part, &line_seen).iter().map(|point| chart.backend_coord(point)).collect();
            marks::put(out, &marks::line_class(line, &panel.series), &marks::line(&places));
        }
    }

    /// Points along a line that show it on these axes.
    fn along(&self, part: &Part, line: &Line) -> Vec<(f64, f64)> {
        let steps = if self.x.is_log() || part.y.is_log() { BEND } else { 1 };
        let between = |from: f64, to: f64, way: f64| from * (1.0 - way) + to * way;
        // Evenly on the axis that is drawn, or a logarithmic one would get nearly all of them at its end.
        let x_at = |way: f64| {
            if self.x.is_log() && line.from.0 != line.to.0 {
                let x = between(line.from.0.log10(), line.to.0.log10(), way);
                (10f64.powf(x) - line.from.0) / (line.to.0 - line.from.0)
            } else {
                way
            }
        };
        (0..=steps)
            .map(|step| match step {
                0 => line.from,
                step if step == steps => line.to,
                step => {
                    let way = x_at(f64::from(step) / f64::from(steps));
                    (between(line.from.0, line.to.0, way), between(line.from.1, line.to.1, way))
                }
            })
            .collect()
    }

    /// What the axes are, the strips' names, and that there is nothing.
    fn words(&self, panel: &Panel, out: &mut String) {
        for (index, line) in self.y_label.iter().enumerate() {
            put(out, "label", (4.0, LEADING * (index as f64 + 1.0) - 4.0), Anchor::Start, line);
        }
        let below = self.whole() - 6.0 - LEADING * (self.x_label.len() as f64 - 1.0).max(0.0);
        for (index, line) in self.x_label.iter().enumerate() {
            let middle = (self.left + WIDTH - RIGHT) / 2.0;
            // In the middle of the axis, unless it is too long for that.
            let half = width(line, TEXT) / 2.0;
            let x = middle.min(WIDTH - 4.0 - half).max(half);
            put(out, "label", (x, below + LEADING * index as f64), Anchor::Middle, line);
        }
        for (part, top) in self.parts.iter().zip(&self.tops) {
            if let Some(name) = &part.name {
                put(out, "strip", (self.left, top - 5.0), Anchor::Start, name);
            }
        }
        if panel.series.iter().all(|series| series.points.is_empty()) && panel.lines.is_empty() {
            let middle = ((self.left + WIDTH - RIGHT) / 2.0, self.tops[0] + self.parts[0].height / 2.0);
            put(out, "nothing", middle, Anchor::Middle, "no points");
        }
    }
}

/// So many pixels in plotters' pixels.
fn px(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}
