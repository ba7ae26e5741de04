//! Reading a program: 32-bit little-endian RISC-V ELF executables with PT_LOAD segments. Every
//! offset is checked. The headers must lie in the part of the file that is given: its first page.

const MACHINE_RISCV: u16 = 243;
const TYPE_EXECUTABLE: u16 = 2;
const SEGMENT_LOAD: u32 = 1;
/// Its size in memory is what the first thread's stack has to have; there is nothing in the file.
const SEGMENT_STACK: u32 = 0x6474_e551;
const PROGRAM_HEADER_BYTES: usize = 32;

/// One part of the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    pub address: u32,
    /// Bytes in memory; those after the file's are zero.
    pub bytes: u32,
    /// Where its bytes are in the file, and how many; all inside it.
    pub offset: u32,
    pub size: u32,
    pub executable: bool,
}

/// A program header lies outside what was given, or the content that it names outside the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken;

/// A program's ELF headers.
#[derive(Clone, Copy, Debug)]
pub struct Elf<'a> {
    head: &'a [u8],
    size: u32,
    pub entry: u32,
    headers: usize,
    count: usize,
}

impl<'a> Elf<'a> {
    /// `head` is the beginning of a file of `size` bytes. `None` if that is not an executable for
    /// this machine.
    pub fn parse(head: &'a [u8], size: u32) -> Option<Self> {
        let ident = head.get(..7)?;
        if ident != [0x7f, b'E', b'L', b'F', 1, 1, 1] {
            return None;
        }
        if half(head, 16)? != TYPE_EXECUTABLE || half(head, 18)? != MACHINE_RISCV {
            return None;
        }
        if half(head, 42)? as usize != PROGRAM_HEADER_BYTES {
            return None;
        }
        Some(Elf {
            head,
            size,
            entry: word(head, 24)?,
            headers: word(head, 28)? as usize,
            count: half(head, 44)? as usize,
        })
    }

    /// The segments to load, in order.
    pub fn segments(self) -> impl Iterator<Item = Result<Segment, Broken>> + use<'a> {
        (0..self.count).filter_map(move |index| self.segment(index).ok_or(Broken).transpose())
    }

    /// Bytes that the first thread's stack has to have; 0 if the program does not say.
    pub fn stack_bytes(self) -> u32 {
        let headers = (0..self.count).filter_map(|index| self.header(index));
        let mut stacks = headers.filter(|header| word(header, 0) == Some(SEGMENT_STACK));
        stacks.next().and_then(|header| word(header, 20)).unwrap_or(0)
    }

    fn header(self, index: usize) -> Option<&'a [u8]> {
        let start = self.headers.checked_add(index * PROGRAM_HEADER_BYTES)?;
        self.head.get(start..)?.get(..PROGRAM_HEADER_BYTES)
    }

    /// `Some(None)` if header `index` is of another kind, `None` if it is broken.
    fn segment(self, index: usize) -> Option<Option<Segment>> {
        let header = self.header(index)?;
        if word(header, 0)? != SEGMENT_LOAD {
            return Some(None);
        }
        let (offset, size, bytes) = (word(header, 4)?, word(header, 16)?, word(header, 20)?);
        if offset > self.size || size > self.size - offset || bytes < size {
            return None;
        }
        Some(Some(Segment { address: word(header, 8)?, bytes, offset, size, executable: word(header, 24)? & 1 != 0 }))
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
        let elf = Elf::parse(&image, image.len() as u32).unwrap();
        assert_eq!(elf.entry, 0x400);
        let expected = Segment { address: 0x400, bytes: 16, offset: 116, size: 4, executable: true };
        assert_eq!(elf.segments().collect::<Vec<_>>(), [Ok(expected)]);
    }

    #[test]
    fn a_program_says_how_large_a_stack_it_wants() {
        let mut image = image();
        let stack = |image: &[u8]| Elf::parse(image, image.len() as u32).unwrap().stack_bytes();
        assert_eq!(stack(&image), 0);
        image[52..56].copy_from_slice(&SEGMENT_STACK.to_le_bytes());
        image[52 + 20..52 + 24].copy_from_slice(&0x1_2345_u32.to_le_bytes());
        assert_eq!(stack(&image), 0x1_2345);
        assert_eq!(Elf::parse(&image, image.len() as u32).unwrap().segments().count(), 1);
    }

    #[test]
    fn rejects_what_is_broken() {
        let whole = image();
        for length in 0..whole.len() {
            let sound =
                Elf::parse(&whole[..length], length as u32).is_some_and(|elf| elf.segments().all(|s| s.is_ok()));
            assert!(!sound, "cut to {length} bytes");
        }
        for at in [0, 4, 5, 16, 18] {
            let mut image = image();
            image[at] ^= 0x55;
            assert!(Elf::parse(&image, image.len() as u32).is_none(), "byte {at}");
        }
        let mut image = image();
        image[84 + 4..84 + 8].fill(0xff);
        assert_eq!(Elf::parse(&image, image.len() as u32).unwrap().segments().collect::<Vec<_>>(), [Err(Broken)]);
    }
}
