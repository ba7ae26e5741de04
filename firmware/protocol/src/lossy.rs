//! What members of a group send each other at the end of a superstep, over a network that loses
//! packets: lossy BSP (Sundararajan, Harwood and Ramamohanarao, "Lossy Bulk Synchronous Parallel
//! Processing Model for Very Large Scale Grids", section III).
//!
//! What a member has for each other one is cut into packets of a fixed size. It sends all of them,
//! each *k* times; that is a *round*. Whoever gets a packet, for the first time in a round,
//! acknowledges it, *k* times too. When the round's time is over, those packets leave again of which
//! no acknowledgment has come, and so on: a packet is through with probability (1 - p^k)^2 in each
//! round, if each copy is lost with probability p.
//!
//! That everybody has arrived, and who has how much for whom, is told by packets that are not lost
//! ([`crate::superstep`]). So both sides know how many packets there are, and a sender goes on when
//! it has an acknowledgment of each: nobody need confirm that.
//!
//! A receiver keeps, of each packet, the round in which it has last acknowledged it: it takes the
//! data in once, and acknowledges what comes again, for the acknowledgment may be what was lost. It
//! does so where the member has waited, also when the member has gone on, until the next superstep
//! opens; before that all senders have gone on. What comes later, of a superstep that is over, is a
//! copy that somebody has left behind when it moved: the label tells.
//!
//! A sender may also wait until a round's time is over before it goes on, as the model has it.

/// What tells packets apart: number in bits 31:16, superstep in 15:10, round in 9:0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Label(u32);

const STEP_SHIFT: u32 = 10;
const STEP_MASK: u32 = 0x3f;
const ROUND_MASK: u32 = 0x3ff;
const NUMBER_SHIFT: u32 = 16;

impl Label {
    pub const fn from_bits(bits: u32) -> Label {
        Label(bits)
    }
    pub const fn bits(self) -> u32 {
        self.0
    }
    const fn new(number: u16, step: u32, round: u16) -> Label {
        Label((number as u32) << NUMBER_SHIFT | (step & STEP_MASK) << STEP_SHIFT | round as u32 & ROUND_MASK)
    }
    /// Which of its sender's packets.
    pub const fn number(self) -> u16 {
        (self.0 >> NUMBER_SHIFT) as u16
    }
    /// In which round it left; never 0.
    pub const fn round(self) -> u16 {
        (self.0 & ROUND_MASK) as u16
    }
    /// Whether it belongs to this superstep.
    pub const fn is_of(self, step: u32) -> bool {
        self.0 >> STEP_SHIFT & STEP_MASK == step & STEP_MASK
    }
}

/// What a member that sends keeps, besides a bit for each packet ([`bits_words`]): whether it was
/// acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct Sender {
    step: u32,
    /// From 1 on; after the highest number that a label has room for, 2 again: only one is first.
    round: u16,
    /// The packet that is next in this round.
    next: u16,
    /// Copies of it that have left.
    copies: u16,
    /// Packets of which no acknowledgment has come.
    missing: u16,
    /// Packets that have left in this round, without their copies.
    sent: u16,
    /// It goes on at the end of a round's time, and this has not come since all were acknowledged.
    waits: bool,
}

/// Words of a sender's bits.
pub const fn bits_words(packets: usize) -> usize {
    packets.div_ceil(32)
}

/// What a sender does with the packet that is next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// A copy leaves, with this label.
    Send(Label),
    /// It was acknowledged.
    Skip,
}

impl Sender {
    /// A superstep's exchange begins, with so many packets, and its first round. Their bits are
    /// cleared. `whole`: it goes on at the end of a round's time.
    pub fn begin(bits: &mut [u32], step: u32, packets: u16, whole: bool) -> Sender {
        bits[..bits_words(packets as usize)].fill(0);
        Sender { step, round: 1, missing: packets, waits: whole && packets != 0, ..Sender::default() }
    }

    /// Whether this is the first round, in which all packets leave.
    pub fn is_first_round(&self) -> bool {
        self.round == 1
    }

    /// The packet that is next: nothing is skipped of which a copy has left in this round.
    pub fn turn(&self, bits: &[u32]) -> Turn {
        let word = bits.get(self.next as usize / 32).copied().unwrap_or(u32::MAX);
        if self.copies == 0 && word >> (self.next % 32) & 1 != 0 {
            return Turn::Skip;
        }
        Turn::Send(Label::new(self.next, self.step, self.round))
    }

