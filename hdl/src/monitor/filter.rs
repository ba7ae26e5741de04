//! What an SMI takes out before it is stamped, and the totals of what it counted.

use rust_hdl::prelude::*;
use testbed_definitions::filter::{register, total_marker, INTERVAL_MAX};

/// The filter of an SMI ("Filter" in `docs/monitor.md`): four rules, the first that fits decides.
///
/// ```text
///                            +--------+
///  strobe, command, number ->|        |
///               value [16] ->|        |--> filtered (combinational from datum)
///                            | Filter |
///               datum [16] ->|        |--> total_due
///       completes, refused ->|        |--> total_high, total_low [16]
///            stamp, ticked ->|        |<-- total_goes
///                            +--------+
/// ```
#[derive(LogicBlock)]
pub struct Filter {
    pub clock: Signal<In, Clock>,
    /// Window strobe: in its cycle a command is taken over.
    pub strobe: Signal<In, Bit>,
    /// There is a command for this SMI.
    pub command: Signal<In, Bit>,
    /// The register that it programs.
    pub number: Signal<In, Bits<4>>,
    pub value: Signal<In, Bits<16>>,

    pub datum: Signal<In, Bits<16>>,
    /// `datum` is stored in this cycle, whatever becomes of it; a store that stalls is not.
    pub completes: Signal<In, Bit>,
    /// `datum` is refused: reserved for markers.
    pub refused: Signal<In, Bit>,
    /// `datum` is to be taken out if it is stored.
    pub filtered: Signal<Out, Bit>,

    pub stamp: Signal<In, Bits<16>>,
    /// First cycle of this `stamp`.
    pub ticked: Signal<In, Bit>,
    /// A total may be enqueued, as far as the filter is concerned.
    pub total_due: Signal<Out, Bit>,
    /// Data of its two entries.
    pub total_high: Signal<Out, Bits<16>>,
    pub total_low: Signal<Out, Bits<16>>,
    /// It is enqueued, from this cycle on.
    pub total_goes: Signal<In, Bit>,

    mask: [DFF<Bits<16>>; 4],
    pattern: [DFF<Bits<16>>; 4],
    action: [DFF<Bits<2>>; 4],
    total: [DFF<Bits<20>>; 4],
    due: [DFF<Bit>; 4],
    interval: DFF<Bits<5>>,
    pairs: DFF<Bit>,
    follows: DFF<Bit>,
    shares: DFF<Bit>,

    hit: [Signal<Local, Bit>; 4],
    decides: [Signal<Local, Bit>; 4],
    offered: [Signal<Local, Bit>; 4],
    counts: [Signal<Local, Bit>; 4],
    base: [Signal<Local, Bits<20>>; 4],
    grown: [Signal<Local, Bits<20>>; 4],
    programmed: [Signal<Local, Bit>; 4],
    renewed: [Signal<Local, Bit>; 4],
    head: [Constant<Bits<16>>; 4],

    takes_out: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    out_now: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    rule: Signal<Local, Bits<4>>,
    field: Signal<Local, Bits<2>>,
    period: Signal<Local, Bits<17>>,
    period_mask: Signal<Local, Bits<17>>,
    phase: Signal<Local, Bits<17>>,
    all_due: Signal<Local, Bit>,
    any_due: Signal<Local, Bit>,
    shown: Signal<Local, Bits<20>>,
    head_shown: Signal<Local, Bits<16>>,
    top: Signal<Local, Bits<4>>,

    mask_field: Constant<Bits<2>>,
    match_field: Constant<Bits<2>>,
    action_field: Constant<Bits<2>>,
    interval_number: Constant<Bits<4>>,
    pairs_number: Constant<Bits<4>>,
    interval_most: Constant<Bits<16>>,
    interval_last: Constant<Bits<5>>,
}

impl Default for Filter {
    fn default() -> Self {
        let number = |register: u8| Constant::new(bits(register.into()));
        let field = |register: u8| Constant::new(bits(register.into()));
        Self {
            clock: Default::default(),
            strobe: Default::default(),
            command: Default::default(),
            number: Default::default(),
            value: Default::default(),
            datum: Default::default(),
            completes: Default::default(),
            refused: Default::default(),
            filtered: Default::default(),
            stamp: Default::default(),
            ticked: Default::default(),
            total_due: Default::default(),
            total_high: Default::default(),
            total_low: Default::default(),
            total_goes: Default::default(),
            mask: Default::default(),
            pattern: Default::default(),
            action: Default::default(),
            total: Default::default(),
            due: Default::default(),
            interval: Default::default(),
            pairs: Default::default(),
            follows: Default::default(),
            shares: Default::default(),
            hit: Default::default(),
            decides: Default::default(),
            offered: Default::default(),
            counts: Default::default(),
            base: Default::default(),
            grown: Default::default(),
            programmed: Default::default(),
            renewed: Default::default(),
            head: std::array::from_fn(|rule| Constant::new(bits(total_marker(rule as u8, 0).into()))),
            takes_out: Default::default(),
            second: Default::default(),
            out_now: Default::default(),
            begins: Default::default(),
            plain: Default::default(),
            taken: Default::default(),
            rule: Default::default(),
            field: Default::default(),
            period: Default::default(),
            period_mask: Default::default(),
            phase: Default::default(),
            all_due: Default::default(),
            any_due: Default::default(),
            shown: Default::default(),
            head_shown: Default::default(),
            top: Default::default(),
            mask_field: field(register::MASK),
            match_field: field(register::MATCH),
            action_field: field(register::ACTION),
            interval_number: number(register::INTERVAL),
            pairs_number: number(register::PAIRS),
            interval_most: Constant::new(bits(INTERVAL_MAX.into())),
            interval_last: Constant::new(bits(INTERVAL_MAX.into())),
        }
    }
}

