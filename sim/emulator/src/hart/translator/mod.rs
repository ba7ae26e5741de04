//! Translation of what runs often to this computer's code.
//!
//! It stands beside the interpreter and executes what that can, in the same cycles. A processor that
//! begins often at an instruction gets the [`region`] around it translated, and the decoded forms of
//! the region's leaders replaced by [`Op::Enter`]: where the interpreter comes to one it stops, and
//! the [`code`] goes on as far as time and its instructions allow. Whatever it can't do (a TLB miss,
//! a device, a store to instructions) it leaves to the interpreter, which leaves it to the exact
//! step.
//!
//! Whoever overwrites a word with a decoded form clears that and so tells, where anything is
//! translated, that regions may be stale; before code is entered again their words are compared with
//! memory.

#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
mod call;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[allow(unsafe_code)]
mod code;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "absent.rs"]
mod code;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod emit;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod frame;
pub(in crate::hart) mod installed;
mod region;

use std::collections::HashMap;
use std::sync::Arc;

use self::call::Place;
use self::code::{Codes, CYCLES_MAX, EXISTS};
use self::installed::{Installed, Translated, CYCLES_LEAST};
use self::region::{next_leader, Region};
use super::csr::Mode;
use super::decode::{Decoded, Op};
use super::memory::Memory;
use super::state::Hart;
use super::times::Times;
use testbed_machine::Machine;

/// How many regions are translated at most, so that a program which writes new code for ever does
/// not fill this computer's memory.
const REGIONS_MAX: usize = 4096;
/// Instructions that are interpreted from a place on before that is translated: about as long as
/// translating takes.
const INTERPRETED: u32 = 200_000;
/// On the way there it is asked so often whether another processor has translated it already.
const KNOWN_STEPS: u32 = 32;
/// The few instructions to the next block, or to where translated code goes on, are no reason to
/// translate anything.
const EXECUTED_LEAST: u64 = 8;
/// Of so many begins in the midst of a block one is looked at, and counts for all.
const SAMPLED: u32 = 8;
/// Counters of how often is begun where.
const COUNTERS: usize = 1024;

/// What all processors of a machine have translated.
pub(crate) struct Translator {
    /// How many instructions are interpreted from one place on before that is translated.
    pub worth: u32,
    /// Instructions that translated code has executed, those that were taken back too.
    pub executed: u64,
    heat: [u32; COUNTERS],
    /// Begins since one was looked at.
    passed: u32,
    ram_words: usize,
    times: Times,
    /// Nothing before the first region: most machines of tests run too short for one.
    codes: Option<Codes>,
    /// What is translated, by the instruction that it was found from, with that one's place in it.
    known: HashMap<Begin, Vec<(u32, Arc<Translated>)>>,
    /// How many regions that are.
    regions: usize,
}

/// An instruction, the one behind it, and how they are executed.
type Begin = (u32, u32, Mode);

/// How far translated code has gone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ran {
    Not,
    On,
    /// To a block's end: what comes next begins another.
    ToLeader,
}

impl Translator {
    /// For the processors of a machine. On computers for which there is no translation nothing is
    /// translated.
    pub fn new(machine: &Machine) -> Self {
        Translator {
            worth: INTERPRETED,
            executed: 0,
            heat: [0; COUNTERS],
            passed: 0,
            ram_words: machine.ram_bytes as usize / 4,
            times: Times::of(machine.core),
            codes: None,
            known: HashMap::new(),
            regions: 0,
        }
    }

    /// Translates a region, unless there are too many.
    fn make(&mut self, region: Region) -> Option<Arc<Translated>> {
        if self.regions == REGIONS_MAX {
            return None;
        }
        if self.codes.is_none() {
            self.codes = Codes::new(self.ram_words, self.times).ok();
        }
        let Some(code) = self.codes.as_mut().and_then(|codes| codes.make(&region).ok()) else {
            // There is no memory for code: what is translated by now goes on.
            self.regions = REGIONS_MAX;
            return None;
        };
        self.regions += 1;
        let leaders = region.leader_forms().collect();
        Some(Arc::new(Translated { region, code, leaders }))
    }
}

