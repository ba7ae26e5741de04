//! What translated code and its caller tell each other.

use std::cell::Cell;

use crate::hart::decode::Decoded;
use crate::hart::tlb::Entry;

/// What translated code works on: offsets of its fields stand in the code.
#[repr(C)]
pub(super) struct Frame {
    pub registers: *mut u32,
    pub words: *mut u32,
    pub decoded: *const Cell<Decoded>,
    pub has_code: *const Cell<bool>,
    pub tlb: *const Entry,
    pub csrs: *mut u32,
    /// The time one cycle after the limit.
    pub clock: u64,
    /// Where the next index and former word of a store go.
    pub log: *mut [u32; 2],
    /// Cycles from the arrival of the next instruction to the limit, times [`CYCLE`], and the number
    /// of instructions executed by the call.
    pub time: i64,
    /// The cycles from when the last load, multiplication or division is complete to the limit, in
    /// the same form, if the call has completed one that no [`Exit`] tells of.
    pub complete: i64,
    /// Virtual address of the region's first word.
    pub base: u32,
    /// Page of RAM that it is in.
    pub page: u32,
}

/// Where and how a region is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    /// Place of the instruction that comes next.
    pub at: u32,
    /// What the block has done that the frame does not show: instructions, and their cycles.
    pub executed: u32,
    pub passed: i64,
    /// Cycles from the block's begin to when its last load, multiplication or division is complete.
    pub complete: Option<i64>,
}

/// What the function returns if it is left by an [`Exit`]: this and its number; else the place of
/// the instruction that comes next.
pub(super) const BY_EXIT: i64 = 1 << 32;

/// In [`Frame::time`]: a cycle to go,
pub(super) const CYCLE: i64 = 1 << 32;
/// and an instruction executed.
pub(super) const INSTRUCTION: i64 = 1;
