//! The page of Figures 33 to 58 and Tables 8 and 9.

use testbed_trace::report::escape;

use super::found::Found;
use super::tables::tables;
use crate::model::Table;
use crate::page::{self, time, PageError};
use crate::plot::number::{count, short};

const TITLE: &str = "Balancing the load, measured again";

/// The page; `costs` is the table of what classes of events take.
///
/// # Errors
/// A value that can't be shown, named by figure, panel and series; a table whose rows don't fit its
/// columns.
pub fn html(found: &Found, costs: Table) -> Result<String, PageError> {
    let mut tables = tables(found);
    tables.insert(1, costs);
    let swept = found.sweep.as_ref().map(|sweep| {
        let told = "Each threshold and each period by itself, on all programs; the table Thresholds and periods has the seconds.";
        page::plots(("sweep", "Thresholds and periods", told), &sweep.panels())
    });
    let parts = [
        head(found),
        navigation(found),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        contents(found),
        page::figures(&found.figures)?,
        swept.transpose()?.unwrap_or_default(),
        page::tables(&tables)?,
        page::runs(&found.runs, found.clock_hz),
        "</main>\n".into(),
        foot(),
    ];
    Ok(page::html(&format!("{TITLE} – {}", found.machine), "", &parts))
}

fn head(found: &Found) -> String {
    let reduced = if found.reduced {
        "<p class=\"notice warn\">A reduced experiment: its runs are shorter than those that Table 9 asks for, and phases are seen in few slots.</p>\n"
    } else {
        ""
    };
    let clock = f64::from(found.clock_hz);
    let cycles: u64 = found.runs.iter().map(|run| run.cycles).sum();
    let fact = |name: &str, value: &str, more: &str| {
        format!("<div><dt>{name}</dt><dd>{}<small>{}</small></dd></div>\n", escape(value), escape(more))
    };
    let facts = [
        fact("Engine", &found.engine, "simulated hardware, exact to the cycle"),
        fact("Machine", &found.machine, "its description’s name"),
        fact(
            "Clock",
            &format!("{} MHz", short(clock / 1e6, 4)),
            &format!("a stamp is exact to {}", time(f64::from(found.tick_cycles) / clock)),
        ),
        fact("Runs", &count(found.runs.len() as u64), &format!("{} of machine time", time(cycles as f64 / clock))),
    ];
    format!(
        "<header>\n<h1>{TITLE}</h1>\n<p class=\"verdict\">Section 4 of ECS-CSG-3-94 (1994): what metrics of load tell and cost, and how long programs take \
         with their threads in different places, beside what the report found.</p>\n{reduced}<dl class=\"facts\">\n{}</dl>\n</header>\n",
        facts.concat()
    )
}

fn navigation(found: &Found) -> String {
    let link = |target: &str, text: &str| format!("<li><a href=\"#{target}\">{text}</a></li>\n");
    let number = |number: u8| format!("<li class=\"number\"><a href=\"#figure-{number}\">{number}</a></li>\n");
    let numbers: String = found.figures.iter().map(|figure| number(figure.number)).collect();
    format!(
        "<nav aria-label=\"Sections\"><ul>\n{}<li class=\"soft\">Figures</li>\n{numbers}{}{}</ul></nav>\n",
        link("contents", "Contents"),
        link("measurements", "Tables 8 and 9"),
        link("runs", "Runs")
    )
}

fn contents(found: &Found) -> String {
    let item = |target: &str, name: &str, title: &str| {
        format!("<li><a href=\"#{target}\"><b>{name}</b> {}</a></li>\n", escape(title))
    };
    let figures = found
        .figures
        .iter()
        .map(|figure| item(&format!("figure-{}", figure.number), &format!("Figure {}", figure.number), &figure.title));
    format!(
        "<section id=\"contents\">\n<h2>Contents</h2>\n<ul class=\"contents\">\n{}{}{}</ul>\n</section>\n",
        figures.collect::<String>(),
        item("measurements", "Tables 8, 9", "Metrics of load, and times of the programs"),
        item("runs", "Runs", "What ran, and the commands that repeat it")
    )
}

fn foot() -> String {
    format!(
        "<footer><p>Made by <code>testbed experiment balance</code>, version {}. The same as data is in <code>balance.json</code>.</p></footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
