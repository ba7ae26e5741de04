//! What a plot can show, and why it can't show the rest.

use crate::model::{Axis, Network, Panel, Style};

/// Series that can be told apart.
pub const SERIES_MAX: usize = 5;

/// Why there is no plot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlotError {
    #[error("panel `{panel}`, {part}: {axis} of point {place} is {value}, for which there is no place\n  help: leave the point out, or correct the query that made it")]
    NotFinite {
        panel: String,
        /// `series` or `line`, and its name.
        part: String,
        axis: char,
        /// From 0 on.
        place: usize,
        value: f64,
    },
    #[error("panel `{panel}`, {part}: {axis} of point {place} is {value}, and a logarithmic axis begins above 0\n  help: leave the point out, or make the axis linear")]
    NotPositive { panel: String, part: String, axis: char, place: usize, value: f64 },
    #[error("panel `{panel}` has {count} series, which nobody could tell apart\n  help: make panels of at most {SERIES_MAX}")]
    TooMany { panel: String, count: usize },
    #[error(
        "{part} {place} of the network is at {index}, and there are only {count} {what}\n  help: count {what} from 0"
    )]
    NoSuchPlace { part: &'static str, place: usize, index: usize, count: usize, what: &'static str },
    #[error("the axes of panel `{panel}` can't be drawn: {reason}")]
    Axes { panel: String, reason: String },
}

/// Every point of a panel has a place on its axes.
pub(crate) fn panel(panel: &Panel) -> Result<(), PlotError> {
    if panel.series.len() > SERIES_MAX {
        return Err(PlotError::TooMany { panel: panel.title.clone(), count: panel.series.len() });
    }
    for series in &panel.series {
        let part = format!("series `{}`", series.name);
        // A bar of no height needs no place.
        let zero = series.style == Style::Bars;
        points(panel, &part, &series.points, zero)?;
    }
    for line in &panel.lines {
        points(panel, &format!("line `{}`", line.name), &[line.from, line.to], false)?;
    }
    Ok(())
}

fn points(panel: &Panel, part: &str, points: &[(f64, f64)], zero: bool) -> Result<(), PlotError> {
    for (place, &(x, y)) in points.iter().enumerate() {
        value(panel, part, place, (&panel.x, 'x', x), false)?;
        value(panel, part, place, (&panel.y, 'y', y), zero)?;
    }
    Ok(())
}

fn value(
    panel: &Panel,
    part: &str,
    place: usize,
    (on, axis, value): (&Axis, char, f64),
    zero: bool,
) -> Result<(), PlotError> {
    let (panel, part) = (panel.title.clone(), part.to_string());
    if !value.is_finite() {
        return Err(PlotError::NotFinite { panel, part, axis, place, value });
    }
    if on.log && value <= 0.0 && !(zero && value == 0.0) {
        return Err(PlotError::NotPositive { panel, part, axis, place, value });
    }
    Ok(())
}

/// Every thread has its processor, every channel its threads.
pub(crate) fn network(network: &Network) -> Result<(), PlotError> {
    let (processors, threads) = (network.processors.len(), network.threads.len());
    for (place, &(_, index)) in network.threads.iter().enumerate() {
        if index >= processors {
            return Err(PlotError::NoSuchPlace { part: "thread", place, index, count: processors, what: "processors" });
        }
    }
    for (place, channel) in network.channels.iter().enumerate() {
        if let Some(index) = [channel.from, channel.to].into_iter().find(|&end| end >= threads) {
            return Err(PlotError::NoSuchPlace { part: "channel", place, index, count: threads, what: "threads" });
        }
    }
    Ok(())
}
