//! What events say, for people. Nothing here makes a text: each value is written where it is shown.

use core::fmt::{self, Display, Formatter, Write};

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::{event, mpc, process};

use crate::event::{Epoch, Event, What};

/// Names of a machine's processors.
pub trait Names {
    /// The name of a processor; `None` if the machine has none of this number.
    fn name(&self, processor: u8) -> Option<&str>;
}

impl<T: AsRef<str>> Names for [T] {
    fn name(&self, processor: u8) -> Option<&str> {
        self.get(usize::from(processor)).map(AsRef::as_ref)
    }
}

/// The clocks of a machine: what turns ticks into time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Machine cycles in a tick of the global clock.
    pub tick_cycles: u32,
    /// Machine cycles in a second.
    pub clock_hz: u32,
}

/// Name of a processor, or its number where the machine has none such.
pub struct Processor<'a, N: ?Sized>(pub u8, pub &'a N);

impl<N: Names + ?Sized> Display for Processor<'_, N> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1.name(self.0) {
            Some(name) => f.pad(name),
            None => padded(f, format_args!("#{}", self.0)),
        }
    }
}

/// A thread's number as home and place of its process, and its id: `earth.0.1`.
pub struct Thread<'a, N: ?Sized>(pub u16, pub &'a N);

impl<N: Names + ?Sized> Display for Thread<'_, N> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Thread(number, names) = *self;
        let thread = ThreadNumber::from_bits(number);
        write!(f, "{}.{}.{}", Processor(thread.home().number(), names), thread.place(), thread.id())
    }
}

/// A process id as home, place and generation: `earth.1, generation 1`.
pub struct Process<'a, N: ?Sized>(pub u16, pub &'a N);

impl<N: Names + ?Sized> Display for Process<'_, N> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Process(id, names) = *self;
        let home = Processor(process::home(id), names);
        write!(f, "{home}.{}, generation {}", process::place(id), process::generation(id))
    }
}

/// Name of a message's type.
pub struct Message(pub u8);

impl Display for Message {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match mpc::name(self.0) {
            Some(name) => f.pad(name),
            None => padded(f, format_args!("type {}", self.0)),
        }
    }
}

/// Ticks as microseconds, exact to the picosecond, without trailing zeros.
pub struct Microseconds(pub u64, pub Clocks);

impl Display for Microseconds {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Microseconds(ticks, clocks) = *self;
        let cycles = u128::from(ticks) * u128::from(clocks.tick_cycles);
        let (scaled, hz) = (cycles * 1_000_000, u128::from(clocks.clock_hz.max(1)));
        let (whole, mut rest, mut digits) = (scaled / hz, (scaled % hz * 1_000_000 / hz) as u32, 6);
        if rest == 0 {
            return padded(f, format_args!("{whole}"));
        }
        while rest % 10 == 0 {
            (rest, digits) = (rest / 10, digits - 1);
        }
        padded(f, format_args!("{whole}.{rest:0digits$}"))
    }
}

/// What an event's value means; nothing if it has none.
pub struct Detail<'a, N: ?Sized>(pub &'a Event, pub &'a N);

impl<N: Names + ?Sized> Display for Detail<'_, N> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Detail(event, names) = *self;
        let Some(value) = event.value() else {
            return f.write_str(if event.what.field().is_some() { "argument lost" } else { "" });
        };
        match event.what.field() {
            Some("thread") => Thread(value as u16, names).fmt(f),
            Some("message") => message(event, value as u16, names, f),
            Some("call") => f.write_str(event::awaited(value as u16)),
            Some("process") => Process(value as u16, names).fmt(f),
            Some("request") => {
                let what = ["send", "send", "receive", "alternative of receive"][(value >> 14 & 3) as usize];
                write!(f, "{what}, channel {}", value & 0xff)
            }
            Some("discarded") => write!(f, "{value} discarded"),
            Some("counted") => match event.what {
                What::Total { rule, .. } => write!(f, "{value} counted by rule {rule}"),
                _ => write!(f, "{value} counted"),
            },
            _ => write!(f, "{value:#06x}"),
        }
    }
}

/// The message that a component belongs to, and where it comes from or goes to.
fn message<N: Names + ?Sized>(event: &Event, argument: u16, names: &N, f: &mut Formatter) -> fmt::Result {
    let (other, kind, low) = event::message_fields(argument);
    let is_received = matches!(event.what, What::Known(kind) if kind.code == event::RX_MPC);
    let direction = if is_received { "from" } else { "to" };
    write!(f, "{} {direction} ", Message(kind))?;
    // The number of all is that of a processor in the largest machine.
    match !is_received && other == ALL && names.name(other).is_none() {
        true => f.write_str("all")?,
        false => Processor(other, names).fmt(f)?,
    }
    Address(kind, low).fmt(f)
}

