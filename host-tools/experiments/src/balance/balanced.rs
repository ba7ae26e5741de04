//! The report's Figures 42 to 52 and 56 to 58, from the logs of balancers: ready queues, links, and
//! migrations in the report's notation.

use itertools::Itertools;
use testbed_trace::balance::{History, Move, Summary};

use super::figures::{figure, panel};
use super::queries::{LINKS, SLAVES};
use crate::model::{Figure, Line, LineKind, Panel, Series, Style};
use crate::plot::SERIES_MAX;

/// The least that a migration's line leads to the right, as a part of the time that is shown.
const SLOPE: f64 = 0.006;

/// The figures of a program: ready queues, links, migrations; `None` where the report has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub queues: u8,
    pub links: Option<u8>,
    pub migrations: Option<u8>,
}

/// The figures of a program that ran under some policies, each with its log.
pub fn balanced(numbers: Numbers, program: &str, logs: &[(&str, &History)]) -> Vec<Figure> {
    let of = |number: u8, panels: &dyn Fn(&str, &History) -> Vec<Panel>| {
        let panels = logs.iter().flat_map(|(policy, history)| panels(policy, history)).collect();
        figure(number, "balance.log", program, explain(logs), panels)
    };
    let mut figures = vec![of(numbers.queues, &queues)];
    figures.extend(numbers.links.map(|number| of(number, &links)));
    figures.extend(numbers.migrations.map(|number| of(number, &migrations)));
    figures
}

fn explain(logs: &[(&str, &History)]) -> String {
    let one = |(policy, history): &(&str, &History)| {
        let quality = history.quality();
        let level =
            quality.level_ms.map_or("never level".into(), |level| format!("level at {:.1} s", level as f64 / 1e3));
        format!("{policy}: {} moves, {level}", quality.moves)
    };
    logs.iter().map(one).join("; ") + "."
}

fn series(name: &str, history: &History, of: impl Fn(&Summary) -> Option<u32>) -> Series {
    let point = |summary: &Summary| Some((summary.time_ms as f64 / 1e3, f64::from(of(summary)?)));
    Series { name: name.into(), style: Style::Steps, points: history.summaries.iter().filter_map(point).collect() }
}

fn queues(policy: &str, history: &History) -> Vec<Panel> {
    let one =
        |(place, (_, name)): (usize, &(u8, &str))| series(name, history, |summary| summary.queues.get(place).copied());
    vec![panel(policy, "threads in the ready queue", SLAVES.iter().enumerate().map(one).collect())]
}

fn links(policy: &str, history: &History) -> Vec<Panel> {
    let one = |(place, (_, name)): (usize, &((u8, u8), &str))| {
        series(name, history, |summary| summary.links.get(place).copied())
    };
    let all: Vec<Series> = LINKS.iter().enumerate().map(one).collect();
    all.chunks(SERIES_MAX).map(|some| panel(policy, "messages in a period", some.to_vec())).collect()
}

/// A line for each migration, from the processor that the thread left, when that was decided, to the
/// one where it arrived, which is to the right of it.
fn migrations(policy: &str, history: &History) -> Vec<Panel> {
    let last = history.summaries.last().map_or(0, |last| last.time_ms).max(1) as f64 / 1e3;
    let line = |one: &Move| {
        let left = one.asked_ms as f64 / 1e3;
        let arrived = (one.arrived_ms as f64 / 1e3).max(left + SLOPE * last);
        Line {
            name: "migration, to the right at its destination".into(),
            kind: LineKind::Fit,
            from: (left, one.from.into()),
            to: (arrived, one.to.into()),
        }
    };
    let mut panel = panel(policy, "slave", Vec::new());
    panel.lines = history.moves.iter().map(line).collect();
    vec![panel]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Content;
    use crate::page;
    use testbed_balance::log::parse::parse;

    /// The report's Figure 41.
    const LOG: &str = include_str!("../../../../firmware/balance/tests/figure-41.log");

    #[test]
    fn a_log_becomes_the_three_figures() {
        let history = History::of(&parse(LOG).unwrap());
        let numbers = Numbers { queues: 42, links: Some(43), migrations: Some(44) };
        let figures = balanced(numbers, "synthetic", &[("report", &history), ("gain", &history)]);
        assert_eq!(figures.iter().map(|figure| figure.number).collect::<Vec<_>>(), [42, 43, 44]);
        let panels = |place: usize| match &figures[place].content {
            Content::Panels(panels) => panels,
            _ => panic!("no panels"),
        };
        assert_eq!((panels(0).len(), panels(1).len(), panels(2).len()), (2, 4, 2));
        assert_eq!(panels(0)[0].series[1].points, [(60.258, 5.0), (70.240, 3.0), (80.241, 2.0)]);
        assert_eq!(panels(1)[1].series[3].points[0], (60.258, 144.0));
        let lines = &panels(2)[0].lines;
        assert_eq!((lines[0].from, lines[0].to), ((60.258, 3.0), (60.880, 5.0)));
        assert!(lines.iter().all(|line| line.to.0 > line.from.0), "destinations are to the right");
        assert!(page::figures(&figures).unwrap().contains("id=\"figure-44\""));
    }
}
