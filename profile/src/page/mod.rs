//! One HTML page of all that the experiment has found: it needs no network, no script and no other text.
//!
//! Style is the house's (that of `testbed report`), the plots' ([`crate::plot::STYLE`]), and what only this page has.

mod figures;
mod findings;
mod head;
mod services;

use testbed_trace::report::escape;

use crate::model::Profile;
use crate::plot::{self, PlotError};

/// That of all of the Testbed's pages.
const HOUSE: &str = include_str!("../../../trace/src/report/page.css");
const STYLE: &str = include_str!("style.css");
const TITLE: &str = "The report’s figures, measured again";

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PageError {
    #[error("figure {figure}: {source}")]
    Plot { figure: u8, source: PlotError },
    #[error(
        "{place} is {value}, which is no figure to show\n  help: leave the line out, or correct the query that made it"
    )]
    NotFinite { place: String, value: f64 },
    #[error("table `{title}`: row {row} has {cells} cells for {columns} columns\n  help: give each row as many cells as there are columns")]
    Ragged { title: String, row: usize, cells: usize, columns: usize },
}

/// The page.
///
/// # Errors
/// A value that can't be shown, named by figure, panel and series or by service; a table whose rows don't fit its columns.
pub fn html(profile: &Profile) -> Result<String, PageError> {
    let parts = [
        head::head(profile),
        head::navigation(profile),
        "<main id=\"main\" tabindex=\"-1\">\n".into(),
        head::contents(profile),
        services::table6(profile)?,
        figures::figures(profile)?,
        findings::effects(profile),
        findings::tables(profile)?,
        services::table7(profile),
        findings::runs(profile),
        "</main>\n".into(),
        head::foot(),
    ];
    let title = format!("{TITLE} – {}", profile.machine);
    Ok(format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{}</title>
<style>
{HOUSE}{}{STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the figures</a>
{}</body>
</html>
"##,
        escape(&title),
        plot::STYLE,
        parts.concat()
    ))
}

/// Sentences as paragraphs, one a line.
fn paragraphs(class: &str, text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("<p class=\"{class}\">{}</p>\n", escape(line))).collect()
}

/// A table in a box of its own, which scrolls where it is wider than the page; cells are HTML with their class.
fn table(label: &str, columns: &[(&str, &str)], rows: &[Vec<(String, String)>]) -> String {
    let cell = |kind: &str, class: &str, content: &str| {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        format!("<{kind}{class}>{content}</{kind}>")
    };
    let head: String = columns.iter().map(|(class, name)| cell("th", class, &escape(name))).collect();
    let body: String = rows
        .iter()
        .map(|row| {
            let cells = row.iter().enumerate().map(|(index, (class, content))| {
                cell(if index == 0 { "th scope=\"row\"" } else { "td" }, class, content)
                    .replace("</th scope=\"row\">", "</th>")
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        escape(label)
    )
}

/// A number that must be one.
fn finite(value: f64, place: impl FnOnce() -> String) -> Result<f64, PageError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(PageError::NotFinite { place: place(), value })
    }
}
