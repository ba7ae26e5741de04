//! Whether a sum is on the event page.

use rust_hdl::prelude::*;
use testbed_definitions::{map, page};

/// Bits of a store's offset, which is signed.
const OFFSET_BITS: u32 = 12;

const _: () = assert!(map::EVENT_PAGE >> (OFFSET_BITS - 1) & 1 == 0, "the page lies in the lower half of its 4 KiB");

/// Says whether `base` and a signed offset add up to an address on the page of programs' events,
/// sooner than the whole sum is known; combinational.
///
/// ```text
///   base      +-----------+
///   low ----->| EventPage |---> on
///             +-----------+
/// ```
///
/// The bits of `base` above those of an offset are the page's, or one less if a positive offset
/// carries into them, which the lowest of them tells in the sum: `low` has it and those below. They
/// are compared with both while the lower ones are added up. One more they never are: the page lies
/// in the lower half of its 4 KiB, and a negative offset that leaves them ends in the upper one.
#[derive(LogicBlock)]
pub struct EventPage {
    pub base: Signal<In, Bits<32>>,
    /// The lower bits of the sum.
    pub low: Signal<In, Bits<13>>,
    pub on: Signal<Out, Bit>,
    high: Signal<Local, Bits<20>>,
    carries: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    same: Constant<Bits<20>>,
    below: Constant<Bits<20>>,
    page: Constant<Bits<2>>,
}

impl Default for EventPage {
    fn default() -> Self {
        let same = u64::from(map::EVENT_PAGE >> OFFSET_BITS);
        Self {
            base: Default::default(),
            low: Default::default(),
            on: Default::default(),
            high: Default::default(),
            carries: Default::default(),
            there: Default::default(),
            same: Constant::new(same.into()),
            below: Constant::new((same - 1).into()),
            page: Constant::new(u64::from((map::EVENT_PAGE >> page::PAGE_SHIFT) % 4).into()),
        }
    }
}

impl Logic for EventPage {
    #[hdl_gen]
    fn update(&mut self) {
        self.high.next = self.base.val().get_bits::<20>(12);
        self.carries.next = self.low.val().get_bit(12) ^ self.base.val().get_bit(12);
        self.there.next = self.high.val() == self.same.val();
        if self.carries.val() {
            self.there.next = self.high.val() == self.below.val();
        }
        self.on.next = self.there.val() & (self.low.val().get_bits::<2>(10) == self.page.val());
    }
}
