//! The policy that the balancer is told to follow.

use libtos::file::{flags, File};
use libtos::{println, processors, seed};
use testbed_balance::policies::placement::{FILE, FILE_BYTES};
use testbed_balance::policies::{Diffusion, Gain, GreedyRefine, None as Nothing, Placement, Random, Report};
use testbed_balance::policy::{Ask, Pace, Policy, View};
use testbed_balance::request::{Answer, Request};
use testbed_balance::settings::Values;

use super::Global;

static NOTHING: Global<Nothing> = Global::new(Nothing);
static RANDOM: Global<Option<Random>> = Global::new(None);
static REPORT: Global<Option<Report>> = Global::new(None);
static DIFFUSION: Global<Diffusion> = Global::new(Diffusion);
static GREEDY: Global<GreedyRefine> = Global::new(GreedyRefine::DEFAULT);
static PLACEMENT: Global<Option<Placement>> = Global::new(None);
static GAIN: Global<Gain> = Global::new(Gain::UNSET);

/// The file in which `static` finds the places of threads.
static TEXT: Global<[u8; FILE_BYTES]> = Global::new([0; FILE_BYTES]);

/// A policy, chosen by name.
pub struct Chosen(Option<&'static mut dyn Policy>);

impl Chosen {
    /// None yet.
    pub const NONE: Chosen = Chosen(None);

    /// The policy with this name and these settings. `None`: there is none, or it can't begin, and
    /// it has been said why.
    ///
    /// # Safety
    /// Called once.
    pub unsafe fn named(name: &str, values: &Values) -> Option<Chosen> {
        // SAFETY: the caller's; each policy is taken at one place.
        let policy: &'static mut dyn Policy = unsafe {
            match name {
                "none" => NOTHING.take(),
                "random" => RANDOM.take().insert(Random::new(seed())),
                "report" => REPORT.take().insert(Report::new(values.thresholds)),
                "acknowledged" => REPORT.take().insert(Report::acknowledged(values.thresholds)),
                "diffusion" => DIFFUSION.take(),
                "greedy-refine" => {
                    let policy = GREEDY.take();
                    *policy = values.greedy_refine;
                    policy
                }
                "static" => PLACEMENT.take().insert(placement(TEXT.take())?),
                "gain" => {
                    let policy = GAIN.take();
                    policy.set(values.gain);
                    policy
                }
                _ => {
                    println!("balancer: there is no policy `{name}`");
                    return None;
                }
            }
        };
        Some(Chosen(Some(policy)))
    }
}

/// The places that the file has.
fn placement(text: &mut [u8]) -> Option<Placement> {
    let read = File::open(FILE, flags::READ).and_then(|file| file.read(0, text));
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => {
            println!("balancer: {FILE}: {}", error.meaning());
            return None;
        }
    };
    let Ok(text) = core::str::from_utf8(&text[..bytes]) else {
        println!("balancer: {FILE}: this is no text");
        return None;
    };
    match Placement::parse(text, processors() - 1) {
        Ok(placement) => Some(placement),
        Err(error) => {
            println!("balancer: {FILE}: {error}");
            None
        }
    }
}

impl Policy for Chosen {
    fn name(&self) -> &'static str {
        self.0.as_ref().map_or("none", |policy| policy.name())
    }

    fn pace(&self) -> Pace {
        self.0.as_ref().map_or(Pace { pending: 0, at_once: 0, on_answers: false }, |policy| policy.pace())
    }

    fn begin(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        if let Some(policy) = &mut self.0 {
            policy.begin(view, ask);
        }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        if let Some(policy) = &mut self.0 {
            policy.decide(view, ask);
        }
    }

    fn hurry(&self) -> Option<u32> {
        self.0.as_ref().and_then(|policy| policy.hurry())
    }

    fn answered(&mut self, now: u64, request: &Request, answer: Answer) {
        if let Some(policy) = &mut self.0 {
            policy.answered(now, request, answer);
        }
    }
}
