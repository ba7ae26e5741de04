//! The TOML form of a machine: parsing, validation, printing.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use testbed_definitions::monitor;
use toml::Spanned;

use crate::error::{place, Invalid, MachineError};
use crate::machine::{Core, Machine, Order};
use crate::rules::{self, brief, printable, Fault, POLL_CYCLES_MIN};
use crate::units::{self, Unit};

/// Bytes of a description, at most: a hundred times what one with all keys has.
pub const DESCRIPTION_BYTES: u64 = 1 << 16;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: Spanned<String>,
    processors: Spanned<Vec<Spanned<String>>>,
    ram: Spanned<Quantity>,
    clock: Spanned<Quantity>,
    board: Option<Spanned<String>>,
    headless: Option<Spanned<bool>>,
    core: Option<Spanned<String>>,
    #[serde(default)]
    monitor: Monitor,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Monitor {
    tick: Option<Spanned<Quantity>>,
    poll: Option<Spanned<Quantity>>,
    smi_queue: Option<Spanned<i64>>,
    mmi_queue: Option<Spanned<i64>>,
    port_queue: Option<Spanned<i64>>,
    port_cycles: Option<Spanned<Quantity>>,
    order: Option<Spanned<String>>,
}

/// A quantity's text. A bare number is refused here, since nobody can tell its unit.
struct Quantity(String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Quantity;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a quoted number with its unit, such as \"4 MiB\", \"25 MHz\" or \"1 us\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity(text.into()))
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Quantity, E> {
                Err(E::custom(format!("{number} has no unit")))
            }
        }
        deserializer.deserialize_any(Text).map_err(D::Error::custom)
    }
}

/// The text under validation: makes errors that know their place.
struct Source<'a> {
    text: &'a str,
    origin: &'a str,
}

