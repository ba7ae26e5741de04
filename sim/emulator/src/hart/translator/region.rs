//! What is translated at once: instructions that lead to one another without a detour.

use std::collections::{BTreeMap, BTreeSet};

use crate::hart::csr::Mode;
use crate::hart::decode::{decode, Decoded, Op, SINK};
use crate::hart::memory::Memory;
use crate::hart::stretch::Stretch;
use crate::hart::times::{Times, PAGE_WORDS};

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
    /// Words behind some of them, in ascending order too, that are none themselves, but say on the
    /// pipelined core how long those take.
    beside: Vec<(u32, u32)>,
    /// Places where blocks begin, in ascending order. Each can be entered from outside.
    pub leaders: Vec<u32>,
    /// Place of the last word that is fetched or read ahead.
    pub reach: u32,
    /// On the pipelined core: place in its page of the first word. How long instructions take depends
    /// on where pages end.
    pub page_place: Option<u32>,
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
        let waited_for = |(&at, &word): (&u32, &u32)| {
            let waits = times.overlaps && !times.ends_page(at) && decode(word).late_register().is_some();
            let next = Some(at + 1).filter(|next| waits && !words.contains_key(next))?;
            Some((next - first, memory.words[next as usize]))
        };
        let beside: Vec<_> = words.iter().filter_map(waited_for).collect();
        let last_beside = beside.last().map_or(0, |&(at, _)| at);
        let region = Region {
            words: words.into_iter().map(|(at, word)| (at - first, word)).collect(),
            leaders: leaders.into_iter().map(|at| at - first).collect(),
            beside,
            reach: last_beside.max(last - first + u32::from(reads_ahead(decode(word).op, times))),
            page_place: times.overlaps.then_some(first % PAGE_WORDS),
            mode,
        };
        Some((first, region))
    }

    /// Whether all of it is in `stretch` if its first word is at index `first`, and each word that is
    /// read ahead; and pages end where they did when it was found.
    pub fn fits(&self, stretch: &Stretch, first: u32) -> bool {
        let is_in_place = self.page_place.is_none_or(|place| place == first % PAGE_WORDS);
        is_in_place && stretch.first <= first && first + self.reach < stretch.end()
    }

    /// The cycles more that the instruction at a place takes if it goes on to the next word.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub fn extra(&self, at: u32, times: Times) -> u64 {
        let (Some(page_place), Some(word)) = (self.page_place, self.word(at)) else { return 0 };
        match decode(word).op {
            Op::Jal | Op::Jalr => 0,
            Op::FenceI => times.anew,
            _ if times.ends_page(page_place + at) => times.anew,
            _ if self.is_waited_for(at) => times.late,
            _ => 0,
        }
    }

    /// The word at a place that it knows.
    fn word(&self, at: u32) -> Option<u32> {
        let find = |words: &[(u32, u32)]| {
            words.binary_search_by_key(&at, |&(place, _)| place).ok().map(|found| words[found].1)
        };
        find(&self.words).or_else(|| find(&self.beside))
    }

    /// The places of all words that it depends on.
    pub fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().chain(&self.beside).map(|&(at, _)| at)
    }

    /// The decoded forms of the instructions at the leaders, in order.
    pub fn leader_forms(&self) -> impl Iterator<Item = Decoded> + '_ {
        let leaders = self.words.iter().filter(|(at, _)| self.leaders.binary_search(at).is_ok());
        leaders.map(|&(at, word)| decode(word).cached().before(self.is_waited_for(at)))
    }

    /// Whether on the pipelined core the instruction at a place is followed by one that waits for it.
    fn is_waited_for(&self, at: u32) -> bool {
        let ends_page = self.page_place.is_none_or(|place| (place + at) % PAGE_WORDS == PAGE_WORDS - 1);
        let words = self.word(at).zip(self.word(at + 1));
        !ends_page && words.is_some_and(|(word, next)| decode(word).is_waited_for_by(next))
    }

    /// Whether it lies in memory, its first word at index `first`.
    pub fn is_at(&self, memory: &Memory, first: u32) -> bool {
        self.words.iter().chain(&self.beside).all(|&(at, word)| memory.words.get((first + at) as usize) == Some(&word))
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

/// Whether the word after an instruction is read ahead, and how long that takes depends on whether it
/// can be: on the first core, with loads and stores.
fn reads_ahead(op: Op, times: Times) -> bool {
    use Op::*;
    !times.overlaps && matches!(op, Lb | Lh | Lw | Lbu | Lhu | Ld | Sb | Sh | Sw | Sd)
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
        (memory, Stretch { base: 0, first: 0, words: 256, lost: false })
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

    /// On the pipelined core how long instructions take depends on the next word, translated or not, and
    /// on where pages end.
    #[test]
    fn a_region_knows_the_words_that_times_depend_on() {
        /// `lw x10, 0(x10)`, and a CSR instruction that names x10.
        const LOAD: u32 = 0x0005_2503;
        const CSRW: u32 = 0x3045_1073;
        let how = (MODE, Times::of(Core::Pipelined));
        let (mut memory, stretch) = executed(&[LOAD, ADDI, LOAD, CSRW]);
        let (first, region) = Region::find(&memory, &stretch, 0, how).unwrap();
        assert_eq!((first, region.words.len(), region.reach), (0, 3, 3));
        assert_eq!([0, 1, 2].map(|at| region.extra(at, how.1)), [1, 0, 1]);
        assert!(region.fits(&stretch, 0) && region.is_at(&memory, 0) && !region.fits(&stretch, 1));
        memory.words[3] = ADDI & !(31 << 15);
        assert!(!region.is_at(&memory, 0), "the word behind the load has changed");

        let (mut memory, stretch) = executed(&[ADDI]);
        memory.words[254..].fill(LOAD);
        (254..256).for_each(|index| memory.predecode(index));
        let (first, region) = Region::find(&memory, &stretch, 254, how).unwrap();
        assert_eq!((first, region.words.len(), region.reach), (254, 2, 1));
        assert_eq!([0, 1].map(|at| region.extra(at, how.1)), [1, 2]);
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
