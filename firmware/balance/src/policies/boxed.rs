//! Policies by their names, on the heap of a host.

use std::boxed::Box;

use super::{Diffusion, Gain, None as Nothing, Placement, Random, Report};
use crate::policy::{Ask, Pace, Policy, View};
use crate::request::{Answer, Request};
use crate::settings::Values;

/// Any policy.
pub type Boxed = Box<dyn Policy>;

impl Policy for Boxed {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn pace(&self) -> Pace {
        (**self).pace()
    }

    fn begin(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        (**self).begin(view, ask);
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        (**self).decide(view, ask);
    }

    fn hurry(&self) -> Option<u32> {
        (**self).hurry()
    }

    fn answered(&mut self, now: u64, request: &Request, answer: Answer) {
        (**self).answered(now, request, answer);
    }
}

/// The policy of this name with these settings, as the balancer begins it: `seed` is what `random`
/// draws by, and `static` has its placement, without which it moves nothing. `None`: there is no
/// policy of this name.
pub fn named(name: &str, values: &Values, seed: u32, placement: Placement) -> Option<Boxed> {
    Some(match name {
        "none" => Box::new(Nothing),
        "random" => Box::new(Random::new(seed)),
        "report" => Box::new(Report::new(values.thresholds)),
        "acknowledged" => Box::new(Report::acknowledged(values.thresholds)),
        "diffusion" => Box::new(Diffusion),
        "greedy-refine" => Box::new(values.greedy_refine),
        "static" => Box::new(placement),
        "gain" => Box::new(Gain::new(values.gain)),
        _ => return None,
    })
}
