//! How far an experiment is, for whoever shows it.

/// Is told what an experiment does.
pub trait Progress: Sync {
    /// Something is being done, and nobody knows how long it takes.
    fn doing(&self, what: &str);
    /// From now on so many runs are made.
    fn begin(&self, runs: usize);
    /// The run with this name begins.
    fn run(&self, name: &str);
    /// One more run is there.
    fn made(&self);
    /// What was being done is done.
    fn clear(&self);
}