    /// A copy of the packet that is next has left, or it was skipped. `true`: the packet behind it
    /// is next now.
    pub fn pass(&mut self, turn: Turn, copies: u16) -> bool {
        if let Turn::Send(_) = turn {
            self.sent += (self.copies == 0) as u16;
            self.copies += 1;
            if self.copies < copies {
                return false;
            }
        }
        (self.copies, self.next) = (0, self.next + 1);
        true
    }

    /// An acknowledgment has come.
    pub fn acknowledge(&mut self, bits: &mut [u32], label: Label) {
        let number = label.number();
        let Some(word) = bits.get_mut(number as usize / 32) else { return };
        let bit = 1 << (number % 32);
        if label.is_of(self.step) && *word & bit == 0 && self.missing != 0 {
            *word |= bit;
            self.missing -= 1;
        }
    }

    /// Whether all packets are through, and nothing else is to be waited for.
    pub fn is_over(&self) -> bool {
        self.missing == 0 && !self.waits
    }

    /// The round's time is over, and its packets have left. `true`: what was not acknowledged leaves
    /// again; `false`: all is over.
    pub fn next_round(&mut self) -> bool {
        if self.missing == 0 {
            self.waits = false;
            return false;
        }
        let round = if self.round == ROUND_MASK as u16 { 2 } else { self.round + 1 };
        (self.round, self.next, self.copies, self.sent) = (round, 0, 0, 0);
        true
    }

    /// Packets that have left in this round, without their copies.
    pub fn sent(&self) -> u16 {
        self.sent
    }
}

/// What a receiver does with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taken {
    /// Takes in the data, and acknowledges.
    New,
    /// Acknowledges what it has already.
    Again,
    /// Nothing: this round's acknowledgments have left.
    Known,
}

/// A packet has come: `answered` is the round in which it was last acknowledged, 0 if it has not
/// come before.
pub fn take(answered: &mut u16, label: Label) -> Taken {
    match core::mem::replace(answered, label.round()) {
        0 => Taken::New,
        round if round == label.round() => Taken::Known,
        _ => Taken::Again,
    }
}

/// Packets that so many bytes are, of `piece` bytes each.
pub const fn packets(bytes: u32, piece: u32) -> u32 {
    bytes.div_ceil(piece)
}

/// Where a receiver keeps the round of a packet: what its source has for it begins at `start` in
/// its room, and the packet's part at `offset` in that. No two packets have the same.
pub const fn place(source: usize, start: u32, offset: u32, piece: u32) -> usize {
    (start / piece) as usize + source + (offset / piece) as usize
}

/// How many such places there are for so many bytes at most.
pub const fn places(members: usize, bytes: u32, piece: u32) -> usize {
    (bytes / piece) as usize + members + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_what_they_say() {
        for (number, step, round) in [(0, 0, 1), (0xffff, 63, 1023), (513, 64 + 9, 512)] {
            let label = Label::from_bits(Label::new(number, step, round).bits());
            assert_eq!((label.number(), label.round()), (number, round));
            assert!(label.is_of(step) && label.is_of(step + 64) && !label.is_of(step + 1));
        }
    }

    #[test]
    fn rounds_begin_again_without_naming_none_and_only_one_is_the_first() {
        let mut bits = [0; 1];
        let mut sender = Sender::begin(&mut bits, 7, 3, false);
        let mut last = 0;
        for _ in 0..3_000 {
            let Turn::Send(label) = sender.turn(&bits) else { panic!("nothing was acknowledged") };
            assert!(label.round() != 0 && label.round() != last);
            last = label.round();
            assert!(sender.next_round() && !sender.is_first_round());
        }
    }

    #[test]
    fn places_differ() {
        for piece in [1, 2, 5] {
            for lengths in [[3u32, 0, 7, 1], [0, 0, 0, 0], [5, 5, 5, 5], [1, 1, 1, 1], [9, 2, 0, 4]] {
                let (mut start, mut taken) = (0, [false; 64]);
                for (source, bytes) in lengths.into_iter().enumerate() {
                    for number in 0..packets(bytes, piece) {
                        let place = place(source, start, number * piece, piece);
                        assert!(place < places(lengths.len(), lengths.iter().sum(), piece));
                        assert!(!core::mem::replace(&mut taken[place], true), "{lengths:?} in pieces of {piece}");
                    }
                    start += bytes;
                }
            }
        }
    }
}
