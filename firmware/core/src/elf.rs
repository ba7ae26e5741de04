//! Reading a program: 32-bit little-endian RISC-V ELF executables with PT_LOAD segments. Every offset is checked.

const MACHINE_RISCV: u16 = 243;
const TYPE_EXECUTABLE: u16 = 2;
const SEGMENT_LOAD: u32 = 1;
const PROGRAM_HEADER_BYTES: usize = 32;

/// One part of the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    pub address: u32,
    /// Bytes in memory; those after `content` are zero.
    pub bytes: u32,
    pub content: &'a [u8],
    pub executable: bool,
}

/// A program header, or the content it names, lies outside the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken;

/// A program's ELF image.
#[derive(Clone, Copy, Debug)]
pub struct Elf<'a> {
    image: &'a [u8],
    pub entry: u32,
    headers: usize,
    count: usize,
}

impl<'a> Elf<'a> {
    /// `None` if `image` is not an executable for this machine.
    pub fn parse(image: &'a [u8]) -> Option<Self> {
        let ident = image.get(..7)?;
        if ident != [0x7f, b'E', b'L', b'F', 1, 1, 1] {
            return None;
        }
        if half(image, 16)? != TYPE_EXECUTABLE || half(image, 18)? != MACHINE_RISCV {
            return None;
        }
        if half(image, 42)? as usize != PROGRAM_HEADER_BYTES {
            return None;
        }
        Some(Elf {
            image,
            entry: word(image, 24)?,
            headers: word(image, 28)? as usize,
            count: half(image, 44)? as usize,
        })
    }

    /// The segments to load, in order.
    pub fn segments(self) -> impl Iterator<Item = Result<Segment<'a>, Broken>> {
        (0..self.count).filter_map(move |index| self.segment(index).ok_or(Broken).transpose())
    }

    /// `Some(None)` if header `index` is of another kind, `None` if it is broken.
    fn segment(self, index: usize) -> Option<Option<Segment<'a>>> {
        let start = self.headers.checked_add(index * PROGRAM_HEADER_BYTES)?;
        let header = self.image.get(start..)?.get(..PROGRAM_HEADER_BYTES)?;
        if word(header, 0)? != SEGMENT_LOAD {
            return Some(None);
        }
        let (offset, size) = (word(header, 4)? as usize, word(header, 16)? as usize);
        let content = self.image.get(offset..)?.get(..size)?;
        let bytes = word(header, 20)?;
        if (bytes as usize) < size {
            return None;
        }
        Some(Some(Segment { address: word(header, 8)?, bytes, content, executable: word(header, 24)? & 1 != 0 }))
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.get(..2)?;
    Some(u16::from_le_bytes([bytes[0], bytes[1]]))
}
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.get(..4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn image() -> Vec<u8> {
        let mut image = vec![0; 52 + 2 * 32];
        image[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 1, 1, 1]);
        let mut put = |at: usize, value: u32, bytes: usize| {
            image[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        };
        put(16, 2, 2);
        put(18, 243, 2);
        put(24, 0x400, 4);
        put(28, 52, 4);
        put(42, 32, 2);
        put(44, 2, 2);
        // Another kind of header first, then a segment of 4 bytes in 16.
        put(52, 6, 4);
        for (offset, value) in [(0, 1), (4, 116), (8, 0x400), (16, 4), (20, 16), (24, 5)] {
            put(84 + offset, value, 4);
        }
        image.extend([1, 2, 3, 4]);
        image
    }

    #[test]
    fn reads_segments() {
        let image = image();
        let elf = Elf::parse(&image).unwrap();
        assert_eq!(elf.entry, 0x400);
        let expected = Segment { address: 0x400, bytes: 16, content: &[1, 2, 3, 4], executable: true };
        assert_eq!(elf.segments().collect::<Vec<_>>(), [Ok(expected)]);
    }

    #[test]
    fn rejects_what_is_broken() {
        let whole = image();
        for length in 0..whole.len() {
            let sound = Elf::parse(&whole[..length]).is_some_and(|elf| elf.segments().all(|s| s.is_ok()));
            assert!(!sound, "cut to {length} bytes");
        }
        for at in [0, 4, 5, 16, 18] {
            let mut image = image();
            image[at] ^= 0x55;
            assert!(Elf::parse(&image).is_none(), "byte {at}");
        }
        let mut image = image();
        image[84 + 4..84 + 8].fill(0xff);
        assert_eq!(Elf::parse(&image).unwrap().segments().collect::<Vec<_>>(), [Err(Broken)]);
    }
}
