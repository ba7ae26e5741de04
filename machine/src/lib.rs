//! Machine descriptions: what a Testbed is made of, read from TOML and validated.
//!
//! A description is a short TOML file; `machines/` holds the ones that are known by name:
//!
//! ```toml
//! name = "testbed2"
//! processors = ["master", "earth"]   # the first is the master; 1 to 16
//! ram = "1 MiB"                      # of each processor, a power of two
//! clock = "25 MHz"
//! board = "ulx3s-85f"                # optional: folder in constraints/
//! # core = "multicycle"              # optional: what executes instructions, else "pipelined"
//! # headless = true                  # optional: the master is no processor; see `Machine::headless`
//!
//! [monitor]                          # optional, and so is each of its keys
//! tick = "1 us"                      # of the global clock; a time or "25 cycles"
//! poll = "2 cycles"                  # between two polls of the MMI
//! smi_queue = 1024                   # entries, a power of two
//! mmi_queue = 512                    # words, a power of two
//! port_queue = 512                   # words of the trace port's FIFO, a power of two
//! port_cycles = "1 cycle"            # the trace port's link takes a word at most every so many cycles
//! order = "turns"                    # of pairs from the SMIs: each SMI in turn, or "time", the oldest first
//! ```
#![forbid(unsafe_code)]

mod description;
mod error;
pub mod input;
mod machine;
mod rules;
pub mod suggest;
pub mod units;

use std::path::Path;

pub use description::DESCRIPTION_BYTES;
pub use error::{Invalid, MachineError};
pub use machine::{Core, Machine, Order};
pub use rules::{
    brief, printable, Fault, CLOCK_HZ_MAX, CLOCK_HZ_MIN, CYCLES_MAX, POLL_CYCLES_MIN, QUEUE_MAX, QUEUE_MIN,
};
pub use testbed_definitions::names::NAME_BYTES;

/// Descriptions known by name, the default first: name and TOML text.
pub const NAMED: &[(&str, &str)] = &[
    ("testbed6", include_str!("../../machines/testbed6.toml")),
    ("testbed2", include_str!("../../machines/testbed2.toml")),
    ("ulx3s-85f", include_str!("../../machines/ulx3s-85f.toml")),
    ("report1991", include_str!("../../machines/report1991.toml")),
    ("hx8k-evn", include_str!("../../machines/hx8k-evn.toml")),
    ("bench", include_str!("../../machines/bench.toml")),
];

impl Machine {
    /// A machine of `machines/` by its name; `None` if there is none of that name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = NAMED.iter().find(|(known, _)| *known == name)?;
        Some(Self::parse(text, name).expect("the descriptions in machines/ are tested"))
    }

    /// A machine by name, or from the file `name_or_path` where no machine has that name.
    ///
    /// # Errors
    /// The file cannot be read, or its description is not valid; see [`MachineError`].
    pub fn load(name_or_path: &str) -> Result<Self, MachineError> {
        if let Some(machine) = Self::named(name_or_path) {
            return Ok(machine);
        }
        let path = Path::new(name_or_path);
        match input::text(path, DESCRIPTION_BYTES) {
            Ok(text) => Self::parse(&text, name_or_path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(unknown(name_or_path)),
            Err(source) => Err(MachineError::Read { path: path.into(), source }),
        }
    }

    /// Reads and validates a description; `origin` (a file or a name) is what errors call it.
    ///
    /// # Errors
    /// [`MachineError::Invalid`], which names the key, line, column and remedy.
    pub fn parse(text: &str, origin: &str) -> Result<Self, MachineError> {
        description::parse(text, origin)
    }

    /// The description as TOML; [`Machine::parse`] gives the same machine back.
    pub fn to_toml(&self) -> String {
        description::print(self)
    }
}

fn unknown(name: &str) -> MachineError {
    let known: Vec<_> = NAMED.iter().map(|(name, _)| *name).collect();
    let meant = suggest::question(name, known.iter().copied());
    MachineError::Unknown { name: name.into(), meant, known: known.join(", ") }
}
