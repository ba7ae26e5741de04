//! A ring of bytes, one producer and one consumer.

/// Holds up to `N` bytes; `N` is a power of two.
pub struct Ring<const N: usize> {
    bytes: [u8; N],
    /// Free-running counts of bytes taken and put.
    taken: u32,
    put: u32,
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Ring::new()
    }
}

impl<const N: usize> Ring<N> {
    pub const fn new() -> Self {
        assert!(N.is_power_of_two());
        Ring { bytes: [0; N], taken: 0, put: 0 }
    }
    pub const fn len(&self) -> usize {
        self.put.wrapping_sub(self.taken) as usize
    }
    pub const fn is_empty(&self) -> bool {
        self.put == self.taken
    }
    /// Bytes it still takes.
    pub const fn room(&self) -> usize {
        N - self.len()
    }
    /// Appends a byte; `false`, and nothing changes, if it is full.
    pub fn push(&mut self, byte: u8) -> bool {
        if self.room() == 0 {
            return false;
        }
        self.bytes[self.put as usize & (N - 1)] = byte;
        self.put = self.put.wrapping_add(1);
        true
    }
    /// Takes the oldest byte.
    pub fn pop(&mut self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let byte = self.bytes[self.taken as usize & (N - 1)];
        self.taken = self.taken.wrapping_add(1);
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_bounds() {
        let mut ring = Ring::<4>::new();
        let mut expected = 0;
        for round in 0..10u8 {
            (0..4).for_each(|i| assert!(ring.push(round * 4 + i)));
            assert!(!ring.push(99));
            assert_eq!((ring.len(), ring.room()), (4, 0));
            while let Some(byte) = ring.pop() {
                assert_eq!(byte, expected);
                expected += 1;
            }
        }
        assert_eq!(expected, 40);
    }
}
