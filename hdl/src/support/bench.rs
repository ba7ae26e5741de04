//! Native simulation, one settled clock edge at a time: no threads, no channels.
//!
//! ```
//! use rust_hdl::prelude::*;
//! use testbed_hdl::step;
//! use testbed_hdl::support::bench;
//!
//! let mut register: DFF<Bits<8>> = DFF::default();
//! register.connect_all();
//! register.d.next = 42.into();
//! step!(register).unwrap();
//! assert_eq!(register.q.val(), 42u64);
//! ```

use rust_hdl::prelude::*;

/// Passes after which a block that still changes is taken to oscillate. A signal crosses one level of the hierarchy
/// a pass, so this bounds the levels a path crosses between two edges.
pub const PASSES_MAX: usize = 400;

/// The block still changed after [`PASSES_MAX`] passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the block does not settle within {PASSES_MAX} passes: it has a combinational loop")]
pub struct Unsettled;

/// Evaluates the block until nothing changes.
pub fn settle<B: Block>(block: &mut B) -> Result<(), Unsettled> {
    if simulate(block, PASSES_MAX) {
        Ok(())
    } else {
        Err(Unsettled)
    }
}

/// Sets the clock low and settles: the inputs set so far reach the outputs; registers keep.
pub fn settle_low<B: Block>(block: &mut B, clock: impl Fn(&mut B) -> &mut Signal<In, Clock>) -> Result<(), Unsettled> {
    clock(block).next = false.into();
    settle(block)
}

/// One cycle: clock low, settle, clock high, settle. Inputs set before it are what the registers see; outputs read
/// after it are those of the next cycle with the same inputs.
pub fn step<B: Block>(block: &mut B, clock: impl Fn(&mut B) -> &mut Signal<In, Clock>) -> Result<(), Unsettled> {
    settle_low(block, &clock)?;
    clock(block).next = true.into();
    settle(block)
}

/// [`step`](crate::support::bench::step) for a block whose clock is its field `clock`.
#[macro_export]
macro_rules! step {
    ($block:expr) => {
        $crate::support::bench::step(&mut $block, |block| &mut block.clock)
    };
}

/// [`settle_low`](crate::support::bench::settle_low) for a block whose clock is its field `clock`.
#[macro_export]
macro_rules! settle_low {
    ($block:expr) => {
        $crate::support::bench::settle_low(&mut $block, |block| &mut block.clock)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicBlock, Default)]
    struct Counter {
        pub clock: Signal<In, Clock>,
        pub enable: Signal<In, Bit>,
        pub count: Signal<Out, Bits<4>>,
        register: DFF<Bits<4>>,
    }

    impl Logic for Counter {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, register);
            if self.enable.val() {
                self.register.d.next = self.register.q.val() + 1;
            }
            self.count.next = self.register.q.val();
        }
    }

    #[test]
    fn one_step_is_one_edge() {
        let mut counter = Counter::default();
        counter.connect_all();
        counter.enable.next = true;
        for n in 1..=20u64 {
            step!(counter).unwrap();
            assert_eq!(counter.count.val(), n & 15);
        }
        counter.enable.next = false;
        step!(counter).unwrap();
        assert_eq!(counter.count.val(), 4u64);
    }

    #[derive(LogicBlock, Default)]
    struct Oscillator {
        pub clock: Signal<In, Clock>,
        pub toggles: Signal<Out, Bit>,
    }

    impl Logic for Oscillator {
        fn update(&mut self) {
            self.toggles.next = !self.toggles.val();
        }
    }

    #[test]
    fn an_oscillator_is_an_error() {
        assert_eq!(step!(Oscillator::default()), Err(Unsettled));
    }
}
