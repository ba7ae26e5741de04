//! What ran, what the words mean, and where everything is.

use itertools::Itertools;
use testbed_trace::report::escape;

use super::super::model::Profile;
use super::super::report;
use crate::page::{plural, time};
use crate::plot::number::{count, fixed, short};

pub(super) const TITLE: &str = "The report’s figures, measured again";

/// Title, what ran, and what the units are.
pub(super) fn head(profile: &Profile) -> String {
    let reduced = if profile.reduced {
        "<p class=\"notice warn\">A reduced experiment: its runs are smaller than the report’s, so there are fewer points and wider intervals.</p>\n"
    } else {
        ""
    };
    format!(
        "<header>\n<h1>{TITLE}</h1>\n<p class=\"verdict\">Figures 9 to 27 and Tables 6 and 7 of ECS-CSG-3-94 (1994), each from the events that the \
         monitors delivered and nothing else, beside what the report found on its own machine.</p>\n{reduced}{}</header>\n",
        facts(profile)
    )
}

fn facts(profile: &Profile) -> String {
    let clock = f64::from(profile.clock_hz);
    let mut kernels = profile.kernels.iter().map(|kernel| {
        let (cpi, copy) = (fixed(kernel.cpi, 2), fixed(kernel.copy_cpi, 2));
        format!("{}: {cpi} cycles an instruction, {copy} where it copies", kernel.name)
    });
    let events = profile.runs.iter().map(|run| run.events).sum();
    let cycles: u64 = profile.runs.iter().map(|run| run.cycles).sum();
    let unsound = profile.runs.iter().filter(|run| !run.sound).count() as u64;
    let sound = if unsound == 0 {
        "all of them certain, none lost".into()
    } else {
        format!("{} with events lost or not certain", plural(unsound, "run"))
    };
    let fact = |name: &str, value: &str, more: &str| {
        format!("<div><dt>{name}</dt><dd>{}<small>{}</small></dd></div>\n", escape(value), escape(more))
    };
    let facts = [
        fact("Engine", &profile.engine, "simulated hardware, exact to the cycle"),
        fact("Machine", &profile.machine, "its description’s name"),
        fact(
            "Clock",
            &format!("{} MHz", short(clock / 1e6, 4)),
            &format!(
                "stamps are exact to {} ({})",
                plural(profile.tick_cycles.into(), "cycle"),
                time(f64::from(profile.tick_cycles) / clock)
            ),
        ),
        fact("Kernels", &plural(profile.kernels.len() as u64, "kernel"), &kernels.join("; ")),
        fact("Runs", &count(profile.runs.len() as u64), &format!("{} of machine time", time(cycles as f64 / clock))),
        fact("Events", &count(events), &sound),
    ];
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.concat())
}

/// Links that stay in sight.
pub(super) fn navigation(profile: &Profile) -> String {
    let link = |target: &str, text: &str| format!("<li><a href=\"#{target}\">{text}</a></li>\n");
    let number = |number: u8| format!("<li class=\"number\"><a href=\"#figure-{number}\">{number}</a></li>\n");
    let numbers: String = profile.figures.iter().map(|figure| number(figure.number)).collect();
    format!(
        "<nav aria-label=\"Sections\"><ul>\n{}{}<li class=\"soft\">Figures</li>\n{numbers}{}{}{}{}</ul></nav>\n",
        link("contents", "Contents"),
        link("table-6", "Table 6"),
        link("effects", "Effects"),
        link("measurements", "Measurements"),
        link("table-7", "Table 7"),
        link("runs", "Runs")
    )
}

/// All sections by their titles, and how to read them.
pub(super) fn contents(profile: &Profile) -> String {
    let item = |target: &str, name: &str, title: &str| {
        format!("<li><a href=\"#{target}\"><b>{name}</b> {}</a></li>\n", escape(title))
    };
    let figures: String = profile
        .figures
        .iter()
        .map(|figure| item(&format!("figure-{}", figure.number), &format!("Figure {}", figure.number), &figure.title))
        .collect();
    format!(
        "<section id=\"contents\">\n<h2>Contents</h2>\n<ul class=\"contents\">\n{}{figures}{}{}{}{}</ul>\n\
         <h3>How to read the figures</h3>\n{}</section>\n",
        item("table-6", "Table 6", "What the services take, beside the report’s"),
        item("effects", "Effects", "What the report describes, and whether it is here"),
        item("measurements", "Measurements", "What watching costs, and how the figures repeat"),
        item("table-7", "Table 7", "Other systems of the time"),
        item("runs", "Runs", "What ran, and the commands that repeat it"),
        reading()
    )
}

/// What units, kernels, loads and lines are.
fn reading() -> String {
    let whole = |number: f64| count(number as u64);
    let terms = [
        (
            "Report millisecond",
            format!(
                "{} instructions. The original’s processor executed about {} million instructions a second, so this compares the work that a \
                 kernel does, whatever the clock. Cycles and microseconds are this machine’s own. Time that is spent waiting is converted as if it were \
                 work: that is most of what tos94 shows beyond local communication. Cycles become instructions by those that the shortest services take for \
                 one, each KB of a local message in Table 6 by those that its copy takes for one.",
                whole(report::INSTRUCTIONS_A_MS),
                short(report::INSTRUCTIONS_A_MS / 1e3, 3)
            ),
        ),
        (
            "<i>n</i>",
            format!(
                "Length of a message in KB; one is {} bytes. A page of memory has {} bytes.",
                whole(report::KB),
                whole(report::PAGE_BYTES)
            ),
        ),
        (
            "Kernels",
            format!(
                "<b>default</b> serves what arrives at once, by interrupts. <b>tos94</b> serves it in its main loop, as the report’s kernel does: \
                 what arrives waits until a thread gives up the processor, {} ms at most.",
                whole(report::SLICE_MS)
            ),
        ),
        ("Quiet, busy", "Only the program runs, or other threads compete with it for processors and bus.".into()),
        (
            "Lines",
            "A fit is the line of least squares; its bounds are parallels through the points farthest from it. Where the report’s own average \
             and bounds are drawn, they are in report milliseconds."
                .into(),
        ),
        (
            "±",
            "Half the 95 % confidence interval. <i>R</i>² is 1 if all points lie on the line; residuals are what is left between points and \
             line: their standard deviation, and the farthest below and above. Slopes and intercepts are in the units of the axes."
                .into(),
        ),
    ];
    let terms = terms.map(|(term, meaning)| format!("<div><dt>{term}</dt><dd>{meaning}</dd></div>\n"));
    format!("<dl class=\"reading\">\n{}</dl>\n", terms.concat())
}

/// What made the page.
pub(super) fn foot() -> String {
    format!(
        "<footer><p>Made by <code>testbed experiment profile</code>, version {}. The same figures as data are in <code>profile.json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
