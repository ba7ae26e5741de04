//! The format of `compress`, which `gzip -d` and `uncompress` of other machines read: codes of 9 to
//! 13 bits for strings, each of which is one that has a code and a byte more (Welch, *A Technique
//! for High-Performance Data Compression*, 1984). Codes come in groups of eight, and a group in which
//! they get longer is filled up.

use alloc::vec::Vec;

/// Bits of the longest codes.
pub const BITS_MAX: u32 = 13;
const BITS_MIN: u32 = 9;
const CODES: usize = 1 << BITS_MAX;
/// The code that has all others forgotten.
const CLEAR: u16 = 256;
const FIRST: u16 = 257;
const MAGIC: [u8; 3] = [0x1f, 0x9d, 0x80 | BITS_MAX as u8];
/// Places of the table in which strings are looked up; twice as many as codes.
const PLACES: usize = 2 * CODES;

/// How wide codes are, and where in a group the last one ended.
#[derive(Default)]
struct Width {
    bits: u32,
    in_group: u32,
}

impl Width {
    fn new() -> Self {
        Width { bits: BITS_MIN, in_group: 0 }
    }
    /// The greatest number of codes that there can be before they get longer.
    fn full(&self, bits_max: u32) -> u32 {
        if self.bits == bits_max {
            1 << bits_max
        } else {
            (1 << self.bits) - 1
        }
    }
    /// Bits to the end of the group.
    fn rest(&self) -> u32 {
        let group = 8 * self.bits;
        (group - self.in_group % group) % group
    }
}

/// Makes bytes into codes.
pub struct Packer {
    /// What has been made and not been taken.
    pub out: Vec<u8>,
    prefix: Vec<u16>,
    suffix: Vec<u8>,
    places: Vec<u16>,
    free: u16,
    now: Option<u16>,
    width: Width,
    bits: u64,
    held: u32,
}

impl Default for Packer {
    fn default() -> Self {
        Packer {
            out: MAGIC.to_vec(),
            prefix: alloc::vec![0; CODES],
            suffix: alloc::vec![0; CODES],
            places: alloc::vec![0; PLACES],
            free: FIRST,
            now: None,
            width: Width::new(),
            bits: 0,
            held: 0,
        }
    }
}

impl Packer {
    fn put(&mut self, value: u32, bits: u32) {
        self.bits |= u64::from(value) << self.held;
        self.held += bits;
        while self.held >= 8 {
            self.out.push(self.bits as u8);
            self.bits >>= 8;
            self.held -= 8;
        }
    }

    fn code(&mut self, code: u16) {
        self.put(code.into(), self.width.bits);
        self.width.in_group += self.width.bits;
        if u32::from(self.free) > self.width.full(BITS_MAX) {
            let mut rest = self.width.rest();
            while rest > 0 {
                let part = rest.min(16);
                self.put(0, part);
                rest -= part;
            }
            self.width = Width { bits: self.width.bits + 1, in_group: 0 };
        }
    }

    /// The place of a string in the table: where it is, or where it would be.
    fn place(&self, prefix: u16, byte: u8) -> usize {
        let mut at = (usize::from(prefix) << 8 ^ usize::from(byte)).wrapping_mul(0x9e37_79b1) >> 7 & (PLACES - 1);
        loop {
            let code = usize::from(self.places[at]);
            if code == 0 || self.prefix[code] == prefix && self.suffix[code] == byte {
                return at;
            }
            at = (at + 1) & (PLACES - 1);
        }
    }

    /// Takes a byte.
    pub fn push(&mut self, byte: u8) {
        let Some(now) = self.now else {
            self.now = Some(byte.into());
            return;
        };
        let place = self.place(now, byte);
        if self.places[place] != 0 {
            self.now = Some(self.places[place]);
            return;
        }
        self.code(now);
        self.now = Some(byte.into());
        if usize::from(self.free) < CODES {
            (self.prefix[usize::from(self.free)], self.suffix[usize::from(self.free)]) = (now, byte);
            self.places[place] = self.free;
            self.free += 1;
        }
    }

    /// Nothing more comes.
    pub fn finish(&mut self) {
        if let Some(now) = self.now.take() {
            self.code(now);
        }
        let rest = (8 - self.held % 8) % 8;
        self.put(0, rest);
    }
}

/// Why bytes are nothing that was packed.
pub type Bad = &'static str;

