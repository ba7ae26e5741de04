//! The filestore: one level of files in each processor's RAM.

/// Bytes of a name at most; shorter ones are padded with NUL. Names are printable ASCII without blanks and slashes.
pub const NAME_BYTES: usize = 24;

/// Whether a file can have this name.
pub fn is_name(name: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
    !name.is_empty() && name.len() <= NAME_BYTES && name.iter().all(good)
}

/// The program that is the shell.
pub const SHELL: &str = "sh";
/// The program that has the shell's utilities. Nobody starts it but the shell.
pub const UTILITIES: &str = "utilities";

/// Permissions.
pub const READ: u32 = 1 << 0;
pub const WRITE: u32 = 1 << 1;
pub const EXECUTE: u32 = 1 << 2;
/// May read other processes' memory when invoked. Only files that the host leaves have it; `CHMOD` cannot set it.
pub const TRUSTED: u32 = 1 << 3;

/// What the host leaves in RAM for the kernel of the start processor: at
/// `boot::word::FILES_ADDRESS`, `FILES` records of these words, then nothing. Each file's bytes
/// begin on a page boundary.
pub mod record {
    /// Physical address of the file's bytes, a multiple of the page size.
    pub const ADDRESS: usize = 0;
    pub const BYTES: usize = 1;
    pub const PERMISSIONS: usize = 2;
    /// The name, [`super::NAME_BYTES`] padded with NUL.
    pub const NAME: usize = 3;
    pub const WORDS: usize = NAME + super::NAME_BYTES / 4;
}
