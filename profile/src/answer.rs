//! What a query gives.

/// Points of several series, each with its name and in order of x.
pub type Answer = Vec<(&'static str, Vec<(f64, f64)>)>;
