//! The coherent summary of the load that policies see.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::PARTNERS;

use crate::request::Link;
use crate::{PROCESSORS, THREADS};

/// Messages, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    pub sends: u32,
    pub bytes: u32,
}

/// A thread with which another communicated lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partner {
    pub thread: ThreadNumber,
    pub traffic: Traffic,
}

/// The load of a slave, as its last whole sample told it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slave {
    /// When the sample was taken; `None` if none has come yet.
    pub sampled: Option<u64>,
    /// When the last sample was taken that told of its threads.
    pub told: Option<u64>,
    /// Cycles of which it told: those of all samples since the one before that did.
    pub span: u32,
    /// Ready threads on average in these cycles, in `load::ONE_READY`ths.
    pub queue: u16,
    /// Cycles of which the sample tells.
    pub period: u32,
    pub sequence: u8,
    /// Threads ready at that instant, with the one that ran.
    pub ready: u8,
    /// Ready threads on average, in `load::ONE_READY`ths.
    pub average: u16,
    /// Share of the time in which threads ran, in `load::WHOLE`ths.
    pub user: u16,
    /// What it sent to each other processor.
    pub sent: [Traffic; PROCESSORS],
    /// Samples that were lost, or damaged, since the start.
    pub lost: u32,
}

impl Slave {
    pub(crate) const NEW: Slave = Slave {
        sampled: None,
        told: None,
        span: 0,
        queue: 0,
        period: 0,
        sequence: 0,
        ready: 0,
        average: 0,
        user: 0,
        sent: [Traffic { sends: 0, bytes: 0 }; PROCESSORS],
        lost: 0,
    };
}

/// The load of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadLoad {
    pub thread: ThreadNumber,
    /// Where it is, as far as samples and answers tell.
    pub processor: u8,
    /// Since when it is known to be there.
    pub since: u64,
    /// When it was first heard of.
    pub first: u64,
    /// It may move; the slave has the last word.
    pub movable: bool,
    /// Time of the last sample that told of it.
    pub sampled: u64,
    /// The share of that sample's period for which it ran, in `load::WHOLE`ths.
    pub share: u16,
    /// With whom it communicated in that period.
    pub partners: ArrayVec<Partner, PARTNERS>,
}

impl ThreadLoad {
    /// Messages that it exchanged in the period.
    pub fn messages(&self) -> u32 {
        self.partners.iter().fold(0, |sum, partner| sum.saturating_add(partner.traffic.sends))
    }
}

/// The load of the machine: of each slave what its last whole sample told, however old that is, and
/// of each thread the same. A policy looks at [`Summary::age`] where that matters.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Slaves are processors 1 to this.
    pub slaves: u8,
    pub(crate) loads: [Slave; PROCESSORS],
    pub threads: ArrayVec<ThreadLoad, THREADS>,
    /// Threads that were not taken in, since [`THREADS`] are known already.
    pub beyond: u32,
}

impl Summary {
    pub(crate) const fn new(slaves: u8) -> Self {
        const MOST: u8 = PROCESSORS as u8 - 1;
        Summary {
            slaves: if slaves < MOST { slaves } else { MOST },
            loads: [Slave::NEW; PROCESSORS],
            threads: ArrayVec::new_const(),
            beyond: 0,
        }
    }

    /// The load of a slave.
    pub fn slave(&self, processor: u8) -> &Slave {
        &self.loads[usize::from(processor) % PROCESSORS]
    }

    /// The numbers of all slaves.
    pub fn processors(&self) -> impl Iterator<Item = u8> + Clone {
        1..=self.slaves
    }

    /// Whether this is the number of a slave.
    pub fn is_slave(&self, processor: u8) -> bool {
        (1..=self.slaves).contains(&processor)
    }

    /// Cycles since the slave's last whole sample was taken; `None` if there has been none.
    pub fn age(&self, processor: u8, now: u64) -> Option<u64> {
        self.slave(processor).sampled.map(|sampled| now.saturating_sub(sampled))
    }

    /// Messages over a link in a period: both ends count what they send.
    pub fn link(&self, link: Link) -> Traffic {
        let (low, high) = link.numbers();
        let (up, down) = (self.slave(low).sent[usize::from(high)], self.slave(high).sent[usize::from(low)]);
        Traffic { sends: up.sends.saturating_add(down.sends), bytes: up.bytes.saturating_add(down.bytes) }
    }

    /// What is known of a thread.
    pub fn thread(&self, number: ThreadNumber) -> Option<&ThreadLoad> {
        self.threads.iter().find(|thread| thread.thread == number)
    }

    /// The threads on a processor.
    pub fn threads_on(&self, processor: u8) -> impl Iterator<Item = &ThreadLoad> + Clone {
        self.threads.iter().filter(move |thread| thread.processor == processor)
    }

    /// Whether a request to take a thread from there makes sense.
    pub fn has_threads(&self, processor: u8) -> bool {
        self.slave(processor).ready > 0 || self.threads_on(processor).next().is_some()
    }

    /// Messages of all links, divided by the number of links and rounded.
    pub fn average_link(&self) -> u32 {
        let (mut sum, mut links) = (0u32, 0);
        for link in Link::all(self.slaves) {
            sum = sum.saturating_add(self.link(link).sends);
            links += 1;
        }
        sum.saturating_add(links / 2) / links.max(1)
    }
}
