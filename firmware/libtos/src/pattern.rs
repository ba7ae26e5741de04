//! Messages whose every byte can be checked: a pattern that depends on the message's number, and a checksum.

/// Fills a message.
pub fn fill(message: &mut [u8], number: u32) {
    for (index, byte) in message.iter_mut().enumerate() {
        *byte = at(number, index);
    }
}

/// Byte `index` of message `number`.
fn at(number: u32, index: usize) -> u8 {
    (number.wrapping_mul(37)).wrapping_add(index as u32).wrapping_add(index as u32 >> 8) as u8
}

/// What was received so far.
#[derive(Clone, Copy, Default)]
pub struct Check {
    pub messages: u32,
    pub bytes: u32,
    /// Bytes that differ from the pattern.
    pub wrong: u32,
    /// Fletcher's sums over all bytes, modulo 2^16.
    low: u16,
    high: u16,
}

impl Check {
    /// Checks the next message.
    pub fn add(&mut self, message: &[u8]) {
        for (index, &byte) in message.iter().enumerate() {
            self.wrong += (byte != at(self.messages, index)) as u32;
            self.low = self.low.wrapping_add(byte as u16);
            self.high = self.high.wrapping_add(self.low);
        }
        self.messages += 1;
        self.bytes += message.len() as u32;
    }
    pub fn checksum(&self) -> u32 {
        (self.high as u32) << 16 | self.low as u32
    }
}
