//! Instruction words, fetched ahead of whoever executes them.

use super::{Bank, Names};
use rust_hdl::prelude::*;

/// Gives the words from where a fetch began on, in order, until the next one begins.
///
/// ```text
///   start, address            +-------+-> word
///   code_0, code_1            |       |-> fresh, second_address   (port A)
///   fetched_0/1, free_0/1     | Ahead |-> ahead_0, ahead_1        (port B)
///   odd, take, register       |       |-> stale, names
///   wrote, written_page  ---->+-------+
/// ```
///
/// `start` in *t* begins with the word at the physical `address`, which port A reads in *t*. In *t*+1
/// `fresh` is high, `word` is that word, and port A reads at `second_address`; later words come through
/// port B, each bank's for itself. With `take` the word is taken, and `word` is the next one in the
/// cycle after; `odd` says whether it is an odd one. Behind the last word of a page come others that
/// are not the next ones: who has come there begins anew.
///
/// `stale` is high from the cycle after `wrote`, a store that was to the page of these words as
/// `written_page` says a cycle later, to the next start.
#[derive(LogicBlock, Default)]
pub struct Ahead {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    /// What port A has read: a word of each bank.
    pub code_0: Signal<In, Bits<32>>,
    pub code_1: Signal<In, Bits<32>>,
    /// What port B has read, and whether it does so in this cycle.
    pub fetched_0: Signal<In, Bits<32>>,
    pub fetched_1: Signal<In, Bits<32>>,
    pub free_0: Signal<In, Bit>,
    pub free_1: Signal<In, Bit>,
    pub odd: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub register: Signal<In, Bits<5>>,
    pub wrote: Signal<In, Bit>,
    pub written_page: Signal<In, Bits<22>>,
    pub word: Signal<Out, Bits<32>>,
    /// `word` names `register` as a source. Not to be asked with `fresh`, nor of x0.
    pub names: Signal<Out, Bit>,
    pub fresh: Signal<Out, Bit>,
    pub second_address: Signal<Out, Bits<32>>,
    pub ahead_0: Signal<Out, Bits<32>>,
    pub ahead_1: Signal<Out, Bits<32>>,
    pub stale: Signal<Out, Bit>,
    bank_0: Bank,
    bank_1: Bank,
    coming_0: Names,
    coming_1: Names,
    staying: Names,
    from: DFF<Bits<32>>,
    page: DFF<Bits<22>>,
    is_fresh: DFF<Bit>,
    is_second: DFF<Bit>,
    has_written: DFF<Bit>,
    is_stale: DFF<Bit>,
    row: Signal<Local, Bits<7>>,
    row_0: Signal<Local, Bits<7>>,
    second_row: Signal<Local, Bits<7>>,
    base: Signal<Local, Bits<32>>,
    arriving: Signal<Local, Bits<32>>,
    kept: Signal<Local, Bits<32>>,
    overwritten: Signal<Local, Bit>,
}

impl Logic for Ahead {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, bank_0, bank_1, from, page, is_fresh, is_second, has_written, is_stale);
        self.from.d.next = self.address.val();
        self.is_fresh.d.next = self.start.val();
        self.is_second.d.next = self.is_fresh.q.val();
        self.page.d.next = self.page.q.val();
        if self.is_fresh.q.val() {
            self.page.d.next = self.from.q.val().get_bits::<22>(10);
        }
        self.row.next = self.from.q.val().get_bits::<7>(3);
        self.row_0.next = self.row.val() + bit_cast::<7, 1>(self.from.q.val().get_bits::<1>(2));
        self.second_row.next = self.row.val() + 1;
        self.fresh.next = self.is_fresh.q.val();
        self.second_address.next = (bit_cast::<32, 22>(self.from.q.val().get_bits::<22>(10)) << 10)
            | (bit_cast::<32, 7>(self.second_row.val()) << 3)
            | bit_cast::<32, 3>(self.from.q.val().get_bits::<3>(0));

        self.bank_0.start.next = self.start.val();
        self.bank_0.fresh.next = self.is_fresh.q.val();
        self.bank_0.second.next = self.is_second.q.val();
        self.bank_0.first.next = self.row_0.val();
        self.bank_0.code.next = self.code_0.val();
        self.bank_0.fetched.next = self.fetched_0.val();
        self.bank_0.free.next = self.free_0.val();
        self.bank_0.wanted.next = !self.odd.val();
        self.bank_0.take.next = self.take.val() & !self.odd.val();
        self.bank_1.start.next = self.start.val();
        self.bank_1.fresh.next = self.is_fresh.q.val();
        self.bank_1.second.next = self.is_second.q.val();
        self.bank_1.first.next = self.row.val();
        self.bank_1.code.next = self.code_1.val();
        self.bank_1.fetched.next = self.fetched_1.val();
        self.bank_1.free.next = self.free_1.val();
        self.bank_1.wanted.next = self.odd.val();
        self.bank_1.take.next = self.take.val() & self.odd.val();
        self.base.next = bit_cast::<32, 22>(self.page.q.val()) << 10;
        self.ahead_0.next = self.base.val() | (bit_cast::<32, 7>(self.bank_0.row.val()) << 3);
        self.ahead_1.next = self.base.val() | (bit_cast::<32, 7>(self.bank_1.row.val()) << 3) | 4;
        // One of four, by what is known before any of them is there.
        self.arriving.next = 0.into();
        if self.bank_0.arrives.val() {
            self.arriving.next = self.bank_0.coming.val();
        } else if self.bank_1.arrives.val() {
            self.arriving.next = self.bank_1.coming.val();
        }
        self.kept.next = self.bank_0.kept.val() | self.bank_1.kept.val();
        self.word.next = self.kept.val() | self.arriving.val();

        // What RAM gives is late, so what it names is asked before a word is chosen. One that port A gave is
        // wanted as it comes with `fresh` only, when nobody asks that; later it is kept.
        self.coming_0.word.next = self.fetched_0.val();
        self.coming_0.register.next = self.register.val();
        self.coming_1.word.next = self.fetched_1.val();
        self.coming_1.register.next = self.register.val();
        self.staying.word.next = self.kept.val();
        self.staying.register.next = self.register.val();
        self.names.next = self.staying.yes.val()
            | (self.bank_0.arrives.val() & self.coming_0.yes.val())
            | (self.bank_1.arrives.val() & self.coming_1.yes.val());

        self.has_written.d.next = self.wrote.val();
        self.overwritten.next =
            self.is_stale.q.val() | (self.has_written.q.val() & (self.written_page.val() == self.page.q.val()));
        self.is_stale.d.next = self.overwritten.val() & !self.start.val();
        self.stale.next = self.overwritten.val();
    }
}
