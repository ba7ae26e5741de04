//! Messages whose every byte is known to both sides.

/// From one word of a message to the next.
const WORD_STEP: u32 = 0x9e37_79b1;

/// Bytes that follow from a key.
#[derive(Clone, Copy)]
pub struct Message {
    pub key: u32,
    pub bytes: usize,
}

impl Message {
    fn words(self) -> impl Iterator<Item = u32> {
        (0u32..).map(move |index| self.key.wrapping_add(index.wrapping_mul(WORD_STEP)))
    }

    /// Writes it into a buffer of so many bytes.
    pub fn fill(self, buffer: &mut [u8]) {
        for (place, word) in buffer.chunks_mut(4).zip(self.words()) {
            place.copy_from_slice(&word.to_le_bytes()[..place.len()]);
        }
    }

    /// Whether a buffer has its first bytes.
    pub fn is_in(self, buffer: &[u8]) -> bool {
        buffer.chunks(4).zip(self.words()).all(|(bytes, word)| *bytes == word.to_le_bytes()[..bytes.len()])
    }
}

/// Of bytes as they are in memory: rotated left by five and exclusive or, word by word, the last
/// one padded with zeros; then the length.
pub fn hash(bytes: &[u8]) -> u32 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    let all = bytes.chunks(4).fold(0u32, |hash, chunk| hash.rotate_left(5) ^ word(chunk));
    all.wrapping_mul(31).wrapping_add(bytes.len() as u32)
}
