//! Which signals to write to a wave file, and when.

use std::path::PathBuf;

use crate::engine::EngineError;

/// A wave file of part of a run. Cycle `t` begins at time `2 t` of the file with a rising clock, its second half at
/// `2 t + 1` with a falling one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// VCD, or FST if the engine can write it and the name ends in `.fst`.
    pub path: PathBuf,
    /// First cycle recorded.
    pub from: u64,
    /// First cycle no longer recorded.
    pub until: u64,
    /// Topmost instance recorded, by path, e.g. `top.processors$1`; empty for the whole machine. In the `verilator`
    /// engine's files, `top` is inside a scope `TOP`.
    pub scope: String,
    /// Levels of instances from `scope` down: 1 for its own signals only, 0 for all.
    pub depth: u32,
}

impl Waves {
    /// Everything, for the cycles `from` to `until - 1`.
    pub fn new(path: impl Into<PathBuf>, from: u64, until: u64) -> Self {
        Waves { path: path.into(), from, until, scope: String::new(), depth: 0 }
    }

    /// The path of the topmost instance recorded.
    pub(crate) fn top(&self) -> &str {
        if self.scope.is_empty() {
            "top"
        } else {
            &self.scope
        }
    }

    /// The scope is not in the machine.
    pub(crate) fn no_instance(&self) -> EngineError {
        let (path, scope) = (self.path.display(), self.top());
        EngineError::Failed(format!("waves cannot be written to {path}: the machine has no instance {scope}"))
    }
}
