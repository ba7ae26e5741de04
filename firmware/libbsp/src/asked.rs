//! What a process has asked for in a superstep that all processes have to ask for in the same way:
//! registrations, their ends, and bytes of tags.

/// The number is below this prime, of which [`FACTOR`] is a primitive root: so it differs between
/// any two counts of the same call that are less than 60 apart, and between any two bytes of tags
/// or numbers of registrations that are less than 61 apart.
const PRIME: u32 = 61;
const FACTOR: u32 = 31;
/// Calls, as what is added to the number; those with an argument begin there.
const PUSH: u32 = 1;
const POP: u32 = 2;
const TAG_BYTES: u32 = 300;

/// What a process has asked for in this superstep.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Asked {
    number: u32,
    pub pushes: u32,
    pub pops: u32,
    pub tag_calls: u32,
    /// Bytes of tags in the next superstep.
    pub tag_bytes: u32,
}

impl Asked {
    pub const NOTHING: Asked = Asked { number: 0, pushes: 0, pops: 0, tag_calls: 0, tag_bytes: 0 };

    fn add(&mut self, call: u32) {
        self.number = (self.number * FACTOR + call % PRIME) % PRIME;
    }

    pub fn push(&mut self) {
        self.add(PUSH);
        self.pushes += 1;
    }

    /// The end of the registration of that number.
    pub fn pop(&mut self, slot: usize) {
        self.add(POP + slot as u32);
        self.pops += 1;
    }

    pub fn set_tag_bytes(&mut self, bytes: u32) {
        self.add(TAG_BYTES + bytes % PRIME);
        self.tag_calls += 1;
        self.tag_bytes = bytes;
    }

    /// The number, of six bits: 0 if the process has asked for nothing.
    #[inline]
    pub fn sign(&self) -> u8 {
        match self.pushes + self.pops + self.tag_calls {
            0 => 0,
            _ => self.number as u8 + 1,
        }
    }
}
