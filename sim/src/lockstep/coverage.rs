//! What a lockstep run has reached: mnemonics, trap causes, interrupts, and the states of the page map.

use std::collections::BTreeMap;
use std::fmt;

use testbed_definitions::csr::cause;
use testbed_definitions::csr::MCAUSE_INTERRUPT;
use testbed_definitions::map::RAM_BASE;

use super::disassemble::{mnemonic, MNEMONICS};
use super::translation::Tracker;
pub use super::translation::{Access, State};
use crate::engine::{Image, Retirement};

/// Exceptions that the machine can raise.
pub const EXCEPTIONS: &[(u32, &str)] = &[
    (cause::FETCH_MISALIGNED, "misaligned target"),
    (cause::FETCH_ACCESS, "fetch access fault"),
    (cause::ILLEGAL, "illegal instruction"),
    (cause::BREAKPOINT, "breakpoint"),
    (cause::LOAD_MISALIGNED, "misaligned load"),
    (cause::LOAD_ACCESS, "load access fault"),
    (cause::STORE_MISALIGNED, "misaligned store"),
    (cause::STORE_ACCESS, "store access fault"),
    (cause::ECALL_U, "ecall from U-mode"),
    (cause::ECALL_M, "ecall from M-mode"),
    (cause::FETCH_PAGE, "fetch page fault"),
    (cause::LOAD_PAGE, "load page fault"),
    (cause::STORE_PAGE, "store page fault"),
];

/// Interrupts that one core can have without a neighbour.
pub const INTERRUPTS: &[(u32, &str)] = &[(cause::SOFTWARE, "software interrupt"), (cause::TIMER, "timer interrupt")];

/// What `ld` and `sd` have been seen to do, or to refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// A load whose address was in the first register of the two, or in the second.
    BaseFirst,
    BaseSecond,
    LoadZero,
    StoreZero,
    /// Reserved: illegal.
    OddLoad,
    OddStore,
    /// The address is a multiple of four and not of eight.
    ByFour,
    /// Neither in RAM nor translated; a device's address among them.
    DeviceLoad,
    DeviceStore,
    LoadPage,
    StorePage,
}

impl Pair {
    pub const ALL: &'static [Pair] = &[
        Pair::BaseFirst,
        Pair::BaseSecond,
        Pair::LoadZero,
        Pair::StoreZero,
        Pair::OddLoad,
        Pair::OddStore,
        Pair::ByFour,
        Pair::DeviceLoad,
        Pair::DeviceStore,
        Pair::LoadPage,
        Pair::StorePage,
    ];

    /// What a retirement shows.
    fn of(r: &Retirement) -> Vec<Pair> {
        let (loads, stores) = (r.instruction & 0x707f == 0x3003, r.instruction & 0x707f == 0x3023);
        let (rd, rs1, rs2) = (r.instruction >> 7 & 31, r.instruction >> 15 & 31, r.instruction >> 20 & 31);
        let device = r.tval >> 16 != 0 && r.tval < RAM_BASE;
        let list = [
            (Pair::BaseFirst, loads && r.half && rd == rs1),
            (Pair::BaseSecond, loads && r.half && rd | 1 == rs1 && rd != 0),
            (Pair::LoadZero, loads && r.half && rd == 0),
            (Pair::StoreZero, stores && r.half && rs2 == 0),
            (Pair::OddLoad, loads && r.trap && r.cause == cause::ILLEGAL),
            (Pair::OddStore, stores && r.trap && r.cause == cause::ILLEGAL),
            (
                Pair::ByFour,
                (loads || stores)
                    && matches!(r.cause, cause::LOAD_MISALIGNED | cause::STORE_MISALIGNED)
                    && r.tval & 7 == 4,
            ),
            (Pair::DeviceLoad, loads && r.cause == cause::LOAD_ACCESS && device),
            (Pair::DeviceStore, stores && r.cause == cause::STORE_ACCESS && device),
            (Pair::LoadPage, loads && r.cause == cause::LOAD_PAGE),
            (Pair::StorePage, stores && r.cause == cause::STORE_PAGE),
        ];
        list.into_iter().filter_map(|(pair, seen)| seen.then_some(pair)).collect()
    }
}

