//! Centrenet packets: one header word, the payload in words, one CRC word.

/// Destination that means every other station.
pub const BROADCAST: u8 = 0xff;
/// Stations on one bus.
pub const STATIONS_MAX: usize = 16;
/// Words of payload at most: the transmit buffer is 512 words, header and one spare included.
pub const PAYLOAD_WORDS_MAX: usize = 510;
pub const PAYLOAD_BYTES_MAX: usize = PAYLOAD_WORDS_MAX * 4;

/// This bit of a packet's kind says that nobody sends the packet again if it is lost.
pub const DATAGRAM: u8 = 0x80;

/// Header word: destination in bits 7:0, type in 15:8, payload bytes in 27:16, source in 31:28.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub destination: u8,
    pub kind: u8,
    /// Payload bytes, at most [`PAYLOAD_BYTES_MAX`].
    pub length: u16,
    pub source: u8,
}

impl Header {
    pub const fn pack(self) -> u32 {
        self.destination as u32
            | (self.kind as u32) << 8
            | ((self.length & 0xfff) as u32) << 16
            | ((self.source & 0xf) as u32) << 28
    }
    pub const fn unpack(word: u32) -> Self {
        Header {
            destination: word as u8,
            kind: (word >> 8) as u8,
            length: ((word >> 16) & 0xfff) as u16,
            source: (word >> 28) as u8,
        }
    }
    /// Words of payload, the last one padded.
    pub const fn payload_words(self) -> usize {
        (self.length as usize).div_ceil(4)
    }
}

/// The CRC is CRC-32 (IEEE 802.3, reflected, as in Ethernet and zip) over header and payload words, low byte first.
pub const CRC_POLYNOMIAL_REFLECTED: u32 = 0xedb8_8320;
/// Value the register starts from; the result is complemented.
pub const CRC_INITIAL: u32 = 0xffff_ffff;

/// One step of the CRC register over a 32-bit word, low byte first, without initial value or final complement.
pub const fn crc_step(register: u32, word: u32) -> u32 {
    let mut value = register ^ word;
    let mut bit = 0;
    while bit < 32 {
        value = if value & 1 == 1 { (value >> 1) ^ CRC_POLYNOMIAL_REFLECTED } else { value >> 1 };
        bit += 1;
    }
    value
}

/// What becomes of packets that leave a station: thresholds of FAULT_DROP and FAULT_CORRUPT.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    pub drop: u32,
    pub corrupt: u32,
}

/// The threshold below which one of the fault LFSR's draws, from 0 to 65,535, is with this
/// probability, in millionths.
pub const fn fault_threshold(millionths: u32) -> u32 {
    ((millionths as u64 * 0x1_0000 + 500_000) / 1_000_000) as u32
}

/// Feedback of the fault LFSR, x^32 + x^29 + x^28 + x^27 + x^20 + x^13 + 1, shifted right: of the
/// primitive polynomials with so few terms one for which the losses of eight packets in a row are
/// independent, any two of them.
pub const FAULT_FEEDBACK: u32 = 0x9c08_1000;

/// The draw that a state of the fault LFSR is: its lower half. Two draws are any two numbers, each pair
/// as likely as any other. With a state of sixteen bits each draw would follow from the one before,
/// and copies of a packet would not be lost independently.
pub const fn fault_draw(state: u32) -> u16 {
    state as u16
}

/// From one draw of the fault LFSR to the next: sixteen shifts, so that they share no bits. Never
/// leaves 0 or comes to it.
pub const fn fault_step(state: u32) -> u32 {
    let mut value = state;
    let mut shift = 0;
    while shift < 16 {
        value = if value & 1 == 1 { (value >> 1) ^ FAULT_FEEDBACK } else { value >> 1 };
        shift += 1;
    }
    value
}
