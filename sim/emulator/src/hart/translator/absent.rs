//! In place of translated code, where this computer's is not known: there is none.

use super::call::{Outcome, Place};
use super::region::Region;
use crate::hart::times::Times;

/// Any limit will do for what can't be called.
pub(super) const CYCLES_MAX: u64 = 0;
/// There is no translation to this computer's code.
pub(super) const EXISTS: bool = false;

/// Code that nobody can make.
pub(super) enum Code {}

/// A maker of code that can't be had.
pub(super) enum Codes {}

impl Codes {
    /// # Errors
    /// Always: there is no translation to this computer's code.
    pub fn new(_: usize, _: Times) -> Result<Self, String> {
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
