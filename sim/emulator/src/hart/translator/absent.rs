//! In place of translated code, where this computer's is not known: there is none.

use std::cell::Cell;

use super::region::Region;
use crate::hart::decode::Decoded;
use crate::hart::tlb::Entry;
use testbed_definitions::page::TLB_ENTRIES;

/// Any limit will do for what can't be called.
pub(super) const CYCLES_MAX: u64 = 0;

/// Code that nobody can make.
pub(super) enum Code {}

/// A maker of code that can't be had.
pub(super) enum Codes {}

/// See the file that this one stands for.
#[allow(dead_code)]
pub(super) struct Place<'a> {
    pub registers: &'a mut [u32; 256],
    pub words: &'a mut [u32],
    pub decoded: &'a [Cell<Decoded>],
    pub has_code: &'a [Cell<bool>],
    pub tlb: &'a [Entry; TLB_ENTRIES],
    pub left: i64,
    pub base: u32,
    pub entry: u32,
}

/// What would have come of a call.
pub(super) struct Outcome {
    pub at: u32,
    pub left: i64,
    pub complete: Option<i64>,
    pub executed: u64,
    pub is_between_blocks: bool,
    pub stored: usize,
}

impl Codes {
    /// # Errors
    /// Always: there is no translation to this computer's code.
    pub fn new(_: usize) -> Result<Self, String> {
        Err("there is no translation to this computer's code".into())
    }

    pub fn make(&mut self, _: &Region) -> Result<Code, String> {
        match *self {}
    }

    pub fn call(&mut self, _: &Code, _: Place) -> Outcome {
        match *self {}
    }

    pub fn stored(&self, _: usize) -> &[[u32; 2]] {
        match *self {}
    }
}
