//! The window strobe that keeps the look-ahead rule ("Look-ahead" in `docs/hardware.md`).

use rust_hdl::prelude::*;
use testbed_definitions::timing::LOOKAHEAD;

const COUNTER_BITS: usize = LOOKAHEAD.trailing_zeros() as usize;

/// One for the whole machine; every export register loads in the cycles in which `strobe` is high.
///
/// ```text
///          +--------+
/// clock  =>| Strobe |=> strobe: high in cycle t if t mod LOOKAHEAD = LOOKAHEAD - 1
///          +--------+
/// ```
#[derive(LogicBlock)]
pub struct Strobe {
    pub clock: Signal<In, Clock>,
    pub strobe: Signal<Out, Bit>,
    counter: DFF<Bits<COUNTER_BITS>>,
    level: DFF<Bit>,
    /// The count in the cycle before the strobe.
    last_but_one: Constant<Bits<COUNTER_BITS>>,
}

impl Default for Strobe {
    fn default() -> Self {
        Strobe {
            clock: Default::default(),
            strobe: Default::default(),
            counter: Default::default(),
            level: Default::default(),
            last_but_one: Constant::new((LOOKAHEAD - 2).into()),
        }
    }
}

impl Logic for Strobe {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, counter, level);
        self.counter.d.next = self.counter.q.val() + 1;
        self.level.d.next = self.counter.q.val() == self.last_but_one.val();
        self.strobe.next = self.level.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strobe_is_high_in_the_last_cycle_of_every_window() {
        let mut uut = Strobe::default();
        uut.connect_all();
        for cycle in 0..200 {
            assert!(simulate(&mut uut, 20));
            assert_eq!(uut.strobe.val(), cycle % LOOKAHEAD == LOOKAHEAD - 1, "cycle {cycle}");
            uut.clock.next = !uut.clock.val();
            assert!(simulate(&mut uut, 20));
            uut.clock.next = !uut.clock.val();
        }
    }
}
