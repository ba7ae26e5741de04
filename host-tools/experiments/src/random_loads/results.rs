//! Tables and figures of what was found, and all files: `random-loads.json`, `random-loads.html`.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use testbed_trace::report::escape;

use super::found::{About, Found, Setting, Times, BETTER, HURTS};
use super::plan::{LOTS, POLICIES};
use super::statistics::distribution;
use crate::error::ExperimentError;
use crate::model::{Axis, Content, Figure, Line, LineKind, Panel, Series, Style, Table};
use crate::page::{self, PageError};
use crate::plot::SERIES_MAX;

const TITLE: &str = "Random programs, balanced";

fn panel(title: &str, x: &str, series: Vec<Series>) -> Panel {
    let axis = |label: &str, log| Axis { label: label.into(), log };
    let one = |name: &str, at: f64| Line { name: name.into(), kind: LineKind::Bound, from: (at, 0.0), to: (at, 1.0) };
    Panel {
        title: title.into(),
        x: axis(x, true),
        y: axis("part of the programs", false),
        series,
        lines: vec![one("equal", 1.0)],
        fits: Vec::new(),
    }
}

/// The distributions of a setting: every policy by the better of sequential and random, and by the
/// first policy.
pub fn figure(number: u8, setting: &Setting) -> Figure {
    let series = |indices: std::ops::Range<usize>, by: &dyn Fn(&Times) -> f64| -> Vec<Series> {
        let one = |index: usize| {
            let ratios: Vec<f64> = setting.times.iter().map(|times| times.policies[index] / by(times)).collect();
            Series { name: POLICIES[index].0.into(), style: Style::Steps, points: distribution(&ratios) }
        };
        indices.map(one).collect()
    };
    let (bar, first) = ("time by the better of sequential and random", format!("time by that of {}", POLICIES[0].0));
    let panels = vec![
        panel(bar, bar, series(0..SERIES_MAX, &Times::bar)),
        panel(&first, &first, series(1..POLICIES.len(), &|times| times.policies[0])),
    ];
    let explanation = "For each ratio the part of all programs that have no greater one: curves to the left are \
                       faster. On the left a program right of 1 would have been better off unbalanced.";
    Figure::new(
        number,
        (&setting.title(), ""),
        ("random-loads", "taskgraph"),
        explanation.into(),
        Content::Panels(panels),
    )
}

/// The rivals of all settings.
fn rivals(settings: &[Setting]) -> Table {
    let rows = settings.iter().flat_map(|setting| {
        setting.rivals.iter().map(|rival| {
            vec![
                setting.slaves.to_string(),
                setting.cost.to_string(),
                rival.policy.clone(),
                format!("{:.2}", rival.ratio),
                rival.wins.to_string(),
                rival.losses.to_string(),
                if rival.p < 1e-4 { format!("{:.0e}", rival.p) } else { format!("{:.4}", rival.p) },
                verdict(rival.ratio >= BETTER).into(),
            ]
        })
    });
    let wanted = format!("wanted {BETTER:.2}");
    Table {
        title: format!("How many times as long as {} the other policies take", POLICIES[0].0),
        explanation: format!(
            "The geometric mean over all programs; for how many of them {} takes less time, and more; how likely \
             that or a clearer result is if neither were better (sign test, two-sided).",
            POLICIES[0].0
        ),
        columns: ["slaves", "cost", "policy", "times as long", "less time", "more time", "p", &wanted]
            .map(String::from)
            .into(),
        rows: rows.collect(),
    }
}

fn verdict(met: bool) -> &'static str {
    if met {
        "met"
    } else {
        "NOT MET"
    }
}

/// How the first policy does beside no balancing.
fn spreads(settings: &[Setting]) -> Table {
    let row = |setting: &Setting| {
        let spread = setting.spread?;
        let value = |value: f64| format!("{value:.3}");
        let mut cells = vec![setting.slaves.to_string(), setting.cost.to_string(), setting.times.len().to_string()];
        cells.push(value(spread.least));
        cells.extend(spread.quartiles.map(value));
        cells.push(value(spread.most));
        cells.extend([setting.hurt.to_string(), verdict(setting.is_met().0).into()]);
        Some(cells)
    };
    let above = format!("above {HURTS}");
    Table {
        title: format!("The time with {} by the better of sequential and random", POLICIES[0].0),
        explanation: format!(
            "Sequential: all threads stay on one slave. Random: the mean of {LOTS} placements by lot. No program should take more than {HURTS} times as long."
        ),
        columns: ["slaves", "cost", "programs", "least", "first quartile", "median", "third quartile", "most", &above, "wanted 0"]
            .map(String::from)
            .into(),
        rows: settings.iter().filter_map(row).collect(),
    }
}

