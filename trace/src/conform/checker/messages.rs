//! Messages between processors: sent, under way, served.

use std::collections::HashMap;

use itertools::Itertools;
use testbed_definitions::{event, mpc};

use super::{Checker, Packet, Served, Service, ALL};
use crate::conform::service::FRAMED;
use crate::conform::thread::{Happening, Thread};
use crate::conform::{Conformance, Waiting};
use crate::order::Event;

/// A message in words.
fn message(kind: u8, channel: u8) -> String {
    let name = mpc::name(kind).unwrap_or("message of unknown type");
    match kind {
        mpc::FOCUS | mpc::RTR | mpc::MSG | mpc::ADVERT | mpc::REFUSE => format!("{name} on channel {channel}"),
        _ => name.into(),
    }
}

/// Threads that wait, and have done so since before tick `settled`, in order of that.
fn waiting(threads: &HashMap<u16, Thread>, settled: u64) -> Vec<Waiting> {
    let waits = threads.iter().filter_map(|(&thread, found)| {
        let (since, number) = found.since.filter(|(since, _)| since.ticks() < settled)?;
        Some(Waiting { thread, since, number, what: found.awaited()? })
    });
    waits.sorted_by_key(|waiting| (waiting.number, waiting.thread)).collect()
}

impl Checker {
    pub(crate) fn is_dark(&self, processor: u8) -> bool {
        self.processors.get(processor as usize).is_none_or(|processor| processor.dark)
    }

    /// TX_MPC.
    pub(super) fn sent(&mut self, event: &Event, argument: u16) {
        let (to, kind, channel) = event::message_fields(argument);
        if !FRAMED.contains(&kind) {
            return self.note(format!("service of {} messages, which no event tells", message(kind, channel)));
        }
        self.permit(event, to, kind, channel);
        if kind == mpc::THREAD {
            self.thread_leaves(event, to);
        }
        let packet = Packet { kind, channel, sent: *event, number: self.number };
        let to_all = to == ALL && self.processors.len() <= usize::from(ALL);
        if !to_all {
            return self.launch(event.smi, to, packet);
        }
        for other in (0..self.processors.len() as u8).filter(|other| *other != event.smi) {
            self.launch(event.smi, other, packet);
        }
    }

    /// What passes through a processor without a whole trace has ends there.
    fn hide(&mut self, kind: u8, channel: u8) {
        match kind {
            mpc::FOCUS | mpc::RTR | mpc::MSG | mpc::REFUSE => {
                self.hidden_channels.insert(channel);
            }
            mpc::THREAD | mpc::ENDS => self.hidden_threads = true,
            _ => {}
        }
    }

    fn launch(&mut self, from: u8, to: u8, packet: Packet) {
        if self.is_dark(to) || self.is_dark(from) {
            self.hide(packet.kind, packet.channel);
            return self.note("packets from or to processors without a whole trace");
        }
        self.packets.send(from, to, packet);
    }

    /// Whether something that was served here lets this message leave.
    fn permit(&mut self, event: &Event, to: u8, kind: u8, channel: u8) {
        let me = event.smi;
        let sole = self.processes.len() <= 1;
        let announced = self.packets.last(me, to) == Some(mpc::PAGE);
        let permitted = self.channels.sent(me, to, kind, channel, sole);
        if self.is_dark(me) {
            return;
        }
        let what = format!("{} leaves", message(kind, channel));
        match kind {
            mpc::PAGE_DATA if !announced && !self.is_dark(to) => {
                self.deviation(event, what, "the page message that says what it is just before it");
            }
            _ if permitted => {}
            mpc::RTR if self.processors[me as usize].brought_tokens => {
                self.note("answers to tokens that moved with their threads");
            }
            mpc::RTR => self.deviation(event, what, "a focus or advert first"),
            mpc::MSG => self.deviation(event, what, "an rtr from there since the last token"),
            mpc::PAGE_DATA => self.deviation(event, what, "a page message that asks for it"),
            _ => {}
        }
    }

    fn thread_leaves(&mut self, event: &Event, to: u8) {
        match self.here(event).packed.pop_front() {
            Some(number) => {
                self.happens(event, number, Happening::Leaves);
                if self.is_dark(to) || self.is_dark(event.smi) {
                    // It may come out of there anywhere.
                    self.threads.remove(&number);
                } else {
                    self.flying.entry((event.smi, to)).or_default().push_back(number);
                }
            }
            None if self.is_dark(event.smi) => {}
            None => self.deviation(event, "thread leaves", "PACK and PACKED first"),
        }
    }

    /// RX_MPC.
    pub(super) fn served(&mut self, event: &Event, argument: u16) {
        let (from, kind, channel) = event::message_fields(argument);
        let me = event.smi;
        let number = self.number;
        let processor = self.here(event);
        processor.service = Service::Message { kind, channel };
        processor.since = Some((*event, number));
        self.channels.served(me, from, kind, channel);
        if matches!(kind, mpc::THREAD | mpc::ENDS) {
            self.here(event).brought_tokens = true;
        }
        // A thread that had to wait for a control block is served again, from here.
        if from == me {
            return;
        }
        if self.is_dark(from) || self.is_dark(me) {
            self.hide(kind, channel);
            return self.note("packets from or to processors without a whole trace");
        }
        self.found.packets += 1;
        match self.packets.serve(from, me, kind, channel) {
            Served::Next(packet) => self.steps.arrived = Some(packet),
            Served::Skips(packet, lost) => {
                self.steps.arrived = Some(packet);
                for packet in lost {
                    self.lost(from, me, &packet);
                }
            }
            Served::Unsent => {
                let what = format!("{} from {} served", message(kind, channel), self.name(from));
                return self.deviation(event, what, "TX_MPC there first");
            }
        }
        if kind == mpc::THREAD {
            if let Some(number) = self.flying.get_mut(&(from, me)).and_then(|threads| threads.pop_front()) {
                self.happens(event, number, Happening::Arrives);
                self.here(event).arriving = Some(number);
            }
        }
    }

    fn lost(&mut self, from: u8, to: u8, packet: &Packet) {
        if packet.kind == mpc::THREAD {
            self.flying.get_mut(&(from, to)).and_then(|threads| threads.pop_front());
        }
        let what = format!("{} to {} is lost", message(packet.kind, packet.channel), self.name(to));
        let number = std::mem::replace(&mut self.number, packet.number);
        self.deviation(&packet.sent, what, format!("RX_MPC on {}", self.name(to)));
        self.number = number;
    }

    /// The trace is over. What was sent before tick `settled` should have been served; `None` if
    /// the run did not come to its end.
    pub fn finish(mut self, settled: Option<u64>) -> Conformance {
        for (from, to, packet) in self.packets.rest() {
            match settled {
                Some(settled) if packet.sent.ticks() < settled => self.lost(from, to, &packet),
                _ => self.note("packets under way at the end"),
            }
        }
        for processor in std::mem::take(&mut self.processors) {
            let (Service::Message { .. }, Some((event, number))) = (processor.service, processor.since) else {
                continue;
            };
            if settled.is_some_and(|settled| event.ticks() < settled) {
                self.number = number;
                self.deviation(&event, "service never ends", processor.service.expected());
            }
        }
        if let Some(settled) = settled {
            self.found.waiting = waiting(&self.threads, settled);
        }
        self.found.deviations.sort_by_key(|deviation| deviation.number);
        self.found
    }
}
