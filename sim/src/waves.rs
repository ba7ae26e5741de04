//! Which signals to write to a wave file, and when.

use std::path::PathBuf;

/// A wave file of part of a run. Cycle `t` begins at time `2 t` of the file, its second half at `2 t + 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// VCD, or FST if the engine can write it and the name ends in `.fst`.
    pub path: PathBuf,
    /// First cycle recorded.
    pub from: u64,
    /// First cycle no longer recorded.
    pub until: u64,
    /// Instances by path, e.g. `top.processors$1`; empty for the whole machine.
    pub scope: String,
    /// Levels of instances below `scope`, counted from 1; 0 for all.
    pub depth: u32,
}

impl Waves {
    /// Everything, for the cycles `from` to `until - 1`.
    pub fn new(path: impl Into<PathBuf>, from: u64, until: u64) -> Self {
        Waves { path: path.into(), from, until, scope: String::new(), depth: 0 }
    }
}
