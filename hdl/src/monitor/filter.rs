//! What an SMI takes out before it is stamped, and the totals of what it counted.

use rust_hdl::prelude::*;
use testbed_definitions::filter::{register, total_marker, INTERVAL_MAX};

/// The filter of an SMI ("Filter" in `docs/monitor.md`): four rules, the first that fits decides.
///
/// ```text
///                            +--------+
///  strobe, command, number ->|        |--> filtered (combinational from datum)
///               value [16] ->|        |--> judged, was_filtered (of the cycle before)
///                            | Filter |
///               datum [16] ->|        |--> total_due
///       completes, refused ->|        |--> total_high, total_low [16]
///            stamp, ticked ->|        |<-- total_goes
///                            +--------+
/// ```
///
/// What is stored is known late in its cycle. So of a datum only the rules that fit it are found out
/// in its own cycle; what follows from them is found out in the next, by the settings of its own, and
/// is what holds in that: the registers lack what the last datum changes, `follows_now`,
/// `shares_now`, `due_now` and `total_now` do not.
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
    /// In the cycle before, a datum was stored that was not refused...
    pub judged: Signal<Out, Bit>,
    /// ...and this is what `filtered` was then.
    pub was_filtered: Signal<Out, Bit>,

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
    // What was so in the cycle before.
    hits: [DFF<Bit>; 4],
    actions: [DFF<Bits<2>>; 4],
    paired: DFF<Bit>,
    completed: DFF<Bit>,
    plainly: DFF<Bit>,
    began: DFF<Bit>,
    asked: [DFF<Bit>; 4],

    hit: [Signal<Local, Bit>; 4],
    decides: [Signal<Local, Bit>; 4],
    takes_out: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    decided: [Signal<Local, Bit>; 4],
    took_out: Signal<Local, Bit>,
    was_second: Signal<Local, Bit>,
    out_then: Signal<Local, Bit>,
    follows_now: Signal<Local, Bit>,
    shares_now: Signal<Local, Bit>,
    due_now: [Signal<Local, Bit>; 4],
    total_now: [Signal<Local, Bits<20>>; 4],
    asks: [Signal<Local, Bit>; 4],
    goes: [Signal<Local, Bit>; 4],
    offered: [Signal<Local, Bit>; 4],
    counts: [Signal<Local, Bit>; 4],
    programmed: [Signal<Local, Bit>; 4],
    renewed: [Signal<Local, Bit>; 4],
    head: [Constant<Bits<16>>; 4],

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
            judged: Default::default(),
            was_filtered: Default::default(),
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
            hits: Default::default(),
            actions: Default::default(),
            paired: Default::default(),
            completed: Default::default(),
            plainly: Default::default(),
            began: Default::default(),
            asked: Default::default(),
            hit: Default::default(),
            decides: Default::default(),
            takes_out: Default::default(),
            second: Default::default(),
            decided: Default::default(),
            took_out: Default::default(),
            was_second: Default::default(),
            out_then: Default::default(),
            follows_now: Default::default(),
            shares_now: Default::default(),
            due_now: Default::default(),
            total_now: Default::default(),
            asks: Default::default(),
            goes: Default::default(),
            offered: Default::default(),
            counts: Default::default(),
            programmed: Default::default(),
            renewed: Default::default(),
            head: std::array::from_fn(|rule| Constant::new(bits(total_marker(rule as u8, 0).into()))),
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
        dff_setup!(self, clock, interval, pairs, follows, shares, paired, completed, plainly, began);

        // What the last datum's rules make of it. The second word of an event has been decided with
        // its first.
        // Without intermediate values, which no process but their own may read.
        self.decided[0].next = self.hits[0].q.val();
        self.decided[1].next = self.hits[1].q.val() & (!self.hits[0].q.val());
        self.decided[2].next = self.hits[2].q.val() & (!(self.hits[1].q.val() | self.hits[0].q.val()));
        self.decided[3].next =
            self.hits[3].q.val() & (!(self.hits[2].q.val() | self.hits[1].q.val() | self.hits[0].q.val()));
        self.was_second.next = self.paired.q.val() & self.follows.q.val();
        self.took_out.next = false;
        for i in 0..4 {
            self.took_out.next = self.took_out.val() | (self.decided[i].val() & self.actions[i].q.val().get_bit(1));
            self.counts[i].next =
                self.plainly.q.val() & (!self.was_second.val()) & self.decided[i].val() & self.actions[i].q.val().all();
            self.total_now[i].next = self.total[i].q.val();
            if self.counts[i].val() & (!self.total[i].q.val().all()) {
                self.total_now[i].next = self.total[i].q.val() + 1;
            }
            self.due_now[i].next = self.due[i].q.val() | (self.asked[i].q.val() & self.counts[i].val());
        }
        self.out_then.next = self.took_out.val();
        if self.was_second.val() {
            self.out_then.next = self.shares.q.val();
        }
        self.follows_now.next = self.follows.q.val();
        self.shares_now.next = self.shares.q.val();
        if self.completed.q.val() {
            self.follows_now.next = self.plainly.q.val() & self.began.q.val() & (!self.follows.q.val());
            self.shares_now.next = self.out_then.val();
        }
        self.follows.d.next = self.follows_now.val();
        self.shares.d.next = self.shares_now.val();

        // Which rules fit the datum of this cycle. Whether it is to be taken out is asked at once only
        // when it stalls.
        self.second.next = self.pairs.q.val() & self.follows_now.val();
        for i in 0..4 {
            self.hit[i].next =
                self.action[i].q.val().any() & ((self.datum.val() & self.mask[i].q.val()) == self.pattern[i].q.val());
            self.hits[i].clock.next = self.clock.val();
            self.hits[i].d.next = self.hit[i].val();
            self.actions[i].clock.next = self.clock.val();
            self.actions[i].d.next = self.action[i].q.val();
        }
        self.decides[0].next = self.hit[0].val();
        self.decides[1].next = self.hit[1].val() & (!self.hit[0].val());
        self.decides[2].next = self.hit[2].val() & (!(self.hit[1].val() | self.hit[0].val()));
        self.decides[3].next = self.hit[3].val() & (!(self.hit[2].val() | self.hit[1].val() | self.hit[0].val()));
        self.takes_out.next = false;
        for i in 0..4 {
            self.takes_out.next = self.takes_out.val() | (self.decides[i].val() & self.action[i].q.val().get_bit(1));
        }
        self.paired.d.next = self.pairs.q.val();
        self.completed.d.next = self.completes.val();
        self.plainly.d.next = self.completes.val() & (!self.refused.val());
        self.began.d.next = self.datum.val().get_bit(15) & (!self.datum.val().get_bit(14));

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
        self.offered[0].next = self.due_now[0].val();
        self.offered[1].next = self.due_now[1].val() & (!self.due_now[0].val());
        self.offered[2].next = self.due_now[2].val() & (!(self.due_now[1].val() | self.due_now[0].val()));
        self.offered[3].next =
            self.due_now[3].val() & (!(self.due_now[2].val() | self.due_now[1].val() | self.due_now[0].val()));
        self.taken.next = false;
        self.shown.next = 0.into();
        self.head_shown.next = 0.into();
        for i in 0..4 {
            self.taken.next = self.taken.val() | self.due_now[i].val();
            if self.offered[i].val() {
                self.shown.next = self.total_now[i].val();
                self.head_shown.next = self.head[i].val();
            }
        }
        self.top.next = self.shown.val().get_bits::<4>(16);
        self.any_due.next = self.taken.val() & ((!self.second.val()) | self.shares_now.val());

        // When they are due.
        self.period.next = bits::<17>(1) << self.interval.q.val();
        self.period_mask.next = self.period.val() - 1;
        self.phase.next = bit_cast::<17, 16>(self.stamp.val()) & self.period_mask.val();
        self.all_due.next = self.ticked.val() & self.interval.q.val().any() & (!self.phase.val().any());
        for i in 0..4 {
            self.goes[i].next = self.total_goes.val() & self.offered[i].val();
            self.total[i].clock.next = self.clock.val();
            self.total[i].d.next = self.total_now[i].val();
            if self.goes[i].val() {
                self.total[i].d.next = 0.into();
            }
            self.asks[i].next = self.all_due.val() | self.renewed[i].val();
            self.asked[i].clock.next = self.clock.val();
            self.asked[i].d.next = self.asks[i].val();
            self.due[i].clock.next = self.clock.val();
            // As `total_now` is above 0, but what counts is known late.
            self.due[i].d.next = (!self.goes[i].val())
                & (self.due_now[i].val() | (self.asks[i].val() & (self.total[i].q.val().any() | self.counts[i].val())));
        }

        self.filtered.next = self.takes_out.val();
        if self.second.val() {
            self.filtered.next = self.shares_now.val();
        }
        self.judged.next = self.plainly.q.val();
        self.was_filtered.next = self.out_then.val();
        self.total_due.next = self.any_due.val();
        self.total_high.next = self.head_shown.val() | bit_cast::<16, 4>(self.top.val());
        self.total_low.next = self.shown.val().get_bits::<16>(0);
    }
}
