//! What the values of a machine can be: the same for its description, for a run's record and for a trace's metadata.

use testbed_definitions::names::NAME_BYTES;
use testbed_definitions::{map, monitor, packet};

use crate::machine::Machine;
use crate::units;

/// Entries a queue may have.
pub const QUEUE_MIN: u32 = 8;
pub const QUEUE_MAX: u32 = 32_768;
/// Clocks that make sense for this hardware, from slow motion to beyond any FPGA.
pub const CLOCK_HZ_MIN: u32 = 1_000;
pub const CLOCK_HZ_MAX: u32 = 1_000_000_000;
/// Largest tick and largest poll interval in cycles: their registers have 16 bits.
pub const CYCLES_MAX: u32 = 65_535;
/// A pair is two words on the monitoring bus.
pub const POLL_CYCLES_MIN: u32 = 2;

/// Why a value cannot be a machine's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}\n  help: {remedy}")]
pub struct Fault {
    /// What is wrong, without the key.
    pub message: String,
    /// What can be written instead.
    pub remedy: String,
}

impl Fault {
    fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Fault { message: message.into(), remedy: remedy.into() }
    }
}

/// `text` with its control characters but tabs escaped, so that a message cannot do anything to a terminal.
pub fn printable(text: &str) -> String {
    let escaped = |c: char| match c.is_control() && c != '\t' {
        true => c.escape_default().collect(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Characters of a foreign text that a message shows.
const BRIEF: usize = 160;

/// The beginning of `text` as [`printable`] makes it: what a foreign file holds can be as long as the file.
pub fn brief(text: &str) -> String {
    match text.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", printable(&text[..end])),
        None => printable(text),
    }
}

/// Names of machines, processors and boards. They become file names in the trace folder, next to `metadata`.
pub(crate) fn name(name: &str) -> Result<(), Fault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(plain) || name == "metadata" {
        let remedy = format!("use 1 to {NAME_BYTES} letters, digits, `-` and `_`, and not `metadata`");
        return Err(Fault::new(format!("`{}` cannot be a name", brief(name)), remedy));
    }
    Ok(())
}

/// How many processors there are.
pub(crate) fn processors(count: usize) -> Result<(), Fault> {
    const _: () = assert!(monitor::SMIS_MAX + 1 == packet::STATIONS_MAX);
    match count {
        1..=packet::STATIONS_MAX => Ok(()),
        _ => Err(Fault::new(
            format!("{count} processors"),
            format!("name 1 to {} processors, the master first", packet::STATIONS_MAX),
        )),
    }
}

/// Checks that the name of processor `number` is a name, and none of those before it.
pub(crate) fn processor(number: usize, names: &[impl AsRef<str>]) -> Result<(), Fault> {
    let own = names[number].as_ref();
    name(own)?;
    match names[..number].iter().any(|other| other.as_ref() == own) {
        true => Err(Fault::new(format!("`{own}` is there twice"), "give each its own name")),
        false => Ok(()),
    }
}

pub(crate) fn headless(is_headless: bool, processors: usize) -> Result<(), Fault> {
    if is_headless && processors != 2 {
        let slaves = processors.max(1) - 1;
        return Err(Fault::new(
            format!("a machine whose master is no processor has one that is, not {slaves}"),
            "name two processors, the master that is none and a slave, or remove the key",
        ));
    }
    Ok(())
}

pub(crate) fn ram(bytes: u128) -> Result<u32, Fault> {
    let print = |bytes| units::print(bytes, units::BYTES);
    let (least, most) = (u128::from(map::RAM_BYTES_MIN), u128::from(map::RAM_BYTES_MAX));
    if !(least..=most).contains(&bytes) {
        let remedy = format!("use {} to {}", print(least), print(most));
        return Err(Fault::new(format!("{} is out of range", print(bytes)), remedy));
    }
    if !bytes.is_power_of_two() {
        let above = bytes.next_power_of_two();
        let remedy = format!("use \"{}\" or \"{}\"", print(above / 2), print(above));
        return Err(Fault::new(format!("{} is not a power of two", print(bytes)), remedy));
    }
    Ok(bytes as u32)
}

pub(crate) fn clock(hertz: u128) -> Result<u32, Fault> {
    match u32::try_from(hertz) {
        Ok(hertz) if (CLOCK_HZ_MIN..=CLOCK_HZ_MAX).contains(&hertz) => Ok(hertz),
        _ => {
            let print = |hertz: u128| units::print(hertz, units::HERTZ);
            let remedy = format!("use {} to {}", print(CLOCK_HZ_MIN.into()), print(CLOCK_HZ_MAX.into()));
            Err(Fault::new(format!("{} is out of range", print(hertz)), remedy))
        }
    }
}

pub(crate) fn queue(entries: i64) -> Result<u32, Fault> {
    match u32::try_from(entries) {
        Ok(entries) if entries.is_power_of_two() && (QUEUE_MIN..=QUEUE_MAX).contains(&entries) => Ok(entries),
        _ => Err(Fault::new(
            format!("a queue cannot have {entries} entries"),
            format!("use a power of two from {QUEUE_MIN} to {QUEUE_MAX}"),
        )),
    }
}

pub(crate) fn cycles(cycles: u128, least: u32) -> Result<u32, Fault> {
    match u32::try_from(cycles) {
        Ok(cycles) if (least..=CYCLES_MAX).contains(&cycles) => Ok(cycles),
        _ => {
            Err(Fault::new(format!("{cycles} cycles are out of range"), format!("use {least} to {CYCLES_MAX} cycles")))
        }
    }
}

impl Machine {
    /// Checks that it is one that a description can describe.
    ///
    /// # Errors
    /// The first field that is none, such as `processors[3]`, and why.
    pub fn check(&self) -> Result<(), (String, Fault)> {
        let at = |key: &str| {
            let key = key.to_string();
            move |fault| (key, fault)
        };
        name(&self.name).map_err(at("name"))?;
        processors(self.processors.len()).map_err(at("processors"))?;
        for number in 0..self.processors.len() {
            processor(number, &self.processors).map_err(at(&format!("processors[{number}]")))?;
        }
        headless(self.headless, self.processors.len()).map_err(at("headless"))?;
        clock(self.clock_hz.into()).map_err(at("clock_hz"))?;
        ram(self.ram_bytes.into()).map_err(at("ram_bytes"))?;
        for (key, entries) in
            [("smi_queue", self.smi_queue), ("mmi_queue", self.mmi_queue), ("port_queue", self.port_queue)]
        {
            queue(entries.into()).map_err(at(key))?;
        }
        for (key, count, least) in [
            ("tick_cycles", self.tick_cycles, 1),
            ("poll_cycles", self.poll_cycles, POLL_CYCLES_MIN),
            ("port_cycles", self.port_cycles, 1),
        ] {
            cycles(count.into(), least).map_err(at(key))?;
        }
        self.board.as_deref().map_or(Ok(()), name).map_err(at("board"))
    }
}
