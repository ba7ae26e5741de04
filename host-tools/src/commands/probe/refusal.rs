//! Inputs that are refused.

use crate::commands::{Exit, Failure};

/// A refusal with its message, which has a remedy.
pub fn wrong(message: String) -> Failure {
    Failure::new(Exit::Input, message)
}
