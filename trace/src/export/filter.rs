//! Which events of a trace are wanted.

use itertools::Itertools;
use testbed_definitions::event::{thread_number, KINDS, THREAD_MASK};
use testbed_definitions::limits::PROCESSES;
use testbed_machine::suggest;
use testbed_machine::units::{self, TIME};

use super::state::{thread_of, Step};
use crate::capture::RunRecord;
use crate::order::{Epoch, Event, What};
use crate::summary::thread_text;

/// A filter as the command line says it; `None` and `false` let everything pass.
#[derive(Clone, Debug, Default)]
pub struct Choice<'a> {
    /// Machine times with units: the first that is shown, and the first that isn't any more.
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
    /// Names separated by commas.
    pub processor: Option<&'a str>,
    pub event: Option<&'a str>,
    /// A number, or a name such as `earth.1.3`.
    pub thread: Option<&'a str>,
    pub certain: bool,
}

/// A wish that can't be understood; says what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {text}: {what}\n  help: {help}")]
pub struct FilterError {
    pub option: &'static str,
    pub text: String,
    pub what: String,
    pub help: String,
}

/// How far a filter lets an event pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Another time or processor.
    Outside,
    /// Not shown itself, but what follows from it is: counters, ends of what was shown.
    Scope,
    Shown,
}

/// Lets events pass or keeps them out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Ticks since the start: first, and first beyond.
    from: Option<u64>,
    to: Option<u64>,
    /// Bits by SMI number.
    processors: Option<u32>,
    events: Option<Vec<&'static str>>,
    thread: Option<u16>,
    certain: bool,
}

/// Names of events that are not in the table of kinds.
const OTHERS: [&str; 6] = ["SCHEDULE", "JOINS", "LEAVES", "UNKNOWN", "GAP", "TOTAL"];

impl Filter {
    /// Reads a choice for `record`'s machine.
    ///
    /// # Errors
    /// A time without unit, a slice without length, a processor, event or thread that does not exist.
    pub fn new(choice: &Choice, record: &RunRecord) -> Result<Self, FilterError> {
        let names = &record.machine.processors;
        let time = |option, text: Option<&str>| text.map(|text| ticks(option, text, record)).transpose();
        let (from, to) = (time("--from", choice.from)?, time("--to", choice.to)?);
        if let (Some(first), Some(beyond)) = (from, to) {
            if beyond <= first {
                let what = "ends where the slice begins, or before".into();
                let help = format!("give a later time than --from {}", choice.from.unwrap_or_default());
                let text = choice.to.unwrap_or_default().into();
                return Err(FilterError { option: "--to", text, what, help });
            }
        }
        Ok(Filter {
            from,
            to,
            processors: choice.processor.map(|text| processors(text, names)).transpose()?,
            events: choice.event.map(events).transpose()?,
            thread: choice.thread.map(|text| thread(text, names)).transpose()?,
            certain: choice.certain,
        })
    }

    /// The first tick of the slice.
    pub fn from(&self) -> u64 {
        self.from.unwrap_or(0)
    }

    /// The first tick behind the slice, if it ends before the trace.
    pub fn to(&self) -> Option<u64> {
        self.to
    }

    /// Whether the event's processor and its time, or some time within its bounds, are wanted.
    pub fn in_scope(&self, event: &Event) -> bool {
        let time = u64::from(event.time);
        let high = match event.epoch {
            Epoch::Certain(epoch) => Some(epoch << 16 | time),
            Epoch::Ambiguous { high, .. } => high.map(|high| high << 16 | time),
        };
        let begins = high.is_none_or(|high| high >= self.from());
        let ends = self.to.is_none_or(|to| event.ticks() < to);
        begins && ends && self.processors.is_none_or(|bits| bits >> event.smi & 1 != 0)
    }

    /// Whether the event is wanted by name and thread. A loss always is: what was lost might have been.
    fn is_chosen(&self, event: &Event, step: &Step) -> bool {
        if matches!(event.what, What::Gap(_)) {
            return true;
        }
        let name = event.what.name();
        self.events.as_ref().is_none_or(|events| events.contains(&name))
            && (self.thread.is_none() || self.names_thread(event, step))
    }

