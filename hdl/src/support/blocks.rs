//! Blocks of which a machine has as many as its description says, or one, or none.
//!
//! rust-hdl takes a `Vec` of blocks or signals as it takes an array: element `i` of the field `a`
//! is `a$i` in Verilog. The bounds of a loop in `update` may be any expressions, in parentheses if
//! they have operators: when Verilog is generated they are evaluated, and the loop is unrolled. So
//! a loop over `0..self.a.len()` serves a machine of any size, and what stands in one over
//! `0..self.a.count()` is left out of a machine without the [`Optional`] `a`.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential;
    use crate::support::lint::assert_clean;
    use crate::support::verilog::connected_verilog;

    /// Delays a byte by a cycle.
    #[derive(LogicBlock, Default)]
    struct Stage {
        pub clock: Signal<In, Clock>,
        pub given: Signal<In, Bits<8>>,
        pub shown: Signal<Out, Bits<8>>,
        held: DFF<Bits<8>>,
    }

    impl Logic for Stage {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, held);
            self.held.d.next = self.given.val();
            self.shown.next = self.held.q.val();
        }
    }

    /// A chain of stages behind a head that is there or not; `sum` is that of all stages.
    #[derive(LogicBlock)]
    struct Chain {
        pub clock: Signal<In, Clock>,
        pub entry: Signal<In, Bits<8>>,
        pub sum: Signal<Out, Bits<8>>,
        stage: Vec<Stage>,
        head: Optional<Stage>,
        weight: Vec<Constant<Bits<8>>>,
        total: Signal<Local, Bits<8>>,
        _first: usize,
    }

    impl Chain {
        /// Stage `first` takes what goes in; those before it have nothing to take.
        fn new(stages: usize, first: usize, has_head: bool) -> Self {
            Chain {
                clock: Default::default(),
                entry: Default::default(),
                sum: Default::default(),
                stage: each(stages),
                head: Optional::when(has_head, Stage::default),
                weight: (0..stages as u64).map(|i| Constant::new((1 << i).into())).collect(),
                total: Default::default(),
                _first: first,
            }
        }
    }

    impl Logic for Chain {
        #[hdl_gen]
        fn update(&mut self) {
            self.total.next = 0.into();
            for i in 0..self.stage.len() {
                self.stage[i].clock.next = self.clock.val();
                self.total.next = self.total.val() + (self.stage[i].shown.val() ^ self.weight[i].val());
            }
            for i in 0..self._first {
                self.stage[i].given.next = 0.into();
            }
            for _once in 0..self.head.count() {
                self.head.clock.next = self.clock.val();
                self.head.given.next = self.entry.val();
            }
            for first in self._first..(self._first + 1) {
                for _once in 0..self.head.count() {
                    self.stage[first].given.next = self.head.shown.val();
                }
                for _once in self.head.count()..1 {
                    self.stage[first].given.next = self.entry.val();
                }
                for i in (self._first + 1)..self.stage.len() {
                    self.stage[i].given.next = self.stage[i - 1].shown.val();
                }
            }
            self.sum.next = self.total.val();
        }
    }

    #[test]
    fn lists_and_optional_blocks_are_what_they_are_in_verilog() {
        for (stages, first, has_head) in [(1, 0, false), (1, 0, true), (3, 1, true), (5, 0, false), (5, 4, true)] {
            assert_clean(Chain::new(stages, first, has_head));
            let text = connected_verilog(Chain::new(stages, first, has_head)).unwrap();
            let modules = |name: &str| text.matches(&format!("module top${name}")).count();
            // Each stage, and the register in it.
            assert_eq!(modules("stage$"), 2 * stages, "{stages} stages");
            assert_eq!(modules("head"), 2 * usize::from(has_head));
            differential! {
                block: Chain = Chain::new(stages, first, has_head),
                inputs: [entry],
                outputs: [sum],
                cycles: 200,
                seed: 51,
            }
        }
    }

    #[test]
    #[should_panic(expected = "it is looked at only where it is")]
    fn a_block_that_is_not_there_cannot_be_looked_at() {
        let chain = Chain::new(1, 0, false);
        let _ = chain.head.shown.val();
    }
}
