//! Has slaves start new threads on all slaves in turn ([`Reason::Created`]).
//!
//! Where a program creates its threads one by one, each of them shares a slave with the thread that
//! creates the next ones, which waits for a whole time-slice each time; and what is on the wrong
//! slave has to be moved, which costs more than to start it elsewhere. So slaves are told to start
//! threads on all others in turn: before anything is known of them, and again as long as they have
//! threads that may create others. That is level but for the slave itself, which gets its part when
//! what creates them is done. Where moves are dear it keeps its part, as the last one in turn.

use testbed_definitions::ids::Processor;
use testbed_definitions::processors::Processors;

use crate::policy::{Ask, View};
use crate::request::{Reason, EXPIRY_INTERRUPTS};
use crate::summary::Summary;
use crate::PROCESSORS;

/// What slaves have been told.
#[derive(Clone, Debug)]
pub struct Births {
    /// When each was told last.
    told: [Option<u64>; PROCESSORS],
}

/// A slave is told again when so many hundredths of the time have passed for which it holds.
const AGAIN_PERCENT: u64 = 60;
/// The id of a program's first thread.
const FIRST: usize = 1;

impl Births {
    /// Nobody has been told anything.
    pub const NEW: Births = Births { told: [None; PROCESSORS] };

    /// Tells the slaves on which threads may be created, as far as they don't know it already.
    pub fn tell(&mut self, view: &View<'_>, ask: &mut Ask<'_>, may_create: impl Fn(u8) -> bool) {
        let holds = u64::from(EXPIRY_INTERRUPTS * view.costs.slice) * AGAIN_PERCENT / 100;
        for slave in view.summary.processors().filter(|&slave| may_create(slave)) {
            let told = &mut self.told[usize::from(slave) % PROCESSORS];
            if ask.left() == 0 || told.is_some_and(|told| view.now < told + holds) {
                continue;
            }
            let all = Processors::slaves(view.summary.slaves);
            let places = if view.costs.moves_are_cheap() { all.without(Processor::new(slave)) } else { all };
            let first = places.after(Processor::new(slave)).number();
            if ask.request(Reason::Created(places), slave, first).is_ok() {
                *told = Some(view.now);
            }
        }
    }
}

/// Whether there are threads that have created others, or are the first of their programs; or such
/// of which nothing is known yet.
pub fn may_create(summary: &Summary, slave: u8) -> bool {
    let mut known = summary.threads_on(slave).peekable();
    match known.peek() {
        None => summary.slave(slave).ready > 0,
        Some(_) => known.any(|known| !known.movable || known.thread.id() == FIRST),
    }
}
