//! The report's Figures 9 to 27, each from its query.

use testbed_trace::capture::KernelKind;

use super::effects::extent;
use super::explain::explain;
use super::material::{Found, Material};
use super::network::{network, pathway};
use super::queries::{FIRST_VISIT, QUERIES};
use super::report;
use crate::fit;
use crate::model::{Axis, Content, Figure, Fit, Line, LineKind, Panel, Series, Style};
use crate::observed::ObserveError;
use crate::query::{Answer, Query};

/// How a figure shows the cycles of its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Microseconds,
    /// Milliseconds of the report's processor.
    Report,
    /// Times on both axes.
    Milliseconds,
    /// x is a time, y is not.
    Plain,
    /// x is a latency, y is counted and shown as a part of all.
    Distribution,
}

impl Scale {
    fn of(figure: u8) -> Scale {
        match figure {
            19 | 20 => Scale::Plain,
            21 => Scale::Milliseconds,
            22 => Scale::Distribution,
            24.. => Scale::Report,
            _ => Scale::Microseconds,
        }
    }
}

/// All figures of which there are runs.
///
/// # Errors
/// A run does not show what its program does.
pub fn figures(material: &Material, logger: Option<f64>) -> Result<Vec<Figure>, ObserveError> {
    let mut figures = Vec::new();
    for query in &QUERIES {
        let found = material.ask(query)?;
        if found.is_empty() {
            continue;
        }
        let content = Content::Panels(found.iter().flat_map(|found| panels(material, query, found)).collect());
        let explanation = explain(material, query.figure, &found);
        figures.push(figure(query.figure, query.name, query.program, explanation, content));
    }
    figures.extend(diagrams(material, logger));
    figures.sort_by_key(|figure| figure.number);
    Ok(figures)
}

fn figure(number: u8, query: &str, program: &str, explanation: String, content: Content) -> Figure {
    Figure::new(number, report::figure(number), (query, program), explanation, content)
}

/// Figures 18 and 23, of the default kernel's quiet run of `multi-phase`.
fn diagrams(material: &Material, logger: Option<f64>) -> Vec<Figure> {
    let Some(source) = material.of_program("multi-phase").next() else { return Vec::new() };
    let network = network(&source.observed);
    let remote = network.channels.iter().filter(|channel| channel.remote).count();
    let text = format!(
        "Drawn from the communications in the trace: {} threads, {} channels, {remote} of them between processors.",
        network.threads.len(),
        network.channels.len()
    );
    let mut figures = vec![figure(18, "channels", "multi-phase", text, Content::Network(network))];
    if let Some(ledger) = &source.observed.record.ledger {
        let stations = pathway(&source.observed, ledger, logger);
        let text = "Counted by the monitors themselves; every store is accounted for at the end. The trace port takes the master's processor out of \
                    the way.";
        figures.push(figure(23, "the ledger in run.json", "multi-phase", text.into(), Content::Pathway(stations)));
    }
    figures
}

fn axis(label: &str, log: bool) -> Axis {
    Axis { label: label.into(), log }
}

/// What a figure's times are.
fn what(figure: u8) -> &'static str {
    match figure {
        9..=12 => "service time",
        13 | 14 => "time",
        15 => "delay",
        _ => "phase's time",
    }
}

/// The panel of one run; where first visits take many times as long as the others, these have a panel
/// of their own, since a common axis would press everything else to the ground.
fn panels(material: &Material, query: &Query, found: &Found) -> Vec<Panel> {
    let all = panel(material, query, found, &found.answer);
    let is_first = |name: &str| name.contains(FIRST_VISIT);
    let (first, rest): (Vec<_>, Vec<_>) = found.answer.iter().cloned().partition(|(name, _)| is_first(name));
    let highest = |answer: &Answer| answer.iter().map(|(_, points)| extent(points).1).fold(0.0, f64::max);
    if highest(&first) < SQUEEZED * highest(&rest) {
        return vec![all];
    }
    let apart = panel(material, query, found, &first);
    let title = format!("{}, first visits", apart.title);
    vec![panel(material, query, found, &rest), Panel { title, ..apart }]
}

/// From this many times the greatest other value on, first visits are shown apart.
const SQUEEZED: f64 = 3.0;

fn panel(material: &Material, query: &Query, found: &Found, answer: &Answer) -> Panel {
    let scale = Scale::of(query.figure);
    let axes = match scale {
        Scale::Microseconds => [axis(query.x, false), axis(&format!("{}, microseconds", what(query.figure)), false)],
        Scale::Report => [axis(query.x, false), axis("latency, report milliseconds", false)],
        Scale::Milliseconds => [axis("time, seconds", false), axis("latency, milliseconds", true)],
        Scale::Plain => [axis("time, seconds", false), axis(query.y, false)],
        Scale::Distribution => [axis("latency, milliseconds", true), axis("per cent of the sends", false)],
    };
    let [x, y] = axes;
    let series: Vec<Series> = answer
        .iter()
        .map(|(name, points)| Series {
            name: (*name).into(),
            style: style(query.figure),
            points: scaled(material, scale, found.kernel, points),
        })
        .collect();
    let y = if scale == Scale::Microseconds { Axis { log: is_wide(&series), ..y } } else { y };
    let fits = fits(query, scale, &series);
    let lines = lines(query.figure, &series, &fits);
    Panel { title: format!("{} kernel, {}", found.kernel.name(), found.load()), x, y, series, lines, fits }
}

