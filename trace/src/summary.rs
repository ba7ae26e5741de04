//! What an ordered trace shows, in a screenful. Knows nothing of particular programs.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::{self, Write};

use testbed_definitions::{event, mpc, packet, process};

use crate::capture::RunRecord;
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
        address_text(exchange.kind, exchange.channel),
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
    let machine = &record.machine;
    let picoseconds =
        u128::from(ticks) * u128::from(machine.tick_cycles) * 1_000_000_000_000 / u128::from(machine.clock_hz.max(1));
    let (whole, rest) = (picoseconds / 1_000_000, picoseconds % 1_000_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{rest:06}").trim_end_matches('0').to_string(),
    }
}

/// Name of a message's type.
pub fn message_name(kind: u8) -> String {
    mpc::name(kind).map_or_else(|| format!("type {kind}"), Into::into)
}

/// Name of a processor, or its number where the machine has none such.
pub fn processor_name(number: u8, record: &RunRecord) -> String {
    processor_text(number, &record.machine.processors)
}

/// The same, for processors of these names.
pub fn processor_text(number: u8, names: &[String]) -> String {
    names.get(number as usize).cloned().unwrap_or_else(|| format!("#{number}"))
}

/// A thread's number as [`thread_name`], for processors of these names.
pub fn thread_text(thread: u16, names: &[String]) -> String {
    format!("{}.{}.{}", processor_text((thread >> 10 & 0xf) as u8, names), thread >> 6 & 0xf, thread & 0x3f)
}

/// A process id as home, place and generation: `earth.1, generation 1`.
fn process_name(id: u16, record: &RunRecord) -> String {
    let home = processor_name(process::home(id), record);
    format!("{home}.{}, generation {}", process::place(id), process::generation(id))
}

/// What the low byte of a message's address says, with a comma before it.
fn address_text(kind: u8, low: u8) -> String {
    match kind {
        mpc::FOCUS | mpc::RTR | mpc::MSG | mpc::ADVERT | mpc::REFUSE => format!(", channel {low}"),
        mpc::PAGE => ", of a page".into(),
        _ => String::new(),
    }
}

/// A thread's number as home and place of its process, and its id: `earth.0.1`.
pub fn thread_name(thread: u16, record: &RunRecord) -> String {
    thread_text(thread, &record.machine.processors)
}

/// What an event's value means, in words; empty if it has none.
pub fn detail(event: &Event, record: &RunRecord) -> String {
    let Some(value) = event.value() else {
        return if event.what.field().is_some() { "argument lost".into() } else { String::new() };
    };
    match event.what.field() {
        Some("thread") => thread_name(value as u16, record),
        Some("message") => {
            let (other, kind, channel) = event::message_fields(value as u16);
            let direction = match event.what {
                What::Known(kind) if kind.code == event::RX_MPC => "from",
                _ => "to",
            };
            let is_broadcast = direction == "to" && other == ALL && record.machine.processors.len() <= ALL as usize;
            let other = if is_broadcast { "all".into() } else { processor_name(other, record) };
            format!("{} {direction} {other}{}", message_name(kind), address_text(kind, channel))
        }
        Some("call") => event::awaited(value as u16).into(),
        Some("process") => process_name(value as u16, record),
        Some("request") => {
            let what = ["send", "send", "receive", "alternative of receive"][(value >> 14 & 3) as usize];
            format!("{what}, channel {}", value & 0xff)
        }
        Some("discarded") => format!("{value} discarded"),
        Some("counted") => match event.what {
            What::Total { rule, .. } => format!("{value} counted by rule {rule}"),
            _ => format!("{value} counted"),
        },
        _ => format!("{value:#06x}"),
    }
}

/// An event as one line of text.
pub fn describe(event: &Event, record: &RunRecord) -> String {
    let time = microseconds(event.ticks(), record);
    let processor = processor_name(event.smi, record);
    let line = format!("{time:>12} us  {processor:<8} {:<9} {}", event.what.name(), detail(event, record));
    let mut line = line.trim_end().to_string();
    if let crate::order::Epoch::Ambiguous { low, high } = event.epoch {
        let high = high.map_or("?".into(), |high| high.to_string());
        let _ = write!(line, "  (epoch {low} to {high})");
    }
    if event.doubtful {
        line.push_str("  (follows a loss)");
    }
    line
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