/// Counters over any number of programs.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    mnemonics: BTreeMap<&'static str, u64>,
    causes: BTreeMap<u32, u64>,
    translations: BTreeMap<(Access, State), u64>,
    pairs: BTreeMap<Pair, u64>,
    tracker: Option<Tracker>,
    /// Accesses whose outcome was not what the tracker of translations expected: 0, or one of the two is wrong.
    pub contradictions: u64,
}

impl Coverage {
    /// Tells that what is counted next is processor 0 running `image` from cycle 0 with `ram_bytes` of RAM.
    pub fn start(&mut self, image: &Image, ram_bytes: u32) {
        self.tracker = Some(Tracker::new(image, ram_bytes));
    }

    /// Counts one retirement.
    pub fn count(&mut self, retirement: &Retirement) {
        if retirement.trap {
            *self.causes.entry(retirement.cause).or_default() += 1;
        }
        // Only `ecall` and `ebreak` do what they are for by trapping.
        let executes = !(retirement.trap || retirement.half)
            || matches!(retirement.cause, cause::BREAKPOINT | cause::ECALL_U | cause::ECALL_M);
        if let Some(name) = mnemonic(retirement.instruction).filter(|_| executes) {
            *self.mnemonics.entry(name).or_default() += 1;
        }
        for pair in Pair::of(retirement) {
            *self.pairs.entry(pair).or_default() += 1;
        }
        let Some(tracker) = &mut self.tracker else { return };
        for (access, state, expected) in tracker.follow(retirement).into_iter().flatten() {
            *self.translations.entry((access, state)).or_default() += 1;
            self.contradictions += u64::from(!expected);
        }
    }

    /// Names of what was never reached.
    pub fn missing(&self) -> Vec<String> {
        let mnemonics =
            MNEMONICS.iter().filter(|name| !self.mnemonics.contains_key(*name)).map(|name| name.to_string());
        let causes = causes().filter(|(cause, _)| !self.causes.contains_key(cause)).map(|(_, name)| name.to_owned());
        let pairs = pairs().filter(|pair| !self.translations.contains_key(pair));
        let pairs = pairs.map(|(access, state)| format!("{access:?} {state:?}"));
        let of_registers = self.missing_pairs().into_iter().map(|pair| format!("{pair:?}"));
        mnemonics.chain(causes).chain(pairs).chain(of_registers).collect()
    }

    /// What `ld` and `sd` were never seen to do or to refuse.
    pub fn missing_pairs(&self) -> Vec<Pair> {
        Pair::ALL.iter().filter(|pair| !self.pairs.contains_key(pair)).copied().collect()
    }
}

fn causes() -> impl Iterator<Item = (u32, &'static str)> {
    let interrupts = INTERRUPTS.iter().map(|&(cause, name)| (cause | MCAUSE_INTERRUPT, name));
    EXCEPTIONS.iter().copied().chain(interrupts)
}

fn pairs() -> impl Iterator<Item = (Access, State)> {
    Access::ALL.iter().flat_map(|&access| State::ALL.iter().map(move |&state| (access, state)))
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "instructions retired, by mnemonic:")?;
        for row in MNEMONICS.chunks(8) {
            let cells = row.iter().map(|name| format!("{name} {}", self.mnemonics.get(name).unwrap_or(&0)));
            writeln!(f, "    {}", cells.collect::<Vec<_>>().join("  "))?;
        }
        writeln!(f, "traps:")?;
        for (cause, name) in causes() {
            writeln!(f, "    {name} {}", self.causes.get(&cause).unwrap_or(&0))?;
        }
        writeln!(f, "page map:")?;
        for access in Access::ALL {
            let cells = State::ALL
                .iter()
                .map(|state| format!("{state:?} {}", self.translations.get(&(*access, *state)).unwrap_or(&0)));
            writeln!(f, "    {access:?}: {}", cells.collect::<Vec<_>>().join("  "))?;
        }
        let cells = Pair::ALL.iter().map(|pair| format!("{pair:?} {}", self.pairs.get(pair).unwrap_or(&0)));
        writeln!(f, "pairs of registers:\n    {}", cells.collect::<Vec<_>>().join("  "))?;
        if self.contradictions > 0 {
            writeln!(f, "    {} outcomes contradict the tracker", self.contradictions)?;
        }
        Ok(())
    }
}
