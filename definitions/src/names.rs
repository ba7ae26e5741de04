//! Names of processors, as a machine's description has them, for programs that want to know them.
//!
//! A program that has a static called [`SYMBOL`], of the type [`Table`], finds the names there: the
//! host writes them into the program's file before it leaves that in the filestore.

use crate::packet::STATIONS_MAX;

pub const SYMBOL: &str = "PROCESSOR_NAMES";
/// Bytes of a name at most; shorter ones are padded with NUL.
pub const NAME_BYTES: usize = 32;
/// By processor; what the machine has no processor for is NUL.
pub type Table = [[u8; NAME_BYTES]; STATIONS_MAX];
