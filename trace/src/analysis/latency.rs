//! How long threads wait: from their call to where they are ready, and to where they run again. The
//! report's Figures 15, 21 and 22.

use std::collections::BTreeMap;
use testbed_definitions::ids::ThreadNumber;

use serde::{Deserialize, Serialize};

use super::fact::{Fact, Met, On, Wait, Waited};
use super::measure::{Bar, Distribution, Omitted, Range, Spans};

/// Rows of a histogram.
const ROWS: usize = 20;

/// What a thread waited for, without the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Requests to communicate with a thread on the same processor: the partner that was there
    /// first, and the one that copies.
    LocalSendFirst,
    LocalSendSecond,
    LocalReceiveFirst,
    LocalReceiveSecond,
    LocalAlternative,
    /// Local requests where class `detail` is off.
    LocalFirst,
    LocalSecond,
    RemoteSend,
    RemoteReceive,
    /// Refused, timed out, or met by a partner that no event names.
    OtherRequest,
    Page,
    Migration,
}

impl Service {
    fn of(waited: Waited) -> (Service, Option<u8>) {
        let channel = match waited {
            Waited::Communication(_, On::Send(channel) | On::Receive(channel)) => Some(channel),
            _ => None,
        };
        let service = match waited {
            Waited::Page => Service::Page,
            Waited::Migration => Service::Migration,
            Waited::Communication(Met::RemoteSend, _) => Service::RemoteSend,
            Waited::Communication(Met::RemoteReceive, _) => Service::RemoteReceive,
            Waited::Communication(Met::Otherwise, _) => Service::OtherRequest,
            Waited::Communication(Met::LocalFirst, On::Send(_)) => Service::LocalSendFirst,
            Waited::Communication(Met::LocalFirst, On::Receive(_)) => Service::LocalReceiveFirst,
            Waited::Communication(Met::LocalSecond, On::Send(_)) => Service::LocalSendSecond,
            Waited::Communication(Met::LocalSecond, On::Receive(_)) => Service::LocalReceiveSecond,
            Waited::Communication(_, On::Alternative(_)) => Service::LocalAlternative,
            Waited::Communication(Met::LocalFirst, _) => Service::LocalFirst,
            Waited::Communication(Met::LocalSecond, _) => Service::LocalSecond,
        };
        (service, channel)
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Service::LocalSendFirst => "local send, first",
            Service::LocalSendSecond => "local send, second",
            Service::LocalReceiveFirst => "local receive, first",
            Service::LocalReceiveSecond => "local receive, second",
            Service::LocalAlternative => "local alternative",
            Service::LocalFirst => "local request, first",
            Service::LocalSecond => "local request, second",
            Service::RemoteSend => "remote send",
            Service::RemoteReceive => "remote receive",
            Service::OtherRequest => "other request",
            Service::Page => "page",
            Service::Migration => "migration",
        }
    }
}

/// Collects waits.
#[derive(Debug)]
pub struct Latency {
    range: Range,
    services: BTreeMap<Service, Collected>,
    /// By process (home and place in bits 7:0), channel and service.
    channels: BTreeMap<(u16, u8, Service), Spans>,
    omitted: Omitted,
}

#[derive(Debug, Default)]
struct Collected {
    ready: Spans,
    runs: Spans,
    /// Waits of which nobody says when they were over.
    unsaid: u64,
}

/// How long threads wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyReport {
    pub services: Vec<ServiceReport>,
    /// By channel, where events tell it.
    pub channels: Vec<ChannelReport>,
    pub omitted: Omitted,
}

/// Waits for one service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceReport {
    pub service: Service,
    /// From the call to where the thread is ready. `corrected` takes all probes of its processor in
    /// between for delay, so it is a lower bound.
    pub ready: Option<Distribution>,
    pub bars: Vec<Bar>,
    /// From the call to where it runs.
    pub runs: Option<Distribution>,
    /// Waits in `runs` that are not in `ready`: no event says when they were over.
    pub ready_unknown: u64,
}

/// Waits on one channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelReport {
    /// Home of the process in bits 7:4, its place there in 3:0.
    pub process: u16,
    pub channel: u8,
    pub service: Service,
    /// From the call to where the thread is ready.
    pub ready: Distribution,
}

impl Latency {
    pub fn new(range: Range) -> Self {
        Latency { range, services: BTreeMap::new(), channels: BTreeMap::new(), omitted: Omitted::default() }
    }

    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Wait(wait) => self.wait(wait),
            Fact::WaitLeftOut { cycle, reason } if self.range.contains(*cycle) || *cycle == self.range.to_cycle => {
                self.omitted.add(reason);
            }
            _ => {}
        }
    }

    fn wait(&mut self, wait: &Wait) {
        let Range { from_cycle, to_cycle } = self.range;
        if wait.runs.cycle < from_cycle || wait.begun.cycle >= to_cycle {
            return;
        }
        if wait.begun.cycle < from_cycle || wait.runs.cycle > to_cycle {
            return self.omitted.add("begun before or ended after the part of the run that was asked for");
        }
        let (service, channel) = Service::of(wait.what);
        let collected = self.services.entry(service).or_default();
        let Some(runs) = super::measure::Span::between(wait.begun, wait.runs) else { return };
        collected.runs.add(runs);
        match wait.ready.and_then(|ready| super::measure::Span::between(wait.begun, ready)) {
            Some(ready) => {
                collected.ready.add(ready);
                if let Some(channel) = channel {
                    let process = ThreadNumber::from_bits(wait.thread).process();
                    self.channels.entry((process, channel, service)).or_default().add(ready);
                }
            }
            None => collected.unsaid += 1,
        }
    }

    pub fn finish(self) -> LatencyReport {
        let services = self.services.into_iter().map(|(service, collected)| ServiceReport {
            service,
            ready: collected.ready.summary(),
            bars: collected.ready.bars(ROWS),
            runs: collected.runs.summary(),
            ready_unknown: collected.unsaid,
        });
        let channels = self.channels.into_iter().filter_map(|((process, channel, service), spans)| {
            Some(ChannelReport { process, channel, service, ready: spans.summary()? })
        });
        LatencyReport { services: services.collect(), channels: channels.collect(), omitted: self.omitted }
    }
}
