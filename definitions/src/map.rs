//! Physical address map.
//!
//! ```text
//! 0x0200_0000  CLINT      msip, mtimecmp, mtime (the standard SiFive layout, one hart)
//! 0x1000_0000  UART       16550-style, byte registers
//! 0x1001_0000  CENTRENET  this processor's bus station
//! 0x1002_0000  SMI        slave monitoring interface (slaves only)
//! 0x1002_0400             its register for programs, the one page that user mode sees of a device
//! 0x1003_0000  MMI        master monitoring interface (master only)
//! 0x1004_0000  SYSTEM     identity of the machine, end of a simulation
//! 0x8000_0000  RAM        local memory, a power of two bytes
//! ```
//!
//! Each device answers in its whole 64 KiB; offsets that name no register read as 0 and ignore writes.
//! Every other address raises an access fault. See `docs/hardware.md` for what each register does.

/// Bytes of address space each device occupies.
pub const DEVICE_BYTES: u32 = 0x1_0000;
/// First byte of RAM; also the usual reset vector.
pub const RAM_BASE: u32 = 0x8000_0000;
/// Smallest and largest RAM a processor can have, in bytes. The size is a power of two.
pub const RAM_BYTES_MIN: u32 = 8 * 1024;
pub const RAM_BYTES_MAX: u32 = 4 * 1024 * 1024;

pub const CLINT_BASE: u32 = 0x0200_0000;
pub const UART_BASE: u32 = 0x1000_0000;
pub const CENTRENET_BASE: u32 = 0x1001_0000;
pub const SMI_BASE: u32 = 0x1002_0000;
pub const MMI_BASE: u32 = 0x1003_0000;
pub const SYSTEM_BASE: u32 = 0x1004_0000;
/// The page of devices that stores in user mode reach, at the same virtual address, where the kernel
/// lets them ([`crate::csr::PMBASE_EVENT`]). [`smi::USER_EVENT`] is at its beginning.
pub const EVENT_PAGE: u32 = SMI_BASE + smi::USER_EVENT;
const _: () = assert!(EVENT_PAGE % crate::page::PAGE_BYTES == 0 && EVENT_PAGE >= crate::page::VIRTUAL_BYTES);

/// Core-local interruptor; offsets from [`CLINT_BASE`].
pub mod clint {
    /// Bit 0 is the software interrupt.
    pub const MSIP: u32 = 0x0000;
    pub const MTIMECMP_LOW: u32 = 0x4000;
    pub const MTIMECMP_HIGH: u32 = 0x4004;
    /// Counts machine cycles.
    pub const MTIME_LOW: u32 = 0xbff8;
    pub const MTIME_HIGH: u32 = 0xbffc;
}

/// 16550-style UART; byte offsets from [`UART_BASE`].
pub mod uart {
    /// Receive buffer (read), transmit holding (write), divisor low (DLAB = 1).
    pub const RBR_THR_DLL: u32 = 0;
    /// Interrupt enable (kept, no interrupt is wired), divisor high (DLAB = 1).
    pub const IER_DLM: u32 = 1;
    /// Reads as 0xC1: FIFOs on, no interrupt pending.
    pub const IIR_FCR: u32 = 2;
    /// Bit 7 is DLAB.
    pub const LCR: u32 = 3;
    pub const MCR: u32 = 4;
    pub const LSR: u32 = 5;
    pub const MSR: u32 = 6;
    pub const SCR: u32 = 7;
    pub const LSR_DATA_READY: u8 = 1 << 0;
    /// A received byte was lost because the receive buffer was full.
    pub const LSR_OVERRUN: u8 = 1 << 1;
    /// The transmit FIFO has room for a byte.
    pub const LSR_THR_EMPTY: u8 = 1 << 5;
    /// FIFO and shift register are empty.
    pub const LSR_TX_IDLE: u8 = 1 << 6;
    /// Bytes the transmit FIFO holds, apart from the one being shifted out. A byte written to a full FIFO is lost.
    pub const TX_FIFO: usize = 16;
    /// Bytes the receive FIFO holds.
    pub const RX_FIFO: usize = 16;
    /// A character that begins on the serial line in cycle *t* is in the receive FIFO from *t* +
    /// `RX_LATE` + [`RX_CYCLES`] x divisor on, the divisor being that of *t* + `RX_DIVISOR`.
    pub const RX_LATE: u32 = 3;
    pub const RX_CYCLES: u32 = 152;
    pub const RX_DIVISOR: u32 = 2;
    /// Cycles a character of ten bits takes is this times the divisor (a divisor of 0 counts as 1).
    pub const CYCLES_PER_CHARACTER: u32 = 160;
}

