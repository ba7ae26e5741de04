//! `random`: every thread goes once to a slave drawn at random, as the report's Table 9 assigns them
//! for comparison.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use super::Rng;
use crate::policy::{Ask, Pace, Policy, View, PENDING};
use crate::request::{Answer, Reason, Request};
use crate::THREADS;

/// A thread, where it is to be, and whether it is or can't be.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    thread: ThreadNumber,
    to: u8,
    is_settled: bool,
}

/// Places each thread at random, once.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    drawn: ArrayVec<Drawn, THREADS>,
}

impl Random {
    pub fn new(seed: u32) -> Self {
        Random { rng: Rng::new(seed), drawn: ArrayVec::new() }
    }
}

impl Policy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: true }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        for known in &view.summary.threads {
            if self.drawn.iter().all(|drawn| drawn.thread != known.thread) {
                let to = 1 + self.rng.below(view.summary.slaves.into()) as u8;
                let _ = self.drawn.try_push(Drawn { thread: known.thread, to, is_settled: false });
            }
        }
        for drawn in &mut self.drawn {
            let Some(known) = view.summary.thread(drawn.thread) else { continue };
            drawn.is_settled |= known.processor == drawn.to;
            if !drawn.is_settled && known.movable && ask.left() > 0 && !ask.is_asked(drawn.thread) {
                let _ = ask.thread(drawn.thread, drawn.to);
            }
        }
    }

    fn answered(&mut self, _: u64, request: &Request, answer: Answer) {
        // One that could not move will be asked again; one that must not stays.
        if let (Reason::Thread(thread), Answer::Moved(_) | Answer::Refused) = (request.reason, answer) {
            if let Some(drawn) = self.drawn.iter_mut().find(|drawn| drawn.thread == thread) {
                drawn.is_settled = true;
            }
        }
    }
}
