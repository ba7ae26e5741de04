//! 64-bit counter of two writable halves.

use rust_hdl::prelude::*;

/// Counts cycles in which `count` is high; a write to a half suppresses that cycle's count in both.
///
/// ```text
///   count                     +-----------+
///   write_low, write_high     |  Counter  |-> low, high
///   value             ------->+-----------+
/// ```
///
/// A write clears what is kept of its half and adds the value in the cycle after, by the adder that counts: registers
/// are cleared for nothing on an FPGA, where a choice before each bit takes a LUT4.
#[derive(LogicBlock, Default)]
pub struct Counter {
    pub clock: Signal<In, Clock>,
    pub count: Signal<In, Bit>,
    pub write_low: Signal<In, Bit>,
    pub write_high: Signal<In, Bit>,
    pub value: Signal<In, Bits<32>>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,
    /// Each half as it was in the cycle before, or zero if it was written then.
    kept_low: DFF<Bits<32>>,
    kept_high: DFF<Bits<32>>,
    /// What came to it in that cycle: a count, a carry, or what was written.
    added_low: DFF<Bits<32>>,
    added_high: DFF<Bits<32>>,
    now_low: Signal<Local, Bits<32>>,
    now_high: Signal<Local, Bits<32>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kept_low, kept_high, added_low, added_high);
        self.now_low.next = self.kept_low.q.val() + self.added_low.q.val();
        self.now_high.next = self.kept_high.q.val() + self.added_high.q.val();
        self.kept_low.d.next = self.now_low.val();
        self.kept_high.d.next = self.now_high.val();
        self.added_low.d.next = bit_cast::<32, 1>(self.count.val().into());
        self.added_high.d.next = bit_cast::<32, 1>((self.count.val() & self.now_low.val().all()).into());
        if self.write_low.val() {
            self.kept_low.d.next = 0.into();
            self.added_low.d.next = self.value.val();
            self.added_high.d.next = 0.into();
        } else if self.write_high.val() {
            self.kept_high.d.next = 0.into();
            self.added_high.d.next = self.value.val();
            self.added_low.d.next = 0.into();
        }
        self.low.next = self.now_low.val();
        self.high.next = self.now_high.val();
    }
}
