//! How a folder is to be shown.

use super::screen::Speed;

/// Starting, and what is reached first.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Without it: the newest of a run that goes on; one that is over at the machine's speed.
    pub speed: Option<Speed>,
    /// Cycles of the trailing window; without it, one second.
    pub window: Option<u64>,
    /// Machine cycle at which to begin.
    pub from: Option<u64>,
    /// Cycles that are drawn, up to the newest; without it, there is no drawing.
    pub span: Option<u64>,
}
