//! A named question that a figure asks of an ordered trace, and its answer. What a query gives is
//! in machine cycles; a stamp is exact to a tick of the global clock.

use std::fmt::Write as _;

use crate::observed::{ObserveError, Observed};
use crate::subject::Subject;

/// What a query gives: points of several series, each in order of x.
pub type Answer = Vec<(&'static str, Vec<(f64, f64)>)>;

/// How a query is answered.
pub type Ask = fn(&Observed, &Subject) -> Result<Answer, ObserveError>;

/// A question that a figure asks of a run.
#[derive(Clone, Copy)]
pub struct Query {
    /// The report's figure.
    pub figure: u8,
    pub name: &'static str,
    /// Program of the run.
    pub program: &'static str,
    /// What x and y are.
    pub x: &'static str,
    pub y: &'static str,
    pub ask: Ask,
}

impl Query {
    /// Asks it of a run.
    ///
    /// # Errors
    /// The run is not of the query's program, or does not show what the program does.
    pub fn ask(&self, observed: &Observed) -> Result<Answer, ObserveError> {
        let subject = observed.subject();
        if subject.program != self.program {
            let (dir, program) = (observed.dir.clone(), subject.program);
            return Err(ObserveError::Program { dir, query: self.name, program, wanted: self.program });
        }
        let answer = (self.ask)(observed, &subject)?;
        if answer.iter().all(|(_, points)| points.is_empty()) {
            return Err(ObserveError::Nothing { dir: observed.dir.clone(), what: self.name });
        }
        Ok(answer)
    }
}

/// An answer as CSV: a line a point, with its series.
pub fn csv(query: &Query, answer: &Answer) -> String {
    let mut text = format!("series,{},{}\n", column(query.x), column(query.y));
    for (series, points) in answer {
        for (x, y) in points {
            let _ = writeln!(text, "\"{series}\",{x},{y}");
        }
    }
    text
}

/// A label as the name of a column: the unit behind the comma in brackets.
fn column(label: &str) -> String {
    match label.split_once(", ") {
        Some((what, unit)) => format!("{what} ({unit})"),
        None => label.into(),
    }
}
