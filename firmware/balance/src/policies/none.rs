//! `none`: every thread stays where it was created.

use crate::policy::{Ask, Pace, Policy, View};

/// Asks for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct None;

impl Policy for None {
    fn name(&self) -> &'static str {
        "none"
    }
    fn pace(&self) -> Pace {
        Pace { pending: 0, at_once: 0, on_answers: false }
    }
    fn decide(&mut self, _: &View<'_>, _: &mut Ask<'_>) {}
}
