//! Each figure: what it shows and why, what the report says, its plots and their fits.

use testbed_trace::report::escape;

use super::parts::{paragraphs, plural, r2, told, PageError};
use crate::model::{Content, Figure, Fit, Panel, Station};
use crate::plot::number::{short, uncertain};
use crate::plot::{self, Flow, PlotError};

/// A section for each figure.
///
/// # Errors
/// A value that can't be shown.
pub fn figures(figures: &[Figure]) -> Result<String, PageError> {
    let figures = figures
        .iter()
        .map(|figure| section(figure).map_err(|source| PageError::Plot { figure: figure.number, source }));
    Ok(figures.collect::<Result<Vec<_>, _>>()?.concat())
}

/// A section of plots that are no figure of the report's: its id, its title, what is said of it.
///
/// # Errors
/// A value that can't be shown.
pub fn plots((id, title, told): (&str, &str, &str), panels: &[Panel]) -> Result<String, PageError> {
    let content = grid(id, panels).map_err(|source| PageError::Section { section: title.into(), source })?;
    let head = format!("<h2>{}</h2>\n{}", escape(title), paragraphs("", told));
    Ok(format!("<section id=\"{id}\" class=\"figure\">\n{head}{content}</section>\n"))
}

fn section(figure: &Figure) -> Result<String, PlotError> {
    let content = match &figure.content {
        Content::Panels(panels) => grid(&format!("figure-{}", figure.number), panels)?,
        Content::Network(network) => format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Threads and channels\">{}</div>\n\
             <p class=\"key\">Circles are threads, below their processor. Arrows are channels, from sender to receiver; bold ones lead to another \
             processor. Beside each: the channel’s number, and how often it was used.</p>\n",
            plot::network(network)?
        ),
        Content::Pathway(stations) => pathway(stations),
    };
    let number = figure.number;
    Ok(format!(
        "<section id=\"figure-{number}\" class=\"figure\">\n<h2><span>Figure {number}</span> {}</h2>\n<p class=\"from\">Program <code>{}</code>, query \
         <code>{}</code></p>\n{}{}{content}</section>\n",
        escape(&figure.title),
        escape(&figure.program),
        escape(&figure.query),
        paragraphs("", &figure.explanation),
        told(&figure.report),
    ))
}

fn grid(id: &str, panels: &[Panel]) -> Result<String, PlotError> {
    let class = if panels.len() == 1 { "panels one" } else { "panels" };
    let panels = panels.iter().enumerate().map(|(index, panel)| one(panel, &format!("{id}-{}", index + 1)));
    Ok(format!("<div class=\"{class}\">\n{}</div>\n", panels.collect::<Result<Vec<_>, _>>()?.concat()))
}

fn one(panel: &Panel, id: &str) -> Result<String, PlotError> {
    let fits: String = panel.fits.iter().map(|one| fit(one, panel.fits.len() + panel.series.len() > 2)).collect();
    Ok(format!(
        "<figure class=\"panel\">\n<figcaption>{}</figcaption>\n{}\n{}\n{fits}</figure>\n",
        escape(&panel.title),
        plot::svg(panel, id)?,
        plot::legend(panel)
    ))
}

/// A fit in a line of text, in the units of the axes; with its series' name if there are several.
fn fit(fit: &Fit, named: bool) -> String {
    let line = if fit.r2.is_none() && fit.slope == 0.0 {
        format!("constant {}", uncertain(fit.intercept, fit.intercept_confidence))
    } else {
        let slope = bracketed(uncertain(fit.slope, fit.slope_confidence));
        let intercept = bracketed(uncertain(fit.intercept.abs(), fit.intercept_confidence));
        let sign = if fit.intercept < 0.0 { '−' } else { '+' };
        format!("<i>y</i> = {slope} <i>x</i> {sign} {intercept}")
    };
    let told = fit.r2.map_or(String::new(), |value| format!("; <i>R</i>² {}", r2(value)));
    let name = if named { format!("<b>{}</b>: ", escape(&fit.series)) } else { String::new() };
    format!(
        "<p class=\"fit\">{name}{line}{told}; residuals: deviation {}, −{} to +{}; {}</p>\n",
        short(fit.deviation, 3),
        short(fit.below, 3),
        short(fit.above, 3),
        plural(fit.points as u64, "point")
    )
}

fn bracketed(text: String) -> String {
    if text.starts_with('(') {
        text
    } else {
        format!("({text})")
    }
}

fn pathway(stations: &[Station]) -> String {
    format!(
        "<div class=\"ways\">{}{}</div>\n",
        plot::pathway(stations, Flow::Across),
        plot::pathway(stations, Flow::Down)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_are_told_to_the_digits_that_count() {
        let steep = Fit {
            series: "send".into(),
            points: 1000,
            slope: 0.231_234,
            intercept: -312.4,
            slope_confidence: 0.000_41,
            intercept_confidence: 1.2,
            r2: Some(0.999_96),
            deviation: 3.0,
            below: 4.5,
            above: 21.3,
        };
        let text = fit(&steep, false);
        assert!(text.contains("(0.23123 ± 0.00041) <i>x</i> − (312.4 ± 1.2); <i>R</i>² 0.9999; residuals"), "{text}");
        assert!(text.contains("deviation 3, −4.5 to +21.3; 1\u{202f}000 points"), "{text}");
        let flat = Fit { slope: 0.0, r2: None, intercept: 313.0, points: 1, ..steep };
        let text = fit(&flat, true);
        assert!(text.contains("<b>send</b>: constant 313.0 ± 1.2; residuals"), "{text}");
    }
}
