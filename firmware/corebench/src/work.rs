//! One iteration of the work; plain code without I/O.

use core::hint::black_box;

/// CRC that [`iteration`] must return.
pub const EXPECTED: u16 = 0xf893;

const NODES: usize = 64;
const SIDE: usize = 9;

#[derive(Clone, Copy)]
struct Node {
    next: u8,
    key: i16,
    payload: u16,
}

/// CRC-16/ARC, bit by bit, as small cores do it.
fn crc(mut register: u16, word: u16) -> u16 {
    for byte in word.to_le_bytes() {
        let mut data = byte;
        for _ in 0..8 {
            let carry = (register ^ u16::from(data)) & 1;
            register >>= 1;
            if carry == 1 {
                register ^= 0xa001;
            }
            data >>= 1;
        }
    }
    register
}

/// Builds a list, searches it, sorts it by insertion into a second chain, and folds the order into a CRC.
fn list(seed: u16) -> u16 {
    let mut nodes = [Node { next: u8::MAX, key: 0, payload: 0 }; NODES];
    let mut value = seed;
    for (index, node) in nodes.iter_mut().enumerate() {
        value = value.wrapping_mul(25173).wrapping_add(13849);
        *node = Node { next: (index + 1) as u8, key: (value >> 4) as i16, payload: value };
    }
    nodes[NODES - 1].next = u8::MAX;
    let mut found = 0u16;
    for wanted in 0..16 {
        let mut at = 0usize;
        while at < NODES {
            if nodes[at].payload & 15 == wanted {
                found = found.wrapping_add(nodes[at].key as u16);
                break;
            }
            at = nodes[at].next as usize;
        }
    }
    let mut head = u8::MAX;
    for index in 0..NODES {
        let key = nodes[index].key;
        let (mut before, mut at) = (u8::MAX, head);
        while at != u8::MAX && nodes[at as usize].key < key {
            before = at;
            at = nodes[at as usize].next;
        }
        nodes[index].next = at;
        if before == u8::MAX {
            head = index as u8;
        } else {
            nodes[before as usize].next = index as u8;
        }
    }
    let mut register = found;
    while head != u8::MAX {
        register = crc(register, nodes[head as usize].payload);
        head = nodes[head as usize].next;
    }
    register
}

/// Multiplies two small matrices, by a constant, and sums with a clip.
// The loops of the C original; iterators are compiled to other code, whose score would compare with nobody's.
#[allow(clippy::needless_range_loop)]
fn matrix(seed: u16) -> u16 {
    let mut left = [[0i16; SIDE]; SIDE];
    let mut right = [[0i16; SIDE]; SIDE];
    let mut value = i32::from(seed);
    for row in 0..SIDE {
        for column in 0..SIDE {
            value = (value * 17 + 5) % 32749;
            left[row][column] = value as i16 & 0xff;
            right[row][column] = (value >> 3) as i16 & 0x7f;
        }
    }
    let mut register = 0;
    let mut sum = 0i32;
    for row in 0..SIDE {
        for column in 0..SIDE {
            let mut cell = 0i32;
            for inner in 0..SIDE {
                cell += i32::from(left[row][inner]) * i32::from(right[inner][column]);
            }
            sum += cell;
            if sum > 100_000 {
                sum /= 7;
                register = crc(register, sum as u16);
            }
        }
    }
    crc(register, sum as u16)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Sign,
    Integer,
    Fraction,
    Exponent,
    Invalid,
}

const TEXT: &[u8] = b"5012,1234,-874,+122,35.54400,.1234500,-110.700,+0.64400,5.500e+3,-.123e-2,-87e+832,+0.6e-12,T0.3e-1F,-T.T++Tq,1T3.4e4z,34.0e-T^";

/// Classifies numbers in a text, counting the states in which each ends.
fn machine(seed: u16) -> u16 {
    let text = black_box(TEXT);
    let mut ends = [0u16; 6];
    let mut state = State::Start;
    for &byte in text {
        if byte == b',' {
            ends[state as usize] += 1;
            state = State::Start;
            continue;
        }
        state = match (state, byte) {
            (State::Start, b'+' | b'-') => State::Sign,
            (State::Start | State::Sign | State::Integer, b'0'..=b'9') => State::Integer,
            (State::Start | State::Sign | State::Integer, b'.') => State::Fraction,
            (State::Fraction, b'0'..=b'9') => State::Fraction,
            (State::Integer | State::Fraction, b'e') => State::Exponent,
            (State::Exponent, b'0'..=b'9' | b'+' | b'-') => State::Exponent,
            _ => State::Invalid,
        };
    }
    ends.iter().fold(seed, |register, &count| crc(register, count))
}

/// One iteration: all four kinds of work, twice, the CRC of their results.
pub fn iteration() -> u16 {
    let mut register = 0;
    for seed in [0x3415, 0x0066] {
        let seed = black_box(seed);
        register = crc(register, list(seed));
        register = crc(register, matrix(seed));
        register = crc(register, machine(seed));
    }
    register
}
