//! One station: software's registers, transmit engine, and what the bus has decided about it.
//!
//! Its state is that of the start of cycle `now`; [`Station::sync`] moves `now` on, over the bus's time-stamped changes
//! and the engine's pops. What the bus does with the station may already be decided for later cycles.

use super::burst::{Burst, Load};
use super::history::History;
use crate::engine::StationCounters;
use std::collections::VecDeque;
use testbed_definitions::map::centrenet as register;
use testbed_definitions::packet::{fault_draw, fault_step, Header, DATAGRAM};
use testbed_definitions::timing::LOOKAHEAD;

mod registers;

/// Cycles at least from a store to TX_COMMAND to the pop.
pub const POP_LATENCY: u64 = 2;

/// What the two draws for a packet have come to.
struct Faults {
    drop: bool,
    corrupt: bool,
}

/// An entry of the transmit queue.
#[derive(Clone)]
pub struct Descriptor {
    /// Cycle of the store to TX_COMMAND.
    stored: u64,
    pub address: u32,
    header: u32,
}

impl Descriptor {
    pub fn words(&self) -> u32 {
        Header::unpack(self.header).payload_words() as u32
    }
}

/// The packet that the engine has popped and not yet been rid of.
#[derive(Clone)]
pub struct Offer {
    /// With the source filled in.
    pub header: u32,
    pub spoilt: bool,
    /// It is sent again if it comes to nobody.
    pub confirmed: bool,
    pub load: Load,
    /// The transmit buffer: payload read so far.
    pub words: Vec<u32>,
    /// The cycle of the request, once it has been refused or damaged.
    retry: Option<u64>,
}

/// What there was to a packet that was sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    pub spoilt: bool,
    pub broadcast: bool,
    /// The sender waits for what the receivers say of it.
    pub confirmed: bool,
}

/// What the bus changes in a station.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    Sent(Sent),
    /// The packet that was sent was right.
    Confirmed,
    /// It was not, and is offered again.
    Resent,
    NoStation,
    Retry,
    /// A good packet of so many words, header included.
    Received(u16),
    CrcError,
}

impl Change {
    /// Whether the engine is idle from then on.
    fn ends_packet(&self) -> bool {
        match self {
            Change::Sent(sent) => !sent.confirmed,
            Change::Confirmed | Change::NoStation => true,
            _ => false,
        }
    }
}

#[derive(Clone)]
pub struct Station {
    pub number: usize,
    stations: usize,
    /// RAM bytes less one.
    pub ram_mask: u32,
    pub now: u64,
    control: u32,
    tx_address: u32,
    rx_base: u32,
    rx_mask: u16,
    head: u16,
    tail: u16,
    fault_drop: u32,
    fault_corrupt: u32,
    lfsr: u32,
    pub counters: StationCounters,
    pub queue: VecDeque<Descriptor>,
    /// The engine is idle from this cycle on; `None`: busy.
    idle_since: Option<u64>,
    pub offer: Option<Offer>,
    /// Changes that become visible in these cycles, in order.
    pub changes: VecDeque<(u64, Change)>,
    exported_head: History<u16>,
    exported_enable: History<bool>,
    /// The tail when all that the bus has decided has come to pass.
    final_tail: u16,
    /// Cycles, first and last, in which the receiver is accepting or receiving.
    pub occupied: VecDeque<(u64, u64)>,
    /// Cycles, first and last, in which the load may not issue.
    pub blocked: VecDeque<(u64, u64)>,
    pub bursts: VecDeque<Burst>,
    /// Since when the interrupt's condition holds.
    pending_since: Option<u64>,
    /// First and last cycle in which the line was high the last time.
    last_high: (u64, u64),
}

impl Station {
    pub fn new(number: usize, stations: usize, ram_bytes: u32) -> Self {
        Station {
            number,
            stations,
            ram_mask: ram_bytes - 1,
            now: 0,
            control: 0,
            tx_address: 0,
            rx_base: 0,
            rx_mask: 0,
            head: 0,
            tail: 0,
            fault_drop: 0,
            fault_corrupt: 0,
            lfsr: 1,
            counters: StationCounters::default(),
            queue: VecDeque::new(),
            idle_since: Some(0),
            offer: None,
            changes: VecDeque::new(),
            exported_head: History::new(0),
            exported_enable: History::new(false),
            final_tail: 0,
            occupied: VecDeque::new(),
            blocked: VecDeque::new(),
            bursts: VecDeque::new(),
            pending_since: None,
            last_high: (u64::MAX, 0),
        }
    }

    /// The cycle of the next pop if nothing else happens.
    fn next_pop(&self) -> u64 {
        match (self.idle_since, self.queue.front()) {
            (Some(idle), Some(head)) => idle.max(head.stored + POP_LATENCY),
            _ => u64::MAX,
        }
    }

