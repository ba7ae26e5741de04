//! Access to a block's ports by name, for harnesses that work on any block.

use rust_hdl::prelude::*;

use super::random::mask;

/// A type that fits in 64 bits and can be a port.
pub trait Word: Synth {
    fn to_word(self) -> u64;
    /// The low bits of `word`.
    fn from_word(word: u64) -> Self;
}

impl Word for Bit {
    fn to_word(self) -> u64 {
        self.into()
    }
    fn from_word(word: u64) -> Self {
        word & 1 == 1
    }
}

impl<const N: usize> Word for Bits<N> {
    fn to_word(self) -> u64 {
        self.to_u64()
    }
    fn from_word(word: u64) -> Self {
        (word & mask(N)).to_bits()
    }
}

/// An input of a block of type `B`.
pub struct Input<B> {
    pub name: &'static str,
    /// In bits.
    pub width: usize,
    /// What the port is being driven to.
    pub get: fn(&B) -> u64,
    pub set: fn(&mut B, u64),
}

/// An output of a block of type `B`.
pub struct Output<B> {
    pub name: &'static str,
    /// In bits.
    pub width: usize,
    pub get: fn(&B) -> u64,
}

/// The ports of a block that a harness drives and observes, and its clock.
pub struct Ports<B> {
    pub clock_name: &'static str,
    pub clock: fn(&mut B) -> &mut Signal<In, Clock>,
    pub inputs: Vec<Input<B>>,
    pub outputs: Vec<Output<B>>,
}

/// Inputs as the harness sees them.
pub fn drive<T: Word>(signal: &mut Signal<In, T>, word: u64) {
    signal.next = T::from_word(word);
}
/// What an input is being driven to.
pub fn driven<T: Word>(signal: &Signal<In, T>) -> u64 {
    signal.next.to_word()
}
/// Value of an output.
pub fn observed<T: Word>(signal: &Signal<Out, T>) -> u64 {
    signal.val().to_word()
}
/// Width of a port.
pub fn width<D: Direction, T: Word>(_: &Signal<D, T>) -> usize {
    T::BITS
}

/// Lists the ports of a block, an expression of its type first, to learn widths from:
/// `ports!(block: Clint, clock: clock, inputs: [select, address], outputs: [rdata])`.
#[macro_export]
macro_rules! ports {
    ($example:ident: $block:ty, clock: $clock:ident, inputs: [$($input:ident),* $(,)?],
     outputs: [$($output:ident),* $(,)?]) => {
        $crate::support::ports::Ports::<$block> {
            clock_name: stringify!($clock),
            clock: |block| &mut block.$clock,
            inputs: vec![$($crate::support::ports::Input {
                name: stringify!($input),
                width: $crate::support::ports::width(&$example.$input),
                get: |block| $crate::support::ports::driven(&block.$input),
                set: |block, word| $crate::support::ports::drive(&mut block.$input, word),
            }),*],
            outputs: vec![$($crate::support::ports::Output {
                name: stringify!($output),
                width: $crate::support::ports::width(&$example.$output),
                get: |block| $crate::support::ports::observed(&block.$output),
            }),*],
        }
    };
}
