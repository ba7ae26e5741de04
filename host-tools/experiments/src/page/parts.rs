//! What several sections of a page have, and why there may be no page.

use testbed_trace::report::escape;

use crate::plot::number::{count, fixed, short};
use crate::plot::PlotError;

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PageError {
    #[error("figure {figure}: {source}")]
    Plot { figure: u8, source: PlotError },
    #[error("{section}: {source}")]
    Section { section: String, source: PlotError },
    #[error(
        "{place} is {value}, which is no figure to show\n  help: leave the line out, or correct the query that made it"
    )]
    NotFinite { place: String, value: f64 },
    #[error("table `{title}`: row {row} has {cells} cells for {columns} columns\n  help: give each row as many cells as there are columns")]
    Ragged { title: String, row: usize, cells: usize, columns: usize },
}

/// What the report says.
pub fn told(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("<p class=\"told\"><b>The report:</b> {}</p>\n", escape(text))
}

/// A length of time, with its unit.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        size if size >= 1.0 => (seconds, "s"),
        size if size >= 1e-3 => (seconds * 1e3, "ms"),
        size if size >= 1e-6 => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    format!("{} {unit}", short(value, 4))
}

/// A number with its noun, which gets an s unless it is one.
pub fn plural(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

/// R², rounded down, so that only what lies on a line has 1.
pub fn r2(value: f64) -> String {
    fixed((value * 1e4).floor() / 1e4, 4)
}

/// Sentences as paragraphs, one a line.
pub fn paragraphs(class: &str, text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("<p class=\"{class}\">{}</p>\n", escape(line))).collect()
}

/// A table in a box of its own, which scrolls where it is wider than the page; cells are HTML with their class.
pub fn table(label: &str, columns: &[(&str, &str)], rows: &[Vec<(String, String)>]) -> String {
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
///
/// # Errors
/// It is none, or infinite; `place` says where it stands.
pub fn finite(value: f64, place: impl FnOnce() -> String) -> Result<f64, PageError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(PageError::NotFinite { place: place(), value })
    }
}
