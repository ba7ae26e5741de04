//! What is translated at once: instructions that lead to one another without a detour.

use std::collections::{BTreeMap, BTreeSet};

use crate::hart::csr::Mode;
use crate::hart::decode::{decode, Decoded, Op, SINK};
use crate::hart::memory::Memory;
use crate::hart::stretch::Stretch;
use crate::hart::times::Times;

/// How many instructions a region has at most, and how far from where it was found they lie.
pub(super) const INSTRUCTIONS_MAX: usize = 1024;
const WORDS_AROUND: u32 = 2048;
/// How many instructions a block has at most: a longer one is begun less often before a limit, and
/// left to the interpreter by who comes into its midst.
const BLOCK_MAX: u32 = 16;

/// Instructions that branches, jumps, calls and the plain way connect, by their places. It says
/// nothing of where in memory it lies: the same instructions are the same region on every
/// processor.
pub(super) struct Region {
    /// Words of instructions in ascending order, each with its place behind the first.
    pub words: Vec<(u32, u32)>,
    /// Places where blocks begin, in ascending order. Each can be entered from outside.
    pub leaders: Vec<u32>,
    /// Place of the last word that is fetched or read ahead.
    pub reach: u32,
    /// How its instructions are executed.
    pub mode: Mode,
}

impl Region {
    /// The region of the instruction at `index` of memory, within `stretch`, as far as it has been
    /// executed, and the index of its first word; nothing if that instruction can't be translated.
    /// It is executed in this mode by a core of these times.
    pub fn find(memory: &Memory, stretch: &Stretch, index: u32, (mode, times): (Mode, Times)) -> Option<(u32, Region)> {
        let low = stretch.first.max(index.saturating_sub(WORDS_AROUND));
        let high = stretch.end().min(index + WORDS_AROUND);
        let (mut words, mut leaders) = (BTreeMap::new(), BTreeSet::new());
        let mut left = vec![index];
        while let Some(leader) = left.pop() {
            let mut at = leader;
            while (low..high).contains(&at) && words.len() < INSTRUCTIONS_MAX {
                if words.contains_key(&at) {
                    leaders.insert(at);
                    break;
                }
                let word = memory.words[at as usize];
                let decoded = decode(word).cached();
                let was_executed = memory.decoded[at as usize].get() != Decoded::UNDECODED;
                // The word after the stretch's last one isn't known to be read ahead.
                let is_last = reads_ahead(decoded.op, times) && at + 1 == stretch.end();
                if !was_executed || is_last {
                    break;
                }
                if !is_translated(decoded.op) {
                    // The exact step executes it, mostly to go on behind it.
                    left.push(at + 1);
                    break;
                }
                words.insert(at, word);
                if (at - leader).is_multiple_of(BLOCK_MAX) {
                    leaders.insert(at);
                }
                left.extend(successors(decoded, at));
                if ends_block(decoded.op) {
                    break;
                }
                at += 1;
            }
        }
        words.get(&index)?;
        let (&first, _) = words.first_key_value()?;
        let (&last, &word) = words.last_key_value()?;
        leaders.retain(|leader| words.contains_key(leader));
        let region = Region {
            words: words.into_iter().map(|(at, word)| (at - first, word)).collect(),
            leaders: leaders.into_iter().map(|at| at - first).collect(),
            reach: last - first + u32::from(reads_ahead(decode(word).op, times)),
            mode,
        };
        Some((first, region))
    }

    /// Whether all of it is in `stretch` if its first word is at index `first`, and each word that is
    /// read ahead.
    pub fn fits(&self, stretch: &Stretch, first: u32) -> bool {
        stretch.first <= first && first + self.reach < stretch.end()
    }

    /// The instructions at the leaders.
    pub fn leader_words(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().filter(|(at, _)| self.leaders.binary_search(at).is_ok()).map(|&(_, word)| word)
    }

    /// Whether it lies in memory, its first word at index `first`.
    pub fn is_at(&self, memory: &Memory, first: u32) -> bool {
        self.words.iter().all(|&(at, word)| memory.words.get((first + at) as usize) == Some(&word))
    }
}