impl Source<'_> {
    fn error(&self, key: &str, offset: usize, message: String, remedy: String) -> MachineError {
        let (line, column, source_line) = place(self.text, offset);
        MachineError::Invalid(Box::new(Invalid {
            origin: self.origin.into(),
            line,
            column,
            key: brief(key),
            message: brief(&message),
            remedy: printable(&remedy),
            source_line: brief(source_line),
        }))
    }

    /// What the rules say of the value of `key` at byte `offset`.
    fn ruled<T>(&self, key: &str, offset: usize, result: Result<T, Fault>) -> Result<T, MachineError> {
        result.map_err(|Fault { message, remedy }| self.error(key, offset, message, remedy))
    }

    /// A fault that the TOML reader found: no TOML, a missing or unknown key, a value of the wrong type.
    fn toml_error(&self, error: &toml::de::Error) -> MachineError {
        let message = error.message().lines().collect::<Vec<_>>().join(" ");
        let offset = error.span().map_or(0, |span| span.start);
        let quoted = |start: &str| Some(message.strip_prefix(start)?.split('`').next()?.to_string());
        if let Some(key) = quoted("missing field `") {
            return self.error(&key, offset, "is missing".into(), format!("add a line such as `{}`", example(&key)));
        }
        if let Some(key) = quoted("unknown field `") {
            let known = message.split_once("expected ").map_or("", |(_, known)| known);
            return self.error(&key, offset, "is not a key here".into(), format!("remove it, or use {known}"));
        }
        let (_, _, line) = place(self.text, offset);
        match line.split_once('=') {
            Some((key, _)) if !message.contains("TOML") && Self::is_key(key.trim()) && !is_syntax(&message) => {
                let key = key.trim();
                self.error(key, offset, message, format!("write it as in `{}`", example(key)))
            }
            _ => self.error("toml", offset, message, "see machines/testbed6.toml for a description that works".into()),
        }
    }

    fn is_key(text: &str) -> bool {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    fn quantity(&self, key: &str, value: &Spanned<Quantity>, kinds: &[Unit]) -> Result<u128, MachineError> {
        units::parse(&value.get_ref().0, kinds).map_err(|error| {
            let remedy = format!("write a number and one of {}, as in `{}`", units::names(kinds), example(key));
            self.error(key, value.span().start, error.to_string(), remedy)
        })
    }

    /// A time or a number of cycles, as whole cycles within bounds.
    fn cycles(&self, key: &str, value: &Spanned<Quantity>, clock_hz: u32, least: u32) -> Result<u32, MachineError> {
        let (text, at) = (&value.get_ref().0, value.span().start);
        let cycles = match units::parse(text, units::CYCLES) {
            Ok(cycles) => cycles,
            Err(_) => {
                let kinds = [units::TIME, units::CYCLES].concat();
                let picoseconds = self.quantity(key, value, &kinds)?;
                let (cycles, exact) = units::cycles(picoseconds, clock_hz).unwrap_or((u64::MAX, true));
                if !exact {
                    let message = format!("{text} is no whole number of cycles at {clock_hz} Hz");
                    let near = cycles.max(least.into());
                    return Err(self.error(key, at, message, format!("use \"{near} cycles\", or another clock")));
                }
                cycles.into()
            }
        };
        let result = rules::cycles(cycles, least);
        let fault = |fault: Fault| Fault { message: format!("{text} at {clock_hz} Hz: {}", fault.message), ..fault };
        self.ruled(key, at, result.map_err(fault))
    }

    fn queue(&self, key: &str, value: &Spanned<i64>) -> Result<u32, MachineError> {
        self.ruled(key, value.span().start, rules::queue(*value.get_ref()))
    }

    fn order(&self, key: &str, value: &Spanned<String>) -> Result<Order, MachineError> {
        Order::named(value.get_ref()).ok_or_else(|| {
            let names = Order::ALL.map(|order| format!("\"{}\"", order.name())).join(" or ");
            let message = format!("`{}` is no order", value.get_ref());
            self.error(key, value.span().start, message, format!("use {names}"))
        })
    }

    fn core(&self, value: &Spanned<String>) -> Result<Core, MachineError> {
        Core::named(value.get_ref()).ok_or_else(|| {
            let names = Core::ALL.map(|core| format!("\"{}\"", core.name())).join(" or ");
            let message = format!("`{}` is no core", value.get_ref());
            self.error("core", value.span().start, message, format!("use {names}"))
        })
    }

    fn name(&self, key: &str, value: &Spanned<String>) -> Result<String, MachineError> {
        self.ruled(key, value.span().start, rules::name(value.get_ref()))?;
        Ok(value.get_ref().clone())
    }

    fn processors(&self, list: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, MachineError> {
        let spans = list.get_ref();
        self.ruled("processors", list.span().start, rules::processors(spans.len()))?;
        let names: Vec<String> = spans.iter().map(|name| name.get_ref().clone()).collect();
        for (number, name) in spans.iter().enumerate() {
            self.ruled("processors", name.span().start, rules::processor(number, &names))?;
        }
        Ok(names)
    }

    fn headless(&self, value: &Spanned<bool>, processors: usize) -> Result<bool, MachineError> {
        self.ruled("headless", value.span().start, rules::headless(*value.get_ref(), processors))?;
        Ok(*value.get_ref())
    }

    fn ram(&self, value: &Spanned<Quantity>) -> Result<u32, MachineError> {
        self.ruled("ram", value.span().start, rules::ram(self.quantity("ram", value, units::BYTES)?))
    }

    fn clock(&self, value: &Spanned<Quantity>) -> Result<u32, MachineError> {
        self.ruled("clock", value.span().start, rules::clock(self.quantity("clock", value, units::HERTZ)?))
    }
}

/// Whether a message of the TOML reader is about its syntax, not about a value's type.
fn is_syntax(message: &str) -> bool {
    !(message.starts_with("invalid type") || message.starts_with("invalid value") || message.ends_with("no unit"))
}

/// A line with `key` that is right, for remedies.
fn example(key: &str) -> String {
    match key.rsplit('.').next().unwrap_or(key) {
        "name" => "name = \"testbed6\"",
        "processors" => "processors = [\"master\", \"earth\"]",
        "ram" => "ram = \"4 MiB\"",
        "clock" => "clock = \"25 MHz\"",
        "board" => "board = \"ulx3s-85f\"",
        "tick" => "tick = \"1 us\"",
        "poll" => "poll = \"2 cycles\"",
        "smi_queue" => "smi_queue = 1024",
        "mmi_queue" => "mmi_queue = 512",
        "port_queue" => "port_queue = 512",
        "port_cycles" => "port_cycles = \"40 cycles\"",
        "monitor" => "[monitor]` with `tick = \"1 us\"",
        "order" => "order = \"time\"",
        "headless" => "headless = true",
        "core" => "core = \"multicycle\"",
        _ => "ram = \"4 MiB\"",
    }
    .into()
}

pub(crate) fn parse(text: &str, origin: &str) -> Result<Machine, MachineError> {
    let source = Source { text, origin };
    let description: Description = toml::from_str(text).map_err(|error| source.toml_error(&error))?;
    let monitor = &description.monitor;
    let clock_hz = source.clock(&description.clock)?;
    let cycles = |key, value: &Option<_>, least, default| match value {
        Some(value) => source.cycles(key, value, clock_hz, least),
        None => Ok(default),
    };
    let queue = |key, value: &Option<_>, default: usize| match value {
        Some(value) => source.queue(key, value),
        None => Ok(default as u32),
    };
    Ok(Machine {
        name: source.name("name", &description.name)?,
        clock_hz,
        processors: source.processors(&description.processors)?,
        headless: match &description.headless {
            Some(value) => source.headless(value, description.processors.get_ref().len())?,
            None => false,
        },
        core: match &description.core {
            Some(core) => source.core(core)?,
            None => Core::default(),
        },
        ram_bytes: source.ram(&description.ram)?,
        smi_queue: queue("monitor.smi_queue", &monitor.smi_queue, monitor::SMI_QUEUE)?,
        mmi_queue: queue("monitor.mmi_queue", &monitor.mmi_queue, monitor::MMI_QUEUE)?,
        // The report's tick of 1 us, as near as the clock comes to it.
        tick_cycles: cycles("monitor.tick", &monitor.tick, 1, (clock_hz / 1_000_000).max(1))?,
        poll_cycles: cycles("monitor.poll", &monitor.poll, POLL_CYCLES_MIN, POLL_CYCLES_MIN)?,
        port_queue: queue("monitor.port_queue", &monitor.port_queue, monitor::PORT_QUEUE)?,
        port_cycles: cycles("monitor.port_cycles", &monitor.port_cycles, 1, 1)?,
        order: match &monitor.order {
            Some(order) => source.order("monitor.order", order)?,
            None => Order::default(),
        },
        board: description.board.as_ref().map(|board| source.name("board", board)).transpose()?,
    })
}

pub(crate) fn print(machine: &Machine) -> String {
    let cycles = |cycles: u32| {
        let picoseconds = u128::from(cycles) * units::PICOSECONDS;
        let clock = u128::from(machine.clock_hz);
        let nanosecond = 1_000 * clock;
        match picoseconds.is_multiple_of(nanosecond) && picoseconds >= 100 * nanosecond {
            true => units::print(picoseconds / clock, units::TIME),
            false => format!("{cycles} cycles"),
        }
    };
    let names: Vec<_> = machine.processors.iter().map(|name| format!("\"{name}\"")).collect();
    let board = machine.board.as_ref().map_or(String::new(), |board| format!("board = \"{board}\"\n"));
    let headless = if machine.headless { "headless = true\n" } else { "" };
    let core = match machine.core {
        core if core == Core::default() => String::new(),
        core => format!("core = \"{}\"\n", core.name()),
    };
    format!(
        "name = \"{}\"\nprocessors = [{}]\nram = \"{}\"\nclock = \"{}\"\n{board}{headless}{core}\n\
         [monitor]\ntick = \"{}\"\npoll = \"{}\"\nsmi_queue = {}\nmmi_queue = {}\n\
         port_queue = {}\nport_cycles = \"{}\"\norder = \"{}\"\n",
        machine.name,
        names.join(", "),
        units::print(machine.ram_bytes.into(), units::BYTES),
        units::print(machine.clock_hz.into(), units::HERTZ),
        cycles(machine.tick_cycles),
        cycles(machine.poll_cycles),
        machine.smi_queue,
        machine.mmi_queue,
        machine.port_queue,
        cycles(machine.port_cycles),
        machine.order.name(),
    )
}
