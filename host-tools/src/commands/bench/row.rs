//! The lines of the speed table.

use serde::Serialize;

use super::super::scaled;

/// A line of the table.
#[derive(Debug, Serialize)]
pub struct Row {
    /// What is measured; rows of one group are peers.
    pub group: &'static str,
    pub name: String,
    pub unit: &'static str,
    /// Absent if it could not be measured.
    pub rate: Option<f64>,
    /// The rate in units of that of [`Row::peer`].
    pub ratio: Option<f64>,
    /// Name of the row that the group is held against.
    pub peer: Option<&'static str>,
    pub note: String,
}

/// Adds to the rows that could be measured what their figures mean.
pub fn noted(mut rows: Vec<Row>, note: &str) -> Vec<Row> {
    rows.iter_mut().filter(|row| row.rate.is_some()).for_each(|row| row.note = note.into());
    rows
}

/// The middle of the rates; `None` if there are none.
pub fn median(mut rates: Vec<f64>) -> Option<f64> {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied()
}

/// The rows as text, group by group.
pub fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    let mut group = "";
    for row in rows {
        if row.group != group {
            group = row.group;
            let unit = row.peer.map(|peer| format!(" (x: times the rate of {peer})"));
            out += &format!("{group}{}\n", unit.unwrap_or_default());
        }
        out += format!("  {:<22} {}", row.name, figures(row)).trim_end();
        out.push('\n');
    }
    out
}

/// What a line says behind its name.
fn figures(row: &Row) -> String {
    let Some(rate) = row.rate else { return format!("not measured: {}", row.note) };
    match (row.unit, row.ratio) {
        (unit, Some(ratio)) => {
            let digits = if ratio < 0.1 { 4 } else { 2 };
            format!("{:>10}{unit:<12} {ratio:>9.digits$} x  {}", scaled(rate), row.note)
        }
        (unit @ ("cycles/s" | "events/s" | "instructions/s"), None) => {
            format!("{:>10}{unit:<12} {:>11}  {}", scaled(rate), "", row.note)
        }
        (unit @ ("cells" | "blocks"), None) => format!("{rate:>9.0} {unit:<12} {}", row.note),
        (unit, None) => format!("{rate:>9.2} {unit:<12} {}", row.note),
    }
}
