//! What was found.

use serde::Serialize;

/// How an array is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    Blocks,
    InTurn,
    Hashed,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    ByLot,
    Stride,
    Consecutive,
    Same,
}

/// How it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    Lists,
    Once,
    Gets,
}

/// Rounds of a kind; of a hashed array the mean of several functions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    pub layout: Layout,
    pub pattern: Pattern,
    pub way: Way,
    pub processes: u32,
    /// Elements that a process reads at once.
    pub reads: u32,
    pub rounds: u32,
    /// Cycles of a round on the slowest process.
    pub cycles: f64,
    /// Elements asked of the slave that is asked for most, with the worst function, and of a slave on
    /// average; `None` where they are not counted.
    pub most: Option<f64>,
    pub worst: Option<f64>,
    pub mean: Option<f64>,
}

impl Row {
    /// Cycles of an element, of those that a slave's processes read.
    pub fn cycles_an_element(&self, slaves: u32) -> f64 {
        self.cycles * f64::from(slaves) / f64::from(self.processes * self.reads)
    }
}

/// Both tables.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    pub slaves: u32,
    pub patterns: Vec<Row>,
    pub more_processes: Vec<Row>,
    pub more_reads: Vec<Row>,
}
