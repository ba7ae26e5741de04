//! The boot block: what the host leaves in every processor's RAM for the kernel to find.
//!
//! The kernel ELF has a symbol [`SYMBOL`] that names [`WORDS`] 32-bit words in its data. The host fills them before
//! reset, but for those that the kernel has filled for the host; all processors get the same block.

pub const SYMBOL: &str = "BOOT_BLOCK";
pub const MAGIC: u32 = 0x5445_5354;
/// Bytes that the arguments of the program have, together with those of the balancer.
pub const ARGUMENT_BYTES: usize = 256;
/// The program that balances the load.
pub const BALANCER: &str = "balancer";
/// Commands that the block has room for: every register of a filter once.
pub const COMMANDS_MAX: usize = 3 * crate::filter::RULES + 2;

/// Word indices in the block.
pub mod word {
    pub const MAGIC: usize = 0;
    pub const PROCESSORS: usize = 1;
    pub const RAM_BYTES: usize = 2;
    pub const CLOCK_HZ: usize = 3;
    /// Event classes, `dgl`.
    pub const DIAG: usize = 4;
    pub const SEED: usize = 5;
    /// Processor on which the program's first thread starts.
    pub const START_PROCESSOR: usize = 6;
    /// Physical address of the first of the files' records ([`crate::file::record`]), and how many
    /// there are. The first file is the program to start. Records and files fill RAM from here to
    /// its end.
    pub const FILES_ADDRESS: usize = 7;
    pub const FILES: usize = 8;
    /// Bytes of arguments that follow, a NUL after each.
    pub const ARGUMENT_BYTES: usize = 9;
    /// Bits of [`super::option`]; in 31:16 bytes of the balancer's arguments, which lie behind the program's.
    pub const OPTIONS: usize = 10;
    /// Stores to the MMI's COMMAND that program the monitors' filter before programs start, and how many there are.
    pub const COMMANDS: usize = 11;
    pub const COMMAND: usize = 12;
    /// Pages of RAM that the kernel's tables and buffers take behind what its ELF file loads, with less
    /// RAM than [`super::LARGE_RAM`] and otherwise. These two words are the kernel's own, for the host to
    /// read: it leaves them as they are.
    pub const TABLES: usize = COMMAND + super::COMMANDS_MAX;
    pub const TABLES_LARGE: usize = TABLES + 1;
    /// What stations lose: the threshold of FAULT_DROP, and [`super::CONFIRM`].
    pub const LOSS: usize = TABLES_LARGE + 1;
    /// What they damage: the threshold of FAULT_CORRUPT.
    pub const DAMAGE: usize = LOSS + 1;
    /// How often what processes exchange at the ends of supersteps leaves as datagrams, in bits 7:0 (0:
    /// as packets that are sent again if they are lost), and [`super::WHOLE_ROUNDS`].
    pub const COPIES: usize = DAMAGE + 1;
    pub const ARGUMENTS: usize = COPIES + 1;
}

/// Stations send again what has come to nobody, and lose and damage what the two words say.
pub const CONFIRM: u32 = 1 << 31;

/// Whoever sends goes on at the end of a round's time, and not when all is acknowledged.
pub const WHOLE_ROUNDS: u32 = 1 << 8;

/// Processors with less RAM than so many bytes get the small kernel: code and constants of the other
/// leave no room for a process in half of it.
pub const SMALL_BELOW: u32 = 512 << 10;

/// Whether processors with so much RAM, in bytes, get the small kernel.
pub const fn is_small(ram_bytes: u32) -> bool {
    ram_bytes < SMALL_BELOW
}

/// From so many bytes of RAM on the kernel has its large tables.
pub const LARGE_RAM: u32 = 0x10_0000;

/// Choices of policy. `docs/changing.md` says which other files a new one touches.
pub mod option {
    /// Behave as the report's kernel of 1994: packets wait for the main loop's receive phase, and
    /// what is queued there for its send phase. Otherwise message components are served, and
    /// answered, when they arrive.
    pub const TOS94: u32 = 1 << 0;
    /// Start the file [`super::BALANCER`] on the master, in the background, as an operator.
    pub const BALANCER: u32 = 1 << 1;
    /// Where the bytes of the balancer's arguments stand in the word.
    pub const BALANCER_ARGUMENTS_SHIFT: u32 = 16;
}

pub const WORDS: usize = word::ARGUMENTS + ARGUMENT_BYTES / 4;
