//! The state of a processor: its core, its RAM and its own devices.

use super::csr::{Csrs, Mode};
use super::memory::Memory;
use super::stretch::Stretch;
use super::times::Times;
use super::tlb::{Lookup, Tlb, EXECUTE};
use super::translator::installed::Installations;
use crate::engine::Retirement;
use crate::model::{
    clint::Clint,
    monitor::{Event, Part},
    system::System,
    uart::Uart,
};
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::timing::FIRST_ARRIVAL;
use testbed_machine::Machine;

/// What is left of a pair whose first half is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second {
    /// The instruction.
    pub word: u32,
    /// Offset in RAM of the second word.
    pub offset: u32,
    /// The word after the instruction: on the first core if it was read ahead, on the pipelined one
    /// if it is a store to the page that it was fetched from.
    pub ahead: Option<u32>,
}

/// Registers that hold something: x0 to x31, and those that the cache names in place of x0.
pub(super) const REGISTERS: usize = 36;

/// How a processor stood before it ran ahead; its RAM is put back word by word.
pub(super) struct Mark {
    pub registers: [u32; REGISTERS],
    pub pc: u32,
    pub arrival: u64,
    pub retired: u64,
    pub complete: u64,
    pub csrs: Csrs,
    pub tlb: Tlb,
    pub clint: Clint,
    pub system: System,
    pub stretch: Stretch,
    pub fetch_fault: Option<u32>,
    pub mode: Mode,
    pub asleep: bool,
    pub interrupt_at: u64,
    pub let_past: u64,
    pub ahead: Option<Option<u32>>,
    pub second: Option<Second>,
    pub overwrites: bool,
    pub fetched: Option<u32>,
    pub latched: Option<u32>,
    pub user_part: Part,
    pub events: usize,
}

/// Where a processor stands: `pc` is the instruction that arrives (state D; on the pipelined core the
/// cycle before X, whatever else is done in it) in cycle `arrival`, unless it sleeps, has a fetch
/// fault to report, or has to walk the page map first (then `arrival` is when it would arrive without
/// the walk).
pub(crate) struct Hart {
    pub(super) number: usize,
    /// The times of its core.
    pub(super) times: Times,
    /// x0 to x31, then those that the cache names in place of x0. As many as a byte can name: no
    /// bounds to check.
    pub(super) registers: [u32; 256],
    pub(super) pc: u32,
    pub(super) arrival: u64,
    pub(super) retired: u64,
    /// The last load, multiplication or division is not complete before this cycle.
    pub(super) complete: u64,
    pub(super) csrs: Csrs,
    pub(super) tlb: Tlb,
    pub(super) memory: Memory,
    pub(super) clint: Clint,
    pub uart: Uart,
    pub system: System,
    pub(super) stretch: Stretch,
    /// The cause with which the instruction that arrives next faults.
    pub(super) fetch_fault: Option<u32>,
    /// [`Csrs::mode`].
    pub(super) mode: Mode,
    /// In `wfi`, looking at the interrupt lines from cycle `arrival` on.
    pub(super) asleep: bool,
    /// First cycle in which an arriving instruction gives way to an interrupt.
    pub(super) interrupt_at: u64,
    /// The instruction at `pc` was let past before this cycle, and is not to be asked again.
    pub(super) let_past: u64,
    /// What was read ahead of the instruction at `pc` when it was let past, if that may have
    /// changed since: the word after it, or nothing.
    pub(super) ahead: Option<Option<u32>>,
    /// The second half of the pair at `pc`, if it comes in a later window than the first.
    pub(super) second: Option<Second>,
    /// On the pipelined core: the instruction before the one at `pc` has stored to the page that they
    /// were fetched from. The word at `pc` was fetched before, and is latched; the one after it is
    /// fetched anew.
    pub(super) overwrites: bool,
    /// Where the store to USER_EVENT at `pc` stands.
    pub(super) user_part: Part,
    /// Stores to the SMI that it has made ahead of the others, in order; the monitor does not know
    /// them yet.
    pub(super) events: Vec<Event>,
    /// What it goes back to if it has run too far ahead.
    pub(super) mark: Option<Mark>,
    /// What is translated of its memory.
    pub(super) installations: Installations,
    /// Retirements, if they are recorded.
    pub(super) record: Option<Vec<Retirement>>,
}

impl Hart {
    pub fn new(machine: &Machine, number: usize, entry: u32) -> Self {
        let mut hart = Hart {
            number,
            times: Times::of(machine.core),
            registers: [0; 256],
            pc: entry,
            arrival: FIRST_ARRIVAL,
            retired: 0,
            complete: 0,
            csrs: Csrs::default(),
            tlb: Tlb::new(),
            memory: Memory::new(machine.ram_bytes),
            clint: Clint::default(),
            uart: Uart::default(),
            system: System::new(machine),
            stretch: Stretch::NONE,
            fetch_fault: None,
            mode: Csrs::default().mode(),
            asleep: false,
            interrupt_at: u64::MAX,
            let_past: 0,
            ahead: None,
            second: None,
            overwrites: false,
            user_part: Part::default(),
            events: Vec::new(),
            mark: None,
            installations: Installations::default(),
            record: None,
        };
        hart.refetch();
        hart
    }

    /// Points `stretch` at `pc`, as far as that needs no walk and is no fault.
    pub(super) fn refetch(&mut self) {
        self.stretch = Stretch::NONE;
        if self.fetch_fault.is_some() {
            return;
        }
        if !self.csrs.translates_fetches() {
            if self.memory.offset(self.pc).is_some() {
                let words = self.memory.bytes() / 4;
                self.stretch = Stretch { base: RAM_BASE, first: 0, words, lost: false };
            }
        } else if let Lookup::Hit(offset) = self.tlb.look_up(self.pc, EXECUTE) {
            let within = self.pc & (PAGE_BYTES - 1);
            let first = (offset - within) / 4;
            self.stretch = Stretch { base: self.pc - within, first, words: PAGE_BYTES / 4, lost: false };
        }
    }

    /// The TLB has a new entry: the pipelined core minds it with the next fetch that begins anew, the
    /// first one at once.
    pub(super) fn tlb_changed(&mut self) {
        if !self.times.overlaps {
            self.refetch();
        } else if self.csrs.translates_fetches() {
            let Stretch { base, first, .. } = self.stretch;
            self.stretch.lost = self.tlb.look_up(base, EXECUTE) != Lookup::Hit(4 * first);
        }
    }

    /// The word at `pc` is fetched anew, as behind a jump.
    pub(super) fn begin_anew(&mut self) {
        self.overwrites = false;
        if self.stretch.lost {
            self.refetch();
        }
    }
}
