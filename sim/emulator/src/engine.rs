//! What every engine can do, so that one driver runs them all and their outputs can be compared.

use testbed_machine::Machine;

/// Why an engine could not go on. Errors name the place and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Says that `engine` has no machine whose master is no processor.
pub fn machine_without_master(engine: &str, machine: &Machine) -> EngineError {
    EngineError::Failed(format!(
        "engine `{engine}` needs a master, and machine {} is headless; use the engine `verilator`, or remove `headless` from its description",
        machine.name
    ))
}

/// What goes into every processor's RAM before cycle 0, and where execution starts.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Physical start address and bytes; inside RAM, not overlapping.
    pub segments: Vec<(u32, Vec<u8>)>,
    /// First pc of every processor.
    pub entry: u32,
}

/// A 20-bit word at the MMI's trace port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceWord {
    pub cycle: u64,
    /// [`testbed_definitions::monitor::MmiWord`] layout.
    pub word: u32,
}

/// A byte that left a processor's UART.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsoleByte {
    pub cycle: u64,
    pub processor: u8,
    pub byte: u8,
}

/// A processor's first store to SYSTEM EXIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Cycle of the store.
    pub cycle: u64,
    pub processor: u8,
    pub code: u32,
}

/// Hardware counters of one SMI and of the MMI's side of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmiCounters {
    pub emitted: u32,
    pub dropped: u32,
    pub refused: u32,
    /// Taken out by the filter.
    pub filtered: u32,
    pub markers: u32,
    /// Pairs that the SMI still holds, in its queue and its event latch; waiting markers are not
    /// enqueued yet and don't count.
    pub queued: u32,
    /// Pairs delivered by the MMI.
    pub delivered: u32,
}

/// Hardware counters of one Centrenet station, in register order, and whether it is receiving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationCounters {
    pub tx_packets: u32,
    pub tx_dropped: u32,
    pub tx_corrupted: u32,
    pub tx_no_station: u32,
    pub tx_refused: u32,
    pub tx_retries: u32,
    pub rx_packets: u32,
    pub rx_crc_errors: u32,
    /// How many of the packets sent went to all other stations.
    pub tx_broadcasts: u32,
    /// How many of the packets sent came to nobody and were sent again.
    pub tx_resent: u32,
    /// No counter but a state: 1 while a packet's words come in, and it is counted neither as
    /// received nor as spoiled.
    pub receiving: u32,
}

/// One committed instruction or trap; what lockstep compares. See "Retirement port" in
/// `docs/hardware.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retirement {
    pub cycle: u64,
    pub trap: bool,
    /// The first half of a pair (`ld`, `sd`), which has committed; the instruction retires with the
    /// second.
    pub half: bool,
    pub pc: u32,
    pub instruction: u32,
    pub rd: u8,
    pub value: u32,
    /// `mcause` if `trap`, else 0.
    pub cause: u32,
    pub tval: u32,
    pub load: bool,
    pub store: bool,
    /// Physical address of the load or store, else 0.
    pub address: u32,
    /// Data stored, bytes outside `mask` zero; 0 for loads.
    pub data: u32,
    pub mask: u8,
}

impl Retirement {
    /// Fills in the load or store of a whole word.
    pub(crate) fn access_word(&mut self, stores: bool, address: u32, stored: u32) {
        (self.load, self.store, self.address) = (!stores, stores, address);
        if stores {
            (self.data, self.mask) = (stored, 15);
        }
    }
}

/// A machine that runs. Cycle `n` means that cycles 0 to `n - 1` are done.
pub trait Engine {
    /// Name on the command line.
    fn name(&self) -> &'static str;
    fn machine(&self) -> &Machine;
    fn cycle(&self) -> u64;
    /// Runs all processors until exactly cycle `until`. Stores to EXIT don't stop it.
    fn run_until(&mut self, until: u64) -> Result<(), EngineError>;
    /// Words that left by the trace port since the last call, in order.
    fn take_trace(&mut self) -> Vec<TraceWord>;
    /// Console bytes since the last call, in order of cycle, then processor.
    fn take_console(&mut self) -> Vec<ConsoleByte>;
    /// Gives the machine bytes to read at its console. They wait outside, behind those given
    /// before, and enter the receiver of the master's UART from this cycle on, as fast as it takes
    /// them; see "Console input" in `docs/hardware.md`.
    ///
    /// # Errors
    /// The engine's, as in [`Engine::run_until`].
    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError>;
    /// Bytes given that have not begun to enter, in this cycle at the latest.
    fn console_waiting(&mut self) -> usize;
    /// Each processor's first store to EXIT so far, in order of cycle, then processor.
    fn exits(&self) -> Vec<Exit>;
    /// Instructions retired by `processor`.
    fn instructions(&self, processor: usize) -> u64;
    /// Counters of SMI `processor` (1..).
    fn smi(&self, processor: usize) -> SmiCounters;
    fn station(&self, processor: usize) -> StationCounters;
    /// Words that wait in the trace port's FIFO.
    fn port_queued(&self) -> u32;
    /// Reads RAM as the core would see it now; `address` physical, inside RAM.
    fn read_ram(&self, processor: usize, address: u32, bytes: &mut [u8]);
    /// Writes RAM between two cycles.
    fn write_ram(&mut self, processor: usize, address: u32, bytes: &[u8]);
    /// Turns recording of retirements on for `processor` (off for all others), or off for all.
    fn record_retirements(&mut self, processor: Option<usize>);
    /// Retirements recorded since the last call.
    fn take_retirements(&mut self) -> Vec<Retirement>;
}
