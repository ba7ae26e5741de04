//! A panel as SVG, with text and axes from its own size on, in a page's colours ([`STYLE`]): no colour stands in the SVG itself.
//!
//! Plotters spaces out axes and puts values into places; marks are paths, one a series, so that a thousand points stay a few kilobytes.

mod canvas;
mod check;
mod legend;
mod marks;
mod network;
pub(crate) mod number;
mod pathway;
mod scale;
pub(crate) mod text;

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

use crate::model::{Line, Panel, Series, Style};
use canvas::{Canvas, Role, FINE, TEXT};
use marks::Place;
use scale::{Scale, Start};
use text::{lines, put, width, xml, Anchor};

/// How the classes in plots look; the colours' names are those of the Testbed's pages.
pub const STYLE: &str = include_str!("style.css");

/// Of a plot, in pixels of its own; a page scales it.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
/// A strip, if every series has its own, and what is between two.
const STRIP: f64 = 58.0;
const GAP: f64 = 12.0;
/// From one line of text to the next.
const LEADING: f64 = 17.0;
/// From an axis to its labels, and twice a tick's length.
const TICK: f64 = 6.0;
/// Right of the axes: half a label.
const RIGHT: f64 = 24.0;
/// Points along a straight line, which bends on a logarithmic axis.
const BEND: u32 = 48;

type Chart<'a, 'b> = ChartContext<'a, Canvas<'b>, Cartesian2d<Scale, Scale>>;

/// A panel's series that share axes: all of them, or one of several with steps, which would hide each other.
struct Plot<'a> {
    series: Vec<(usize, &'a Series)>,
    lines: &'a [Line],
}

/// Where everything is.
struct Layout<'a> {
    plots: Vec<Plot<'a>>,
    x: Scale,
    y: Scale,
    x_label: Vec<String>,
    y_label: Vec<String>,
    left: f64,
    top: f64,
    /// Of one plot's axes.
    height: f64,
    bottom: f64,
}

