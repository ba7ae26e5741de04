//! What the experiment has found, as `balance.json` has it.

use serde::{Deserialize, Serialize};

use super::sweep::Sweep;
use super::{logs, table8, table9};
use crate::model::{Figure, Run};

/// Everything that the experiment has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    pub engine: String,
    pub machine: String,
    pub clock_hz: u32,
    pub tick_cycles: u32,
    pub reduced: bool,
    /// In the order of their numbers.
    pub figures: Vec<Figure>,
    /// Table 8.
    pub metrics: Vec<table8::Row>,
    /// Table 9.
    pub programs: Vec<table9::Row>,
    /// A row for each balancer's log.
    pub policies: Vec<logs::Row>,
    /// Thresholds and periods, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    pub runs: Vec<Run>,
}
