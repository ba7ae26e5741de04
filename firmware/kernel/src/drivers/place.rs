//! The places of the queue of packets to transmit.

use testbed_definitions::mpc::TOKEN_WORDS;
use testbed_definitions::packet::{Header, PAYLOAD_BYTES_MAX};
use testbed_definitions::page::PAGE_BYTES;

/// What a payload is, in the low bits of its address: one of the driver's buffers; a page; a page
/// that nobody needs any more when it has left; or memory of a process, of which the place's words
/// are the pages (and one more each) that nobody needs any more then.
pub(super) const KIND: u32 = 3;
pub(super) const BUFFER: u32 = 0;
pub(super) const FRAME: u32 = 1;
pub(super) const FREE_FRAME: u32 = 2;
pub(super) const MEMORY: u32 = 3;
/// Pages of a process that a packet can touch.
pub(super) const PAGES_TOUCHED: usize = (PAYLOAD_BYTES_MAX as u32).div_ceil(PAGE_BYTES) as usize + 1;
/// The word of a place that tells whether there are such pages.
pub(super) const HAS_PAGES: usize = PAGES_TOUCHED;
const _: () = assert!(HAS_PAGES < TOKEN_WORDS, "a place has a word for each");

/// A packet that waits, or is on its way.
#[derive(Clone, Copy)]
pub struct Place {
    pub(super) header: u32,
    /// 0: the payload is in `words`. Otherwise its address, a multiple of four, and what it is
    /// ([`KIND`]).
    pub(super) buffer: u32,
    pub(super) words: [u32; TOKEN_WORDS],
}

impl Place {
    #[inline]
    pub(super) fn payload(&self) -> u32 {
        match self.buffer {
            0 => self.words.as_ptr() as u32,
            buffer => buffer & !KIND,
        }
    }

    /// What its event tells.
    #[inline]
    pub fn header_and_first_word(&self) -> (Header, u32) {
        // SAFETY: the payload is a buffer or the place's own words.
        let first = unsafe { (self.payload() as *const u32).read_volatile() };
        (Header::unpack(self.header), first)
    }
}
