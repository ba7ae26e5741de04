//! `diffusion`: Cybenko, "Dynamic load balancing for distributed memory multiprocessors", Journal of
//! Parallel and Distributed Computing 7 (1989).
//!
//! Each pair of neighbours levels a part of its difference. On Centrenet all slaves are neighbours,
//! and the part that converges fastest is one n-th, with n slaves: with loads that can be divided at
//! will a single step levels them. The load of a processor is its average ready queue; whole threads
//! are moved, those of whole length first, as long as the flow over an edge is at least half a
//! thread.

use testbed_definitions::load::ONE_READY;

use crate::policy::{Ask, Pace, Policy, View, PENDING};
use crate::request::Reason;
use crate::PROCESSORS;

/// Levels all pairs of slaves at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Diffusion;

impl Policy for Diffusion {
    fn name(&self) -> &'static str {
        "diffusion"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: false }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        let summary = view.summary;
        let slaves = u32::from(summary.slaves).max(1);
        // What is on its way counts where it goes.
        let mut load = [0i32; PROCESSORS];
        for slave in summary.processors() {
            load[usize::from(slave)] = i32::from(summary.slave(slave).average);
        }
        for request in view.pending {
            load[usize::from(request.from) % PROCESSORS] -= i32::from(ONE_READY);
            load[usize::from(request.to) % PROCESSORS] += i32::from(ONE_READY);
        }
        for from in summary.processors() {
            for to in summary.processors() {
                let flow = (load[usize::from(from)] - load[usize::from(to)]).max(0) as u32 / slaves;
                let threads = (flow + u32::from(ONE_READY) / 2) / u32::from(ONE_READY);
                for _ in 0..threads {
                    if ask.left() == 0 || !summary.has_threads(from) {
                        return;
                    }
                    let _ = ask.request(Reason::Compute, from, to);
                }
            }
        }
    }
}