/// The programs that fare worst, with all their times.
fn worst(programs: &[About], settings: &[Setting]) -> Table {
    let rows = settings.iter().flat_map(|setting| {
        setting.worst.iter().filter_map(|(seed, ratio)| {
            let about = programs.iter().find(|about| about.seed == *seed)?;
            let times = setting.times.iter().find(|times| times.seed == *seed)?;
            let mut cells = vec![setting.slaves.to_string(), setting.cost.to_string(), seed.to_string()];
            cells.extend([about.threads.to_string(), format!("{ratio:.3}")]);
            let seconds = [times.sequential, times.random_mean()].into_iter().chain(times.policies);
            cells.extend(seconds.map(|seconds| format!("{seconds:.2}")));
            cells.push(about.kind.clone());
            Some(cells)
        })
    });
    let columns = ["slaves", "cost", "seed", "threads", "ratio", "sequential", "random"];
    let columns = columns.into_iter().chain(POLICIES.map(|policy| policy.0)).chain(["kind"]);
    Table {
        title: format!("The programs that fare worst with {}, in seconds", POLICIES[0].0),
        explanation: "The kind is how many threads communicate how in the first phase.".into(),
        columns: columns.map(String::from).collect(),
        rows: rows.collect(),
    }
}

fn tables(found: &Found) -> [Table; 3] {
    [spreads(&found.settings), rivals(&found.settings), worst(&found.programs, &found.settings)]
}

/// What is said of all of it.
fn about(found: &Found) -> String {
    let [first, last] =
        [found.programs.first(), found.programs.last()].map(|about| about.map_or(0, |about| about.seed));
    format!("{} random programs, seeds {first} to {last}, engine {}", found.programs.len(), found.engine)
}

fn html(found: &Found) -> Result<String, PageError> {
    let reduced = if found.reduced {
        "<p class=\"notice warn\">A reduced experiment: a few short programs, too short for policies to show what they can.</p>\n"
    } else {
        ""
    };
    let head = format!(
        "<header>\n<h1>{TITLE}</h1>\n<p class=\"verdict\">{}: no balancing and every policy, on the same programs.</p>\n{reduced}</header>\n",
        escape(&about(found))
    );
    let foot = format!(
        "</main>\n<footer><p>Made by <code>testbed experiment random-loads</code>, version {}. All times, and the commands that repeat the runs, are in <code>random-loads.json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    );
    let parts = [
        head,
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        page::figures(&found.figures)?,
        page::tables(&tables(found))?,
        foot,
    ];
    Ok(page::html(TITLE, "", &parts))
}

/// Writes what was found.
///
/// # Errors
/// A value has no place in a plot, or the folder can't be written.
pub fn save(out: &Path, found: &Found) -> Result<(), ExperimentError> {
    let write = |name: &str, text: &str| {
        let path = out.join(name);
        fs::write(&path, text).map_err(ExperimentError::unwritable(&path))
    };
    let json = serde_json::to_string_pretty(found).map_err(io::Error::from)?;
    write("random-loads.json", &format!("{json}\n"))?;
    write("random-loads.html", &html(found)?)
}

/// What the command prints.
pub fn text(found: &Found, out: &Path) -> String {
    let mut text = format!("{}\n\n", about(found));
    for table in tables(found) {
        let _ = writeln!(text, "{}", table.title);
        table.align(&mut text);
        text.push('\n');
    }
    let out = out.display();
    let _ = writeln!(text, "left in {out}: random-loads.html, random-loads.json, programs/, machines/ and runs/");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Found {
        let times = |seed: u32| {
            let mut policies = [f64::from(seed) + 2.0; POLICIES.len()];
            policies[0] = f64::from(seed);
            Times { seed, sequential: 2.0, random: [3.0; LOTS as usize], policies, commands: Vec::new() }
        };
        let settings = vec![Setting::of(5, 1, 25_000_000, vec![times(1), times(3)])];
        let kind = "ring 3, <star> 4".to_string();
        let about = |seed| About { seed, threads: 7, phases: 2, kind: kind.clone() };
        let figures = settings.iter().map(|setting| figure(1, setting)).collect();
        Found { engine: "emulator".into(), reduced: true, programs: vec![about(1), about(3)], settings, figures }
    }

    #[test]
    fn text_and_page_tell_the_same_verdicts() {
        let (text, page) = (text(&found(), Path::new("x")), html(&found()).unwrap());
        assert!(
            text.contains("  5          1         2  0.500           0.750   1.000           1.250  1.500"),
            "{text}"
        );
        assert!(text.lines().any(|line| line.ends_with("1   NOT MET")), "{text}");
        assert!(text.lines().any(|line| line.contains("diffusion") && line.ends_with("0.5000          met")), "{text}");
        assert!(page.contains("&lt;star&gt;") && page.contains("id=\"figure-1-2\""), "{page}");
    }
}
