//! What the report describes beside its averages: looked for in our runs, and shown, or shown to be gone.

use itertools::Itertools;
use testbed_trace::analysis::fact::Episode;
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::capture::KernelKind;

use super::material::{Found, Material, Source};
use super::model::Effect;
use super::queries::of_figure;
use super::report::{PAGE_BYTES, SLICE_MS};
use crate::fit;
use crate::observed::{ObserveError, Observed};

/// Jumps in a series that is otherwise straight.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// Lengths at which the series has jumped, since the length before.
    pub places: Vec<f64>,
    /// Mean height above the usual increase, in cycles.
    pub height: f64,
    /// Jumps for each page's length of the series.
    pub a_page: f64,
}

/// Jumps of a series in order of x: increases of the mean from one x to the next by more than
/// `least` over the median increase.
pub fn steps(points: &[(f64, f64)], least: f64) -> Steps {
    let means = means(points);
    let mut rises = means.iter().tuple_windows().map(|(one, next)| (next.0, next.1 - one.1)).collect_vec();
    let median = fit::median(rises.iter().map(|rise| rise.1)).unwrap_or(0.0);
    rises.retain(|rise| rise.1 > median + least);
    let height = rises.iter().map(|rise| rise.1 - median).sum::<f64>() / rises.len().max(1) as f64;
    let range = means.last().map_or(0.0, |last| last.0) - means.first().map_or(0.0, |first| first.0);
    let a_page = if range > 0.0 { rises.len() as f64 * PAGE_BYTES / range } else { 0.0 };
    Steps { places: rises.iter().map(|rise| rise.0).collect(), height, a_page }
}

/// Distance of neighbouring lengths.
fn spacing(points: &[(f64, f64)]) -> f64 {
    let means = means(points);
    means.iter().tuple_windows().map(|(one, next)| next.0 - one.0).fold(0.0, f64::max)
}

/// Mean of the points that share an x.
fn means(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let same = points.chunk_by(|one, other| one.0 == other.0);
    same.map(|group| (group[0].0, group.iter().map(|point| point.1).sum::<f64>() / group.len() as f64)).collect()
}

/// How many stages of one phase there are, how many a timer interrupt fell into, and its mean cycles.
pub fn interrupted(observed: &Observed, protocol: Protocol, phase: Phase) -> (usize, usize, f64) {
    let process = observed.subject().process;
    let timers: Vec<u64> = observed
        .episodes_of(protocol, process)
        .flat_map(|episode| episode.stages.iter().chain(&episode.beside))
        .filter(|stage| stage.phase == phase)
        .map(|stage| observed.timer_cycles(stage.processor, stage.from.cycle, stage.to.cycle))
        .collect();
    let hit = timers.iter().filter(|cycles| **cycles > 0).count();
    (timers.len(), hit, timers.iter().sum::<u64>() as f64 / hit.max(1) as f64)
}

/// The longest remote communication, in cycles, without what the threads awaited each other.
pub fn longest_remote(observed: &Observed) -> u64 {
    let net = |episode: &Episode| {
        let own = episode.stages.iter().filter(|stage| !stage.phase.awaits());
        own.map(|stage| stage.span.cycles).sum::<u64>()
    };
    observed.episodes_of(Protocol::Remote, observed.subject().process).map(net).max().unwrap_or(0)
}

/// Least and greatest value of a series.
pub fn extent(points: &[(f64, f64)]) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, 0.0), |(least, most), (_, y)| (least.min(*y), most.max(*y)))
}

/// All effects, on each kernel.
///
/// # Errors
/// A run does not show what its program does.
pub fn effects(material: &Material) -> Result<Vec<Effect>, ObserveError> {
    let mut effects = Vec::new();
    for kernel in KernelKind::ALL {
        if let Some(found) = quiet(material, 10, kernel)? {
            effects.extend(page_steps(material, &found));
            effects.push(double_lines(material, &found));
        }
        if let Some(found) = quiet(material, 14, kernel)? {
            effects.push(msg_slices(material, &found));
        }
        effects.extend(unaffected(material, kernel)?);
        let busy = material.of_program("remote").find(|source| is(source, kernel, true));
        if let Some(source) = busy {
            effects.push(worst_case(material, source));
        }
    }
    effects.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(effects)
}

fn is(source: &Source, kernel: KernelKind, is_busy: bool) -> bool {
    source.observed.record.kernel == Some(kernel) && source.observed.subject().is_busy == is_busy
}

fn quiet(material: &Material, figure: u8, kernel: KernelKind) -> Result<Option<Found<'_>>, ObserveError> {
    let Some(query) = of_figure(figure) else { return Ok(None) };
    let found = material.ask(query)?;
    Ok(found.into_iter().find(|found| found.kernel == kernel && !found.is_busy))
}