/// Centrenet station; offsets from [`CENTRENET_BASE`].
pub mod centrenet {
    /// Read: this station's number in bits 7:0, number of stations in bits 15:8.
    pub const ID: u32 = 0x00;
    pub const CONTROL: u32 = 0x04;
    pub const STATUS: u32 = 0x08;
    /// Byte address in RAM of the payload of the next packet, a multiple of four.
    pub const TX_ADDRESS: u32 = 0x0c;
    /// Write: queue a packet; [`crate::packet::Header`] layout, source ignored.
    pub const TX_COMMAND: u32 = 0x10;
    /// Byte address in RAM of the receive ring, a multiple of four.
    pub const RX_BASE: u32 = 0x14;
    /// Ring size in words, less one; the size is a power of two up to 32,768.
    pub const RX_MASK: u32 = 0x18;
    /// Consumer's free-running word index, 16 bits, written by software.
    pub const RX_HEAD: u32 = 0x1c;
    /// Producer's free-running word index, 16 bits.
    pub const RX_TAIL: u32 = 0x20;
    /// Counters, 32 bits each, read only.
    pub const TX_PACKETS: u32 = 0x24;
    pub const TX_DROPPED: u32 = 0x28;
    pub const TX_CORRUPTED: u32 = 0x2c;
    pub const TX_NO_STATION: u32 = 0x30;
    pub const TX_REFUSED: u32 = 0x34;
    pub const TX_RETRIES: u32 = 0x38;
    pub const RX_PACKETS: u32 = 0x3c;
    pub const RX_CRC_ERRORS: u32 = 0x40;
    /// How many of [`TX_PACKETS`] went to all other stations.
    pub const TX_BROADCASTS: u32 = 0x44;
    /// How many of [`TX_PACKETS`] came to nobody and were sent again, with [`CONTROL_CONFIRM`].
    pub const TX_RESENT: u32 = 0x48;
    /// A packet is dropped when the LFSR's 16 bits are below this.
    pub const FAULT_DROP: u32 = 0x50;
    /// A packet's CRC is spoiled when the LFSR's 16 bits are below this.
    pub const FAULT_CORRUPT: u32 = 0x54;
    /// Write: sets the LFSR (0 counts as 1).
    pub const FAULT_SEED: u32 = 0x58;

    pub const CONTROL_RECEIVE: u32 = 1 << 0;
    /// External interrupt while the receive ring is not empty.
    pub const CONTROL_INTERRUPT: u32 = 1 << 1;
    /// The station waits for the receivers' word that the CRC was right, and sends again what was not,
    /// but for datagrams ([`crate::packet::DATAGRAM`]).
    pub const CONTROL_CONFIRM: u32 = 1 << 2;
    /// Bits 3:0 of STATUS: free places in the transmit queue.
    pub const STATUS_TX_FREE_MASK: u32 = 0xf;
    /// Nothing queued and nothing being sent.
    pub const STATUS_TX_IDLE: u32 = 1 << 8;
    pub const STATUS_RX_READY: u32 = 1 << 9;
    /// The receiver is off: RX_BASE and RX_MASK can be written (they ignore stores otherwise).
    pub const STATUS_RX_OFF: u32 = 1 << 10;
    /// Packets that can wait in a station's transmit queue, besides the one being sent.
    pub const TX_QUEUE: usize = 8;
    /// Cycles after which a refused packet is offered again.
    pub const RETRY_CYCLES: u32 = 256;
    /// Cycles that a packet with [`CONTROL_CONFIRM`] keeps its sender longer: until the receivers have
    /// said whether its CRC was right.
    pub const CONFIRM_CYCLES: u32 = 4;
}

/// Slave monitoring interface; offsets from [`SMI_BASE`].
pub mod smi {
    /// Write (16 bits): emit this datum, stamped with the global clock.
    pub const EVENT: u32 = 0x00;
    /// Write (16 bits): emit [`USER_FIRST`] and then this datum, so that it is a program's own event
    /// whatever the datum is. Nothing happens unless CONTROL has [`CONTROL_USER`].
    pub const USER_EVENT: u32 = 0x400;
    /// The first word of what a store to USER_EVENT emits.
    pub const USER_FIRST: u16 = crate::event::USER | crate::event::MORE;
    /// Read: entries in the queue in bits 15:0; bit 31: the next event would be discarded or would stall.
    pub const STATUS: u32 = 0x04;
    pub const CONTROL: u32 = 0x08;
    /// Counters, 32 bits each, read only. `EMITTED` counts every word that EVENT or USER_EVENT has
    /// been through with, whatever became of it.
    pub const EMITTED: u32 = 0x0c;
    pub const DROPPED: u32 = 0x10;
    /// Stores of a datum whose high byte is reserved for markers; they are not enqueued.
    pub const REFUSED: u32 = 0x14;
    /// Entries that the SMI itself enqueued: wrap markers, and both words of gap markers and of totals.
    pub const MARKERS: u32 = 0x18;
    /// Read: global clock in bits 15:0, wraps in bits 23:16.
    pub const TIME: u32 = 0x1c;
    /// Stores of a datum that the filter took out; they are not enqueued. A counter like those above.
    pub const FILTERED: u32 = 0x20;

