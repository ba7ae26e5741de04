//! Spans between events, without what the events themselves cost, and without what is only flight.

use itertools::Itertools;
use testbed_definitions::event;

use testbed_trace::analysis::probe;
use testbed_trace::order::{Event, What};

/// What an event of the kernel costs, in cycles as differences have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Cycles of the test of its class, by its instructions.
    pub test: i64,
    /// Cycles from one word to the next, measured: the least in the trace.
    pub store: i64,
}

impl From<probe::Probe> for Probe {
    fn from(probe: probe::Probe) -> Self {
        Probe { test: probe.test_cycles as i64, store: probe.store_cycles as i64 }
    }
}

impl Probe {
    /// Cycles of a whole event.
    pub fn cost(&self, event: &Event) -> i64 {
        self.test + self.store * words(event)
    }
}

fn words(event: &Event) -> i64 {
    1 + i64::from(event.argument.is_some())
}

/// Not a program's.
fn is_kernels(event: &Event) -> bool {
    !matches!(event.what, What::Known(kind) if kind.code == event::USER)
}

/// Code of an event of the table, without a program's datum.
pub fn code(event: &Event) -> Option<u16> {
    match event.what {
        What::Known(kind) => Some(kind.code),
        _ => None,
    }
}

/// Datum of a program's event.
pub fn user(event: &Event) -> Option<u16> {
    if code(event) == Some(event::USER) {
        event.argument
    } else {
        None
    }
}

/// Cycles between two events.
pub fn elapsed(from: &Event, to: &Event) -> i64 {
    to.ticks() as i64 - from.ticks() as i64
}

/// Cycles of the kernel's events strictly between places `from` and `to` of the trace, on the processors of both.
pub fn events_between(events: &[Event], from: usize, to: usize, probe: &Probe) -> i64 {
    let involved = |event: &&Event| event.smi == events[from].smi || event.smi == events[to].smi;
    events[from + 1..to].iter().filter(involved).filter(|event| is_kernels(event)).map(|event| probe.cost(event)).sum()
}

/// Between two of the kernel's events on one processor, without what these and those between cost.
pub fn service(events: &[Event], from: usize, to: usize, probe: &Probe) -> i64 {
    let ends = probe.test + probe.store * words(&events[from]);
    let same = |event: &&Event| event.smi == events[from].smi && is_kernels(event);
    let between: i64 = events[from + 1..to].iter().filter(same).map(|event| probe.cost(event)).sum();
    elapsed(&events[from], &events[to]) - between - ends
}

/// The next place from `from` on where `wanted` holds.
pub fn next(events: &[Event], from: usize, wanted: impl Fn(&Event) -> bool) -> Option<usize> {
    events[from.min(events.len())..].iter().position(wanted).map(|at| from + at)
}

/// The last place before `from` where `wanted` holds.
pub fn previous(events: &[Event], from: usize, wanted: impl Fn(&Event) -> bool) -> Option<usize> {
    events[..from].iter().rposition(wanted)
}

/// Messages handed over between places `from` and `to` of the trace and served there: places of
/// both events, and the type.
pub fn flights(events: &[Event], from: usize, to: usize) -> Vec<(usize, usize, u8)> {
    let mut found = Vec::new();
    for sent in from..to {
        let (event, Some(argument)) = (&events[sent], events[sent].argument) else { continue };
        if code(event) != Some(event::TX_MPC) {
            continue;
        }
        let (receiver, kind, channel) = event::message_fields(argument);
        let expected = event::message_argument(event.smi, kind, channel);
        let served = next(&events[..to], sent, |other| {
            code(other) == Some(event::RX_MPC) && other.argument == Some(expected) && other.smi == receiver
        });
        found.extend(served.map(|served| (sent, served, kind)));
    }
    found
}

/// Cycles between places `from` and `to` in which a message was under way and neither processor worked on any.
pub fn only_flight(events: &[Event], from: usize, to: usize) -> i64 {
    let stamp = |at: usize| events[at].ticks() as i64;
    let flying: Vec<_> =
        flights(events, from, to).into_iter().map(|(sent, served, _)| (stamp(sent), stamp(served))).collect();
    let busy: Vec<_> = busy(events, from, to).into_iter().map(|(from, to)| (stamp(from), stamp(to))).collect();
    let cuts = flying.iter().chain(&busy).flat_map(|&(from, to)| [from, to]).sorted_unstable().dedup();
    let inside = |spans: &[(i64, i64)], from: i64| spans.iter().any(|&(start, end)| start <= from && from < end);
    let pieces = cuts.tuple_windows().filter(|&(start, _)| inside(&flying, start) && !inside(&busy, start));
    pieces.map(|(start, end)| end - start).sum()
}

/// Spans in which a processor works: from a request, a fault or a message to the last of the
/// kernel's events before the next.
fn busy(events: &[Event], from: usize, to: usize) -> Vec<(usize, usize)> {
    let begins =
        |event: &Event| matches!(code(event), Some(event::RX_MPC | event::TRAP7 | event::PAGE_FAULT | event::PACK));
    let ends = |event: &Event| begins(event) || code(event).is_none() || !is_kernels(event);
    let mut spans = Vec::new();
    for start in (from..to).filter(|&at| begins(&events[at])) {
        let own = |at: &usize| events[*at].smi == events[start].smi;
        let span = (start + 1..to).filter(own).take_while(|&at| !ends(&events[at]));
        spans.extend(span.last().map(|end| (start, end)));
    }
    spans
}

/// The middle of the values; `None` if there are none.
pub fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// The median, or `None` if `values` is empty.
pub fn typical(values: impl Iterator<Item = i64>) -> Option<i64> {
    median(values.collect())
}