/// Makes codes into bytes.
pub struct Unpacker {
    /// What has been made and not been taken.
    pub out: Vec<u8>,
    prefix: Vec<u16>,
    suffix: Vec<u8>,
    head: Vec<u8>,
    free: u16,
    before: Option<(u16, u8)>,
    width: Width,
    bits_max: u32,
    clears: bool,
    bits: u64,
    held: u32,
    /// Bits of a group's rest that are to be passed.
    passed: u32,
}

impl Default for Unpacker {
    fn default() -> Self {
        Unpacker {
            out: Vec::new(),
            prefix: alloc::vec![0; CODES],
            suffix: alloc::vec![0; CODES],
            head: Vec::new(),
            free: FIRST,
            before: None,
            width: Width::new(),
            bits_max: BITS_MAX,
            clears: true,
            bits: 0,
            held: 0,
            passed: 0,
        }
    }
}

impl Unpacker {
    /// Takes a byte.
    ///
    /// # Errors
    /// It can't follow the others.
    pub fn push(&mut self, byte: u8) -> Result<(), Bad> {
        if self.head.len() < MAGIC.len() {
            return self.begin(byte);
        }
        self.bits |= u64::from(byte) << self.held;
        self.held += 8;
        loop {
            let gone = self.passed.min(self.held);
            self.bits >>= gone;
            (self.held, self.passed) = (self.held - gone, self.passed - gone);
            if self.passed > 0 || self.held < self.width.bits {
                return Ok(());
            }
            let code = (self.bits & ((1 << self.width.bits) - 1)) as u16;
            self.bits >>= self.width.bits;
            self.held -= self.width.bits;
            self.width.in_group += self.width.bits;
            self.code(code)?;
        }
    }

    fn begin(&mut self, byte: u8) -> Result<(), Bad> {
        self.head.push(byte);
        let count = self.head.len();
        if count < MAGIC.len() {
            return if byte == MAGIC[count - 1] { Ok(()) } else { Err("not in the format of compress") };
        }
        self.clears = byte & 0x80 != 0;
        self.bits_max = u32::from(byte & 0x1f);
        self.free = if self.clears { FIRST } else { CLEAR };
        match self.bits_max {
            BITS_MIN..=BITS_MAX => Ok(()),
            _ => Err("its codes have not 9 to 13 bits: pack it again with `compress -b 13`"),
        }
    }

    fn code(&mut self, code: u16) -> Result<(), Bad> {
        if code == CLEAR && self.clears {
            (self.free, self.before) = (FIRST, None);
            self.passed = self.width.rest();
            self.width = Width::new();
            return Ok(());
        }
        let bad = "damaged";
        let mut now = code;
        let start = self.out.len();
        match self.before {
            None if code > 255 => return Err(bad),
            // The string that has just been made: the one before, with its own first byte behind it.
            Some((before, first)) if code >= self.free => {
                if code > self.free {
                    return Err(bad);
                }
                self.out.push(first);
                now = before;
            }
            _ => {}
        }
        while now > 255 {
            self.out.push(self.suffix[usize::from(now)]);
            now = self.prefix[usize::from(now)];
        }
        self.out.push(now as u8);
        self.out[start..].reverse();
        if let Some((before, _)) = self.before {
            if u32::from(self.free) < 1 << self.bits_max {
                let free = usize::from(self.free);
                (self.prefix[free], self.suffix[free]) = (before, now as u8);
                self.free += 1;
            }
        }
        self.before = Some((code, now as u8));
        if u32::from(self.free) > self.width.full(self.bits_max) {
            self.passed = self.width.rest();
            self.width = Width { bits: self.width.bits + 1, in_group: 0 };
        }
        Ok(())
    }

    /// Nothing more comes.
    ///
    /// # Errors
    /// There was not even a beginning.
    pub fn finish(&self) -> Result<(), Bad> {
        if self.head.len() == MAGIC.len() {
            Ok(())
        } else {
            Err("not in the format of compress")
        }
    }
}

/// Packs a whole text.
pub fn pack(text: &[u8]) -> Vec<u8> {
    let mut packer = Packer::default();
    text.iter().for_each(|&byte| packer.push(byte));
    packer.finish();
    packer.out
}

/// Unpacks a whole text.
///
/// # Errors
/// It was not packed.
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, Bad> {
    let mut unpacker = Unpacker::default();
    packed.iter().try_for_each(|&byte| unpacker.push(byte))?;
    unpacker.finish()?;
    Ok(unpacker.out)
}
