//! Makes figures of the runs, and writes them: `profile.json`, `profile.html`, the points of each figure in `figures/`.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use testbed_runner::engines;
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::capture::Capture;

use super::effects::effects;
use super::figures::figures;
use super::material::{Cpi, Material, Source};
use super::model::{Kernel, Profile as Found, Service};
use super::plan::{of_figures, quiet_name, Planned};
use super::queries::QUERIES;
use super::services::{table6, table7};
use super::{page, tables};
use crate::error::ExperimentError;
use crate::model::Run;
use crate::observed::Observed;
use crate::query::csv;
use crate::runs::Runs;
use crate::{instrumentation, overflow};

/// What Table 6 is wanted to be: so many times below the report's coefficients, and so straight.
const TIMES_BELOW: f64 = 5.0;
const STRAIGHT: f64 = 0.999;

/// How the results are given.
pub struct Options<'a> {
    /// The engine that the runs were made with.
    pub engine: &'a str,
    /// Whether the runs are the smaller ones.
    pub reduced: bool,
    /// Output folder.
    pub out: &'a Path,
    /// Whether JSON is wanted instead of text.
    pub json: bool,
}

/// Makes and writes all figures, and returns what is printed of them.
pub fn write(
    options: &Options,
    runs: &Runs,
    plan: &[Planned],
    captures: &[Capture],
    rates: Option<Vec<overflow::Found>>,
) -> Result<String, ExperimentError> {
    let material = material(runs, plan, captures)?;
    let services = table6(&material)?;
    let mut all = Vec::new();
    if !options.reduced {
        all.push(tables::slowdown(plan, captures));
        all.push(tables::instrumentation(&instrumentation::share(runs.built)?));
        all.push(tables::repeatability(&material, plan, captures)?);
    }
    all.extend(rates.as_deref().map(tables::rates));
    let found = Found {
        engine: options.engine.into(),
        machine: runs.machine.name.clone(),
        clock_hz: material.clock_hz,
        tick_cycles: material.tick_cycles,
        reduced: options.reduced,
        kernels: material
            .cpi
            .iter()
            .map(|(kernel, cpi)| Kernel { name: kernel.name().into(), cpi: cpi.services, copy_cpi: cpi.copy })
            .collect(),
        figures: figures(&material, rates.as_deref().and_then(tables::logger))?,
        others: table7(&services),
        services,
        effects: effects(&material)?,
        tables: all,
        runs: of_figures(plan, captures)
            .zip(&material.sources)
            .map(|((run, capture), source)| about(options, run, capture, source))
            .collect(),
    };
    save(options.out, &material, &found)?;
    Ok(match options.json {
        true => format!("{}\n", serde_json::to_string_pretty(&found).map_err(io::Error::from)?),
        false => text(&found, options.out),
    })
}

fn material(runs: &Runs, plan: &[Planned], captures: &[Capture]) -> Result<Material, ExperimentError> {
    let mut sources = Vec::new();
    let mut cpi = Vec::new();
    for (run, capture) in of_figures(plan, captures) {
        let observed = Observed::read(capture)?;
        if run.name == quiet_name("local", run.kernel) {
            let spans = services_of(&observed);
            cpi.push((run.kernel, Cpi::of(&spans, &runs.executed(run, &spans)?)));
        }
        sources.push(Source { name: run.name.clone(), observed });
    }
    let machine = runs.machine;
    Ok(Material { clock_hz: machine.clock_hz, tick_cycles: machine.tick_cycles, cpi, sources })
}

/// Cycles from and to which the services of sends last that copy, in order.
fn services_of(observed: &Observed) -> Vec<(u64, u64)> {
    let stages = observed.episodes_of(Protocol::Local, observed.subject().process).flat_map(|one| &one.stages);
    let sends = stages.filter(|stage| stage.phase == Phase::SecondRequest);
    sends.map(|stage| (stage.from.cycle, stage.to.cycle)).collect()
}

