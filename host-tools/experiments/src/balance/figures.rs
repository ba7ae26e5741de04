//! The report's Figures 33 to 38 of `multi-phase`, and 53 to 55 of `wator` without balancing.

use super::metrics::{link, means};
use super::queries::{cycles, of_figure, slots, LINKS, PERIOD_MS, SLAVES};
use super::{metrics, report};
use crate::model::{Axis, Content, Figure, Panel, Series, Style};
use crate::observed::{ObserveError, Observed};
use crate::plot::SERIES_MAX;
use crate::query::Answer;

/// The first and the last figure of the metrics.
const METRICS: std::ops::RangeInclusive<u8> = 33..=38;

/// Figures 33 to 38.
///
/// # Errors
/// The run is not of `multi-phase`, or too long for a figure.
pub fn metrics_of(observed: &Observed) -> Result<Vec<Figure>, ObserveError> {
    METRICS.map(|number| of_metric(observed, number)).collect()
}

fn of_metric(observed: &Observed, number: u8) -> Result<Figure, ObserveError> {
    let mut panels = Vec::new();
    let mut names = Vec::new();
    for query in of_figure(number) {
        let answer = query.ask(observed)?;
        let title = match query.name {
            name if name.ends_with("-centred") => "centred windows".into(),
            name if name.starts_with("cpu-time") => "trailing windows, as the report".into(),
            name if name.contains("200ms") => "messages in 200 ms".into(),
            _ => query.y.to_string(),
        };
        names.push(query.name);
        let style = if number <= 34 || number == 38 { Style::Steps } else { Style::Line };
        panels.extend(split(observed, &title, query.y, style, &answer));
    }
    Ok(figure(number, &names.join(", "), &observed.record.program, explain(observed, number), panels))
}

/// Panels of at most as many series as a plot can show, with seconds from left to right.
fn split(observed: &Observed, title: &str, y: &str, style: Style, answer: &Answer) -> Vec<Panel> {
    let second = f64::from(observed.record.machine.clock_hz);
    let series = answer.iter().map(|(name, points)| Series {
        name: name.to_string(),
        style,
        points: points.iter().map(|(x, y)| (x / second, *y)).collect(),
    });
    let all: Vec<Series> = series.collect();
    all.chunks(SERIES_MAX).map(|some| panel(title, y, some.to_vec())).collect()
}

/// A panel with seconds of machine time from left to right.
pub fn panel(title: &str, y: &str, series: Vec<Series>) -> Panel {
    let axis = |label: &str| Axis { label: label.into(), log: false };
    Panel { title: title.into(), x: axis("time, s"), y: axis(y), series, lines: Vec::new(), fits: Vec::new() }
}

/// A figure with what the report says of it.
pub fn figure(number: u8, query: &str, program: &str, explanation: String, panels: Vec<Panel>) -> Figure {
    Figure::new(number, report::figure(number), (query, program), explanation, Content::Panels(panels))
}

fn explain(observed: &Observed, number: u8) -> String {
    let seconds = observed.record.cycles as f64 / f64::from(observed.record.machine.clock_hz);
    match number {
        33 => format!("{} changes in {seconds:.1} s.", metrics::changes(&observed.load.stays)),
        34 => format!(
            "{} changes in {seconds:.1} s. A thread is in the queue until it waits for something; the one that runs is in it too.",
            metrics::changes(&observed.load.ready)
        ),
        35 => format!(
            "{} times in {seconds:.1} s a thread was given a processor. A slot of 20 ms is the window: nothing is averaged beyond it.",
            observed.load.user.len()
        ),
        36 | 37 => "A trailing window shows what is known at its end; a centred one what was, and knows half of it only afterwards.".into(),
        _ => format!(
            "{} messages between processors. What threads and pages take when they move is not counted here.",
            observed.load.messages.iter().filter(|one| one.processors.0 != one.processors.1).count()
        ),
    }
}

/// Figures 53 to 55, from a run of `wator` whose threads stay where they were put.
///
/// # Errors
/// The run is too long for a figure.
pub fn unbalanced(observed: &Observed, console: &str) -> Result<Vec<Figure>, ObserveError> {
    let program = &observed.record.program;
    let period = cycles(observed, PERIOD_MS).min(observed.record.cycles.max(1));
    let periods = slots(observed, period)?;
    let second = f64::from(observed.record.machine.clock_hz);
    let points = |values: Vec<f64>| -> Vec<(f64, f64)> {
        values
            .into_iter()
            .enumerate()
            .map(|(at, value)| ((at as u64 + 1) as f64 * period as f64 / second, value))
            .collect()
    };
    let queue = |(processor, name): &(u8, &str)| Series {
        name: (*name).into(),
        style: Style::Steps,
        points: points(means(&metrics::count(&observed.load.ready, *processor), period, periods)),
    };
    let traffic = |(ends, name): &((u8, u8), &str)| Series {
        name: (*name).into(),
        style: Style::Steps,
        points: points(link(&observed.load.messages, *ends, period, periods, |_| 1)),
    };
    let links: Vec<Series> = LINKS.iter().map(traffic).collect();
    let told = "Threads by lot, none moves; means of a second.";
    let (queues, messages) = ("threads, on average", "messages in a second");
    Ok(vec![
        populations(program, console),
        figure(54, "rq-length", program, told.into(), vec![panel(queues, queues, SLAVES.iter().map(queue).collect())]),
        figure(
            55,
            "rem-comm",
            program,
            told.into(),
            links.chunks(SERIES_MAX).map(|some| panel(messages, messages, some.to_vec())).collect(),
        ),
    ])
}

/// Figure 53, from what the program prints.
fn populations(program: &str, console: &str) -> Figure {
    let counts: Vec<(f64, f64, f64)> = console.lines().filter_map(step).collect();
    let series = |name: &str, of: fn(&(f64, f64, f64)) -> f64| Series {
        name: name.into(),
        style: Style::Line,
        points: counts.iter().map(|count| (count.0, of(count))).collect(),
    };
    let both = vec![series("fish", |count| count.1), series("sharks", |count| count.2)];
    let mut panel = panel("the whole ocean", "animals", both);
    panel.x.label = "step".into();
    let told = "As the program prints it: the same wherever its threads are. The report shows the fish of each region.";
    figure(53, "the console", program, told.into(), vec![panel])
}

/// `step 3: 20 fish, 10 sharks`, behind the processor's name.
fn step(line: &str) -> Option<(f64, f64, f64)> {
    let (_, rest) = line.split_once("step ")?;
    let (number, rest) = rest.split_once(": ")?;
    let (fish, rest) = rest.split_once(" fish, ")?;
    let sharks = rest.strip_suffix(" sharks")?;
    Some((number.parse().ok()?, fish.parse().ok()?, sharks.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn populations_are_read_from_the_console() {
        let figure = populations(
            "wator",
            "earth: step 1: 20 fish, 10 sharks\nearth: wator: 2 steps\nearth: step 2: 25 fish, 9 sharks\n",
        );
        let Content::Panels(panels) = &figure.content else { panic!("no panels") };
        assert_eq!(panels[0].series[0].points, [(1.0, 20.0), (2.0, 25.0)]);
        assert_eq!(panels[0].series[1].points, [(1.0, 10.0), (2.0, 9.0)]);
    }
}
