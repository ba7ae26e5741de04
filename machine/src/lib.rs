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
mod rules;
pub mod suggest;
pub mod units;

use std::path::Path;

use testbed_definitions::map::mmi;
use testbed_definitions::monitor;

pub use description::{
    CLOCK_HZ_MAX, CLOCK_HZ_MIN, CYCLES_MAX, DESCRIPTION_BYTES, NAME_BYTES, POLL_CYCLES_MIN, QUEUE_MAX, QUEUE_MIN,
};
pub use error::{Invalid, MachineError};
pub use rules::{brief, printable, Fault};

/// One machine. Processor 0 is the master (no SMI, has the MMI); the others are slaves, with SMI n on processor n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// Nominal clock in hertz.
    pub clock_hz: u32,
    /// Names by processor number, 1 to 16 of them.
    pub processors: Vec<String>,
    /// The master is no processor: its MMI is there and sends to the trace port, but nobody programs it, and there is no Centrenet. The
    /// console is that of the one slave.
    pub headless: bool,
    /// RAM bytes of each processor, a power of two.
    pub ram_bytes: u32,
    /// Entries of each SMI's queue, a power of two.
    pub smi_queue: u32,
    /// Words of the MMI's queue, a power of two.
    pub mmi_queue: u32,
    /// Machine cycles a tick of the global clock.
    pub tick_cycles: u32,
    /// Machine cycles between two polls of the MMI.
    pub poll_cycles: u32,
    /// Words of the trace port's FIFO, a power of two.
    pub port_queue: u32,
    /// Machine cycles between two words that leave by the trace port, at least.
    pub port_cycles: u32,
    /// Which pair the MMI takes next, after reset.
    pub order: Order,
    /// Board in `constraints/`, if the machine is meant for one.
    pub board: Option<String>,
}

/// Which pair the MMI takes next from the SMIs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The oldest of the next SMI in turn.
    #[default]
    Turns,
    /// The oldest of all SMIs.
    Time,
}

impl Order {
    pub const ALL: [Order; 2] = [Order::Turns, Order::Time];

    /// The name in machine descriptions.
    pub const fn name(self) -> &'static str {
        match self {
            Order::Turns => "turns",
            Order::Time => "time",
        }
    }

    /// The order of this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

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
    /// The default machine of the report: six processors, 4 MiB each, 25 MHz.
    pub fn testbed6() -> Self {
        Machine {
            name: "testbed6".into(),
            clock_hz: 25_000_000,
            processors: ["master", "earth", "air", "fire", "water", "space"].map(String::from).into(),
            headless: false,
            ram_bytes: 4 << 20,
            smi_queue: monitor::SMI_QUEUE as u32,
            mmi_queue: monitor::MMI_QUEUE as u32,
            tick_cycles: 25,
            poll_cycles: 2,
            port_queue: monitor::PORT_QUEUE as u32,
            port_cycles: 1,
            order: Order::Turns,
            board: None,
        }
    }

    /// A bare single processor with the given RAM, for `exec` and for tests.
    pub fn single(ram_bytes: u32) -> Self {
        Machine { name: "single".into(), processors: vec!["master".into()], ram_bytes, ..Self::testbed6() }
    }

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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(MachineError::unknown(name_or_path)),
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

    /// The MMI's CONTROL after reset.
    pub fn control(&self) -> u32 {
        match self.order {
            Order::Turns => mmi::CONTROL_RESET,
            Order::Time => mmi::CONTROL_RESET | mmi::CONTROL_ORDERED,
        }
    }

    /// Which of the hardware's processors processor `number` is; `None` of a master that is none.
    pub fn instance(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.headless.into())
    }

    /// Number of the processor whose UART is the console.
    pub fn console(&self) -> usize {
        self.headless.into()
    }

    /// Number of slaves, which is the number of SMIs.
    pub fn slaves(&self) -> usize {
        self.processors.len() - 1
    }
}
