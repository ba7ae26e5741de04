//! How old an SMI's pair is, as a number to compare.

use rust_hdl::prelude::*;

/// Age of one SMI's key, a cycle later, as a rank: the greatest is the one to take ("Order of time"
/// in `docs/monitor.md`).
///
/// ```text
///          +-----+
///   now ==>|     |
///   key ==>| Age |==> rank [30]
/// ready -->|     |
/// clock -->|     |
///          +-----+
/// ```
///
/// `rank` is {1, age, 15 - number, ready}: of equal ages the lower number is first, and no two are equal.
#[derive(LogicBlock)]
pub struct Age {
    pub clock: Signal<In, Clock>,
    /// Extended time.
    pub now: Signal<In, Bits<24>>,
    pub key: Signal<In, Bits<24>>,
    pub ready: Signal<In, Bit>,
    pub rank: Signal<Out, Bits<30>>,
    age: DFF<Bits<24>>,
    can: DFF<Bit>,
    tag: Constant<Bits<30>>,
}

impl Age {
    /// The block of SMI `number`, 0 to 15.
    pub fn new(number: u32) -> Self {
        assert!(number < 16, "SMI {number}: there can be 15");
        Self {
            clock: Default::default(),
            now: Default::default(),
            key: Default::default(),
            ready: Default::default(),
            rank: Default::default(),
            age: Default::default(),
            can: Default::default(),
            tag: Constant::new(bits(1 << 29 | u64::from(15 - number) << 1)),
        }
    }
}

impl Logic for Age {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, age, can);
        self.age.d.next = self.now.val() - self.key.val();
        self.can.d.next = self.ready.val();
        self.rank.next =
            self.tag.val() | (bit_cast::<30, 24>(self.age.q.val()) << 5) | bit_cast::<30, 1>(self.can.q.val().into());
    }
}