impl Hart {
    /// Executes translated code from `pc`, at `index` of memory, if there is any and it pays before
    /// `limit`; says whether that has brought it on, and to the end of a block.
    pub(super) fn run_translated(&mut self, translator: &mut Translator, index: u32, limit: u64) -> Ran {
        if self.arrival + CYCLES_LEAST > limit || !self.enters(index) {
            return Ran::Not;
        }
        if self.memory.stale.take() {
            self.installations.renew(&self.memory);
        }
        let Decoded { op: Op::Enter, imm, .. } = self.memory.decoded[index as usize].get() else { return Ran::Not };
        let Some(Installed { first, translated }) = self.installations.get(imm) else { return Ran::Not };
        let Some(codes) = &mut translator.codes else { return Ran::Not };
        let Translated { region, code, .. } = &**translated;
        if region.mode != self.mode || !region.fits(&self.stretch, *first) {
            return Ran::Not;
        }
        let limit = limit.min(self.arrival + CYCLES_MAX);
        let entry = index - first;
        let base = self.pc.wrapping_sub(4 * entry);
        let Memory { words, decoded, has_code, .. } = &mut self.memory;
        let outcome = codes.call(
            code,
            Place {
                registers: &mut self.registers,
                words,
                decoded,
                has_code,
                tlb: self.tlb.entries(),
                csrs: &mut self.csrs.plain,
                clock: self.clint.time(limit + 1),
                left: (limit - self.arrival) as i64,
                base,
                first: *first,
                entry,
            },
        );
        self.pc = base.wrapping_add(outcome.at.wrapping_mul(4));
        self.arrival = (limit as i64 - outcome.left) as u64;
        if let Some(complete) = outcome.complete {
            self.complete = (limit as i64 - complete) as u64;
        }
        self.retired += outcome.executed;
        translator.executed += outcome.executed;
        if self.memory.noting {
            self.memory.overwritten.extend(codes.stored(outcome.stored).iter().map(|&[index, word]| (index, word)));
        }
        match (outcome.executed, outcome.is_between_blocks) {
            (0, _) => Ran::Not,
            (_, false) => Ran::On,
            (_, true) => Ran::ToLeader,
        }
    }

    /// Whether translated code begins at `index` of memory.
    #[inline]
    pub(super) fn enters(&self, index: u32) -> bool {
        self.memory.decoded[index as usize].get().op == Op::Enter
    }

    /// So many instructions were interpreted from the one at `index` on, which begins a block if
    /// translated code has led there, or up to where translated code goes on: translates what lies
    /// there if that has become worth while.
    pub(super) fn note_interpreted(&mut self, translator: &mut Translator, index: u32, executed: u64, before: Ran) {
        let is_leader = before == Ran::ToLeader;
        let least = if is_leader { 1 } else { EXECUTED_LEAST.min(translator.worth.into()) };
        if !EXISTS || executed < least {
            return;
        }
        // To find the next leader takes as long as to interpret some instructions.
        let weight = if is_leader || translator.worth < SAMPLED { 1 } else { SAMPLED };
        translator.passed = (translator.passed + 1) % weight;
        if translator.passed != 0 {
            return;
        }
        // Windows begin anywhere: who begins in the midst of a block counts for the next one.
        let leader = match before {
            Ran::ToLeader => Some(index),
            _ => next_leader(&self.memory, &self.stretch, index),
        };
        let Some(leader) = leader else { return };
        // Processors run the same kernel, and what one has translated serves the others.
        let heat = &mut translator.heat[leader as usize % COUNTERS];
        let step = (translator.worth / KNOWN_STEPS).max(1);
        let before = *heat / step;
        *heat = heat.saturating_add(executed as u32 * weight);
        let (is_worth, is_looked_for) = (*heat >= translator.worth, *heat / step > before);
        if is_worth {
            *heat = 0;
        }
        if is_worth || is_looked_for {
            self.install(translator, leader, is_worth);
        }
    }

    /// Puts the region of the instruction at `leader` into memory, if it is not there; makes it if
    /// need be and `makes`.
    fn install(&mut self, translator: &mut Translator, leader: u32, makes: bool) {
        if self.memory.decoded.get(leader as usize).is_none_or(|decoded| decoded.get().op == Op::Enter) {
            return;
        }
        let word = |index: u32| self.memory.words.get(index as usize).copied().unwrap_or(0);
        let begin = (word(leader), word(leader + 1), self.mode);
        let here = |&(place, ref translated): &(u32, Arc<Translated>)| {
            let (region, first) = (&translated.region, leader.checked_sub(place)?);
            let fits = region.fits(&self.stretch, first) && region.is_at(&self.memory, first);
            fits.then(|| Installed { first, translated: translated.clone() })
        };
        let known = translator.known.get(&begin).and_then(|known| known.iter().find_map(here));
        let installed = known.or_else(|| {
            if !makes {
                return None;
            }
            let (first, region) = Region::find(&self.memory, &self.stretch, leader, (self.mode, self.times))?;
            let translated = translator.make(region)?;
            translator.known.entry(begin).or_default().push((leader - first, translated.clone()));
            Some(Installed { first, translated })
        });
        if let Some(installed) = installed {
            self.installations.add(installed, &self.memory);
        }
    }
}
