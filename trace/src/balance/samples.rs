//! The slaves' load, from the events of class `load`, by the code with which the balancer takes it.

use testbed_balance::assess::Assessor;
use testbed_definitions::load::{Part, ONE_READY, WHOLE};

use crate::order::{Event, What};

/// A slave's load, as one whole sample told it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub processor: u8,
    /// When its last event was stamped, and how many cycles before that it tells of.
    pub cycle: u64,
    pub period_cycles: u64,
    /// Threads that were ready at that moment, and on average, each with the one that ran.
    pub ready: u8,
    pub average: f64,
    /// The share of the time in which threads ran.
    pub user: f64,
}

/// Takes events, and makes samples of them.
#[derive(Debug)]
pub struct Samples {
    /// It is large.
    assessor: Box<Assessor>,
}

impl Samples {
    /// For a machine with slaves 1 to `slaves`.
    pub fn new(slaves: u8) -> Self {
        Samples { assessor: Box::new(Assessor::new(slaves)) }
    }

    /// Takes the next event, which happened in this cycle. Returns the sample that it completes. A
    /// sample of which an event is lost, or not proven, is none.
    pub fn take(&mut self, cycle: u64, event: &Event) -> Option<Sample> {
        let slave = event.smi;
        if matches!(event.what, What::Gap(_)) || !event.is_certain() {
            self.assessor.lost(slave);
            return None;
        }
        let What::Known(kind) = event.what else { return None };
        let part = Part::of(kind.code, event.argument?)?;
        self.assessor.take(slave, cycle, part).then(|| self.last(slave)).flatten()
    }

    /// The last whole sample of a slave.
    pub fn last(&self, slave: u8) -> Option<Sample> {
        let load = self.assessor.summary().slave(slave);
        Some(Sample {
            processor: slave,
            cycle: load.sampled?,
            period_cycles: load.period.into(),
            ready: load.ready,
            average: f64::from(load.average) / f64::from(ONE_READY),
            user: f64::from(load.user) / f64::from(WHOLE),
        })
    }

    /// Samples of a slave that were lost, or damaged.
    pub fn lost(&self, slave: u8) -> u32 {
        self.assessor.summary().slave(slave).lost
    }
}
