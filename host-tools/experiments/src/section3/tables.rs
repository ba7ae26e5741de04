//! Tables beside the figures: how they repeat, what monitoring costs, how many events it takes.

use testbed_trace::analysis::text::grouped;
use testbed_trace::capture::{Capture, KernelKind};
use testbed_trace::compare;

use super::material::Material;
use super::plan::{cost_name, costs, quiet_name, Part, Planned, LEVELS};
use super::queries::of_figure;
use super::report;
use super::services::fitted;
use crate::error::ExperimentError;
use crate::instrumentation::{Instrumentation, Sites, REPORT_PERCENT};
use crate::model::Table;
use crate::observed::Observed;
use crate::overflow::trial::Trial;
use crate::overflow::{By, Found, Setting};
use crate::runs::named;

fn table(title: &str, explanation: String, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    Table { title: title.into(), explanation, columns: columns.iter().map(ToString::to_string).collect(), rows }
}

/// Coefficients of Table 6 with several seeds, and whether the first seed gives the same bytes again.
pub fn repeatability(material: &Material, plan: &[Planned], captures: &[Capture]) -> Result<Table, ExperimentError> {
    let others = plan.iter().zip(captures).filter(|(run, _)| run.part == Part::Seeds);
    let others: Vec<(&str, Observed)> = others
        .map(|(run, capture)| Ok::<_, ExperimentError>((run.name.as_str(), Observed::read(capture)?)))
        .collect::<Result<_, _>>()?;
    let first = material.sources.iter().map(|source| (source.name.as_str(), &source.observed));
    let seeds: Vec<_> = first.chain(others.iter().map(|(name, observed)| (*name, observed))).collect();
    let mut rows = Vec::new();
    for service in report::SERVICES {
        let Some(query) = of_figure(service.figure) else { continue };
        let (mut slopes, mut intercepts) = (Vec::new(), Vec::new());
        let first = quiet_name(query.program, KernelKind::Default);
        for (_, observed) in seeds.iter().filter(|(name, _)| name.starts_with(&first)) {
            if let Some(fit) = fitted(&query.ask(observed)?, service.slope.is_some()) {
                slopes.push(fit.slope);
                intercepts.push(fit.intercept);
            }
        }
        let again = match (named(plan, captures, &first), named(plan, captures, &format!("{first}-again"))) {
            (Some(one), Some(other)) => match compare::compare(one, other)?.first() {
                None => "equal, byte for byte".into(),
                Some(difference) => format!("DIFFERS: {difference}"),
            },
            _ => "not run".into(),
        };
        rows.push(vec![
            service.name.into(),
            intercepts.len().to_string(),
            spread(&intercepts, 1),
            if service.slope.is_some() { spread(&slopes, 4) } else { "-".into() },
            again,
        ]);
    }
    let explanation = "Default kernel, quiet. The seed decides what the kernel chooses at random: where a thread migrates to that says anywhere. Nothing in local \
                       and remote does, so they don't vary.";
    let columns = ["service", "seeds", "cycles, least to most", "cycles a byte, least to most", "the first seed again"];
    Ok(table("How the figures repeat", explanation.into(), &columns, rows))
}

fn spread(values: &[f64], digits: usize) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let percent = 100.0 * (most - least) / least.abs().max(f64::MIN_POSITIVE);
    format!("{least:.digits$} to {most:.digits$} ({percent:.2} %)")
}

/// Cycles of the same programs with more and more monitoring.
pub fn slowdown(plan: &[Planned], captures: &[Capture]) -> Table {
    let cycles = |capture: &Capture| capture.record.exits.first().map(|exit| exit.cycle);
    let rows = costs().map(|(name, command)| {
        let all: Vec<_> =
            (0..LEVELS.len()).map(|level| named(plan, captures, &cost_name(name, level)).and_then(cycles)).collect();
        let shown = |cycles: &Option<u64>| match (cycles, all[0]) {
            (Some(cycles), Some(base)) if base > 0 => {
                let percent = 100.0 * (*cycles as f64 - base as f64) / base as f64;
                let percent = if percent.abs() < 5e-4 { 0.0 } else { percent };
                format!("{} ({percent:+.3} %)", grouped(*cycles))
            }
            (Some(cycles), _) => grouped(*cycles),
            (None, _) => "not run".into(),
        };
        [command].into_iter().chain(all.iter().map(shown)).collect()
    });
    let columns: Vec<_> = ["program"].into_iter().chain(LEVELS.iter().map(|level| level.0)).collect();
    let explanation = "Machine cycles from reset to the program's end, default kernel. Without instrumentation: a kernel from which tests and stores are \
                       left out when it is built. With no class the tests remain.";
    table("What monitoring costs", explanation.into(), &columns, rows.collect())
}

/// What instrumentation takes of the kernel's code.
pub fn instrumentation(found: &Instrumentation) -> Table {
    let Sites { stores, loads, masks, branches } = found.sites;
    let row = |what: &str, number: u64, percent: f64| vec![what.into(), grouped(number), format!("{percent:.2} %")];
    let share = |number: u64| 100.0 * number as f64 / found.with.instructions as f64;
    let rows = vec![
        row("instructions of the kernel", found.with.instructions, 100.0),
        row("of these, not in a kernel built without events", found.instructions(), found.percent()),
        row("stores that emit a word", stores, found.emitting_percent()),
        row("loads, masks and branches that test a class", loads + masks + branches, share(loads + masks + branches)),
        row(
            "others: words to emit, addresses, what the compiler does otherwise",
            found.others(),
            share(found.others()),
        ),
        row("lines of source, of those of the kernel's crate", found.lines.instrumentation, found.lines.percent()),
    ];
    let explanation = format!(
        "The kernel's binary beside one built without events. The report has below {REPORT_PERCENT} % of its kernel's lines (150 of 11,000), with 3 instructions to test a class \
         and 1 to emit; ours tests and emits the same way, in a kernel with fewer instructions around its events."
    );
    table("Instrumentation in the kernel's code", explanation, &["what", "number", "share"], rows)
}

/// Rates without loss.
pub fn rates(found: &[Found]) -> Table {
    let row = |one: &Found| {
        let rate = |of: fn(&Trial) -> f64| one.free.as_ref().map_or("-".into(), |free| grouped(of(free) as u64));
        let report =
            one.beside_report().map_or(String::new(), |(rate, of, times)| format!("{rate} {of} (x {times:.2})"));
        let rates = [rate(|free| free.per_slave), rate(|free| free.in_all), grouped(one.fastest.lost), report];
        one.setting.words().into_iter().chain(rates).collect()
    };
    let columns = [
        "machine",
        "order",
        "collected by",
        "slaves",
        "pairs/s a slave",
        "pairs/s in all",
        "lost as fast as programs can",
        "report",
    ];
    let explanation = "The highest rates of overflow at which nothing is lost in 2 s of machine time; then as fast as programs can for 100 ms, with the words lost, all \
                       of them told by gap markers. The experiment overflow shows more.";
    table("How many events", explanation.into(), &columns, found.iter().map(row).collect())
}

/// The rate that the logger on the master sustains with five slaves, on the default machine.
pub fn logger(found: &[Found]) -> Option<f64> {
    let own = found.iter().find(|one| {
        let Setting { machine, by, slaves, .. } = &one.setting;
        machine == "testbed6" && *slaves == 5 && *by == By::Logger
    });
    Some(own?.free.as_ref()?.in_all)
}
