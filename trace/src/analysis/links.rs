//! What passes between processors: the report's metric REM-COMM (Figure 38), by direction and type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::follow::ALL;
use super::measure::{Distribution, Omitted, Range, Span, Spans};
use super::windows::Windows;

/// Collects packets.
#[derive(Debug)]
pub struct Links {
    range: Range,
    window: u64,
    processors: u8,
    links: BTreeMap<(u8, u8), Collected>,
    omitted: Omitted,
}

#[derive(Debug)]
struct Collected {
    sent: BTreeMap<u8, u64>,
    served: BTreeMap<u8, u64>,
    communications: u64,
    windows: Windows<u64>,
    flights: Spans,
}

/// What passes between processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinksReport {
    pub window_cycles: u64,
    pub links: Vec<LinkReport>,
    pub omitted: Omitted,
}

/// One direction between two processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    pub from: u8,
    /// `None`: to all others at once.
    pub to: Option<u8>,
    /// Packets handed to Centrenet, by type; none is known of the master's.
    pub sent: BTreeMap<String, u64>,
    /// Packets whose service was begun, by type. Some types' service has no event (create, created,
    /// exited, process, file).
    pub served: BTreeMap<String, u64>,
    /// Messages of threads that were received whole.
    pub communications: u64,
    /// Packets in each window: those sent; from the master those served.
    pub windows: Vec<u64>,
    /// From TX_MPC to RX_MPC.
    pub flights: Option<Distribution>,
}

impl Links {
    pub fn new(range: Range, window: u64, processors: u8) -> Self {
        Links { range, window, processors, links: BTreeMap::new(), omitted: Omitted::default() }
    }

    fn link(&mut self, from: u8, to: u8) -> &mut Collected {
        let (range, window) = (self.range, self.window);
        self.links.entry((from, to)).or_insert_with(|| Collected {
            sent: BTreeMap::new(),
            served: BTreeMap::new(),
            communications: 0,
            windows: Windows::new(range, window),
            flights: Spans::default(),
        })
    }

    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Sent { mark, to, kind, .. } if self.range.contains(mark.cycle) => {
                let link = self.link(mark.processor, *to);
                *link.sent.entry(*kind).or_default() += 1;
                if let Some(window) = link.windows.at(mark.cycle) {
                    *window += 1;
                }
            }
            Fact::Served { mark, from, kind, flight, .. } if self.range.contains(mark.cycle) => {
                // What had to wait for a control block is served again, from here.
                if *from == mark.processor {
                    return;
                }
                let link = self.link(*from, mark.processor);
                *link.served.entry(*kind).or_default() += 1;
                if let Some(window) = link.windows.at(mark.cycle).filter(|_| *from == 0) {
                    *window += 1;
                }
                match flight.and_then(|flight| Span::between(flight.sent, flight.served)) {
                    Some(span) => link.flights.add(span),
                    None => self.omitted.add("flights whose beginning is not known: from the master, or after a loss"),
                }
            }
            Fact::Received { from, to, cycle } if self.range.contains(*cycle) => {
                self.link(*from, *to).communications += 1
            }
            _ => {}
        }
    }

    pub fn finish(self) -> LinksReport {
        let name = |(kind, count): (u8, u64)| (crate::summary::message_name(kind), count);
        let broadcast = |to| to == ALL && self.processors <= ALL;
        let links = self.links.into_iter().map(|((from, to), link)| LinkReport {
            from,
            to: (!broadcast(to)).then_some(to),
            sent: link.sent.into_iter().map(name).collect(),
            served: link.served.into_iter().map(name).collect(),
            communications: link.communications,
            windows: link.windows.finish(),
            flights: link.flights.summary(),
        });
        LinksReport { window_cycles: self.window, links: links.collect(), omitted: self.omitted }
    }
}