/// Greatest over least value from which on a logarithmic axis shows more.
const WIDE: f64 = 200.0;

fn is_wide(series: &[Series]) -> bool {
    let ys = series.iter().flat_map(|one| &one.points).map(|point| point.1);
    let (least, most) = ys.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), y| (least.min(y), most.max(y)));
    least > 0.0 && most / least >= WIDE
}

fn style(figure: u8) -> Style {
    match figure {
        19 => Style::Steps,
        20 => Style::Bars,
        22 => Style::Steps,
        _ => Style::Dots,
    }
}

fn scaled(material: &Material, scale: Scale, kernel: KernelKind, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let seconds = |cycles: f64| material.milliseconds(cycles) / 1e3;
    let all = points.iter().map(|(_, y)| y).sum::<f64>().max(1.0);
    points
        .iter()
        .map(|&(x, y)| match scale {
            Scale::Microseconds => (x, material.microseconds(y)),
            Scale::Report => (x, material.report_ms(kernel, y)),
            Scale::Milliseconds => (seconds(x), material.milliseconds(y)),
            Scale::Plain => (seconds(x), y),
            Scale::Distribution => (material.milliseconds(x), 100.0 * y / all),
        })
        .collect()
}

/// Of a figure that shows phases, a series is called straight from this R^2 on, and constant up to
/// this deviation from its mean. Latencies (Figures 24 to 27) are fitted whatever they are.
const STRAIGHT: f64 = 0.95;
const CONSTANT: f64 = 0.15;

/// Lines through the series of a figure about services: of one that neither grows straight nor keeps its value, none.
fn fits(query: &Query, scale: Scale, series: &[Series]) -> Vec<Fit> {
    let is_latency = scale == Scale::Report;
    if !is_latency && scale != Scale::Microseconds {
        return Vec::new();
    }
    let is_over_length = query.x.contains("length");
    let of = |one: &Series| {
        let line = fit::line(&one.name, &one.points).filter(|_| is_over_length);
        let constant = fit::constant(&one.name, &one.points);
        if is_latency {
            return line.or(constant);
        }
        let straight = line.filter(|line| line.r2.is_some_and(|r2| r2 >= STRAIGHT));
        straight.or(constant.filter(|constant| constant.deviation <= CONSTANT * constant.intercept.abs()))
    };
    series.iter().filter_map(of).collect()
}

/// Fits as lines; of Figures 24 to 27 the bounds too, ours and the report's.
fn lines(figure: u8, series: &[Series], fits: &[Fit]) -> Vec<Line> {
    let mut lines = Vec::new();
    for fit in fits {
        let Some(one) = series.iter().find(|one| one.name == fit.series) else { continue };
        let (Some(first), Some(last)) = (one.points.first(), one.points.last()) else { continue };
        let mut add = |name: &str, kind, offset: f64| {
            let at = |x: f64| (x, fit.at(x) + offset);
            lines.push(Line { name: name.into(), kind, from: at(first.0), to: at(last.0) });
        };
        add(&format!("{}: fit", one.name), LineKind::Fit, 0.0);
        if figure < 24 {
            continue;
        }
        add("greatest deviations", LineKind::Bound, fit.above);
        add("greatest deviations", LineKind::Bound, -fit.below);
    }
    lines.extend(report_lines(figure, series));
    lines
}

/// The report's average and bounds, over all that is shown.
fn report_lines(figure: u8, series: &[Series]) -> Vec<Line> {
    let Some(service) = report::SERVICES.iter().find(|service| service.figure == figure) else { return Vec::new() };
    let xs = series.iter().flat_map(|one| &one.points).map(|point| point.0);
    let (from, to) = xs.fold((f64::INFINITY, 0.0), |(from, to): (f64, f64), x| (from.min(x), to.max(x)));
    let slope = service.slope.unwrap_or(0.0) / report::KB;
    let line = |name: &str, kind, intercept: f64| {
        let at = |x: f64| (x, intercept + slope * x);
        Line { name: name.into(), kind, from: at(from), to: at(to) }
    };
    let (low, high) = report::bounds(service);
    vec![
        line("report: average", LineKind::Report, service.intercept),
        line("report: bounds", LineKind::ReportBound, high),
        line("report: bounds", LineKind::ReportBound, low),
    ]
}
