//! 64-bit counter of two writable halves.

use rust_hdl::prelude::*;

/// Counts cycles in which `count` is high; a write to a half suppresses that cycle's count in both.
///
/// ```text
///   count                     +-----------+
///   write_low, write_high     |  Counter  |-> low, high
///   value             ------->+-----------+
/// ```
#[derive(LogicBlock, Default)]
pub struct Counter {
    pub clock: Signal<In, Clock>,
    pub count: Signal<In, Bit>,
    pub write_low: Signal<In, Bit>,
    pub write_high: Signal<In, Bit>,
    pub value: Signal<In, Bits<32>>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,
    low_half: DFF<Bits<32>>,
    high_half: DFF<Bits<32>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low_half, high_half);
        if self.write_low.val() {
            self.low_half.d.next = self.value.val();
        } else if self.write_high.val() {
            self.high_half.d.next = self.value.val();
        } else if self.count.val() {
            self.low_half.d.next = self.low_half.q.val() + 1;
            if self.low_half.q.val().all() {
                self.high_half.d.next = self.high_half.q.val() + 1;
            }
        }
        self.low.next = self.low_half.q.val();
        self.high.next = self.high_half.q.val();
    }
}
