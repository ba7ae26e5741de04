//! Tables of what was measured, and the runs.

use testbed_trace::report::escape;

use super::parts::{paragraphs, table, time, PageError};
use crate::model::{Run, Table};
use crate::plot::number::count;

/// A section with a table for each.
///
/// # Errors
/// A row has more or fewer cells than there are columns.
pub fn tables(tables: &[Table]) -> Result<String, PageError> {
    let tables = tables.iter().map(measured).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("<section id=\"measurements\">\n<h2>Measurements</h2>\n{}</section>\n", tables.concat()))
}

/// A table of its own; columns of numbers are aligned on the right.
fn measured(from: &Table) -> Result<String, PageError> {
    let columns = from.columns.len();
    if let Some((row, cells)) = from.rows.iter().enumerate().find(|(_, cells)| cells.len() != columns) {
        return Err(PageError::Ragged { title: from.title.clone(), row, cells: cells.len(), columns });
    }
    let classes: Vec<&str> = (0..columns)
        .map(|column| {
            let numbers = from.rows.iter().all(|row| is_number(&row[column]));
            if numbers && column > 0 {
                ""
            } else {
                "wrap"
            }
        })
        .collect();
    let head: Vec<_> = classes.iter().zip(&from.columns).map(|(class, name)| (*class, name.as_str())).collect();
    let rows: Vec<Vec<_>> = from
        .rows
        .iter()
        .map(|row| classes.iter().zip(row).map(|(class, cell)| (class.to_string(), escape(cell))).collect())
        .collect();
    Ok(format!(
        "<h3>{}</h3>\n{}{}",
        escape(&from.title),
        paragraphs("", &from.explanation),
        table(&from.title, &head, &rows)
    ))
}

/// A number, perhaps with a unit, or nothing.
fn is_number(text: &str) -> bool {
    let first = text.trim_start_matches(['<', '>', '~', '±', '+', '-', '−', '–', ' ']).chars().next();
    first.is_none_or(|first| first.is_ascii_digit()) && text.chars().count() <= 24
}

/// A section with a line for each run, on a machine with this clock.
pub fn runs(runs: &[Run], clock_hz: u32) -> String {
    let columns = [("", "Run"), ("", "Machine time"), ("", "Cycles"), ("", "Events"), ("l", "Sound"), ("l", "Command")];
    let rows: Vec<_> = runs
        .iter()
        .map(|run| {
            let number = |text: String| (String::new(), text);
            let sound = if run.sound {
                "<span class=\"badge shown\">yes</span>"
            } else {
                "<span class=\"badge low\">no</span>"
            };
            vec![
                number(escape(&run.name)),
                number(time(run.cycles as f64 / f64::from(clock_hz.max(1)))),
                number(count(run.cycles)),
                number(count(run.events)),
                ("l".into(), sound.into()),
                ("l".into(), format!("<code>{}</code>", escape(&run.command))),
            ]
        })
        .collect();
    format!(
        "<section id=\"runs\">\n<h2>Runs</h2>\n<p>A run is sound if all its events are certain and none is lost. Its command repeats it, to the cycle.</p>\n{}</section>\n",
        table("Runs", &columns, &rows)
    )
}