/// `None` where the lengths lie too far apart to tell a step from the usual increase.
fn page_steps(material: &Material, found: &Found) -> Option<Effect> {
    let series = found.series("send request");
    if spacing(series) > PAGE_BYTES / 4.0 {
        return None;
    }
    let tick = f64::from(material.tick_cycles);
    let Steps { places, height, a_page } = steps(series, tick);
    let shown = a_page >= 1.0;
    let evidence = match shown {
        true => format!(
            "{} steps of {height:.0} cycles on average, {a_page:.1} for every 1,024 bytes, at the lengths {}: the copy looks up where the next page of \
             the sender's or the receiver's buffer lies.",
            places.len(),
            places.iter().join(", ")
        ),
        false => format!(
            "{} steps higher than a tick of the clock ({tick} cycles) above the usual increase: where the copy goes on to another page, the look-up \
             takes less than the stamps can show.",
            places.len()
        ),
    };
    Some(effect(
        "steps at page boundaries",
        "Pairs of steps every 1,024 bytes in the service of a local send.",
        found.kernel,
        shown,
        evidence,
    ))
}

fn double_lines(material: &Material, found: &Found) -> Effect {
    let (count, hit, cycles) = interrupted(&found.source.observed, Protocol::Local, Phase::SecondRequest);
    let evidence = match hit {
        0 => format!(
            "None of {count} services contains a timer interrupt: the kernel serves a request with interrupts off, and the timer's comes after it."
        ),
        hit => format!("{hit} of {count} services contain a timer interrupt, of {:.1} µs on average.", material.microseconds(cycles)),
    };
    effect(
        "double lines from timer interrupts",
        "Services that a timer interrupt falls into take 0.25 ms more.",
        found.kernel,
        hit > 0,
        evidence,
    )
}

fn msg_slices(material: &Material, found: &Found) -> Effect {
    let (least, most) = extent(found.series("queued"));
    let (least, most) = (material.milliseconds(least), material.milliseconds(most));
    // More than any service takes.
    let shown = most - least > SLICE_MS / 20.0;
    let why = match shown {
        true => "the msg is handed to Centrenet in the main loop's next send phase, when the sender calls the kernel or its time-slice ends",
        false => "the msg is handed to Centrenet in the service that made it, before anybody runs",
    };
    let evidence = format!("A msg is queued for {least:.3} to {most:.3} ms (a time-slice has {SLICE_MS} ms): {why}.");
    effect(
        "msg's flight varies by a time-slice",
        "A msg waits for up to 20 ms until it leaves.",
        found.kernel,
        shown,
        evidence,
    )
}

/// A difference below this part of the quiet machine's mean is none.
const SAME: f64 = 0.02;

/// Whether load changes what a local send takes; `None` without runs of both kinds.
fn unaffected(material: &Material, kernel: KernelKind) -> Result<Option<Effect>, ObserveError> {
    let Some(query) = of_figure(24) else { return Ok(None) };
    let found = material.ask(query)?;
    let mean = |is_busy| {
        let one = found.iter().find(|found| found.kernel == kernel && found.is_busy == is_busy)?;
        Some(fit::constant("", &one.answer.first()?.1)?.intercept)
    };
    let (Some(quiet), Some(busy)) = (mean(false), mean(true)) else { return Ok(None) };
    let shown = (busy - quiet).abs() < SAME * quiet;
    let evidence = format!(
        "{quiet:.0} cycles on average on the quiet machine, {busy:.0} on the busy one: {}.",
        if shown { "no thread runs while the kernel serves a request" } else { "something delays the service" }
    );
    let report = "The service of a local request takes the same on a busy machine.";
    Ok(Some(effect("local services don't feel load", report, kernel, shown, evidence)))
}

fn worst_case(material: &Material, source: &Source) -> Effect {
    let longest = material.milliseconds(longest_remote(&source.observed) as f64);
    let slices = longest / SLICE_MS;
    let shown = slices > 2.0;
    let why = match shown {
        true => "messages wait for the end of the time-slice of whoever runs, on both processors",
        false => "messages are served when they arrive, whoever runs, so that they wait for services only",
    };
    let evidence = format!(
        "The longest remote communication beside the load took {longest:.2} ms, {slices:.2} time-slices: {why}."
    );
    let report = "In the worst case a remote communication is extended by more than three time-slices.";
    effect("three time-slices under load", report, source.observed.record.kernel.unwrap_or_default(), shown, evidence)
}

fn effect(name: &str, report: &str, kernel: KernelKind, shown: bool, evidence: String) -> Effect {
    Effect { name: name.into(), report: report.into(), kernel: kernel.name().into(), shown, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_where_they_are() {
        let value = |x: f64| 100.0 + x + 150.0 * ((x / 1024.0).floor() + ((x + 300.0) / 1024.0).floor());
        let points: Vec<_> = (0..100).flat_map(|step| [step as f64 * 50.0 + 1.0; 3]).map(|x| (x, value(x))).collect();
        let found = steps(&points, 25.0);
        assert_eq!(found.places, [751.0, 1051.0, 1751.0, 2051.0, 2801.0, 3101.0, 3801.0, 4101.0, 4851.0]);
        assert!((found.height - 150.0).abs() < 1e-9 && (found.a_page - 1.86).abs() < 0.01, "{found:?}");
        let straight: Vec<_> = points.iter().map(|(x, _)| (*x, 3.0 * x)).collect();
        assert_eq!(steps(&straight, 25.0).places, [0.0; 0]);
    }
}
