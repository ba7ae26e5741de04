//! The library's own memory, which the linker script leaves behind the program's data: what has come
//! from others lies at its start, what leaves at its end.

use testbed_definitions::exchange::AHEAD_WORDS;

extern "C" {
    static mut __bsp_start: u8;
    static mut __bsp_end: u8;
}

/// Blocks begin at multiples of this, and so does what is sent: words are copied in pairs.
pub const UNIT: usize = 8;

/// Bytes ahead of a room.
const AHEAD: usize = (4 * AHEAD_WORDS).next_multiple_of(UNIT);
const _: () = assert!(AHEAD == 4 * AHEAD_WORDS, "the words lie just ahead of the room");

/// Addresses.
pub struct Arena {
    start: usize,
    end: usize,
    /// What has come lies below this.
    low: usize,
    /// What leaves lies from here on.
    high: usize,
}

impl Arena {
    pub const NONE: Arena = Arena { start: 0, end: 0, low: 0, high: 0 };

    /// All of it, with nothing in it.
    pub fn whole() -> Arena {
        // Only addresses are taken.
        let (start, end) = ((&raw const __bsp_start) as usize, (&raw const __bsp_end) as usize);
        let (start, end) = (start.next_multiple_of(UNIT), end & !(UNIT - 1));
        Arena { start, end, low: start, high: end }
    }

    /// A block for what leaves, of at least so many bytes; `None` if there is no room.
    pub fn take(&mut self, bytes: usize) -> Option<usize> {
        let address = self.high.checked_sub(bytes.checked_next_multiple_of(UNIT)?)?;
        (address >= self.low).then(|| self.high = address)?;
        Some(address)
    }

    /// All that was to leave has left.
    pub fn forget_taken(&mut self) {
        self.high = self.end;
    }

    /// Nothing is kept of what has come.
    pub fn forget_come(&mut self) {
        self.low = self.start;
    }

    /// Where what comes next can lie, behind the words that the kernel looks at, and for how many
    /// bytes there is room.
    pub fn room(&self) -> (usize, usize) {
        (self.low + AHEAD, (self.high - self.low).saturating_sub(AHEAD))
    }

    /// So many bytes have come there.
    pub fn keep(&mut self, bytes: usize) {
        self.low += AHEAD + bytes.next_multiple_of(UNIT);
    }

    pub fn bytes(&self) -> usize {
        self.end - self.start
    }
}
