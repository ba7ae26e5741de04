//! Blocks of which a machine has as many as its description says, or one, or none.
//!
//! rust-hdl takes a `Vec` of blocks or signals as it takes an array: element `i` of the field `a` is `a$i` in Verilog.
//! The bounds of a loop in `update` may be any expressions, in parentheses if they have operators: when Verilog is
//! generated they are evaluated, and the loop is unrolled. So a loop over `0..self.a.len()` serves a machine of any
//! size, and what stands in one over `0..self.a.count()` is left out of a machine without the [`Optional`] `a`.

use std::ops::{Deref, DerefMut};

use rust_hdl::core::probe::Probe;
use rust_hdl::prelude::*;

/// `count` default blocks or signals.
pub fn each<B: Default>(count: usize) -> Vec<B> {
    (0..count).map(|_| B::default()).collect()
}

/// A block that a machine has or has not; in Verilog it has the field's own name, or is not there.
///
/// ```ignore
/// for _once in 0..self.bus.count() {
///     self.bus.clock.next = self.clock.val();
/// }
/// ```
pub struct Optional<B>(Option<B>);

impl<B> Optional<B> {
    /// The block that `make` makes, if it is wanted.
    pub fn when(wanted: bool, make: impl FnOnce() -> B) -> Self {
        Optional(wanted.then(make))
    }

    /// 1 if the block is there, else 0.
    pub fn count(&self) -> usize {
        usize::from(self.0.is_some())
    }
}

/// # Panics
/// If the block is not there: only what a loop up to [`Optional::count`] encloses may look.
impl<B> Deref for Optional<B> {
    type Target = B;

    fn deref(&self) -> &B {
        self.0.as_ref().expect("it is looked at only where it is")
    }
}

impl<B> DerefMut for Optional<B> {
    fn deref_mut(&mut self) -> &mut B {
        self.0.as_mut().expect("it is looked at only where it is")
    }
}

impl<B: Logic> Logic for Optional<B> {
    fn update(&mut self) {}
}

impl<B: Block> Block for Optional<B> {
    fn connect_all(&mut self) {
        self.0.iter_mut().for_each(Block::connect_all);
    }

    fn update_all(&mut self) {
        self.0.iter_mut().for_each(Block::update_all);
    }

    fn has_changed(&self) -> bool {
        self.0.as_ref().is_some_and(Block::has_changed)
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.iter().for_each(|block| block.accept(name, probe));
    }
}
