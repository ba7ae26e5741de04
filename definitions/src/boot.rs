//! The boot block: what the host leaves in every processor's RAM for the kernel to find.
//!
//! The kernel ELF has a symbol [`SYMBOL`] that names [`WORDS`] 32-bit words in its data. The host fills them before
//! reset; all processors get the same block.

pub const SYMBOL: &str = "BOOT_BLOCK";
pub const MAGIC: u32 = 0x5445_5354;
pub const ARGUMENT_BYTES: usize = 256;

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
    /// Physical address of the program's ELF image, and its bytes.
    pub const PROGRAM_ADDRESS: usize = 7;
    pub const PROGRAM_BYTES: usize = 8;
    /// Bytes of arguments that follow, separated by NUL.
    pub const ARGUMENT_BYTES: usize = 9;
    pub const ARGUMENTS: usize = 10;
}

pub const WORDS: usize = word::ARGUMENTS + ARGUMENT_BYTES / 4;
