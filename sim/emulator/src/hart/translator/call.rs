//! What a call of translated code is given, and what comes of it.

use std::cell::Cell;

use crate::hart::csr::PLAIN;
use crate::hart::decode::Decoded;
use crate::hart::tlb::Entry;
use testbed_definitions::page::TLB_ENTRIES;

/// A processor's parts, and where it stands.
pub(super) struct Place<'a> {
    pub registers: &'a mut [u32; 256],
    pub words: &'a mut [u32],
    pub decoded: &'a [Cell<Decoded>],
    pub has_code: &'a [Cell<bool>],
    pub tlb: &'a [Entry; TLB_ENTRIES],
    /// The CSRs that only hold something.
    pub csrs: &'a mut [u32; PLAIN.len()],
    /// The time one cycle after the limit.
    pub clock: u64,
    /// Cycles from the arrival of the next instruction to the limit.
    pub left: i64,
    /// Virtual address of the region's first word.
    pub base: u32,
    /// Index in memory of that word.
    pub first: u32,
    /// Place of the leader at which it enters.
    pub entry: u32,
}

/// What has come of a call.
pub(super) struct Outcome {
    /// Place behind the region's first word of the instruction that comes next.
    pub at: u32,
    /// Cycles from its arrival to the limit.
    pub left: i64,
    /// Cycles from when the last load, multiplication or division is complete to the limit, if there
    /// was one.
    pub complete: Option<i64>,
    pub executed: u64,
    /// Whether the instruction that comes next begins a block.
    pub is_between_blocks: bool,
    /// Words that it has stored to.
    pub stored: usize,
}
