//! What a board is told.

use testbed_definitions::link;

/// What a board adds to a machine's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// First content of every processor's RAM: two files for `$readmemh`
    /// ([`image_files`](crate::ram::image_files)), a word of 8 hexadecimal digits a line, from the RAM's
    /// first word on. Zeros without.
    pub image: Option<String>,
    /// Bits a second of the link.
    pub link_baud: u32,
    /// The MMI's queue and the trace port's are made of LUT RAM, which iCE40 does not have, instead
    /// of one block RAM each.
    pub queues_in_luts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { image: None, link_baud: link::BAUD, queues_in_luts: false }
    }
}
