//! The far end of a serial line.

use testbed_definitions::link::LINE_BITS;

/// A start or a stop bit had the wrong level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the character that began in cycle {0} has no start or stop bit where one should be")]
pub struct Broken(pub u64);

/// A character that comes.
struct Character {
    start: u64,
    bits: u32,
    value: u16,
}

/// Hears bytes on a line, 8N1: finds start bits and samples the middle of each bit by its own exact clock.
pub struct Ear {
    /// Cycles of a bit.
    bit: f64,
    cycle: u64,
    character: Option<Character>,
    /// What it heard.
    pub bytes: Vec<u8>,
}

impl Ear {
    /// At a line of `baud` whose levels are given in every cycle of a clock of `clock_hz`.
    pub fn new(clock_hz: u32, baud: u32) -> Self {
        Ear { bit: f64::from(clock_hz) / f64::from(baud), cycle: 0, character: None, bytes: vec![] }
    }

    /// The line's level in the next cycle.
    ///
    /// # Errors
    /// A character ends that is broken.
    pub fn hear(&mut self, high: bool) -> Result<(), Broken> {
        let cycle = self.cycle;
        self.cycle += 1;
        if self.character.is_none() && !high {
            self.character = Some(Character { start: cycle, bits: 0, value: 0 });
        }
        let Some(character) = &mut self.character else { return Ok(()) };
        let middle = character.start as f64 + (f64::from(character.bits) + 0.5) * self.bit;
        if cycle == middle as u64 {
            character.value |= u16::from(high) << character.bits;
            character.bits += 1;
        }
        if character.bits < LINE_BITS {
            return Ok(());
        }
        let Character { start, value, .. } = *character;
        self.character = None;
        if value & 0x201 != 0x200 {
            return Err(Broken(start));
        }
        self.bytes.push((value >> 1) as u8);
        Ok(())
    }
}
