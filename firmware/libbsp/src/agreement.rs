//! What all processes have to ask for in the same way: registrations, their ends, and bytes of tags.
//!
//! At the end of a superstep each process tells a small number that depends on what it has asked
//! for and in which order. If these differ, the processes tell the first one more, which says who
//! has asked for what, and the program ends.

use crate::items::{message_bytes, Header, Items, Kind, HEADER};
use crate::state::Bsp;

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
    pushes: u32,
    pops: u32,
    tag_calls: u32,
    /// Bytes of tags in the next superstep.
    tag_bytes: u32,
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

impl Bsp {
    /// Processes have asked for different things: the first one says for which, and all end.
    #[cold]
    pub(crate) fn disagree(&mut self) -> ! {
        const BYTES: usize = size_of::<Asked>();
        self.arena.forget_come();
        let at = match self.outbox.append(&mut self.arena, 0, HEADER + message_bytes(0, BYTES)) {
            Some(at) => at,
            None => self.out_of_memory(BYTES),
        };
        // SAFETY: there is room.
        unsafe {
            (at as *mut Header).write(Header::message(0, BYTES as u32));
            ((at + HEADER) as *mut Asked).write(self.asked);
        }
        let come = self.exchange(0);
        if self.rank != 0 {
            // The first one says why, and nobody can go on before it has.
            self.end_all()
        }
        // SAFETY: each process has put an item there, in the order of their ranks.
        let items = unsafe { Items::new(come.start, come.start + come.bytes) };
        for (rank, (_, data)) in items.filter(|(header, _)| header.kind() == Kind::Message).enumerate() {
            // SAFETY: by the rule above that is what is there.
            let other = unsafe { (data as *const Asked).read() };
            if other != self.asked {
                self.say_difference(rank, other)
            }
        }
        self.misuse(format_args!("the processes call bsp_push_reg, bsp_pop_reg or bsp_set_tagsize differently"))
    }

    fn say_difference(&self, rank: usize, other: Asked) -> ! {
        let mine = self.asked;
        for (primitive, mine, other) in [
            ("bsp_push_reg", mine.pushes, other.pushes),
            ("bsp_pop_reg", mine.pops, other.pops),
            ("bsp_set_tagsize", mine.tag_calls, other.tag_calls),
        ] {
            if mine != other {
                self.misuse(format_args!(
                    "calls of {primitive} in this superstep: {mine} here, but {other} in process {rank}"
                ))
            }
        }
        if mine.tag_bytes != other.tag_bytes {
            let (mine, other) = (mine.tag_bytes, other.tag_bytes);
            self.misuse(format_args!("bsp_set_tagsize: {mine} bytes here, but {other} in process {rank}"))
        }
        self.misuse(format_args!(
            "bsp_push_reg and bsp_pop_reg: process {rank} has called them in another order than this one, \
             or has ended another registration"
        ))
    }
}
