//! Frames in which pairs leave a board: the trace port over a serial line, one way, without answers.
//!
//! ```text
//! byte     0        1        2        3        4        5        6        7       each 8N1, least significant bit first
//!       1xxxxxxx 0xxxxxxx 0xxxxxxx 0xxxxxxx 0xxxxxxx 0xxxxxxx 0xxxxxxx 0xxxxxxx   the payload, from its top, 7 bits a byte
//!
//! bit   55    52 51             36 35             20 19       12 11           0
//!      +--------+-----------------+-----------------+-----------+--------------+
//!      |  SMI   |      time       |      datum      | sequence  |     CRC      |    a pair
//!      |   0    |    31:16 of count of pairs  15:0  | count 7:0 |     CRC      |    a count
//!      +--------+-----------------+-----------------+-----------+--------------+
//! ```
//!
//! Bit 7 is set in a frame's first byte only, so a receiver finds frames wherever it begins. Frames
//! of pairs are numbered from 0: *sequence* is the number modulo 256. A *count* says how many
//! frames of pairs were sent before it, modulo 2^32, and its sequence is that of the next pair. It
//! has no number of its own, so that one that is lost is no loss.
//!
//! A transmitter sends a count first of all, after [`COUNT_EVERY`] pairs without one, whenever
//! nothing waits and pairs were sent since the last one, and every [`COUNT_BYTES`] byte times. It
//! needs a counter of 32 bits, a shift register of 56, and the CRC's 12.
//!
//! The CRC is over bits 55:12, from the top, from [`CRC_START`] with [`CRC_POLYNOMIAL`]:
//! `x^12 + x^8 + x^7 + x^6 + x^5 + x^4 + 1`. Of all polynomials of 12 bits only ten keep any two
//! frames 5 bits apart; this one has the fewest pairs of frames that are exactly 5 apart (996 of 3,819,816
//! patterns of 5 flipped bits go unseen), and as few terms as any. So up to 4 flipped bits, and up
//! to 12 that stand together, are always seen. It starts with ones, so that a line that is stuck
//! makes no frame.

use crate::monitor::Pair;

/// Bytes of a frame.
pub const FRAME_BYTES: usize = 8;
/// Set in the first byte of a frame only.
pub const MARK: u8 = 0x80;
/// Bits of payload in a byte.
pub const BYTE_BITS: u32 = 7;
/// The CRC's bits, at the end of a frame.
pub const CRC_BITS: u32 = 12;
/// Without its highest term.
pub const CRC_POLYNOMIAL: u16 = 0x1f1;
/// What the CRC's register holds before the first bit.
pub const CRC_START: u16 = 0xfff;
/// Bits that the CRC covers.
pub const COVERED_BITS: u32 = FRAME_BYTES as u32 * BYTE_BITS - CRC_BITS;
/// Pairs between counts, at most.
pub const COUNT_EVERY: u32 = 64;
/// Byte times between counts, at most.
pub const COUNT_BYTES: u32 = 1 << 15;
/// Bits a second of a board's link.
pub const BAUD: u32 = 3_000_000;
/// Bits on the line for a byte: start, 8 of data, stop.
pub const LINE_BITS: u32 = 10;
/// Least clock cycles in a bit. While a frame's first byte is on the line, its CRC is made, a bit a
/// cycle, and the second byte comes up.
pub const BIT_CYCLES_MIN: u32 = 6;

/// What a frame says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// A pair of an SMI (1 to 15), and the low byte of its number.
    Pair { smi: u8, pair: Pair, sequence: u8 },
    /// Pairs sent so far, modulo 2^32.
    Count(u32),
}

/// Why eight bytes are no frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Bit 7 is not set in the first byte only.
    Marks,
    /// The CRC is another.
    Crc,
    /// A count's sequence is not its low byte.
    Count,
}

