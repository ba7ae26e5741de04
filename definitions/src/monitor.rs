//! What the monitor delivers: pairs of time-stamp and datum, MMI words, markers.

/// A pair as the SMI queues it and as a CTF stream file stores it: time in bits 15:0, datum in bits 31:16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub time: u16,
    pub datum: u16,
}

impl Pair {
    pub const fn pack(self) -> u32 {
        self.time as u32 | (self.datum as u32) << 16
    }
    pub const fn unpack(word: u32) -> Self {
        Pair { time: word as u16, datum: (word >> 16) as u16 }
    }
}

/// A 20-bit word of the MMI: value in bits 15:0, SMI number in bits 19:16.
/// A pair is two words of one SMI, time-stamp first, always adjacent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MmiWord {
    pub smi: u8,
    pub value: u16,
}

impl MmiWord {
    pub const fn pack(self) -> u32 {
        self.value as u32 | ((self.smi & 0xf) as u32) << 16
    }
    pub const fn unpack(word: u32) -> Self {
        MmiWord { smi: ((word >> 16) & 0xf) as u8, value: word as u16 }
    }
}

/// High byte of a wrap marker's datum; the low byte counts wraps modulo 256. Its time is always 0.
pub const WRAP_MARKER: u8 = 0xaa;
/// High byte of a gap marker's datum; the low byte is bits 23:16 of the count of discarded events, and less than
/// [`crate::filter::TOTAL_FLAG`]: from there on it is the total of a filter's rule.
/// The next pair of that SMI carries bits 15:0 as its datum and the same time.
pub const GAP_MARKER: u8 = 0xab;
/// Largest count a gap marker can carry; the counter saturates there (the `DROPPED` register does not).
pub const GAP_COUNT_MAX: u32 = 0x00bf_ffff;

/// Whether a datum is reserved for markers. The SMI refuses such a store and counts it.
pub const fn is_reserved(datum: u16) -> bool {
    let high = (datum >> 8) as u8;
    high == WRAP_MARKER || high == GAP_MARKER
}

/// Queue depths of the report, in entries.
pub const SMI_QUEUE: usize = 1024;
pub const MMI_QUEUE: usize = 512;
/// Words of the trace port's FIFO, unless a machine description says otherwise.
pub const PORT_QUEUE: usize = 512;
/// Bits of extended time, by which pairs are ordered: the wraps' 8 above the time's 16.
pub const EXTENDED_TIME_BITS: u32 = 24;
/// Most SMIs an MMI polls: their number has four bits, and 0 is the master.
pub const SMIS_MAX: usize = 15;
