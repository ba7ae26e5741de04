//! An asynchronous adder: the elements of its circuit, and how they are connected.
//!
//! It has the report's 14 elements and their kinds (Figure 49 and appendix A.7; the figure itself
//! is not handed down, so the circuit is ours). It adds two words a bit at a time, lowest first,
//! with the carry in an element that remembers: a signal on one of two channels says that a bit is
//! 1 or 0, and what happens next depends on which. With each signal goes a record of the elements
//! that it has passed, by kind. Where two signals meet, the later one goes on.
//!
//! ```text
//! A1,A0 -> keep a -> merge -\                     /-> both 1 ----\            /-> sum 1 -> (merge) -\
//!                            meet -> a? -> [ask b] -> differ -> (merge) -> [ask carry]                done -> next
//! B1,B0 -> keep b -> merge -/                     \-> both 0 ----/            \-> sum 0 -> (merge) -/
//! ```
//!
//! Equal bits that change the carry set or reset it before the sum is out. So the time of an
//! addition depends on how its bits and carries follow each other.

/// Kinds of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Kind {
    /// Remembers a bit: inputs set, reset and test; a test comes out at one of two outputs.
    Keller,
    /// Lets two users have one thing by turns: inputs are the users' and the two answers, outputs the
    /// request and both answers to each user.
    Call,
    /// Waits for both inputs.
    Muller,
    /// Passes on any input.
    Merge,
}

pub const KINDS: usize = 4;

/// How many elements of each kind a signal has passed: by unit delays, the time it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delays(pub [u32; KINDS]);

impl Delays {
    pub const BYTES: usize = 4 * KINDS;

    pub fn total(self) -> u32 {
        self.0.iter().sum()
    }

    fn passed(mut self, kind: Kind) -> Self {
        self.0[kind as usize] += 1;
        self
    }

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes.chunks_exact_mut(4).zip(self.0).for_each(|(place, count)| place.copy_from_slice(&count.to_le_bytes()));
        bytes
    }

    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Delays([0, 4, 8, 12].map(word))
    }
}

/// Bits that are added: of the operands, and one for the carry.
pub const BITS: u32 = 9;
pub const ELEMENTS: usize = 14;

/// An element's kind and its channels.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    pub name: &'static str,
    pub kind: Kind,
    pub inputs: &'static [u8],
    /// For each output all channels that it drives.
    pub outputs: &'static [&'static [u8]],
}

/// The environment's outputs: a bit of each operand, as 1 or 0, and that it has taken a bit of the sum.
pub const A: [u8; 2] = [0, 1];
pub const B: [u8; 2] = [2, 3];
pub const TAKEN: u8 = 4;
/// Its inputs: a bit of the sum, as 0 or 1, and that the next bits may come.
pub const SUM: [u8; 2] = [5, 6];
pub const NEXT: u8 = 7;

const fn element(name: &'static str, kind: Kind, inputs: &'static [u8], outputs: &'static [&'static [u8]]) -> Wiring {
    Wiring { name, kind, inputs, outputs }
}

/// The circuit. Inputs of a Keller element: set, reset, test; its outputs: has been set, has been
/// reset, is 1, is 0. Inputs of a call: first user, second user, answer 1, answer 0; its outputs:
/// request, first user's answers 1 and 0, second user's answers 1 and 0.
pub const CIRCUIT: [Wiring; ELEMENTS] = [
    element("keep a", Kind::Keller, &[A[1], A[0], 12], &[&[8], &[9], &[13], &[14]]),
    element("keep b", Kind::Keller, &[B[1], B[0], 15], &[&[10], &[11], &[16], &[17]]),
    element("a kept", Kind::Merge, &[8, 9], &[&[40]]),
    element("b kept", Kind::Merge, &[10, 11], &[&[41]]),
    element("both kept", Kind::Muller, &[40, 41], &[&[12]]),
    // Users are a = 1 and a = 0, so its four answers are the four pairs of bits.
    element("ask b", Kind::Call, &[13, 14, 16, 17], &[&[15], &[18], &[19], &[20], &[21]]),
    element("bits differ", Kind::Merge, &[19, 20], &[&[22]]),
    element("bits equal", Kind::Call, &[18, 21, 26, 27], &[&[23], &[28], &[29], &[30], &[31]]),
    element("ask carry", Kind::Call, &[23, 22, 24, 25], &[&[32], &[26], &[27], &[33], &[34]]),
    element("carry", Kind::Keller, &[29, 30, 32], &[&[35], &[36], &[24], &[25]]),
    element("sum 1", Kind::Merge, &[28, 36, 34], &[&[SUM[1], 37]]),
    element("sum 0", Kind::Merge, &[31, 35, 33], &[&[SUM[0], 38]]),
    element("done", Kind::Merge, &[37, 38], &[&[39]]),
    element("next", Kind::Muller, &[39, TAKEN], &[&[NEXT]]),
];

/// Channels of the circuit.
pub const CHANNELS: usize = 42;

/// What an element remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// A Keller element's bit; whether a call's second user has asked; whether a Muller element has one of its
    /// inputs.
    state: bool,
    first: Delays,
}

