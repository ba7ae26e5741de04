//! A set of packets by their numbers, as the server reports it and files keep it.

use serde::{de::Error, Deserialize, Deserializer, Serialize, Serializer};

/// Numbers below a length, each in the set or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    length: usize,
    /// Eight numbers a byte, the lowest in bit 0; bits behind the length are clear.
    bytes: Vec<u8>,
}

impl Bits {
    /// The empty set of numbers below `length`.
    pub fn new(length: usize) -> Bits {
        Bits { length, bytes: vec![0; length.div_ceil(8)] }
    }

    /// The set in its bytes; bits behind the length count nothing.
    pub fn of_bytes(length: usize, bytes: &[u8]) -> Option<Bits> {
        let mut bytes = bytes.get(..length.div_ceil(8))?.to_vec();
        if let Some(last) = bytes.last_mut().filter(|_| length % 8 != 0) {
            *last &= (1 << (length % 8)) - 1;
        }
        Some(Bits { length, bytes })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn length(&self) -> usize {
        self.length
    }

    /// Adds a number below the length, and says whether it is new; one beyond it is not.
    pub fn insert(&mut self, number: usize) -> bool {
        if number >= self.length || self.contains(number) {
            return false;
        }
        self.bytes[number / 8] |= 1 << (number % 8);
        true
    }

    pub fn contains(&self, number: usize) -> bool {
        number < self.length && self.bytes[number / 8] >> (number % 8) & 1 == 1
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> usize {
        self.bytes.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// For each number below the length, whether it is in the set.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.length).map(|number| self.contains(number))
    }
}

/// As text: the length, a colon, the bytes in hexadecimal.
impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&format!("{}:{digits}", self.length))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bits, D::Error> {
        let text = String::deserialize(deserializer)?;
        of_text(&text).ok_or_else(|| D::Error::custom("a set of packets that is not LENGTH:HEXADECIMAL"))
    }
}

fn of_text(text: &str) -> Option<Bits> {
    let (length, digits) = text.split_once(':')?;
    let length: usize = length.parse().ok()?;
    if !digits.is_ascii() || digits.len() % 2 != 0 || digits.len() / 2 != length.div_ceil(8) {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..digits.len() / 2).map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()).collect();
    Bits::of_bytes(length, &bytes?)
}
