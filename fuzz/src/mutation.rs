//! Changes of valid inputs: of bits, bytes and words, of numbers and lines of text, and of what stands where.

use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes of an input, at most.
pub const INPUT_BYTES: usize = 1 << 16;

/// One change. What the numbers mean depends on the kind; smaller ones are simpler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    kind: u8,
    place: u32,
    count: u32,
    value: u64,
}

/// Up to `most` changes; which valid input they begin with is the first one's `place`.
pub fn mutations(most: usize) -> impl Strategy<Value = Vec<Mutation>> {
    let one = (any::<u8>(), any::<u32>(), any::<u32>(), any::<u64>());
    let one = one.prop_map(|(kind, place, count, value)| Mutation { kind, place, count, value });
    vec(one, 1..=most)
}

/// Numbers at which parsers tend to differ from what they should do.
const EDGES: [u64; 24] = [
    0,
    1,
    2,
    7,
    8,
    15,
    16,
    17,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 53,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// The input that `mutations` make of one of `inputs`; `words` are such as the parser knows.
pub fn mutated(mutations: &[Mutation], inputs: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let Some((first, rest)) = mutations.split_first() else { return Vec::new() };
    let mut bytes = inputs.get(first.place as usize % inputs.len().max(1)).cloned().unwrap_or_default();
    rest.iter().for_each(|mutation| mutation.apply(&mut bytes, inputs, words));
    bytes.truncate(INPUT_BYTES);
    bytes
}

impl Mutation {
    fn apply(self, bytes: &mut Vec<u8>, inputs: &[Vec<u8>], words: &[&str]) {
        let Mutation { kind, place, count, value } = self;
        let at = place as usize % (bytes.len() + 1);
        let few = count as usize % 16 + 1;
        let edge = match value % 3 {
            0 => EDGES[count as usize % EDGES.len()],
            1 => EDGES[count as usize % EDGES.len()].wrapping_neg(),
            _ => value >> (count % 64),
        };
        match kind % 20 {
            0 | 1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << (count % 8);
                }
            }
            2 => put(bytes, at, &value.to_le_bytes()[..1]),
            3 => put(bytes, at & !1, &edge.to_le_bytes()[..2]),
            4 => put(bytes, at & !3, &edge.to_le_bytes()[..4]),
            5 => put(bytes, at & !7, &edge.to_le_bytes()),
            6 => insert(bytes, at, &value.to_le_bytes()[..few.min(8)]),
            7 => insert(bytes, at & !3, &value.to_le_bytes()[..(few * 4).min(8)]),
            8 => drop(bytes.drain(at..(at + few).min(bytes.len()))),
            9 => drop(bytes.drain(at & !3..((at & !3) + 4 * few).min(bytes.len()))),
            10 => bytes.truncate(at),
            11 => {
                // A part of it, once more at another place.
                let part = bytes[at..(at + few * 16).min(bytes.len())].to_vec();
                insert(bytes, value as usize % (bytes.len() + 1), &part);
            }
            12 => {
                // The rest of another input.
                let other = inputs.get(value as usize % inputs.len().max(1)).map_or(&[][..], |input| input);
                let from = count as usize % (other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            13 | 14 if !words.is_empty() => insert(bytes, at, words[count as usize % words.len()].as_bytes()),
            15 | 16 => number(bytes, at, edge),
            17 => line(bytes, at, value),
            18 => token(bytes, at, words.get(count as usize % words.len().max(1)).copied().unwrap_or_default()),
            _ => {
                // Many times the same: nesting, long names.
                let byte = bytes.get(at).copied().unwrap_or(value as u8);
                insert(bytes, at, &vec![byte; 1 << (count % 13)]);
            }
        }
    }
}

/// Overwrites, as far as there is something.
fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes.iter_mut().skip(at).zip(new).for_each(|(byte, new)| *byte = *new);
}

fn insert(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    let at = at.min(bytes.len());
    bytes.splice(at..at, new.iter().copied());
}

/// Replaces the decimal number at or behind `at`.
fn number(bytes: &mut Vec<u8>, at: usize, value: u64) {
    let Some(start) = bytes.iter().skip(at).position(u8::is_ascii_digit).map(|place| at + place) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..end, value.to_string().into_bytes());
}

/// Takes out, doubles or moves the line at `at`.
fn line(bytes: &mut Vec<u8>, at: usize, value: u64) {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| at + newline + 1);
    let line: Vec<u8> = match value % 3 {
        0 => bytes[start..end].to_vec(),
        _ => bytes.drain(start..end).collect(),
    };
    if value % 3 != 1 {
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let wanted = value / 3 % lines;
        let to = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(wanted as usize);
        let to = to.map_or(0, |(place, _)| place + 1);
        insert(bytes, to, &line);
    }
}

/// Replaces the word of letters and digits at or behind `at`.
fn token(bytes: &mut Vec<u8>, at: usize, word: &str) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let Some(start) = bytes.iter().skip(at).position(is_part).map(|place| at + place) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| is_part(byte)).count();
    bytes.splice(start..end, word.bytes());
}
