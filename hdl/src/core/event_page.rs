//! Whether a sum is on the event page.

use rust_hdl::prelude::*;
use testbed_definitions::{map, page};

/// Bits of a store's offset, which is signed.
const OFFSET_BITS: u32 = 12;

const _: () = assert!(map::EVENT_PAGE >> (OFFSET_BITS - 1) & 1 == 0, "the page lies in the lower half of its 4 KiB");

/// Says whether `base + offset`, `offset` being signed, is an address on the page of programs'
/// events, sooner than the sum is known; combinational.
///
/// ```text
///            +-----------+
///   base --->| EventPage |---> on
///   offset ->|           |
///            +-----------+
/// ```
///
/// The bits of `base` above those of an offset are the page's, or one less if a positive offset
/// carries into them. They are compared with both while the lower ones are added up. One more they
/// never are: the page lies in the lower half of its 4 KiB, and a negative offset that leaves them,
/// so does not carry, ends in the upper one.
#[derive(LogicBlock)]
pub struct EventPage {
    pub base: Signal<In, Bits<32>>,
    pub offset: Signal<In, Bits<12>>,
    pub on: Signal<Out, Bit>,
    high: Signal<Local, Bits<20>>,
    low: Signal<Local, Bits<13>>,
    carries: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
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
            offset: Default::default(),
            on: Default::default(),
            high: Default::default(),
            low: Default::default(),
            carries: Default::default(),
            negative: Default::default(),
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
        self.low.next = bit_cast::<13, 12>(self.base.val().get_bits::<12>(0)) + bit_cast::<13, 12>(self.offset.val());
        self.carries.next = self.low.val().get_bit(12);
        self.negative.next = self.offset.val().get_bit(11);
        self.there.next = self.high.val() == self.same.val();
        if self.carries.val() & !self.negative.val() {
            self.there.next = self.high.val() == self.below.val();
        }
        self.on.next = self.there.val() & (self.low.val().get_bits::<2>(10) == self.page.val());
    }
}
