//! What a machine is made of.

use testbed_definitions::map::mmi;
use testbed_definitions::monitor;

/// One machine. Processor 0 is the master (no SMI, has the MMI); the others are slaves, with SMI n on processor n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// Nominal clock in hertz.
    pub clock_hz: u32,
    /// Names by processor number, 1 to 16 of them.
    pub processors: Vec<String>,
    /// The master is no processor: its MMI is there and sends to the trace port, but nobody
    /// programs it, and there is no Centrenet. The console is that of the one slave.
    pub headless: bool,
    /// The core of each processor.
    pub core: Core,
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

/// What executes a processor's instructions; the cores do the same in other times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Core {
    /// One instruction after the other (`docs/core.md`).
    Multicycle,
    /// Instructions overlap (`docs/pipeline.md`).
    #[default]
    Pipelined,
}

impl Core {
    pub const ALL: [Core; 2] = [Core::Multicycle, Core::Pipelined];

    /// The name in machine descriptions.
    pub const fn name(self) -> &'static str {
        match self {
            Core::Multicycle => "multicycle",
            Core::Pipelined => "pipelined",
        }
    }

    /// The core of this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|core| core.name() == name)
    }
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

impl Machine {
    /// The default machine of the report: six processors, 4 MiB each, 25 MHz.
    pub fn testbed6() -> Self {
        Machine {
            name: "testbed6".into(),
            clock_hz: 25_000_000,
            processors: ["master", "earth", "air", "fire", "water", "space"].map(String::from).into(),
            headless: false,
            core: Core::default(),
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
