//! What an ordered trace shows, in a screenful. Knows nothing of particular programs.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::{self, Write};

use testbed_definitions::{event, mpc, packet};
use testbed_events::wording::{self, Clocks, Microseconds};

use crate::capture::RunRecord;
use crate::ledger::Ledger;
use crate::order::{Event, What};

/// Exchanges that are shown of each group.
pub const EXCHANGES: usize = 8;
/// What messages between processors are about.
const GROUPS: [&str; 4] = ["exchanges", "migrations", "pages", "ends of channels that follow a thread or go home"];

/// Destination of a broadcast, as the four bits in an event show it.
const ALL: u8 = packet::BROADCAST & 0xf;

/// A message from one kernel to another: handed to Centrenet, and served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub sent: Event,
    pub served: Event,
    /// Processors, message type, channel.
    pub from: u8,
    pub to: u8,
    pub kind: u8,
    pub channel: u8,
}

/// Counts and first exchanges of a trace; fed with events in order.
#[derive(Debug, Default)]
pub struct Summary {
    /// By event name, then by processor.
    pub counts: BTreeMap<&'static str, Vec<u64>>,
    pub events: u64,
    pub ambiguous: u64,
    pub doubtful: u64,
    /// Events that gap markers say were discarded.
    pub discarded: u64,
    pub first: Option<Event>,
    pub last: Option<Event>,
    pub exchanges: Vec<Exchange>,
    shown: [usize; GROUPS.len()],
    /// Sent and not yet served, by (from, to, type, channel).
    flying: HashMap<(u8, u8, u8, u8), VecDeque<Event>>,
}

impl Summary {
    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        let by_processor = self.counts.entry(event.what.name()).or_default();
        let processor = event.smi as usize;
        if by_processor.len() <= processor {
            by_processor.resize(processor + 1, 0);
        }
        by_processor[processor] += 1;
        self.events += 1;
        self.ambiguous += u64::from(!event.epoch.is_certain());
        self.doubtful += u64::from(event.doubtful);
        if let What::Gap(count) = event.what {
            self.discarded += u64::from(count.unwrap_or(0));
        }
        self.first.get_or_insert(*event);
        self.last = Some(*event);
        self.match_message(event);
    }

    fn match_message(&mut self, event: &Event) {
        let (What::Known(kind), Some(argument)) = (event.what, event.argument) else { return };
        let (other, message, channel) = event::message_fields(argument);
        let group = group_of(message);
        if self.shown[group] == EXCHANGES {
            return;
        }
        match kind.code {
            event::TX_MPC => {
                let sent = self.flying.entry((event.smi, other, message, channel)).or_default();
                if sent.len() < 64 {
                    sent.push_back(*event);
                }
            }
            event::RX_MPC => {
                let mine = self.flying.get_mut(&(other, event.smi, message, channel)).and_then(VecDeque::pop_front);
                // A broadcast is served by many: it stays.
                let sent = mine.or_else(|| self.flying.get(&(other, ALL, message, channel))?.back().copied());
                if let Some(sent) = sent {
                    let (from, to) = (other, event.smi);
                    self.shown[group] += 1;
                    self.exchanges.push(Exchange { sent, served: *event, from, to, kind: message, channel });
                }
            }
            _ => {}
        }
    }

    /// The summary as text for `record`'s machine.
    pub fn text(&self, record: &RunRecord) -> String {
        let mut out = String::new();
        self.write(&mut out, record).expect("a String takes everything");
        out
    }

    fn write(&self, out: &mut String, record: &RunRecord) -> fmt::Result {
        let names = &record.machine.processors;
        let (Some(first), Some(last)) = (&self.first, &self.last) else {
            return writeln!(out, "ordered trace: no events");
        };
        let (from, to) = (microseconds(first.ticks(), record), microseconds(last.ticks(), record));
        writeln!(out, "ordered trace: {} events from {from} to {to} us", self.events)?;
        writeln!(
            out,
            "order: {}",
            match (self.ambiguous, self.doubtful) {
                (0, 0) => "every event's epoch is proven".into(),
                (ambiguous, doubtful) =>
                    format!("{ambiguous} events have an ambiguous epoch, {doubtful} follow a loss and may be misread"),
            }
        )?;
        if self.discarded > 0 {
            writeln!(out, "lost: {} events were discarded by full queues, and counted", self.discarded)?;
        }
        let dropped = record.ledger.as_ref().map_or(0, Ledger::dropped);
        if let Some(untold @ 1..) = dropped.checked_sub(self.discarded) {
            writeln!(
                out,
                "lost: {untold} more, which the trace does not tell: the run ended before their gap markers went"
            )?;
        }
        let header: String = names.iter().skip(1).map(|name| format!(" {name:>9}")).collect();
        writeln!(out, "\n  {:<10}{header}     total", "event")?;
        for (name, by_processor) in &self.counts {
            let cell = |processor: usize| by_processor.get(processor).copied().unwrap_or(0);
            let cells: String = (1..names.len()).map(|processor| format!(" {:>9}", cell(processor))).collect();
            writeln!(out, "  {name:<10}{cells} {:>9}", by_processor.iter().sum::<u64>())?;
        }
        for (group, title) in GROUPS.iter().enumerate() {
            let mut exchanges = self.exchanges.iter().filter(|exchange| group_of(exchange.kind) == group).peekable();
            if exchanges.peek().is_some() {
                writeln!(out, "\nfirst {title}:")?;
            }
            exchanges.try_for_each(|exchange| write_exchange(out, exchange, record))?;
        }
        Ok(())
    }
}

