//! A slave's load sample, as events of class [`event::DIAG_LOAD`].
//!
//! A sample is a sequence of [`Part`]s, each an event of two words: a code and an argument of 16
//! bits. They come in this order:
//!
//! ```text
//! sample = Begin Period Queue User {Link [Bytes]} {Thread Share {Partner [Bytes]}} End
//! ```
//!
//! So a sample takes `10 + 2 * links + 4 * threads + 2 * partners` words, and 2 more for each link
//! or partner whose messages are not all of [`WORD_BYTES`]. Only links and threads that did
//! something in the period have parts. [`Part::End`] repeats the sequence number and counts the
//! parts, so that whoever reads knows whether one was lost.
//!
//! Counts are floating-point numbers without sign ([`compress`]): exact while small, and within one
//! part in 2^(mantissa bits + 1) above.

use crate::event::{self, MORE};
use crate::monitor::{is_reserved, GAP_MARKER, WRAP_MARKER};

/// The period of samples after reset, in microseconds: the report's.
pub const DEFAULT_PERIOD_US: u32 = 1_000_000;
/// The shortest period of samples, and the longest, in microseconds.
pub const PERIODS_US: core::ops::RangeInclusive<u32> = 1_000..=60_000_000;
/// Parts that a sample may have; a slave leaves out the threads that did least.
pub const PARTS: usize = 384;
/// Partners that a sample tells of each thread.
pub const PARTNERS: usize = 4;
/// Bytes of a message where no [`Part::Bytes`] says otherwise.
pub const WORD_BYTES: u32 = 4;
/// A whole period, as shares of it count; the greatest share that a word holds is one less.
pub const WHOLE: u32 = 1 << 16;
/// One thread in the ready queue, as average lengths count.
pub const ONE_READY: u16 = 1 << 8;
/// Set in the argument of [`event::LOAD_THREAD`] if the thread may move.
pub const MOVABLE: u16 = 1 << 15;

/// The nearest arguments below and above those that the monitor keeps for its markers.
const RESERVED: (u16, u16) = (((WRAP_MARKER as u16) << 8) - 1, (GAP_MARKER as u16 + 1) << 8);
/// Set in the argument of [`event::LOAD_THREAD`] where it would be one of those.
const UNUSED: u16 = 1 << 14;

/// Mantissa bits of a link's sends, in 12 bits.
const SENDS_MANTISSA: u32 = 8;
/// Mantissa bits of a partner's count, in 10 bits.
const COUNT_MANTISSA: u32 = 6;
/// Mantissa bits of bytes and of periods, in 16 bits.
const LONG_MANTISSA: u32 = 11;
const SENDS_BITS: u32 = 12;
const COUNT_BITS: u32 = 10;
const PARTS_BITS: u32 = 10;

/// A part of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A sample begins: its number, counted round, and the threads that are ready at this instant,
    /// with the one that runs.
    Begin { sequence: u8, ready: u8 },
    /// Cycles since the sample before.
    Period { cycles: u32 },
    /// Average number of ready threads in the period, in [`ONE_READY`]ths.
    Queue { average: u16 },
    /// Share of the period in which threads ran, in [`WHOLE`]ths.
    User { share: u16 },
    /// Messages sent to another processor in the period.
    Link { processor: u8, sends: u32 },
    /// Bytes of the messages of the link or partner before, if not [`WORD_BYTES`] each.
    Bytes { bytes: u32 },
    /// A thread that did something in the period; it may move unless it has children.
    Thread { thread: u16, movable: bool },
    /// Share of the period for which the thread ran, in [`WHOLE`]ths.
    Share { share: u16 },
    /// How many messages the thread lately exchanged with another of its process, which has this
    /// id.
    Partner { id: u8, count: u32 },
    /// The sample is over: the low six bits of its number, and how many parts came before this one.
    End { sequence: u8, parts: u16 },
}

impl Part {
    /// The two words of its event.
    #[inline(always)]
    pub const fn words(self) -> [u16; 2] {
        let (code, argument) = match self {
            Part::Begin { sequence, ready } => (event::LOAD, (ready as u16) << 8 | sequence as u16),
            Part::Period { cycles } => (event::LOAD_PERIOD, long(cycles)),
            Part::Queue { average } => (event::LOAD_READY, average),
            Part::User { share } => (event::LOAD_USER, share),
            Part::Link { processor, sends } => {
                (event::LOAD_LINK, (processor as u16) << SENDS_BITS | compress(sends, SENDS_MANTISSA, SENDS_BITS))
            }
            Part::Bytes { bytes } => (event::LOAD_BYTES, long(bytes)),
            Part::Thread { thread, movable } => {
                (event::LOAD_THREAD, thread & event::THREAD_MASK | if movable { MOVABLE } else { 0 })
            }
            Part::Share { share } => (event::LOAD_SHARE, share),
            Part::Partner { id, count } => {
                (event::LOAD_PARTNER, (id as u16) << COUNT_BITS | compress(count, COUNT_MANTISSA, COUNT_BITS))
            }
            Part::End { sequence, parts } => {
                (event::LOAD_END, (sequence as u16) << PARTS_BITS | parts & ((1 << PARTS_BITS) - 1))
            }
        };
        [code | MORE, allowed(code, argument)]
    }

