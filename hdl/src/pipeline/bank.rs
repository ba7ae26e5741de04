//! The words of one bank of RAM that have been fetched ahead.

use rust_hdl::prelude::*;

/// A queue of two words, every second one of those that follow a jump's target.
///
/// ```text
///   start, fresh, second  +------+-> kept
///   code, first           | Bank |-> coming, arrives
///   fetched, free         |      |-> row
///   wanted, take -------->+------+
/// ```
///
/// `start` in *t* empties it. In *t*+1, where `fresh` is high, and *t*+2, where `second` is, `code` has
/// a word. From *t*+2 on the queue asks for words itself, by `row`, as long as it has room: where `free`
/// says that port B of the bank has read it, it is at `fetched` in the next cycle. `row` counts the
/// bank's words in a page, beginning anew behind its last one; in *t*+1 `first` is the row of the first
/// word.
///
/// With `wanted` its word is asked for: that is `kept`, the oldest one; if the queue is empty, `kept` is
/// zero and `arrives` says that it is `coming`, which comes in this cycle. With `take` it is taken. There
/// is always one for whoever takes no more than every second cycle, as long as port B is free as often
/// as `hdl/formal/ahead.sv` has it.
#[derive(LogicBlock, Default)]
pub struct Bank {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    /// The cycle after a start, and the one after that.
    pub fresh: Signal<In, Bit>,
    pub second: Signal<In, Bit>,
    /// With `fresh`.
    pub first: Signal<In, Bits<7>>,
    pub code: Signal<In, Bits<32>>,
    pub fetched: Signal<In, Bits<32>>,
    pub free: Signal<In, Bit>,
    pub wanted: Signal<In, Bit>,
    /// Only where `wanted` is.
    pub take: Signal<In, Bit>,
    /// Zero unless it is `wanted` and the queue has one.
    pub kept: Signal<Out, Bits<32>>,
    pub coming: Signal<Out, Bits<32>>,
    pub arrives: Signal<Out, Bit>,
    pub row: Signal<Out, Bits<7>>,
    next: DFF<Bits<7>>,
    /// What was asked for is at `fetched`.
    came: DFF<Bit>,
    has_one: DFF<Bit>,
    has_two: DFF<Bit>,
    /// Where the oldest word is, if there is one.
    turn: DFF<Bit>,
    place_0: DFF<Bits<32>>,
    place_1: DFF<Bits<32>>,
    comes: Signal<Local, Bit>,
    arriving: Signal<Local, Bits<32>>,
    oldest: Signal<Local, Bits<32>>,
    into: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    base: Signal<Local, Bits<7>>,
    rows: Signal<Local, Bits<7>>,
}

impl Logic for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, next, came, has_one, has_two, turn, place_0, place_1);
        self.comes.next = self.fresh.val() | self.second.val() | self.came.q.val();
        self.arriving.next = self.code.val();
        if self.came.q.val() {
            self.arriving.next = self.fetched.val();
        }
        self.oldest.next = self.place_0.q.val();
        if self.turn.q.val() {
            self.oldest.next = self.place_1.q.val();
        }
        // What comes is late, so all else of the choice is made before.
        self.kept.next = 0.into();
        if self.wanted.val() & self.has_one.q.val() {
            self.kept.next = self.oldest.val();
        }
        self.coming.next = self.arriving.val();
        self.arrives.next = self.wanted.val() & !self.has_one.q.val();

        // Whether one is taken is known late, so room is what there is without that.
        self.asks.next =
            self.free.val() & !self.fresh.val() & !self.has_two.q.val() & !(self.has_one.q.val() & self.comes.val());
        self.came.d.next = self.asks.val() & !self.start.val();
        // One adder for both, which adds nothing where nothing is asked.
        self.base.next = self.next.q.val();
        self.rows.next = bit_cast::<7, 1>(self.asks.val().into());
        if self.fresh.val() {
            self.base.next = self.first.val();
            self.rows.next = 2.into();
        }
        self.next.d.next = self.base.val() + self.rows.val();
        self.row.next = self.next.q.val();

        // A word that comes is kept where there is room, also if it is taken at once: it is not asked
        // for what is known late.
        self.into.next = self.turn.q.val() ^ self.has_one.q.val();
        if self.comes.val() & !self.into.val() {
            self.place_0.d.next = self.arriving.val();
        }
        if self.comes.val() & self.into.val() {
            self.place_1.d.next = self.arriving.val();
        }
        // One comes, one goes, both or none.
        self.turn.d.next = self.turn.q.val() ^ self.take.val();
        if self.has_one.q.val() {
            self.has_one.d.next = !self.take.val() | self.has_two.q.val() | self.comes.val();
            self.has_two.d.next = !self.take.val() & (self.has_two.q.val() | self.comes.val());
        } else {
            self.has_one.d.next = self.comes.val() & !self.take.val();
        }
        if self.start.val() {
            self.has_one.d.next = false;
            self.has_two.d.next = false;
        }
    }
}