    /// How far the event passes.
    pub fn pass(&self, event: &Event, step: &Step) -> Pass {
        match self.in_scope(event) {
            false => Pass::Outside,
            true if (!self.certain || event.is_certain()) && self.is_chosen(event, step) => Pass::Shown,
            true => Pass::Scope,
        }
    }

    /// Whether a thread that has run since before the slice is shown from its beginning on.
    pub fn carries(&self, smi: u8, thread: u16) -> bool {
        self.from.is_some()
            && self.processors.is_none_or(|bits| bits >> smi & 1 != 0)
            && self.events.as_ref().is_none_or(|events| events.contains(&What::Schedule(thread).name()))
            && self.thread.is_none_or(|own| own == thread)
    }

    /// Whether only the lack of proof keeps the event out.
    pub fn is_unproven(&self, event: &Event, step: &Step) -> bool {
        self.certain && !event.is_certain() && self.in_scope(event) && self.is_chosen(event, step)
    }

    /// Whether the event names the thread that is asked for, or happens while it runs.
    pub fn names_thread(&self, event: &Event, step: &Step) -> bool {
        self.thread.is_some_and(|thread| step.running == Some(thread) || thread_of(event) == Some(thread))
    }

    /// Whether no later event of an undamaged trace lies in the slice.
    pub fn is_over(&self, event: &Event) -> bool {
        self.to.is_some_and(|to| event.ticks() >= to)
    }
}

/// The first tick at `text` or later.
fn ticks(option: &'static str, text: &str, record: &RunRecord) -> Result<u64, FilterError> {
    let fault = |what: String| FilterError {
        option,
        text: text.into(),
        what,
        help: format!("give a time of the machine with its unit ({}), such as 1.5ms", units::names(TIME)),
    };
    let picoseconds = units::parse(text, TIME).map_err(|error| fault(error.to_string()))?;
    let (cycles, _) =
        units::cycles(picoseconds, record.machine.clock_hz).ok_or_else(|| fault("is too large".into()))?;
    Ok(cycles.div_ceil(record.machine.tick_cycles.into()))
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim)
}

fn processors(text: &str, names: &[String]) -> Result<u32, FilterError> {
    list(text).try_fold(0, |bits, name| match names.iter().position(|own| own == name) {
        Some(0) => {
            let help = format!("monitored are {}", names[1..].join(", "));
            Err(FilterError { option: "--processor", text: name.into(), what: "has no monitor".into(), help })
        }
        Some(number) => Ok(bits | 1 << number),
        None => {
            let known = names.get(1..).unwrap_or_default();
            let meant = suggest::question(name, known.iter().map(String::as_str));
            let help = format!("{meant}the machine has {}", known.join(", "));
            Err(FilterError { option: "--processor", text: name.into(), what: "there is none such".into(), help })
        }
    })
}

fn events(text: &str) -> Result<Vec<&'static str>, FilterError> {
    let all = || KINDS.iter().map(|kind| kind.name).chain(OTHERS);
    list(text)
        .map(|name| {
            all().find(|own| own.eq_ignore_ascii_case(name)).ok_or_else(|| FilterError {
                option: "--event",
                text: name.into(),
                what: "there is none such".into(),
                help: format!("{}use some of {}", suggest::question(name, all()), all().join(", ")),
            })
        })
        .collect()
}

/// A number, or home, place and id.
fn thread(text: &str, names: &[String]) -> Result<u16, FilterError> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let named = || {
        let mut parts = text.rsplitn(3, '.');
        let (id, place, home): (u8, u8, _) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
        let home = names.iter().position(|name| name == home)? as u8;
        let number = thread_number(home, place, id);
        // What does not fit into its bits would be another thread.
        (thread_text(number, names) == text).then_some(number)
    };
    number.filter(|number| *number <= THREAD_MASK).or_else(named).ok_or_else(|| {
        let example = names.get(1).map_or("earth", String::as_str);
        FilterError {
            option: "--thread",
            text: text.into(),
            what: "is no thread".into(),
            help: format!(
                "give its number, or home, place and id as `--format text` shows them, such as {example}.1.1; \
                 homes are {}, places 0 to {}, ids 1 to 63",
                names.join(", "),
                PROCESSES - 1
            ),
        }
    })
}