/// What the low byte of a message's address says, by the message's type, with a comma before it; nothing
/// where it says nothing.
pub struct Address(pub u8, pub u8);

impl Display for Address {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.0 {
            mpc::FOCUS | mpc::RTR | mpc::MSG | mpc::ADVERT | mpc::REFUSE => write!(f, ", channel {}", self.1),
            mpc::PAGE => f.write_str(", of a page"),
            _ => Ok(()),
        }
    }
}

/// An event as one line of text.
pub struct Line<'a, N: ?Sized>(pub &'a Event, pub &'a N, pub Clocks);

impl<N: Names + ?Sized> Display for Line<'_, N> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Line(event, names, clocks) = *self;
        let (time, processor) = (Microseconds(event.ticks(), clocks), Processor(event.smi, names));
        write!(f, "{time:>12} us  {processor:<8} ")?;
        match event.value().is_none() && event.what.field().is_none() {
            true => f.write_str(event.what.name())?,
            false => write!(f, "{:<9} {}", event.what.name(), Detail(event, names))?,
        }
        match event.epoch {
            Epoch::Certain(_) => {}
            Epoch::Ambiguous { low, high: Some(high) } => write!(f, "  (epoch {low} to {high})")?,
            Epoch::Ambiguous { low, high: None } => write!(f, "  (epoch {low} to ?)")?,
        }
        f.write_str(if event.doubtful { "  (follows a loss)" } else { "" })
    }
}

/// The processor of a component that goes to all.
const ALL: u8 = BROADCAST & 0xf;

/// Bytes of the longest number that is padded: microseconds have at most 33 digits before the point.
const SHORT: usize = 48;

/// Writes a short text as wide as `f` asks for.
fn padded(f: &mut Formatter, text: fmt::Arguments) -> fmt::Result {
    let mut short = Short { bytes: [0; SHORT], used: 0 };
    short.write_fmt(text)?;
    f.pad(core::str::from_utf8(&short.bytes[..short.used]).unwrap_or_default())
}

/// A text of at most [`SHORT`] bytes.
struct Short {
    bytes: [u8; SHORT],
    used: usize,
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let place = self.bytes.get_mut(self.used..self.used + text.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    const CLOCKS: Clocks = Clocks { tick_cycles: 25, clock_hz: 25_000_000 };

    fn event(what: What, argument: Option<u16>) -> Event {
        Event { epoch: Epoch::Certain(0), time: 7, smi: 1, index: 0, what, argument, doubtful: false }
    }

    fn known(code: u16, argument: u16) -> Event {
        event(What::of_code(code), Some(argument))
    }

    #[test]
    fn times_have_no_trailing_zeros_and_are_as_wide_as_asked() {
        let clocks = Clocks { tick_cycles: 1, clock_hz: 33_000_000 };
        assert_eq!(Microseconds(1, clocks).to_string(), "0.030303");
        assert_eq!(Microseconds(1, Clocks { tick_cycles: 1, clock_hz: 25_000_000 }).to_string(), "0.04");
        assert_eq!(std::format!("{:>6}|", Microseconds(40, CLOCKS)), "    40|");
        let most = Clocks { tick_cycles: u32::MAX, clock_hz: 1 };
        assert_eq!(Microseconds(u64::MAX, most).to_string(), "79228162495817593515539431425000000");
    }

    #[test]
    fn lines_say_who_did_what_and_how_sure_it_is() {
        let names = &["master", "earth"][..];
        let line = |event: &Event| Line(event, names, CLOCKS).to_string();
        assert_eq!(line(&event(What::of_code(event::TRAP7), None)), "           7 us  earth    TRAP7");
        assert_eq!(line(&known(event::EXIT, 1 << 10 | 2 << 6 | 3)), "           7 us  earth    EXIT      earth.2.3");
        let lost = Event { doubtful: true, argument: None, ..known(event::EXIT, 0) };
        assert_eq!(line(&lost), "           7 us  earth    EXIT      argument lost  (follows a loss)");
        let late = Event { smi: 9, epoch: Epoch::Ambiguous { low: 0, high: None }, ..event(What::Gap(Some(5)), None) };
        assert_eq!(line(&late), "           7 us  #9       GAP       5 discarded  (epoch 0 to ?)");
        let component = |code, other| known(code, event::message_argument(other, mpc::MSG, 4));
        let detail = |event: &Event| Detail(event, names).to_string();
        assert!(detail(&component(event::TX_MPC, 15)).ends_with(" to all, channel 4"));
        assert!(detail(&component(event::RX_MPC, 0)).ends_with(" from master, channel 4"));
        assert_eq!(detail(&event(What::Unknown(0xfe), None)), "0x00fe");
    }
}
