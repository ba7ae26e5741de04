//! Effects that the report describes, tables of what else was measured, and the runs.

use testbed_trace::report::escape;

use super::figures::told;
use super::head::time;
use super::{paragraphs, table, PageError};
use crate::model::{Effect, Profile, Table};
use crate::plot::number::count;

/// What the report describes: one block an effect, one line a kernel.
pub(super) fn effects(profile: &Profile) -> String {
    let mut blocks: Vec<Vec<&Effect>> = Vec::new();
    for effect in &profile.effects {
        match blocks.iter_mut().find(|block| block[0].name == effect.name) {
            Some(block) => block.push(effect),
            None => blocks.push(vec![effect]),
        }
    }
    let blocks: String = blocks.iter().map(|block| one(block)).collect();
    format!(
        "<section id=\"effects\">\n<h2>Effects that the report describes</h2>\n<p>Whether each can be seen here, on which kernel, and by which figures.</p>\n\
         <div class=\"effects\">\n{blocks}</div>\n</section>\n"
    )
}

fn one(block: &[&Effect]) -> String {
    let lines: String = block
        .iter()
        .map(|effect| {
            let (class, word) = if effect.shown { ("badge shown", "shown") } else { ("badge gone", "gone") };
            format!(
                "<li><span class=\"{class}\">{word}</span> <b>{}</b> {}</li>\n",
                escape(&effect.kernel),
                escape(&effect.evidence)
            )
        })
        .collect();
    format!(
        "<div class=\"card\">\n<h3>{}</h3>\n{}<ul>\n{lines}</ul>\n</div>\n",
        escape(&block[0].name),
        told(&block[0].report)
    )
}

pub(super) fn tables(profile: &Profile) -> Result<String, PageError> {
    let tables = profile.tables.iter().map(measured).collect::<Result<Vec<_>, _>>()?;
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

pub(super) fn runs(profile: &Profile) -> String {
    let columns = [("", "Run"), ("", "Machine time"), ("", "Cycles"), ("", "Events"), ("l", "Sound"), ("l", "Command")];
    let rows: Vec<_> = profile
        .runs
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
                number(time(run.cycles as f64 / f64::from(profile.clock_hz.max(1)))),
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