/// A panel as an SVG element with this `id`. What its marks are is [`legend`]'s.
///
/// # Errors
/// A value that has no place on its axis, named by panel and series; more than [`SERIES_MAX`] series.
pub fn svg(panel: &Panel, id: &str) -> Result<String, PlotError> {
    check::panel(panel)?;
    let layout = Layout::of(panel);
    let height = layout.whole();
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
        let strips = panel.series.len() > 1 && panel.series.iter().all(|series| series.style == Style::Steps);
        let all = panel.series.iter().enumerate();
        let plots = if strips {
            all.map(|one| Plot { series: vec![one], lines: &panel.lines }).collect()
        } else {
            vec![Plot { series: all.collect(), lines: &panel.lines }]
        };
        let y = scale(panel, |(_, y)| y, panel.y.log, Start::Zero, if strips { 3 } else { 6 });
        let x = scale(panel, |(x, _)| x, panel.x.log, Start::Near, 6);
        let widest = y.ticks.iter().map(|&tick| width(&y.label(tick), TEXT)).fold(0.0, f64::max);
        let y_label = lines(&panel.y.label, WIDTH - 8.0, TEXT);
        // A strip has its series' name above it, the first one below the axis' label.
        let names = if strips { LEADING } else { 0.0 };
        let top = LEADING * y_label.len() as f64 + 8.0 + names;
        let x_label = lines(&panel.x.label, WIDTH - 8.0, TEXT);
        let bottom = TICK + LEADING * (x_label.len() as f64 + 1.0) + 4.0;
        let height = if strips { STRIP } else { HEIGHT - top - bottom };
        Layout { plots, x, y, x_label, y_label, left: widest + TICK + 6.0, top, height, bottom }
    }

    fn is_strips(&self) -> bool {
        self.plots.len() > 1
    }

    fn top_of(&self, plot: usize) -> f64 {
        self.top + plot as f64 * (self.height + GAP + LEADING)
    }

    fn whole(&self) -> f64 {
        self.top_of(self.plots.len() - 1) + self.height + self.bottom
    }

    /// Draws all axes, and returns the marks, which go on top of them.
    fn axes(&self, panel: &Panel, out: &mut String) -> Result<String, PlotError> {
        let mut marks = String::new();
        let root = Canvas { out, size: (WIDTH, self.whole()) }.into_drawing_area();
        for (index, plot) in self.plots.iter().enumerate() {
            let last = index + 1 == self.plots.len();
            let bottom = if last { self.bottom } else { GAP };
            let px = |pixels: f64| (pixels * FINE).round() as i32;
            let area = root.clone().shrink((px(0.0), px(self.top_of(index))), (px(WIDTH), px(self.height + bottom)));
            let chart = self
                .chart(&area, bottom, last)
                .map_err(|error| PlotError::Axes { panel: panel.title.clone(), reason: error.to_string() })?;
            self.marks(plot, &chart, &mut marks);
        }
        Ok(marks)
    }

    fn chart<'c, 'b>(
        &self,
        area: &'c DrawingArea<Canvas<'b>, Shift>,
        bottom: f64,
        labelled: bool,
    ) -> Result<Chart<'c, 'b>, DrawingAreaErrorKind<std::convert::Infallible>> {
        let mut chart = ChartBuilder::on(area)
            .margin_right((RIGHT * FINE) as i32)
            .x_label_area_size((bottom * FINE) as i32)
            .y_label_area_size((self.left * FINE) as i32)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let font: TextStyle = ("sans-serif", TEXT * FINE).into_font().color(&Role::Tick.color());
        chart
            .configure_mesh()
            .set_all_tick_mark_size((TICK / 2.0 * FINE) as i32)
            .bold_line_style(Role::Grid.color())
            .light_line_style(Role::FineGrid.color())
            .axis_style(Role::Axis.color())
            .label_style(font)
            .x_label_formatter(&|value| if labelled { self.x.label(*value) } else { String::new() })
            .draw()?;
        Ok(chart)
    }

    fn marks(&self, plot: &Plot, chart: &Chart, out: &mut String) {
        let base = chart.backend_coord(&(0.0, if self.y.is_log() { self.y.floor() } else { 0.0 })).1;
        for &(index, series) in &plot.series {
            let places: Vec<Place> = marks::points(series).iter().map(|point| chart.backend_coord(point)).collect();
            marks::put(out, &marks::class(series, index), &marks::series(series.style, &places, base));
        }
        for line in plot.lines {
            let places: Vec<Place> = self.along(line).iter().map(|point| chart.backend_coord(point)).collect();
            marks::put(out, marks::line_class(line), &marks::line(&places));
        }
    }

    /// Points along a line that show it on these axes.
    fn along(&self, line: &Line) -> Vec<(f64, f64)> {
        let parts = if self.x.is_log() || self.y.is_log() { BEND } else { 1 };
        let between = |from: f64, to: f64, part: f64| from * (1.0 - part) + to * part;
        // Evenly on the axis that is drawn, or a logarithmic one would get nearly all of them at its end.
        let x_at = |part: f64| {
            if self.x.is_log() && line.from.0 != line.to.0 {
                let x = between(line.from.0.log10(), line.to.0.log10(), part);
                (10f64.powf(x) - line.from.0) / (line.to.0 - line.from.0)
            } else {
                part
            }
        };
        (0..=parts)
            .map(|step| match step {
                0 => line.from,
                step if step == parts => line.to,
                step => {
                    let part = x_at(f64::from(step) / f64::from(parts));
                    (between(line.from.0, line.to.0, part), between(line.from.1, line.to.1, part))
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
        for (index, plot) in self.plots.iter().enumerate() {
            if self.is_strips() {
                let name = plot.series.first().map_or("", |(_, series)| series.name.as_str());
                put(out, "strip", (self.left, self.top_of(index) - 5.0), Anchor::Start, name);
            }
        }
        if panel.series.iter().all(|series| series.points.is_empty()) && panel.lines.is_empty() {
            let middle = ((self.left + WIDTH - RIGHT) / 2.0, self.top + self.height / 2.0);
            put(out, "nothing", middle, Anchor::Middle, "no points");
        }
    }
}

/// The scale for one coordinate of all that a panel shows.
fn scale(panel: &Panel, coordinate: impl Fn((f64, f64)) -> f64, log: bool, start: Start, most: usize) -> Scale {
    let series = panel.series.iter().flat_map(marks::points);
    let lines = panel.lines.iter().flat_map(|line| [line.from, line.to]);
    let values = series.chain(lines).map(coordinate);
    if log {
        // The height of a bar may be nothing.
        Scale::logarithmic(values.filter(|&value| value > 0.0))
    } else {
        let zero = panel.series.iter().any(|series| series.style == Style::Bars && !series.points.is_empty());
        Scale::linear(values.chain((zero && start == Start::Zero).then_some(0.0)), start, most)
    }
}
