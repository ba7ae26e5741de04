//! The clock that all SMIs stamp their events with.

use rust_hdl::prelude::*;

/// The global clock ("Global clock" in `docs/monitor.md`).
///
/// ```text
///                 +-------------+---> stamp [16]
///       clock --->|             |
/// tick_cycles --->| GlobalClock |---> wraps [8]
///                 |             |---> wrapped
///                 +-------------+---> ticked
/// ```
///
/// All outputs are registers and 0 in cycle 0. (`time` is a Verilog keyword, hence `stamp`.)
#[derive(LogicBlock, Default)]
pub struct GlobalClock {
    pub clock: Signal<In, Clock>,
    /// Machine cycles a tick; 0 counts as 1. Late already: comes from [`super::Mmi`].
    pub tick_cycles: Signal<In, Bits<32>>,
    /// The time.
    pub stamp: Signal<Out, Bits<16>>,
    /// Wraps of `stamp` so far, modulo 256.
    pub wraps: Signal<Out, Bits<8>>,
    /// 1 in the first cycle of a new `wraps`.
    pub wrapped: Signal<Out, Bit>,
    /// 1 in the first cycle of a new `stamp`.
    pub ticked: Signal<Out, Bit>,
    count: DFF<Bits<32>>,
    stamp_now: DFF<Bits<16>>,
    wraps_now: DFF<Bits<8>>,
    wrapped_now: DFF<Bit>,
    ticked_now: DFF<Bit>,
    count_up: Signal<Local, Bits<32>>,
    tick: Signal<Local, Bit>,
}

impl Logic for GlobalClock {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, stamp_now, wraps_now, wrapped_now, ticked_now);
        self.count_up.next = self.count.q.val() + 1;
        self.tick.next = self.count_up.val() >= self.tick_cycles.val();
        self.count.d.next = self.count_up.val();
        self.wrapped_now.d.next = false;
        self.ticked_now.d.next = self.tick.val();
        if self.tick.val() {
            self.count.d.next = 0.into();
            self.stamp_now.d.next = self.stamp_now.q.val() + 1;
            if self.stamp_now.q.val().all() {
                self.wraps_now.d.next = self.wraps_now.q.val() + 1;
                self.wrapped_now.d.next = true;
            }
        }
        self.stamp.next = self.stamp_now.q.val();
        self.wraps.next = self.wraps_now.q.val();
        self.wrapped.next = self.wrapped_now.q.val();
        self.ticked.next = self.ticked_now.q.val();
    }
}