    pub const STATUS_FULL: u32 = 1 << 31;
    /// Full queue: 1 stalls the storing processor until there is room, 0 discards and counts.
    pub const CONTROL_STALL: u32 = 1 << 0;
    /// Stores to USER_EVENT emit.
    pub const CONTROL_USER: u32 = 1 << 1;
}

/// Master monitoring interface; offsets from [`MMI_BASE`].
pub mod mmi {
    /// Read: takes the next word from the queue, [`crate::monitor::MmiWord`] layout with [`DATA_VALID`]; 0 if empty.
    pub const DATA: u32 = 0x00;
    /// Read: words in the queue in bits 15:0, and [`STATUS_COMMAND_BUSY`].
    pub const STATUS: u32 = 0x04;
    pub const CONTROL: u32 = 0x08;
    /// Cycles between two polls, at least 2.
    pub const POLL_CYCLES: u32 = 0x0c;
    /// Machine cycles a tick of the global clock, at least 1.
    pub const TICK_CYCLES: u32 = 0x10;
    /// Write: programs the SMIs' filters, [`crate::filter::Command`] layout; one command in each
    /// window of 32 cycles, others are ignored.
    pub const COMMAND: u32 = 0x14;
    /// Read: pairs that were wanted in the master's queue and found no room there ([`CONTROL_QUEUE_MAY_MISS`]).
    pub const MISSED: u32 = 0x18;
    /// SMIs whose pairs go to the master's queue: bit `n` for SMI `n`. After reset: [`WANTED_RESET`].
    pub const WANTED: u32 = 0x1c;
    /// Data of the pairs that go to the master's queue: those that are bits 31:16 where bits 15:0
    /// are 1. After reset 0: all.
    pub const WANTED_DATUM: u32 = 0x20;
    /// Pairs delivered from SMI `n` at `DELIVERED + 4 n`.
    pub const DELIVERED: u32 = 0x40;

    pub const DATA_VALID: u32 = 1 << 31;
    /// This window has its command: a store to COMMAND is ignored until its end.
    pub const STATUS_COMMAND_BUSY: u32 = 1 << 31;
    /// Poll the SMIs.
    pub const CONTROL_POLL: u32 = 1 << 0;
    /// Put the pairs that are wanted into the master's queue; polling waits while it lacks room for one.
    pub const CONTROL_QUEUE: u32 = 1 << 1;
    /// Send the words to the trace port; polling waits while its FIFO lacks room for a pair.
    pub const CONTROL_TRACE: u32 = 1 << 2;
    /// Take the oldest pair of all SMIs, not that of the next in turn.
    pub const CONTROL_ORDERED: u32 = 1 << 3;
    /// The master's queue does not hold up polling: what finds no room there is counted in [`MISSED`].
    pub const CONTROL_QUEUE_MAY_MISS: u32 = 1 << 4;
    /// All bits of CONTROL.
    pub const CONTROL_BITS: u32 = 0x1f;
    /// After reset: poll, and send to the trace port; with [`CONTROL_ORDERED`] where the machine description says so.
    pub const CONTROL_RESET: u32 = CONTROL_POLL | CONTROL_TRACE;
    /// All SMIs.
    pub const WANTED_RESET: u32 = 0xffff;
    /// Cycles of a slot in order of time at least: keys are compared before the bus is used.
    pub const ORDERED_SLOT_CYCLES: u32 = 4;
}

/// System device; offsets from [`SYSTEM_BASE`].
pub mod system {
    /// Read: RAM bytes of this processor.
    pub const RAM_BYTES: u32 = 0x00;
    /// Read: nominal clock in hertz.
    pub const CLOCK_HZ: u32 = 0x04;
    /// Read: number of processors in the machine.
    pub const PROCESSORS: u32 = 0x08;
    /// Write: the program is over; the value is the exit code. Only the first write of each
    /// processor counts. Read: bit 31 set once written.
    pub const EXIT: u32 = 0x0c;
}
