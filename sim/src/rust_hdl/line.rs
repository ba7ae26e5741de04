//! What sends bytes to the machine over its serial line, bit by bit: see "Console input" in `docs/hardware.md`.

use std::collections::VecDeque;

use testbed_definitions::map::uart;

/// A character on the line.
#[derive(Clone, Copy, Debug)]
struct Character {
    begin: u64,
    byte: u8,
    /// Cycles of a bit, known when the receiver has seen the start bit.
    bit: Option<u64>,
}

/// The far end of the serial line.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    waiting: VecDeque<u8>,
    sending: Option<Character>,
}

impl Line {
    pub fn give(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Nothing is sent, and nothing waits: the line is high.
    pub fn is_idle(&self) -> bool {
        self.sending.is_none() && self.waiting.is_empty()
    }

    /// The line's level in `cycle`, told what the UART shows then: room for a character, and its
    /// divisor. To be asked in every cycle in which it is not idle, and as often as wanted.
    pub fn level(&mut self, cycle: u64, room: bool, divisor: u32) -> bool {
        if let Some(character) = &mut self.sending {
            if cycle == character.begin + u64::from(uart::RX_DIVISOR) {
                character.bit = Some(u64::from(uart::CYCLES_PER_CHARACTER) / 10 * u64::from(divisor.max(1)));
            }
            let bits = character.bit.map_or(0, |bit| (cycle - character.begin) / bit);
            match bits {
                0 => return false,
                1..=8 => return character.byte >> (bits - 1) & 1 == 1,
                9 => return true,
                _ => self.sending = None,
            }
        }
        if let Some(byte) = if room { self.waiting.pop_front() } else { None } {
            self.sending = Some(Character { begin: cycle, byte, bit: None });
        }
        self.sending.is_none()
    }
}
