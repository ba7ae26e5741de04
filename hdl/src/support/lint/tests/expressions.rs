//! What stands in an expression, and means something else in Verilog.

use super::*;

#[test]
fn precedence() {
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val() & 3 == self.b.val(); } };
    assert_eq!(bad, [Rule::Precedence]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = (self.a.val() & 3) == self.b.val(); } };
    assert_eq!(good, []);
    let same_tree =
        rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.a.val() + self.b.val() & self.a.val(); } };
    assert_eq!(same_tree, []);
}

#[test]
fn comparison_of_a_sum_with_a_literal() {
    let literal = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val() + 1 == self.b.val(); } };
    assert_eq!(literal, [Rule::WideComparison]);
    let sized =
        rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val() + bits::<8>(1) == self.b.val(); } };
    assert_eq!(sized, [Rule::WideComparison]);
    let below = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val() - 1 > self.b.val(); } };
    assert_eq!(below, [Rule::WideComparison]);
    let inverted = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = !self.a.val() == 5; } };
    assert_eq!(inverted, [Rule::WideComparison]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.byte_local.next = self.a.val() + 1;
            self.flag.next = self.byte_local.val() == self.b.val();
        }
    };
    assert_eq!(good, []);
    let exact =
        rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val() + self.b.val() == self.a.val(); } };
    assert_eq!(exact, []);
}

#[test]
fn conditions_and_reductions() {
    let reduction = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = (self.a.val() + 1).any(); } };
    assert_eq!(reduction, [Rule::WideComparison]);
    let condition = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.flag.next = false;
            if (self.a.val() + 1).any() && self.f.val() {
                self.flag.next = true;
            }
        }
    };
    assert_eq!(condition, [Rule::WideComparison]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.flag.next = false;
            if self.a.val().any() && !self.f.val() {
                self.flag.next = !self.b.val().get_bit(3) & (self.a.val() > self.b.val());
            }
        }
    };
    assert_eq!(good, []);
}

#[test]
fn shift_of_a_sum() {
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = (self.a.val() + 1) >> 1; } };
    assert_eq!(bad, [Rule::WideShift]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = (self.a.val() + self.b.val()) >> self.b.val(); } };
    // The context is 8 bits: the carry is gone.
    assert_eq!(good, []);
    let amount = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.a.val() >> (self.b.val() + bits::<8>(1)); } };
    assert_eq!(amount, [Rule::WideIndex]);
}

#[test]
fn widening_cast() {
    let sum = rules! { #[hdl_gen] fn update(&mut self) { self.broad.next = bit_cast::<16, 8>(self.a.val() + self.b.val()); } };
    assert_eq!(sum, [Rule::WideCast]);
    let inverted = rules! { #[hdl_gen] fn update(&mut self) { self.broad.next = bit_cast::<16, 8>(!self.a.val()); } };
    assert_eq!(inverted, [Rule::WideCast]);
    let added = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.flag.next = bit_cast::<4, 8>(self.a.val()) + bit_cast::<4, 8>(self.b.val()) == bit_cast::<4, 8>(self.a.val());
        }
    };
    assert_eq!(added, [Rule::WideComparison]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.byte_local.next = self.a.val() + self.b.val();
            self.broad.next = bit_cast::<16, 8>(self.byte_local.val()) << 4;
            self.narrow.next = bit_cast::<8, 16>(bit_cast::<16, 8>(self.a.val()) + bit_cast::<16, 8>(self.b.val()));
        }
    };
    assert_eq!(good, []);
}

#[test]
fn an_inverted_bit_in_a_wider_place() {
    let replaced =
        rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.a.val().replace_bit(3, !self.f.val()); } };
    assert_eq!(replaced, [Rule::WideIndex]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.bit_local.next = !self.f.val();
            self.narrow.next = self.a.val().replace_bit(3, self.bit_local.val());
        }
    };
    assert_eq!(good, []);
}

#[test]
fn index_arithmetic() {
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.a.val().get_bit((self.b.val() + 1).index()); } };
    assert_eq!(bad, [Rule::WideIndex]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.narrow.next = 0.into();
            for i in 0..7 {
                self.narrow.next = self.narrow.val().replace_bit(i, self.a.val().get_bit(i + 1));
            }
            self.flag.next = self.a.val().get_bit(self.b.val().index());
        }
    };
    assert_eq!(good, []);
}

#[test]
fn signs() {
    let mixed = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.s.val() < 3.into(); } };
    assert_eq!(mixed, [Rule::MixedSigns]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = self.s.val() < self.t.val(); } };
    assert_eq!(good, []);
}

#[test]
fn slice_of_an_expression() {
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.flag.next = (self.a.val() & self.b.val()).get_bit(2); } };
    assert_eq!(bad, [Rule::SliceOfExpression]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.broad.next = bit_cast::<16, 4>(self.a.val().get_bits::<4>(2)); } };
    assert_eq!(good, []);
}

#[test]
fn a_const_as_a_value_is_undeclared() {
    const FIVE: u64 = 5;
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.a.val() + FIVE; } };
    assert_eq!(bad, [Rule::Undeclared]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.a.val() + self.three.val(); } };
    assert_eq!(good, []);
}

#[test]
fn match_patterns() {
    let hexadecimal = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.flag.next = false;
            match self.a.val().index() {
                0x10 => { self.flag.next = true; }
                _ => {}
            }
        }
    };
    assert_eq!(hexadecimal, [Rule::MatchLiteral]);
    let arithmetic = rules! {
        #[hdl_gen] fn update(&mut self) {
            self.flag.next = false;
            match (self.a.val() + self.b.val()).index() {
                16 => { self.flag.next = true; }
                _ => {}
            }
        }
    };
    assert_eq!(arithmetic, [Rule::WideComparison]);
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            dff_setup!(self, clock, state);
            self.flag.next = false;
            match self.state.q.val() {
                State::Idle => { self.state.d.next = State::Busy; }
                State::Busy => { self.flag.next = self.state.q.val() == State::Done; }
                State::Done => {}
            }
            match self.a.val().index() {
                16 => { self.flag.next = true; }
                _ => {}
            }
        }
    };
    assert_eq!(good, []);
}