fn about(options: &Options, run: &Planned, capture: &Capture, source: &Source) -> Run {
    let engine =
        if options.engine == engines::NAMES[0] { String::new() } else { format!(" --engine {}", options.engine) };
    let reduced = if options.reduced { " --reduced" } else { "" };
    Run {
        name: run.name.clone(),
        command: format!("testbed experiment profile{reduced}{engine} --only {}", run.name),
        cycles: capture.record.cycles,
        events: source.observed.events,
        sound: true,
    }
}

/// Writes all files.
fn save(out: &Path, material: &Material, found: &Found) -> Result<(), ExperimentError> {
    let folder = out.join("figures");
    fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
    let write = |path: &Path, text: &str| fs::write(path, text).map_err(ExperimentError::unwritable(path));
    for query in &QUERIES {
        for one in material.ask(query)? {
            let name = format!("{:02}-{}-{}-{}.csv", query.figure, query.name, one.kernel.name(), one.load());
            write(&folder.join(name), &csv(query, &one.answer))?;
        }
    }
    let json = serde_json::to_string_pretty(found).map_err(io::Error::from)?;
    write(&out.join("profile.json"), &format!("{json}\n"))?;
    write(&out.join("profile.html"), &page::html(found)?)
}

fn text(found: &Found, out: &Path) -> String {
    let mut text = format!(
        "{} figures of the report's section 3, engine {}, machine {}\n\nTable 6: what services take; n in KB of 1,000 bytes, report milliseconds at 1,200 instructions each.\n\
         default serves messages when they arrive, tos94 in its main loop, as the report's kernel; busy: beside load. Waiting counts as if it were work,\n\
         which is most of what tos94 shows beyond local communication. Migrations are those to a processor that knows the program.\n\n  \
         {:<22} {:<8} {:<6} {:>24} {:>20} {:>22} {:>18} {:>7}\n",
        found.figures.len(), found.engine, found.machine, "service", "kernel", "load", "cycles", "report ms", "report's", "times less, each n", "R^2"
    );
    for one in &found.services {
        let line = |slope: Option<f64>, intercept: f64, digits: usize| match slope {
            Some(slope) => format!("{slope:.digits$} n + {intercept:.digits$}"),
            None => format!("{intercept:.digits$}"),
        };
        let times = match one.slope_ratio {
            Some(slope) => format!("{:.2}, {slope:.2}", one.intercept_ratio),
            None => format!("{:.2}", one.intercept_ratio),
        };
        let _ = writeln!(
            text,
            "  {:<22} {:<8} {:<6} {:>24} {:>20} {:>22} {times:>18} {:>7}",
            one.name,
            one.kernel,
            one.load,
            line(one.cycles.slope, one.cycles.intercept, 0),
            line(one.report_ms.slope, one.report_ms.intercept, 3),
            line(one.report.slope, one.report.intercept, 3),
            one.r2.map_or(String::new(), |r2| format!("{r2:.5}"))
        );
    }
    text += "\nwanted of the default kernel on the quiet machine\n\n";
    let wanted = found.services.iter().filter(|one| one.kernel == "default" && one.load == "quiet");
    wanted.for_each(|one| goals(&mut text, one));
    text += "\nwhat the report describes\n\n";
    for effect in &found.effects {
        let shown = if effect.shown { "shown" } else { "gone" };
        let _ = writeln!(text, "  {:<36} {:<8} {shown:<6} {}", effect.name, effect.kernel, effect.evidence);
    }
    let _ = writeln!(text, "\nleft in {}: profile.html, profile.json, figures/ and runs/", out.display());
    text
}

fn goals(text: &mut String, one: &Service) {
    let mut goal = |what: &str, value: f64, least: f64, digits: usize| {
        let verdict = if value >= least { "met" } else { "NOT MET" };
        let _ = writeln!(text, "  {:<22} {what:<28} {value:>8.digits$}, wanted {least:<6} {verdict}", one.name);
    };
    goal("times below the report's", one.intercept_ratio, TIMES_BELOW, 2);
    if let Some(ratio) = one.slope_ratio {
        goal("times below, each KB", ratio, TIMES_BELOW, 2);
    }
    if let Some(r2) = one.r2 {
        goal("R^2", r2, STRAIGHT, 5);
    }
}