impl Memory {
    /// Takes a signal on input `input` of an element of a kind. The result is the output that it leaves at,
    /// if any, and its record.
    pub fn take(&mut self, kind: Kind, input: usize, record: Delays) -> Option<(usize, Delays)> {
        let record = record.passed(kind);
        let output = match kind {
            Kind::Merge => 0,
            Kind::Muller => {
                let waited = core::mem::replace(&mut self.first, record);
                self.state = !self.state;
                if self.state {
                    return None;
                }
                // The later one; of two of the same time always the same, whichever has come first.
                let age = |record: Delays| (record.total(), record.0);
                return Some((0, if age(waited) > age(record) { waited } else { record }));
            }
            Kind::Keller if input < 2 => {
                self.state = input == 0;
                input
            }
            Kind::Keller => 3 - usize::from(self.state),
            Kind::Call if input < 2 => {
                self.state = input == 1;
                0
            }
            Kind::Call => 2 * usize::from(self.state) + input - 1,
        };
        Some((output, record))
    }
}

/// What an addition must give, by arithmetic and without the circuit: the sum, and the elements on the
/// longest way for all bits.
pub fn expected(a: u32, b: u32) -> (u32, Delays) {
    let (mut keller, mut call, mut muller, mut merge) = (0, 0, 0, 0);
    for bit in 0..BITS {
        let below = (1 << bit) - 1;
        let carry = ((a & below) + (b & below)) >> bit & 1;
        let (one, other) = (a >> bit & 1, b >> bit & 1);
        // Keep, merge and meet; test a; ask b; ask the carry; out, done and next.
        keller += 1 + 1 + 1 + 1;
        call += 2 + 2;
        muller += 1 + 1;
        merge += 1 + 1 + 1;
        if one != other {
            merge += 1;
        } else {
            call += 2;
            keller += u32::from(one != carry);
        }
    }
    (a + b, Delays([keller, call, muller, merge]))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::{BTreeSet, VecDeque};

    /// Ends of every channel: one sender, one receiver, the environment being one of them for eight.
    #[test]
    fn every_channel_has_two_ends() {
        let outputs = CIRCUIT.iter().flat_map(|element| element.outputs.iter().flat_map(|channels| channels.iter()));
        let from: std::vec::Vec<u8> = outputs.copied().chain(A).chain(B).chain([TAKEN]).collect();
        let inputs = CIRCUIT.iter().flat_map(|element| element.inputs.iter().copied());
        let to: std::vec::Vec<u8> = inputs.chain(SUM).chain([NEXT]).collect();
        for ends in [from, to] {
            assert_eq!(ends.len(), CHANNELS, "{ends:?}");
            assert_eq!(ends.iter().copied().collect::<BTreeSet<u8>>(), (0..CHANNELS as u8).collect());
        }
    }

    struct Circuit([Memory; ELEMENTS]);

    impl Circuit {
        /// Adds as the environment does, signals taken in any order that `pick` chooses.
        fn add(&mut self, a: u32, b: u32, mut pick: impl FnMut(usize) -> usize) -> (u32, Delays) {
            let (mut sum, mut record) = (0, Delays::default());
            for bit in 0..BITS {
                let mut signals =
                    VecDeque::from([(A[(a >> bit & 1) as usize], record), (B[(b >> bit & 1) as usize], record)]);
                let mut next = None;
                while let Some((channel, record)) = signals.remove(pick(signals.len())) {
                    if let Some(value) = SUM.iter().position(|&sum| sum == channel) {
                        sum |= (value as u32) << bit;
                        signals.push_back((TAKEN, record));
                    } else if channel == NEXT {
                        assert!(next.replace(record).is_none(), "one signal a bit");
                    } else {
                        signals.extend(self.pass(channel, record));
                    }
                }
                record = next.expect("every bit ends");
            }
            (sum, record)
        }

        fn pass(&mut self, channel: u8, record: Delays) -> std::vec::Vec<(u8, Delays)> {
            let mut all = CIRCUIT.iter().enumerate();
            let find = |wiring: &Wiring| wiring.inputs.iter().position(|&input| input == channel);
            let (index, input) = all.find_map(|(index, wiring)| Some((index, find(wiring)?))).unwrap();
            let went = self.0[index].take(CIRCUIT[index].kind, input, record);
            went.map_or(std::vec![], |(output, record)| {
                CIRCUIT[index].outputs[output].iter().map(|&channel| (channel, record)).collect()
            })
        }
    }

    /// All that the report adds, one after the other, so that what is left of one would show in the next.
    #[test]
    fn it_adds_all_pairs_in_the_time_that_they_need() {
        let mut circuit = Circuit(Default::default());
        let mut times = BTreeSet::new();
        for a in 0..256 {
            for b in 0..256 {
                let added = circuit.add(a, b, |_| 0);
                assert_eq!(added, expected(a, b), "{a} + {b}");
                times.insert(added.1.total());
            }
        }
        assert!(times.len() > 9, "the time depends on the operands: {times:?}");
    }

    /// In whatever order signals that are under way at once are taken.
    #[test]
    fn no_order_matters() {
        let mut number = 1u32;
        let mut pick = |count: usize| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) as usize % count.max(1)
        };
        let mut circuit = Circuit(Default::default());
        for a in (0..256).step_by(3) {
            for b in (0..256).step_by(5) {
                assert_eq!(circuit.add(a, b, &mut pick), expected(a, b), "{a} + {b}");
            }
        }
    }

    #[test]
    fn records_travel_as_bytes() {
        let record = Delays([1, 2, 70_000, u32::MAX]);
        assert_eq!(Delays::from_bytes(&record.to_bytes()), record);
    }
}