/// Where else than right behind itself the instruction at `at` may lead, and where it is come back
/// to if it is a call.
fn successors(decoded: Decoded, at: u32) -> impl Iterator<Item = u32> {
    let target = at.wrapping_add(decoded.imm);
    let (next, calls) = (at + 1, decoded.rd != SINK);
    let (first, second) = match decoded.op {
        Op::Jal => (Some(target), calls.then_some(next)),
        Op::Jalr => (None, calls.then_some(next)),
        op if is_branch(op) => (Some(target), Some(next)),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// The next instruction from `index` on to which a branch, jump or call leads, or which is come back
/// to, and that can be translated: who begins in the midst of a block finds the same one again.
pub(super) fn next_leader(memory: &Memory, stretch: &Stretch, index: u32) -> Option<u32> {
    let executed = |from: u32| {
        let forms = (from..stretch.end()).map(|at| (at, memory.decoded[at as usize].get()));
        forms.take_while(|(_, decoded)| !matches!(decoded.op, Op::Undecoded | Op::Enter))
    };
    let (at, end) = executed(index).find(|(_, decoded)| ends_block(decoded.op))?;
    let next = successors(end, at).next().filter(|next| (stretch.first..stretch.end()).contains(next))?;
    let leader = executed(next).find(|(_, decoded)| is_translated(decoded.op));
    leader.map(|(leader, _)| leader)
}

pub(super) fn is_branch(op: Op) -> bool {
    matches!(op, Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu)
}

pub(super) fn ends_block(op: Op) -> bool {
    is_branch(op) || matches!(op, Op::Jal | Op::Jalr)
}

/// Whether the word after an instruction is read ahead, and how long that takes depends on it.
fn reads_ahead(op: Op, times: Times) -> bool {
    is_access(op) || times.overlaps && !matches!(op, Op::Jal | Op::Jalr | Op::FenceI)
}

fn is_access(op: Op) -> bool {
    matches!(op, Op::Lb | Op::Lh | Op::Lw | Op::Lbu | Op::Lhu | Op::Ld | Op::Sb | Op::Sh | Op::Sw | Op::Sd)
}

/// Whether the interpreter executes it too, and not only the exact step.
fn is_translated(op: Op) -> bool {
    use Op::*;
    !matches!(op, Undecoded | Enter | Csr | Ecall | Ebreak | Mret | Wfi | Illegal | MisalignedTarget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed_machine::Core;

    const MODE: Mode = Mode { translating: false, machine: true, times: true };
    const HOW: (Mode, Times) = (MODE, Times::of(Core::Multicycle));
    const CSRR: u32 = 0xf140_2573;
    const ADDI: u32 = 0x0015_0513;
    /// `beq x0, x0, -8`.
    const BACK: u32 = 0xfe00_0ce3;

    fn executed(words: &[u32]) -> (Memory, Stretch) {
        let mut memory = Memory::new(1024);
        memory.words[..words.len()].copy_from_slice(words);
        (0..words.len()).for_each(|index| memory.predecode(index));
        (memory, Stretch { base: 0, first: 0, words: 256 })
    }

    /// Who counts for an instruction of the exact step would have the same region made again and
    /// again, since translated code can't begin there.
    #[test]
    fn a_region_begins_with_an_instruction_that_can_be_translated() {
        let (memory, stretch) = executed(&[CSRR, ADDI, BACK]);
        assert_eq!(next_leader(&memory, &stretch, 1), Some(1), "not that of the exact step before it");
        assert!(Region::find(&memory, &stretch, 0, HOW).is_none());
        let (first, region) = Region::find(&memory, &stretch, 1, HOW).unwrap();
        assert_eq!((first, region.words, region.leaders), (1, vec![(0, ADDI), (1, BACK)], vec![0]));
    }

    #[test]
    fn what_was_never_executed_is_not_translated() {
        let (memory, stretch) = executed(&[ADDI, ADDI]);
        let (first, region) = Region::find(&memory, &stretch, 0, HOW).unwrap();
        assert_eq!((first, region.words.len(), region.reach), (0, 2, 1));
        assert!(next_leader(&memory, &stretch, 0).is_none());
        assert!(Region::find(&memory, &stretch, 2, HOW).is_none());
    }
}
