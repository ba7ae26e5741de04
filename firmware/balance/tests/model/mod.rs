//! A model of the machine by discrete events: coarse, but with what balancing depends on.
//! Processors share their time in slices of 20 ms, messages are rendezvous, and each costs its
//! processors the cycles that `docs/firmware.md` measured; a thread that moves is under way, and
//! its pages follow. Load samples go through the words of the class `load` to the code that the
//! balancer runs.
//!
//! What the model leaves out: interrupts within a thread's slice, queues of Centrenet, caches of
//! translations, the pages' directory. The real machine has the last word.

pub mod kernel;
pub mod machine;
pub mod program;
pub mod state;
pub mod table;

use testbed_balance::policies::{self, Diffusion, Gain, GreedyRefine, Random, Report};
use testbed_balance::policy::{Ask, Pace, Policy, View};
use testbed_balance::request::{Answer, Request};

/// Cycles of a second.
pub const SECOND: u64 = 25_000_000;

/// Any policy.
pub struct Any(pub Box<dyn Policy>);

impl Policy for Any {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn pace(&self) -> Pace {
        self.0.pace()
    }
    fn begin(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        self.0.begin(view, ask);
    }
    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        self.0.decide(view, ask);
    }
    fn hurry(&self) -> Option<u32> {
        self.0.hurry()
    }
    fn answered(&mut self, now: u64, request: &Request, answer: Answer) {
        self.0.answered(now, request, answer);
    }
}

/// The policy of this name, and its own sample period in cycles.
pub fn policy(name: &str, seed: u32) -> (Any, u64) {
    let policy: Box<dyn Policy> = match name {
        "none" => Box::new(policies::None),
        "random" => Box::new(Random::new(seed)),
        "report" => Box::new(Report::new(Default::default())),
        "acknowledged" => Box::new(Report::acknowledged(Default::default())),
        "diffusion" => Box::new(Diffusion),
        "greedy-refine" => Box::new(GreedyRefine::DEFAULT),
        "gain" => Box::new(Gain::default()),
        _ => panic!("there is no policy {name}"),
    };
    (Any(policy), if name == "gain" { SECOND / 5 } else { SECOND })
}