/// CRC of the low [`COVERED_BITS`] bits.
pub const fn crc(bits: u64) -> u16 {
    let (mut register, mut bit) = (CRC_START, COVERED_BITS);
    while bit > 0 {
        bit -= 1;
        let out = (register >> (CRC_BITS - 1)) & 1;
        register = (register << 1) & ((1 << CRC_BITS) - 1);
        if out != ((bits >> bit) & 1) as u16 {
            register ^= CRC_POLYNOMIAL;
        }
    }
    register
}

impl Frame {
    /// The bytes on the line; of `smi` the low 4 bits go, which must not be 0.
    pub const fn pack(self) -> [u8; FRAME_BYTES] {
        let (smi, time, datum, sequence) = match self {
            Frame::Pair { smi, pair, sequence } => (smi & 0xf, pair.time, pair.datum, sequence),
            Frame::Count(count) => (0, (count >> 16) as u16, count as u16, count as u8),
        };
        let covered = (smi as u64) << 40 | (time as u64) << 24 | (datum as u64) << 8 | sequence as u64;
        let payload = covered << CRC_BITS | crc(covered) as u64;
        let (mut bytes, mut place) = ([0; FRAME_BYTES], 0);
        while place < FRAME_BYTES {
            let shift = BYTE_BITS * (FRAME_BYTES - 1 - place) as u32;
            bytes[place] = ((payload >> shift) as u8) & !MARK;
            place += 1;
        }
        bytes[0] |= MARK;
        bytes
    }

    /// What eight bytes say.
    ///
    /// # Errors
    /// They are no frame.
    pub const fn unpack(bytes: [u8; FRAME_BYTES]) -> Result<Self, Fault> {
        let (mut payload, mut place) = (0u64, 0);
        while place < FRAME_BYTES {
            if (bytes[place] & MARK != 0) != (place == 0) {
                return Err(Fault::Marks);
            }
            payload = payload << BYTE_BITS | (bytes[place] & !MARK) as u64;
            place += 1;
        }
        let covered = payload >> CRC_BITS;
        if crc(covered) as u64 != payload & ((1 << CRC_BITS) - 1) {
            return Err(Fault::Crc);
        }
        let (time, datum, sequence) = ((covered >> 24) as u16, (covered >> 8) as u16, covered as u8);
        match (covered >> 40) as u8 {
            0 if datum as u8 != sequence => Err(Fault::Count),
            0 => Ok(Frame::Count((time as u32) << 16 | datum as u32)),
            smi => Ok(Frame::Pair { smi, pair: Pair { time, datum }, sequence }),
        }
    }