impl Logic for Filter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, interval, pairs, follows, shares);

        // Which rule decides; the second word of an event has been decided with its first.
        self.plain.next = self.completes.val() & (!self.refused.val());
        self.second.next = self.pairs.q.val() & self.follows.q.val();
        self.takes_out.next = false;
        for i in 0..4 {
            self.hit[i].next =
                self.action[i].q.val().any() & ((self.datum.val() & self.mask[i].q.val()) == self.pattern[i].q.val());
        }
        // Without intermediate values, which no process but their own may read.
        self.decides[0].next = self.hit[0].val();
        self.decides[1].next = self.hit[1].val() & (!self.hit[0].val());
        self.decides[2].next = self.hit[2].val() & (!(self.hit[1].val() | self.hit[0].val()));
        self.decides[3].next = self.hit[3].val() & (!(self.hit[2].val() | self.hit[1].val() | self.hit[0].val()));
        for i in 0..4 {
            self.takes_out.next = self.takes_out.val() | (self.decides[i].val() & self.action[i].q.val().get_bit(1));
            self.counts[i].next =
                self.plain.val() & (!self.second.val()) & self.decides[i].val() & self.action[i].q.val().all();
        }
        self.out_now.next = self.takes_out.val();
        if self.second.val() {
            self.out_now.next = self.shares.q.val();
        }
        self.begins.next = self.datum.val().get_bit(15) & (!self.datum.val().get_bit(14)) & (!self.follows.q.val());
        if self.completes.val() {
            self.follows.d.next = self.plain.val() & self.begins.val();
            self.shares.d.next = self.out_now.val();
        }

        // Commands.
        self.rule.next = bits::<4>(1) << self.number.val().get_bits::<2>(2);
        self.field.next = self.number.val().get_bits::<2>(0);
        for i in 0..4 {
            self.programmed[i].next = self.command.val() & self.strobe.val() & self.rule.val().get_bit(i);
            self.mask[i].clock.next = self.clock.val();
            self.mask[i].d.next = self.mask[i].q.val();
            self.pattern[i].clock.next = self.clock.val();
            self.pattern[i].d.next = self.pattern[i].q.val();
            self.action[i].clock.next = self.clock.val();
            self.action[i].d.next = self.action[i].q.val();
            if self.programmed[i].val() & (self.field.val() == self.mask_field.val()) {
                self.mask[i].d.next = self.value.val();
            }
            if self.programmed[i].val() & (self.field.val() == self.match_field.val()) {
                self.pattern[i].d.next = self.value.val();
            }
            self.renewed[i].next = self.programmed[i].val() & (self.field.val() == self.action_field.val());
            if self.renewed[i].val() {
                self.action[i].d.next = self.value.val().get_bits::<2>(0);
            }
        }
        if self.command.val() & self.strobe.val() & (self.number.val() == self.interval_number.val()) {
            self.interval.d.next = self.value.val().get_bits::<5>(0);
            if self.value.val() > self.interval_most.val() {
                self.interval.d.next = self.interval_last.val();
            }
        }
        if self.command.val() & self.strobe.val() & (self.number.val() == self.pairs_number.val()) {
            self.pairs.d.next = self.value.val().get_bit(0);
        }

        // Totals: the first that is due is offered, unless it would stand between two words of one event.
        self.offered[0].next = self.due[0].q.val();
        self.offered[1].next = self.due[1].q.val() & (!self.due[0].q.val());
        self.offered[2].next = self.due[2].q.val() & (!(self.due[1].q.val() | self.due[0].q.val()));
        self.offered[3].next =
            self.due[3].q.val() & (!(self.due[2].q.val() | self.due[1].q.val() | self.due[0].q.val()));
        self.taken.next = false;
        self.shown.next = 0.into();
        self.head_shown.next = 0.into();
        for i in 0..4 {
            self.taken.next = self.taken.val() | self.due[i].q.val();
            if self.offered[i].val() {
                self.shown.next = self.total[i].q.val();
                self.head_shown.next = self.head[i].val();
            }
        }
        self.top.next = self.shown.val().get_bits::<4>(16);
        self.any_due.next = self.taken.val() & ((!self.second.val()) | self.shares.q.val());

        // When they are due.
        self.period.next = bits::<17>(1) << self.interval.q.val();
        self.period_mask.next = self.period.val() - 1;
        self.phase.next = bit_cast::<17, 16>(self.stamp.val()) & self.period_mask.val();
        self.all_due.next = self.ticked.val() & self.interval.q.val().any() & (!self.phase.val().any());
        for i in 0..4 {
            self.base[i].next = self.total[i].q.val();
            if self.total_goes.val() & self.offered[i].val() {
                self.base[i].next = 0.into();
            }
            self.grown[i].next = self.base[i].val();
            if self.counts[i].val() & (!self.base[i].val().all()) {
                self.grown[i].next = self.base[i].val() + 1;
            }
            self.total[i].clock.next = self.clock.val();
            self.total[i].d.next = self.grown[i].val();
            self.due[i].clock.next = self.clock.val();
            self.due[i].d.next = self.due[i].q.val() & (!(self.total_goes.val() & self.offered[i].val()));
            // As `grown` is above 0, but what counts is known late.
            if (self.all_due.val() | self.renewed[i].val()) & (self.base[i].val().any() | self.counts[i].val()) {
                self.due[i].d.next = true;
            }
        }

        self.filtered.next = self.out_now.val();
        self.total_due.next = self.any_due.val();
        self.total_high.next = self.head_shown.val() | bit_cast::<16, 4>(self.top.val());
        self.total_low.next = self.shown.val().get_bits::<16>(0);
    }
}
