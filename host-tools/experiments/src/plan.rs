//! What an experiment runs.

use testbed_trace::capture::{BalanceRecord, KernelKind};

/// A run that an experiment makes. What it is for, `P`, is for the experiment to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned<P> {
    /// Name of the run, and of its folder.
    pub name: String,
    /// The first is started.
    pub programs: Vec<&'static str>,
    pub arguments: Vec<String>,
    /// Files beside the programs that it can read: name and text.
    pub files: Vec<(String, String)>,
    /// How the load is balanced, if it is; the balancer is one of the programs then.
    pub balance: Option<BalanceRecord>,
    pub kernel: KernelKind,
    pub seed: u32,
    /// Event classes that are enabled.
    pub dgl: u32,
    /// With the kernel that emits no events at all.
    pub unmonitored: bool,
    pub part: P,
}
