//! What this experiment has found: `profile.json`, and all that its page shows. All text is plain, without markup.

use serde::{Deserialize, Serialize};

use crate::model::{Figure, Run, Table};

/// Everything that the experiment has found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub engine: String,
    pub machine: String,
    pub clock_hz: u32,
    /// Cycles of a tick of the global clock: what a stamp is exact to.
    pub tick_cycles: u32,
    /// Smaller runs than the report's.
    pub reduced: bool,
    pub kernels: Vec<Kernel>,
    /// In the order of their numbers.
    pub figures: Vec<Figure>,
    /// Table 6: services, ours beside the report's.
    pub services: Vec<Service>,
    /// Table 7: other systems, as the report quotes them.
    pub others: Vec<Other>,
    /// What the report describes, and whether it is here.
    pub effects: Vec<Effect>,
    /// What watching costs, how fast events may come, how the figures repeat: one table each.
    pub tables: Vec<Table>,
    pub runs: Vec<Run>,
}

/// How a kernel's cycles are converted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// `default` or `tos94`.
    pub name: String,
    /// Cycles an instruction in its services, those of the shortest local messages.
    pub cpi: f64,
    /// Cycles an instruction of what longer ones take more: of the copy.
    pub copy_cpi: f64,
}

/// A line of Table 6: a value is `slope * n + intercept`, n in KB; the slope is `None` for a constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Service {
    pub name: String,
    pub kernel: String,
    pub load: String,
    /// Number of the figure that shows it.
    pub figure: u8,
    pub cycles: Linear,
    pub instructions: Linear,
    pub microseconds: Linear,
    /// Instructions at the report's 1.2 million a second.
    pub report_ms: Linear,
    /// The report's own.
    pub report: Linear,
    /// How many times less than the report's, in report milliseconds.
    pub intercept_ratio: f64,
    pub slope_ratio: Option<f64>,
    pub r2: Option<f64>,
}

/// With the greatest deviations below and above.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    pub slope: Option<f64>,
    pub intercept: f64,
    pub below: f64,
    pub above: f64,
}

/// A line of Table 7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Other {
    pub project: String,
    pub service: String,
    pub milliseconds: f64,
    /// The nearest of our services, in milliseconds at the machine's clock.
    pub ours: String,
}

/// Something that the report describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub name: String,
    pub report: String,
    pub kernel: String,
    pub shown: bool,
    /// Numbers, and the reason.
    pub evidence: String,
}
