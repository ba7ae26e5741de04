//! Packets under way, and what their receivers do meanwhile.

use std::collections::{BTreeMap, VecDeque};

use testbed_definitions::event;

use crate::analysis::fact::{Fact, Flight, Times};
use crate::analysis::measure::Mark;
use crate::order::Event;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
struct Flying {
    number: u64,
    sent: Mark,
    /// What its receiver had done in all when it was sent; `None` until the receiver's next event
    /// tells.
    before: Option<Times>,
}

/// All packets that have been sent and not served yet. What a processor does while a packet comes
/// to it is the difference of what it has done in all when the packet is served and when it was
/// sent, so that packets which are never served cost nothing.
pub(super) struct Flights {
    /// By receiver and sender.
    flying: BTreeMap<(u8, u8), VecDeque<Flying>>,
    /// What each processor has done in all.
    done: Vec<Times>,
}

impl Flights {
    pub fn new(processors: usize) -> Self {
        Flights { flying: BTreeMap::new(), done: vec![Times::default(); processors] }
    }

    /// A packet is handed over for processor `to`.
    pub fn send(&mut self, number: u64, sent: Mark, to: u8) {
        self.flying.entry((to, sent.processor)).or_default().push_back(Flying { number, sent, before: None });
    }

    /// A processor did something.
    pub fn passes(&mut self, fact: &Fact) {
        let Fact::Processor { processor, doing, from, to } = *fact else { return };
        let (to, done) = (to.max(from), &mut self.done[usize::from(processor)]);
        for (_, packets) in self.flying.range_mut((processor, 0)..=(processor, u8::MAX)) {
            // Those that were sent since the processor's last event stand behind all others.
            for packet in packets.iter_mut().rev().take_while(|packet| packet.before.is_none()) {
                let mut before = *done;
                before[doing as usize] += packet.sent.cycle.clamp(from, to) - from;
                packet.before = Some(before);
            }
        }
        done[doing as usize] += to - from;
    }

    /// The packet with this number is served; those before it were lost.
    pub fn arrive(&mut self, number: u64, served: Mark, event: &Event) -> Option<Flight> {
        let (from, kind, channel) = event::message_fields(event.argument?);
        let queue = self.flying.get_mut(&(event.smi, from))?;
        while queue.front().is_some_and(|packet| packet.number < number) {
            queue.pop_front();
        }
        let Flying { number, sent, before } = queue.pop_front().filter(|packet| packet.number == number)?;
        let (done, before) = (self.done[usize::from(event.smi)], before?);
        let busy = std::array::from_fn(|doing| done[doing] - before[doing]);
        Some(Flight { number, sent, served, kind, channel, busy })
    }

    /// Nothing is known any more of packets from or to a processor.
    pub fn forget(&mut self, processor: u8) {
        self.flying.retain(|&(to, from), _| from != processor && to != processor);
    }

    /// How many are on their way from one processor to another.
    pub fn under_way(&self, from: u8, to: u8) -> usize {
        self.flying.get(&(to, from)).map_or(0, VecDeque::len)
    }
}
