//! Whether a sum is on the event page.

use rust_hdl::prelude::*;
use testbed_definitions::{map, page};

/// Says whether `a + b` is an address on the page of programs' events, sooner than the sum is known;
/// combinational.
///
/// ```text
///         +-----------+
///   a --->| EventPage |---> on
///   b --->|           |
///         +-----------+
/// ```
///
/// If the sum is on the page, its bits above the page's offset are known, and from them which carry
/// goes into each bit and which comes out of each. It is there exactly if these agree from bit to
/// bit, which every bit and its neighbour tell at once; only the carry out of the offset is added up.
#[derive(LogicBlock)]
pub struct EventPage {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub on: Signal<Out, Bit>,
    high_a: Signal<Local, Bits<22>>,
    high_b: Signal<Local, Bits<22>>,
    offset: Signal<Local, Bits<11>>,
    carry_in: Signal<Local, Bits<22>>,
    carry_out: Signal<Local, Bits<22>>,
    carried: Signal<Local, Bits<22>>,
    page: Constant<Bits<22>>,
}

impl Default for EventPage {
    fn default() -> Self {
        Self {
            a: Default::default(),
            b: Default::default(),
            on: Default::default(),
            high_a: Default::default(),
            high_b: Default::default(),
            offset: Default::default(),
            carry_in: Default::default(),
            carry_out: Default::default(),
            carried: Default::default(),
            page: Constant::new(u64::from(map::EVENT_PAGE >> page::PAGE_SHIFT).into()),
        }
    }
}

impl Logic for EventPage {
    #[hdl_gen]
    fn update(&mut self) {
        self.high_a.next = self.a.val().get_bits::<22>(10);
        self.high_b.next = self.b.val().get_bits::<22>(10);
        self.offset.next =
            bit_cast::<11, 10>(self.a.val().get_bits::<10>(0)) + bit_cast::<11, 10>(self.b.val().get_bits::<10>(0));
        self.carry_in.next = (self.high_a.val() ^ self.high_b.val()) ^ self.page.val();
        self.carry_out.next =
            (self.high_a.val() & self.high_b.val()) | ((self.high_a.val() | self.high_b.val()) & (!self.page.val()));
        self.carried.next = (self.carry_out.val() << 1) | bit_cast::<22, 1>(self.offset.val().get_bits::<1>(10));
        self.on.next = self.carry_in.val() == self.carried.val();
    }
}
