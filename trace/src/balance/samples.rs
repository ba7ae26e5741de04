//! The slaves' load, from the events of class `load`, by the code with which the balancer takes it.

use testbed_balance::assess::Assessor;
use testbed_balance::reader::Read;
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

/// What an event is of a sample. One that is lost, or not proven, damages it.
pub(super) fn read(event: &Event) -> Read {
    match event.what {
        What::Gap(_) => Read::Lost(event.smi),
        _ if !event.is_certain() => Read::Lost(event.smi),
        What::Known(kind) => {
            let part = event.argument.and_then(|argument| Part::of(kind.code, argument));
            part.map_or(Read::Nothing, |part| Read::Part(event.smi, part))
        }
        _ => Read::Nothing,
    }
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
        match read(event) {
            Read::Part(slave, part) => self.assessor.take(slave, cycle, part).then(|| self.last(slave)).flatten(),
            Read::Lost(slave) => {
                self.assessor.lost(slave);
                None
            }
            Read::Nothing => None,
        }
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