    /// Brings the state to the start of `cycle`; a station never goes back.
    #[inline]
    pub fn sync(&mut self, cycle: u64) {
        // Mostly nothing has happened.
        if !self.changes.is_empty() || self.next_pop() < cycle {
            self.sync_changes(cycle);
        }
        self.now = self.now.max(cycle);
    }

    fn sync_changes(&mut self, cycle: u64) {
        loop {
            let pop = self.next_pop();
            let change = self.changes.front().map_or(u64::MAX, |&(visible, _)| visible);
            if change <= pop && change <= cycle {
                let (visible, change) = self.changes.pop_front().expect("there is one");
                self.apply(visible, change);
            } else if pop < cycle {
                self.pop(pop);
            } else {
                break;
            }
        }
    }

    fn apply(&mut self, visible: u64, change: Change) {
        match change {
            Change::Sent(Sent { spoilt, broadcast, confirmed }) => {
                let count = |counter: &mut u32, by: bool| *counter = counter.wrapping_add(by.into());
                count(&mut self.counters.tx_packets, true);
                count(&mut self.counters.tx_corrupted, spoilt);
                count(&mut self.counters.tx_broadcasts, broadcast);
                self.idle_since = (!confirmed).then_some(visible);
            }
            Change::Confirmed => self.idle_since = Some(visible),
            Change::Resent => {
                self.counters.tx_resent = self.counters.tx_resent.wrapping_add(1);
                let faults = self.draw();
                self.offer.as_mut().expect("it is offered again").spoilt = faults.drop | faults.corrupt;
            }
            Change::NoStation => {
                self.counters.tx_no_station = self.counters.tx_no_station.wrapping_add(1);
                self.idle_since = Some(visible);
            }
            Change::Retry => self.counters.tx_retries = self.counters.tx_retries.wrapping_add(1),
            Change::Received(words) => {
                self.tail = self.tail.wrapping_add(words);
                self.counters.rx_packets = self.counters.rx_packets.wrapping_add(1);
                self.update_line(visible);
            }
            Change::CrcError => self.counters.rx_crc_errors = self.counters.rx_crc_errors.wrapping_add(1),
        }
    }

    /// The engine takes the head of the queue in `cycle`.
    fn pop(&mut self, cycle: u64) {
        let descriptor = self.queue.pop_front().expect("there is a next pop");
        let kind = Header::unpack(descriptor.header).kind;
        let confirmed = self.control & register::CONTROL_CONFIRM != 0 && kind & DATAGRAM == 0;
        let faults = self.draw();
        if faults.drop && !confirmed {
            self.counters.tx_dropped = self.counters.tx_dropped.wrapping_add(1);
            self.idle_since = Some(cycle + 1);
            return;
        }
        let words = descriptor.words();
        let header = Header { source: self.number as u8, ..Header::unpack(descriptor.header) };
        self.idle_since = None;
        self.forget_before(cycle);
        self.offer = Some(Offer {
            header: header.pack(),
            spoilt: faults.corrupt | faults.drop,
            confirmed,
            load: Load { address: descriptor.address, left: words, cycle: cycle + 1 },
            words: Vec::with_capacity(words as usize),
            retry: None,
        });
    }

    /// What becomes of the packet that is about to leave.
    fn draw(&mut self) -> Faults {
        let first = fault_step(self.lfsr);
        self.lfsr = fault_step(first);
        let is_below = |state: u32, threshold: u32| u32::from(fault_draw(state)) < threshold;
        Faults { drop: is_below(first, self.fault_drop), corrupt: is_below(self.lfsr, self.fault_corrupt) }
    }

    fn forget_before(&mut self, cycle: u64) {
        while self.blocked.front().is_some_and(|&(_, to)| to < cycle) {
            self.blocked.pop_front();
        }
    }

    /// The cycle from which the bus sees a request, as far as receptions are known: no later one begins before it.
    pub fn request(&self) -> Option<u64> {
        let offer = self.offer.as_ref()?;
        Some(offer.retry.unwrap_or_else(|| self.load_end(&offer.load) + LOOKAHEAD))
    }

    /// The bus sees no request before this cycle, unless software stores another command.
    pub fn request_from(&self) -> u64 {
        if let Some(request) = self.request() {
            return request;
        }
        // The head of the queue may be dropped, so the shortest packet counts.
        let words = self.queue.iter().map(Descriptor::words).min().unwrap_or(0);
        self.pop_from().saturating_add(1 + u64::from(words) + LOOKAHEAD)
    }

