//! What is known of a capture's wholeness.

use std::fmt;
use std::path::PathBuf;

use testbed_definitions::monitor::Pair;

use super::pieces::{Piece, Pieces};
use super::reader::Capture;
use super::words::Torn;

/// A place where the files disagree with each other, with their sums or with the hardware's
/// counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub offset: u64,
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: byte {}: {}", self.path.display(), self.offset, self.what)
    }
}

/// What is known of a capture's wholeness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integrity {
    /// By SMI: pairs from the start that are proven, hence without a hole.
    pub proven: Vec<u64>,
    pub torn: Vec<Torn>,
    pub damage: Vec<Damage>,
    /// By SMI: where the pairs that are proven are to be found, and what is left.
    pub pieces: Vec<Vec<Piece>>,
}

impl Integrity {
    pub fn is_whole(&self) -> bool {
        self.torn.is_empty() && self.damage.is_empty()
    }

    /// The pairs of SMI `smi`, as far as they are known.
    pub fn pairs(&self, capture: &Capture, smi: usize) -> Pieces {
        Pieces::new(capture, smi, self.pieces.get(smi).map_or(&[], |pieces| &pieces[..]))
    }
}

/// What a comparison of both copies of a stream found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreement {
    /// Pairs from the start that are the same in both.
    pub pairs: u64,
    /// Whether neither of them goes on, and no count says that they should.
    pub is_all: bool,
    /// Whether that is all that was delivered, by the hardware's count: proof that no pair is
    /// missing in both, or twice in both.
    pub is_proven: bool,
}

/// A pair as words of the account show it.
pub(super) fn shown(pair: u32) -> String {
    let Pair { time, datum } = Pair::unpack(pair);
    format!("{datum:#06x} at {time}")
}
