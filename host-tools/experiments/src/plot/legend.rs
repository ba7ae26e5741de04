//! What the marks of a panel are, as HTML below its plot, where it hides no data.

use std::fmt::Write;

use super::marks::{class, line_class, Marks};
use super::text::xml;
use crate::model::{Panel, Style};

const SAMPLE: &str = r#"<svg class="sample" viewBox="0 0 26 12" width="26" height="12" aria-hidden="true">"#;

/// A sample of every series' and line's marks, and its name; lines of one kind and name once. Empty
/// if the plot itself names all.
pub fn legend(panel: &Panel) -> String {
    let mut entries = Vec::new();
    // Strips have their series' names beside them.
    let named = if super::parts::is_strips(panel) { &[] } else { &panel.series[..] };
    for (index, series) in named.iter().enumerate() {
        let path = match series.style {
            Style::Dots => "M5 7h.1M12 4h.1M19 8h.1",
            Style::Line => "M1 10L9 4L16 7L25 2",
            Style::Steps => "M1 10H9V3H17V7H25",
            Style::Bars => "M3 12V6H10V12zM10 12V1H17V12zM17 12V8H24V12z",
        };
        let none = if series.points.is_empty() { " (no points)" } else { "" };
        entries.push((class(series, index, Marks::Style(series.style)), path, format!("{}{none}", series.name)));
    }
    for line in &panel.lines {
        let entry = (line_class(line, &panel.series), "M1 6H25", line.name.clone());
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    if entries.is_empty() {
        return String::new();
    }
    let mut out = String::from(r#"<ul class="legend">"#);
    for (class, path, name) in entries {
        let _ = write!(out, r#"<li>{SAMPLE}<path class="{class}" d="{path}"/></svg> {}</li>"#, xml(&name));
    }
    out + "</ul>"
}
