//! From the words of the monitoring bus, as a program on the master takes them from its queue, to
//! parts of samples.
//!
//! The queue may have missed pairs without a mark; who reads is told how many in all
//! ([`Reader::missed`]). Then an argument may be taken for a code, but a sample's end tells that it
//! is not whole.

use testbed_definitions::event::{KINDS, MORE};
use testbed_definitions::load::Part;
use testbed_definitions::monitor::{is_reserved, MmiWord, GAP_MARKER};

use crate::PROCESSORS;

/// Codes are below this, so that most arguments whose code was lost are not taken for one.
const CODES: u16 = KINDS[KINDS.len() - 1].code + 1;

/// What the words of a pair complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    Nothing,
    /// A part of a sample of this slave.
    Part(u8, Part),
    /// Events of this slave were lost here.
    Lost(u8),
}

/// What has come of a slave and is not complete.
#[derive(Clone, Copy, Debug)]
struct Begun {
    /// The time-stamp, behind which the datum comes.
    is_stamped: bool,
    /// The code of an event whose argument comes next.
    code: Option<u16>,
    /// The next datum is the second half of a marker.
    is_marker: bool,
}

impl Begun {
    const NOTHING: Begun = Begun { is_stamped: false, code: None, is_marker: false };
}

/// Takes words.
#[derive(Clone, Debug)]
pub struct Reader {
    begun: [Begun; PROCESSORS],
    /// Pairs that the queue has missed since reset.
    missed: u32,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::new()
    }
}

impl Reader {
    pub const fn new() -> Self {
        Reader { begun: [Begun::NOTHING; PROCESSORS], missed: 0 }
    }

    /// Takes a word ([`MmiWord`]): a time-stamp, or the datum behind it.
    pub fn take(&mut self, word: u32) -> Read {
        let MmiWord { smi, value } = MmiWord::unpack(word);
        let begun = &mut self.begun[usize::from(smi) % PROCESSORS];
        begun.is_stamped ^= true;
        if begun.is_stamped {
            return Read::Nothing;
        }
        if core::mem::take(&mut begun.is_marker) {
            return Read::Nothing;
        }
        if is_reserved(value) {
            begun.is_marker = (value >> 8) as u8 == GAP_MARKER;
            if !begun.is_marker {
                return Read::Nothing;
            }
            begun.code = None;
            return Read::Lost(smi);
        }
        match begun.code.take() {
            Some(code) => Part::of(code, value).map_or(Read::Nothing, |part| Read::Part(smi, part)),
            None if value & MORE != 0 && value & !MORE < CODES => {
                begun.code = Some(value & !MORE);
                Read::Nothing
            }
            None => Read::Nothing,
        }
    }

    /// The queue has missed so many pairs since reset. `true`: more than before, so whatever has begun
    /// is damaged.
    pub fn missed(&mut self, missed: u32) -> bool {
        let is_more = core::mem::replace(&mut self.missed, missed) != missed;
        if is_more {
            self.begun.iter_mut().for_each(|begun| begun.code = None);
        }
        is_more
    }
}
