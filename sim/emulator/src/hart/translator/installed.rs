//! What is translated of one processor's memory, and how it comes there.

use std::sync::Arc;

use super::code::Code;
use super::region::{Region, INSTRUCTIONS_MAX};
use crate::hart::decode::{Decoded, Op};
use crate::hart::memory::{Memory, CODE_SHIFT};

/// A call takes as long as some ten instructions: with fewer cycles than this to go it is not worth
/// while.
pub(in crate::hart) const CYCLES_LEAST: u64 = 32;

/// A region and its code.
pub(super) struct Translated {
    pub region: Region,
    pub code: Code,
    /// The decoded forms of its leaders, in order.
    pub leaders: Vec<Decoded>,
}

/// A region that one processor has in its memory.
pub(super) struct Installed {
    /// Index of its first word.
    pub first: u32,
    pub translated: Arc<Translated>,
}

/// The regions that one processor has in its memory. What [`Op::Enter`] holds is a region's number
/// and that of a leader in it.
#[derive(Default)]
pub(in crate::hart) struct Installations(Vec<Option<Installed>>);

/// Bits of a leader's number in what [`Op::Enter`] holds.
const LEADER_BITS: u32 = INSTRUCTIONS_MAX.ilog2();

impl Installations {
    /// The region that [`Op::Enter`], holding `entry`, belongs to.
    pub(super) fn get(&self, entry: u32) -> Option<&Installed> {
        self.0[(entry >> LEADER_BITS) as usize].as_ref()
    }

    /// The decoded form of the instruction that [`Op::Enter`], holding `entry`, stands for.
    pub fn under(&self, entry: u32) -> Decoded {
        let leader = entry as usize % INSTRUCTIONS_MAX;
        self.get(entry).map_or(Decoded::UNDECODED, |installed| installed.translated.leaders[leader])
    }

    /// Puts a region in.
    pub(super) fn add(&mut self, installed: Installed, memory: &Memory) {
        let number = self.0.iter().position(Option::is_none).unwrap_or(self.0.len());
        if number == self.0.len() {
            self.0.push(None);
        }
        installed.put(memory, number as u32);
        self.0[number] = Some(installed);
    }

    /// Takes the regions out that memory does not hold any more, and puts the others in as if they
    /// were new.
    pub(super) fn renew(&mut self, memory: &Memory) {
        for (number, place) in self.0.iter_mut().enumerate() {
            let Some(installed) = place else { continue };
            if installed.translated.region.is_at(memory, installed.first) {
                installed.put(memory, number as u32);
            } else {
                installed.take_out(memory, number as u32);
                *place = None;
            }
        }
    }
}

impl Installed {
    /// Index in memory of each leader, and what [`Op::Enter`] holds there if the region has this
    /// number.
    fn leaders(&self, number: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let entries = (number << LEADER_BITS)..;
        self.translated.region.leaders.iter().map(|&leader| (self.first + leader) as usize).zip(entries)
    }

    fn put(&self, memory: &Memory, number: u32) {
        for at in self.translated.region.places() {
            let index = (self.first + at) as usize;
            if memory.decoded[index].get() == Decoded::UNDECODED {
                memory.predecode(index);
            }
            memory.translated[index >> CODE_SHIFT].set(true);
        }
        for (leader, imm) in self.leaders(number) {
            memory.decoded[leader].set(Decoded { op: Op::Enter, imm, ..Decoded::UNDECODED });
        }
    }

    fn take_out(&self, memory: &Memory, number: u32) {
        for (leader, imm) in self.leaders(number) {
            if memory.decoded[leader].get() == (Decoded { op: Op::Enter, imm, ..Decoded::UNDECODED }) {
                memory.predecode(leader);
            }
        }
    }
}
