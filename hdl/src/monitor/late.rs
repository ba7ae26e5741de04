//! A value as the rest of the machine sees it: behind two registers that load once a window.

use rust_hdl::prelude::*;

/// Two registers that load on the window strobe ("Late values" in `docs/monitor.md`).
///
/// ```text
///            +--------+
///  value --->|        |
/// strobe --->|  Late  |---> late
///  clock --->|        |
///            +--------+
/// ```
///
/// `value` is what the exported register will hold in the *next* cycle (its `d`). So in window *w* `late` is the
/// register as it stood in the first cycle of window *w* - 1.
#[derive(LogicBlock)]
pub struct Late<const W: usize> {
    pub clock: Signal<In, Clock>,
    /// One cycle in 32.
    pub strobe: Signal<In, Bit>,
    pub value: Signal<In, Bits<W>>,
    pub late: Signal<Out, Bits<W>>,
    first: DFFWithInit<Bits<W>>,
    second: DFFWithInit<Bits<W>>,
}

impl<const W: usize> Late<W> {
    /// Both registers start at `reset`.
    pub fn new(reset: Bits<W>) -> Self {
        Self {
            clock: Default::default(),
            strobe: Default::default(),
            value: Default::default(),
            late: Default::default(),
            first: DFFWithInit::new(reset),
            second: DFFWithInit::new(reset),
        }
    }
}

impl<const W: usize> Logic for Late<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, second);
        if self.strobe.val() {
            self.first.d.next = self.value.val();
            self.second.d.next = self.first.q.val();
        }
        self.late.next = self.second.q.val();
    }
}
