//! What an experiment is.

use crate::error::ExperimentError;
use crate::progress::Progress;

/// What can be repeated with one command. Its fields are the command's options.
pub trait Experiment: clap::Args {
    /// Makes its runs and its figures, leaves them in a folder, and returns what is to be printed.
    ///
    /// # Errors
    /// An option means nothing, a run can't be made or does not show what it should, or the folder can't be written.
    fn make(&self, progress: &dyn Progress) -> Result<String, ExperimentError>;
}
