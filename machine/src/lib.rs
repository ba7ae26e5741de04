//! Machine descriptions: what a Testbed is made of, read from TOML and validated.

use testbed_definitions::monitor;

/// One machine. Processor 0 is the master (no SMI, has the MMI); the others are slaves, with SMI n on processor n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// Nominal clock in hertz.
    pub clock_hz: u32,
    /// Names by processor number, 1 to 16 of them.
    pub processors: Vec<String>,
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
    /// Board in `constraints/`, if the machine is meant for one.
    pub board: Option<String>,
}

impl Machine {
    /// The default machine of the report: six processors, 4 MiB each, 25 MHz.
    pub fn testbed6() -> Self {
        Machine {
            name: "testbed6".into(),
            clock_hz: 25_000_000,
            processors: ["master", "earth", "air", "fire", "water", "space"].map(String::from).into(),
            ram_bytes: 4 << 20,
            smi_queue: monitor::SMI_QUEUE as u32,
            mmi_queue: monitor::MMI_QUEUE as u32,
            tick_cycles: 25,
            poll_cycles: 2,
            board: None,
        }
    }
    /// A bare single processor with the given RAM, for `exec` and for tests.
    pub fn single(ram_bytes: u32) -> Self {
        Machine { name: "single".into(), processors: vec!["master".into()], ram_bytes, ..Self::testbed6() }
    }
}