    /// The sequence of the pair that follows.
    pub const fn next_sequence(self) -> u8 {
        match self {
            Frame::Pair { sequence, .. } => sequence.wrapping_add(1),
            Frame::Count(count) => count as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: u32 = FRAME_BYTES as u32 * 8;

    fn flipped(frame: [u8; FRAME_BYTES], bits: &[u32]) -> [u8; FRAME_BYTES] {
        let word = bits.iter().fold(u64::from_be_bytes(frame), |word, bit| word ^ 1 << bit);
        word.to_be_bytes()
    }

    #[test]
    fn frames_are_packed_as_drawn() {
        let frame = Frame::Pair { smi: 0xa, pair: Pair { time: 0x1234, datum: 0x89ab }, sequence: 0xcd };
        let covered = 0x0a12_3489_abcd_u64;
        let payload = covered << 12 | u64::from(crc(covered));
        let bytes = frame.pack();
        let joined = bytes.iter().fold(0, |joined, byte| joined << 7 | u64::from(byte & 0x7f));
        assert_eq!(joined, payload);
        assert!(bytes[0] & MARK != 0 && bytes[1..].iter().all(|byte| byte & MARK == 0));
        assert_eq!(Frame::unpack(bytes), Ok(frame));
        let count = Frame::Count(0x0102_03fe);
        assert_eq!(Frame::unpack(count.pack()), Ok(count));
        assert_eq!((frame.next_sequence(), count.next_sequence()), (0xce, 0xfe));
    }

    /// Long division, as in a book.
    #[test]
    fn the_crc_is_the_remainder() {
        for covered in [0u64, 1, 0x0555_5555_5555, 0xfff_ffff_ffff, 0x123_4567_89ab] {
            // Ones at the start are the same as ones added to the top of what is divided.
            let mut rest = u128::from(covered) << 12 ^ 0xfff << COVERED_BITS;
            for bit in (12..COVERED_BITS + 12).rev() {
                if rest >> bit & 1 == 1 {
                    rest ^= u128::from(0x1000 | CRC_POLYNOMIAL) << (bit - 12);
                }
            }
            assert_eq!(u128::from(crc(covered)), rest, "{covered:#x}");
        }
    }

    #[test]
    fn a_stuck_line_is_no_frame() {
        for byte in [0x00, 0x7f, 0x80, 0xff] {
            let mut bytes = [byte; FRAME_BYTES];
            assert!(Frame::unpack(bytes).is_err());
            bytes[0] |= MARK;
            bytes[1..].iter_mut().for_each(|byte| *byte &= !MARK);
            assert!(Frame::unpack(bytes).is_err(), "{byte:#x}");
        }
    }

    /// Any flips of up to four of a frame's 64 bits: two frames differ in at least five. The CRC is
    /// linear, so one frame stands for all; a count, whose sequence is looked at too, does not, so
    /// it is a pair.
    #[test]
    fn up_to_four_flipped_bits_are_seen() {
        let frame = Frame::Pair { smi: 6, pair: Pair { time: 0xbeef, datum: 0x8005 }, sequence: 77 }.pack();
        let mut patterns = 0u32;
        let mut check = |bits: &[u32]| {
            let fault = Frame::unpack(flipped(frame, bits)).unwrap_err();
            let marks = bits.iter().any(|bit| bit % 8 == 7);
            assert_eq!(fault, if marks { Fault::Marks } else { Fault::Crc }, "{bits:?}");
            patterns += 1;
        };
        for a in 0..BITS {
            check(&[a]);
            for b in 0..a {
                check(&[a, b]);
                for c in 0..b {
                    check(&[a, b, c]);
                    for d in 0..c {
                        check(&[a, b, c, d]);
                    }
                }
            }
        }
        assert_eq!(patterns, 64 + 2_016 + 41_664 + 635_376);
    }

    /// Five are not all seen, so that the test above could fail.
    #[test]
    fn of_five_flipped_bits_996_patterns_are_not_seen() {
        // By position in the payload, what the flip of its bit does to the remainder.
        let mut remainder = 1u16;
        let mut remainders = [0u16; 56];
        for entry in &mut remainders {
            *entry = remainder;
            remainder = if remainder & 0x800 == 0 { remainder << 1 } else { (remainder << 1 & 0xfff) ^ CRC_POLYNOMIAL };
        }
        let mut unseen = 0;
        for a in 0..56 {
            for b in 0..a {
                for c in 0..b {
                    for d in 0..c {
                        let four = remainders[a] ^ remainders[b] ^ remainders[c] ^ remainders[d];
                        unseen += remainders[..d].iter().filter(|fifth| **fifth == four).count();
                    }
                }
            }
        }
        assert_eq!(unseen, 996);
    }

    #[test]
    fn bits_that_stand_together_are_seen() {
        let frame = Frame::Pair { smi: 1, pair: Pair { time: 3, datum: 0x4001 }, sequence: 200 }.pack();
        let payload = frame.iter().fold(0, |joined, byte| joined << 7 | u64::from(byte & 0x7f));
        for shift in 0..=44 {
            for burst in 1..1u64 << 12 {
                let damaged = payload ^ burst << shift & ((1 << 56) - 1);
                let mut bytes = [0; FRAME_BYTES];
                for (place, byte) in bytes.iter_mut().enumerate() {
                    *byte = (damaged >> (49 - 7 * place)) as u8 & !MARK;
                }
                bytes[0] |= MARK;
                assert_eq!(Frame::unpack(bytes), Err(Fault::Crc));
            }
        }
    }
}