    /// The engine pops nothing before this cycle, unless software stores another command.
    pub fn pop_from(&self) -> u64 {
        let Some(head) = self.queue.front() else { return u64::MAX };
        let becomes_idle = || self.changes.iter().rev().find(|(_, change)| change.ends_packet()).map(|&(from, _)| from);
        let idle = self.request().or(self.idle_since).or_else(becomes_idle).unwrap_or(0);
        idle.max(head.stored + POP_LATENCY)
    }

    /// The bus has refused the packet: counted from `visible`, offered again in `retry`.
    pub fn refuse(&mut self, visible: u64, retry: u64) {
        self.changes.push_back((visible, Change::Retry));
        self.offer.as_mut().expect("it was offered").retry = Some(retry);
    }

    /// The engine is rid of its packet, and idle from `visible`.
    pub fn finish(&mut self, visible: u64, change: Change) -> Offer {
        let offer = self.offer.take().expect("it was offered");
        self.changes.push_back((visible, change));
        offer
    }

    /// The receivers have not said by `told` that the packet was damaged.
    pub fn confirm(&mut self, told: u64) {
        self.changes.push_back((told, Change::Confirmed));
    }

    /// The packet was sent, as of `visible`, and is offered again in `retry`: receivers have said, as of
    /// `told`, that it was damaged.
    pub fn resend(&mut self, (visible, sent): (u64, Sent), told: u64, retry: u64) -> Offer {
        self.changes.push_back((visible, Change::Sent(sent)));
        self.changes.push_back((told, Change::Resent));
        let offer = self.offer.as_mut().expect("it was offered");
        offer.retry = Some(retry);
        offer.clone()
    }

    /// Receives `burst` in the transaction granted in `grant`, whose CRC word passes in `end`.
    pub fn take(&mut self, grant: u64, end: u64, mut burst: Burst, spoilt: bool) {
        (burst.start, burst.base, burst.mask) = (self.final_tail, self.rx_base, self.rx_mask);
        let words = burst.words() as u16;
        self.occupied.push_back((grant + 3, end));
        if self.offer.is_none() {
            self.forget_before(self.now);
        }
        self.blocked.push_back((grant + 4, end));
        self.bursts.push_back(burst);
        if spoilt {
            self.changes.push_back((end + 1, Change::CrcError));
        } else {
            self.final_tail = self.final_tail.wrapping_add(words);
            self.changes.push_back((end + 1, Change::Received(words)));
        }
    }

    /// Whether a packet's words come in in `cycle`.
    pub fn is_receiving(&self, cycle: u64) -> bool {
        self.blocked.iter().any(|&(from, to)| (from..=to).contains(&cycle))
    }

    /// Whether receive-enable, as exported, is set in `cycle`.
    pub fn receives(&self, cycle: u64) -> bool {
        self.exported_enable.exported(cycle)
    }

    /// Whether the ring has room for a header and `words`, as the bus side judges it in `cycle`.
    pub fn has_room(&self, cycle: u64, words: usize) -> bool {
        let used = self.final_tail.wrapping_sub(self.exported_head.exported(cycle));
        usize::from(used) + words <= usize::from(self.rx_mask)
    }

    /// Whether the receiver is off in `now`.
    fn is_off(&mut self) -> bool {
        let now = self.now;
        while self.occupied.front().is_some_and(|&(_, to)| to < now) {
            self.occupied.pop_front();
        }
        self.control & register::CONTROL_RECEIVE == 0
            && !self.exported_enable.once(now)
            && !self.exported_enable.exported(now)
            && !self.occupied.iter().any(|&(from, to)| (from..=to).contains(&now))
    }

    /// The interrupt's condition may have changed: its registers have new values from `visible` on.
    fn update_line(&mut self, visible: u64) {
        let pending = self.control & register::CONTROL_INTERRUPT != 0 && self.head != self.tail;
        match (pending, self.pending_since) {
            (true, None) => self.pending_since = Some(visible),
            (false, Some(since)) => {
                self.pending_since = None;
                if since < visible {
                    self.last_high = (since + 1, visible);
                }
            }
            _ => {}
        }
    }

    /// See [`super::Network::external_from`]. The state stays as it is: a processor asks from where it
    /// is, which may be beyond the cycle in which the host looks at the counters.
    #[inline]
    pub fn external_from(&self, from: u64) -> Option<u64> {
        let (first, last) = self.last_high;
        if first <= last && from <= last {
            return Some(from.max(first));
        }
        if let Some(since) = self.pending_since {
            return Some(from.max(since + 1));
        }
        if self.control & register::CONTROL_INTERRUPT == 0 {
            return None;
        }
        let mut tail = self.tail;
        self.changes.iter().find_map(|&(visible, change)| {
            let Change::Received(words) = change else { return None };
            tail = tail.wrapping_add(words);
            (tail != self.head).then_some(from.max(visible + 1))
        })
    }
}