fn write_exchange(out: &mut String, exchange: &Exchange, record: &RunRecord) -> fmt::Result {
    writeln!(
        out,
        "  {:>12} us  {} -> {}  {}{}: served after {} us",
        microseconds(exchange.sent.ticks(), record),
        processor_name(exchange.from, record),
        processor_name(exchange.to, record),
        message_name(exchange.kind),
        wording::Address(exchange.kind, exchange.channel),
        microseconds(exchange.served.ticks().saturating_sub(exchange.sent.ticks()), record)
    )
}

/// Which of [`GROUPS`] a message belongs to.
fn group_of(kind: u8) -> usize {
    match kind {
        mpc::THREAD => 1,
        mpc::PAGE | mpc::PAGE_DATA => 2,
        mpc::ENDS => 3,
        _ => 0,
    }
}

/// Ticks as microseconds, exact to the picosecond, without trailing zeros.
pub fn microseconds(ticks: u64, record: &RunRecord) -> String {
    Microseconds(ticks, clocks(record)).to_string()
}

/// The clocks of the machine.
fn clocks(record: &RunRecord) -> Clocks {
    Clocks { tick_cycles: record.machine.tick_cycles, clock_hz: record.machine.clock_hz }
}

/// Name of a message's type.
pub fn message_name(kind: u8) -> String {
    wording::Message(kind).to_string()
}

/// Name of a processor, or its number where the machine has none such.
pub fn processor_name(number: u8, record: &RunRecord) -> String {
    processor_text(number, &record.machine.processors)
}

/// The same, for processors of these names.
pub fn processor_text(number: u8, names: &[String]) -> String {
    wording::Processor(number, names).to_string()
}

/// A process by home and place, as threads' names begin, for processors of these names.
pub fn process_text(process: u16, names: &[String]) -> String {
    let thread = thread_text(event::thread_number((process >> 4) as u8, process as u8, 0), names);
    thread.trim_end_matches(".0").to_string()
}

/// A thread's number as [`thread_name`], for processors of these names.
pub fn thread_text(thread: u16, names: &[String]) -> String {
    wording::Thread(thread, names).to_string()
}

/// A thread's number as home and place of its process, and its id: `earth.0.1`.
pub fn thread_name(thread: u16, record: &RunRecord) -> String {
    thread_text(thread, &record.machine.processors)
}

/// What an event's value means, in words; empty if it has none.
pub fn detail(event: &Event, record: &RunRecord) -> String {
    wording::Detail(event, &record.machine.processors[..]).to_string()
}

/// An event as one line of text.
pub fn describe(event: &Event, record: &RunRecord) -> String {
    wording::Line(event, &record.machine.processors[..], clocks(record)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;
    use testbed_definitions::event::message_argument;
    use testbed_machine::Machine;

    /// The lines below a heading, up to the next.
    fn below<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
        let (_, rest) = text.split_once(&format!("\nfirst {heading}:\n")).unwrap_or_default();
        rest.lines().take_while(|line| !line.is_empty()).collect()
    }

    #[test]
    fn only_threads_that_move_are_migrations() {
        let mut summary = Summary::default();
        for (tick, kind) in [mpc::ENDS, mpc::THREAD, mpc::FOCUS, mpc::ENDS].into_iter().enumerate() {
            let tick = 10 * tick as u64;
            summary.add(&synthetic::event(tick, 1, event::TX_MPC, message_argument(2, kind, 0)));
            summary.add(&synthetic::event(tick + 5, 2, event::RX_MPC, message_argument(1, kind, 0)));
        }
        let text = summary.text(&RunRecord::new(&Machine::testbed6(), "script"));
        let migrations = below(&text, "migrations");
        assert!(migrations.len() == 1 && migrations[0].contains("earth -> air  thread: served"), "{text}");
        assert_eq!(below(&text, "exchanges").len(), 1);
        assert_eq!(below(&text, GROUPS[3]).len(), 2);
    }
}
