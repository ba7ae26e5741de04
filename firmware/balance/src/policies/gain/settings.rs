//! What of `gain` can be set.

/// The parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// A move has to repay so many times what it costs.
    pub factor: u32,
    /// Thousandths of a thread's speed that a move has to gain, whatever it costs.
    pub least: u32,
    /// Milliseconds over which a move may repay itself, at most.
    pub horizon: u32,
    /// Milliseconds after which a thread may return for the first time to where it was.
    pub bar: u32,
    /// 0: new threads are dealt out when they are created. 1: they are kept where they are.
    pub births: u32,
}

impl Settings {
    /// Not set yet: all bytes are 0.
    pub const UNSET: Settings = Settings { factor: 0, least: 0, horizon: 0, bar: 0, births: 0 };

    pub const DEFAULT: Settings = Settings { factor: 8, least: 40, horizon: 10_000, bar: 2_000, births: 0 };
}

impl Default for Settings {
    fn default() -> Self {
        Settings::DEFAULT
    }
}