    /// The part that an event of this code (without [`MORE`]) and argument is; `None` if it is of
    /// another class.
    pub const fn of(code: u16, argument: u16) -> Option<Part> {
        Some(match code {
            event::LOAD => Part::Begin { sequence: argument as u8, ready: (argument >> 8) as u8 },
            event::LOAD_PERIOD => Part::Period { cycles: expand(argument, LONG_MANTISSA) },
            event::LOAD_READY => Part::Queue { average: argument },
            event::LOAD_USER => Part::User { share: argument },
            event::LOAD_LINK => Part::Link {
                processor: (argument >> SENDS_BITS) as u8,
                sends: expand(argument & ((1 << SENDS_BITS) - 1), SENDS_MANTISSA),
            },
            event::LOAD_BYTES => Part::Bytes { bytes: expand(argument, LONG_MANTISSA) },
            event::LOAD_THREAD => {
                Part::Thread { thread: argument & event::THREAD_MASK, movable: argument & MOVABLE != 0 }
            }
            event::LOAD_SHARE => Part::Share { share: argument },
            event::LOAD_PARTNER => Part::Partner {
                id: (argument >> COUNT_BITS) as u8,
                count: expand(argument & ((1 << COUNT_BITS) - 1), COUNT_MANTISSA),
            },
            event::LOAD_END => {
                Part::End { sequence: (argument >> PARTS_BITS) as u8, parts: argument & ((1 << PARTS_BITS) - 1) }
            }
            _ => return None,
        })
    }
}

/// The argument, unless the monitor keeps it for its own markers: then the nearest that it does not.
/// So lengths, shares and counts are out by one part in 170 at most. A thread's number does not reach
/// bit 14, and so takes that; of the partner with id 42 no count above 8,128 is told.
const fn allowed(code: u16, argument: u16) -> u16 {
    if !is_reserved(argument) {
        return argument;
    }
    match code {
        event::LOAD => {
            argument & 0xff | if argument >> 8 == WRAP_MARKER as u16 { RESERVED.0 } else { RESERVED.1 } & 0xff00
        }
        event::LOAD_THREAD => argument | UNUSED,
        _ if argument >> 8 == WRAP_MARKER as u16 => RESERVED.0,
        event::LOAD_PARTNER => RESERVED.0,
        _ => RESERVED.1,
    }
}

#[inline]
const fn long(value: u32) -> u16 {
    compress(value, LONG_MANTISSA, u16::BITS)
}

/// `value` as a floating-point number of `bits` bits, of which `mantissa` are mantissa: itself below
/// 2^(mantissa + 1), else rounded to the nearest, and the greatest there is if it is greater.
#[inline]
pub const fn compress(value: u32, mantissa: u32, bits: u32) -> u16 {
    let most = ((1u32 << bits) - 1) as u16;
    if value < 2 << mantissa {
        return value as u16;
    }
    let shift = value.ilog2() - mantissa;
    let rounded = ((value >> (shift - 1)) + 1) >> 1;
    // A mantissa that is rounded up to the next power of two carries into the exponent.
    let code = (shift << mantissa) + rounded;
    let most = if mantissa == LONG_MANTISSA { LONG_MOST } else { most };
    if code > most as u32 {
        most
    } else {
        code as u16
    }
}

/// The code of the greatest number of [`LONG_MANTISSA`] that 32 bits hold.
const LONG_MOST: u16 = ((u32::BITS - LONG_MANTISSA + 1) << LONG_MANTISSA) as u16 - 1;

/// The number that [`compress`] made `code` of; the greatest there is if it made none.
pub const fn expand(code: u16, mantissa: u32) -> u32 {
    let code = if mantissa == LONG_MANTISSA && code > LONG_MOST { LONG_MOST } else { code };
    let exponent = (code >> mantissa) as u32;
    if exponent == 0 {
        return code as u32;
    }
    let fraction = code as u32 & ((1 << mantissa) - 1);
    ((1 << mantissa) | fraction) << (exponent - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_part_and_every_part_its_words() {
        for kind in event::KINDS.iter().filter(|kind| kind.class == event::DIAG_LOAD) {
            for argument in 0..=u16::MAX {
                let part = Part::of(kind.code, argument).unwrap();
                let [code, again] = part.words();
                assert_eq!(code, kind.code | MORE);
                assert!(!is_reserved(again), "{argument:#x}");
                let same = Part::of(kind.code, again) == Some(part);
                let is_told = kind.code == event::LOAD_THREAD || !is_reserved(argument);
                assert!(same || !is_told, "{argument:#x}");
                let far = if kind.code == event::LOAD_PARTNER { 0x200 } else { 0x100 };
                assert!(same || again.abs_diff(argument) <= far, "{argument:#x} {again:#x}");
                assert_eq!(again & 0xff, if kind.code == event::LOAD { argument & 0xff } else { again & 0xff });
            }
        }
        assert_eq!(Part::of(event::USER, 0), None);
    }

    #[test]
    fn numbers_are_near_and_in_order() {
        for (mantissa, bits) in [(COUNT_MANTISSA, 10), (SENDS_MANTISSA, 12), (LONG_MANTISSA, 16)] {
            let mut last = 0;
            for value in
                (0..5000).chain((13..32).flat_map(|bit| (0..64).map(move |part| (1 << bit) + (part << (bit - 6)))))
            {
                let code = compress(value, mantissa, bits);
                let near = expand(code, mantissa);
                assert!(code >= last, "{value}");
                last = code;
                if value < 2 << mantissa {
                    assert_eq!(near, value);
                } else if value <= expand(((1u32 << bits) - 1) as u16, mantissa) {
                    assert!(near.abs_diff(value) as u64 <= (value as u64 >> (mantissa + 1)) + 1, "{value} {near}");
                }
                assert_eq!(compress(near, mantissa, bits), code, "{value}");
            }
        }
        assert_eq!(expand(compress(u32::MAX, LONG_MANTISSA, 16), LONG_MANTISSA), 0xfff0_0000);
    }
}
