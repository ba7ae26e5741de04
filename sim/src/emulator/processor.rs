//! One processor: its state and the loop that runs it through a window.

use super::csr::Csrs;
use super::memory::Memory;
use super::pair::Second;
use super::shared::Shared;
use super::step::Step;
use super::translate::{Lookup, Tlb, EXECUTE};
use crate::engine::Retirement;
use crate::model::{clint::Clint, system::System, uart::Uart};
use testbed_definitions::csr::{INTERRUPT_EXTERNAL, INTERRUPT_SOFTWARE, INTERRUPT_TIMER};
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::timing::FIRST_ARRIVAL;
use testbed_machine::Machine;

/// A stretch of addresses from which instructions are fetched without a further look at the TLB.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// Virtual address of the first word.
    pub base: u32,
    /// Index in RAM of the first word.
    pub first: u32,
    pub words: u32,
}

impl Stretch {
    pub const NONE: Stretch = Stretch { base: 0, first: 0, words: 0 };

    /// Index in RAM of the word at `pc`.
    pub fn index(&self, pc: u32) -> Option<u32> {
        let word = pc.wrapping_sub(self.base) / 4;
        (word < self.words).then_some(self.first + word)
    }
}

/// Where a processor stands: `pc` is the instruction that arrives (state D) in cycle `arrival`, unless it sleeps, has a fetch fault
/// to report, or has to walk the page map first (then `arrival` is when it would arrive without the walk).
pub(super) struct Processor {
    pub number: usize,
    /// x0 to x31, then those that the cache names in place of x0. As many as a byte can name: no bounds to check.
    pub registers: [u32; 256],
    pub pc: u32,
    pub arrival: u64,
    pub retired: u64,
    /// The last load, multiplication or division is not complete before this cycle.
    pub complete: u64,
    pub csrs: Csrs,
    pub tlb: Tlb,
    pub memory: Memory,
    pub clint: Clint,
    pub uart: Uart,
    pub system: System,
    pub stretch: Stretch,
    /// The cause with which the instruction that arrives next faults.
    pub fetch_fault: Option<u32>,
    /// Whether data accesses go through the TLB.
    pub translating: bool,
    /// In `wfi`, looking at the interrupt lines from cycle `arrival` on.
    pub asleep: bool,
    /// First cycle in which an arriving instruction gives way to an interrupt.
    pub interrupt_at: u64,
    /// The instruction at `pc` was let past before this cycle, and is not to be asked again.
    pub let_past: u64,
    /// What was read ahead of the instruction at `pc` when it was let past, if that may have changed since: the word after it,
    /// or nothing.
    pub ahead: Option<Option<u32>>,
    /// The second half of the pair at `pc`, if it comes in a later window than the first.
    pub second: Option<Second>,
    /// Retirements, if they are recorded.
    pub record: Option<Vec<Retirement>>,
}

impl Processor {
    pub fn new(machine: &Machine, number: usize, entry: u32) -> Self {
        let mut processor = Processor {
            number,
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
            translating: false,
            asleep: false,
            interrupt_at: u64::MAX,
            let_past: 0,
            ahead: None,
            second: None,
            record: None,
        };
        processor.refetch();
        processor
    }

    /// If it is asleep, the cycle in which an interrupt wakes it, as far as that is known.
    pub fn sleeps_until(&self, shared: &mut Shared) -> Option<u64> {
        self.asleep.then(|| self.pending_from(shared, self.arrival).unwrap_or(u64::MAX))
    }

    /// Executes everything that happens before cycle `until`: instructions whose X lies before it.
    pub fn run(&mut self, shared: &mut Shared, until: u64) {
        self.memory.fetched = None;
        if self.asleep && !self.wake(shared, until) {
            return;
        }
        self.find_interrupt(shared);
        let mut exact = self.needs_exactness(shared);
        loop {
            if !exact && self.memory.latched.is_none() && self.ahead.is_none() && self.second.is_none() {
                let limit = self.interrupt_at.min(until - 1);
                if self.arrival < limit {
                    self.run_fast(limit);
                }
                if self.arrival >= until && self.stretch.index(self.pc).is_some() {
                    break;
                }
            }
            match self.step(shared, until) {
                Step::Done => {}
                Step::Changed => {
                    self.find_interrupt(shared);
                    exact = self.needs_exactness(shared);
                }
                Step::Asleep => {
                    if !self.wake(shared, until) {
                        break;
                    }
                    self.find_interrupt(shared);
                }
                Step::Later => break,
            }
        }
        self.keep_fetched(shared, until);
    }

    /// Whether every instruction has to be looked at by itself.
    fn needs_exactness(&self, shared: &mut Shared) -> bool {
        self.record.is_some() || shared.dma_near(self.number)
    }

    /// Notes which word a fetch before `until` has read for an instruction that comes later.
    fn keep_fetched(&mut self, shared: &mut Shared, until: u64) {
        if self.asleep || self.arrival > until || self.second.is_some() {
            return;
        }
        if self.stretch.index(self.pc).is_none() {
            self.refetch();
        }
        if let Some(index) = self.stretch.index(self.pc) {
            shared.settle(self.number, &mut self.memory, index * 4, self.arrival - 1);
            self.memory.fetched = Some(index);
        }
    }

    /// Points `stretch` at `pc`, as far as that needs no walk and is no fault.
    pub fn refetch(&mut self) {
        self.stretch = Stretch::NONE;
        if self.fetch_fault.is_some() {
            return;
        }
        if !self.csrs.translates_fetches() {
            if self.memory.offset(self.pc).is_some() {
                self.stretch = Stretch { base: RAM_BASE, first: 0, words: self.memory.bytes() / 4 };
            }
        } else if let Lookup::Hit(offset) = self.tlb.look_up(self.pc, EXECUTE) {
            let within = self.pc & (PAGE_BYTES - 1);
            self.stretch = Stretch { base: self.pc - within, first: (offset - within) / 4, words: PAGE_BYTES / 4 };
        }
    }

    /// The first cycle not before `from` in which an enabled interrupt is pending in `mip`.
    fn pending_from(&self, shared: &mut Shared, from: u64) -> Option<u64> {
        // `mip` registers the lines.
        let lines = from - 1;
        let enabled = self.csrs.enabled;
        let mut first = None;
        let mut consider = |cycle: Option<u64>| {
            if let Some(cycle) = cycle {
                first = Some(first.map_or(cycle, |other: u64| other.min(cycle)));
            }
        };
        if enabled & INTERRUPT_TIMER != 0 {
            consider(self.clint.timer_from(lines));
        }
        if enabled & INTERRUPT_SOFTWARE != 0 {
            consider(self.clint.software_from(lines));
        }
        if enabled & INTERRUPT_EXTERNAL != 0 {
            consider(shared.network.external_from(self.number, lines));
        }
        first?.checked_add(1)
    }

    /// The bits of `mip` in `cycle`.
    pub fn pending(&self, shared: &mut Shared, cycle: u64) -> u32 {
        let line = cycle - 1;
        let timer = if self.clint.timer_from(line) == Some(line) { INTERRUPT_TIMER } else { 0 };
        let software = if self.clint.software_from(line) == Some(line) { INTERRUPT_SOFTWARE } else { 0 };
        let arrived = shared.network.external_from(self.number, line).is_some_and(|from| from <= line);
        timer | software | if arrived { INTERRUPT_EXTERNAL } else { 0 }
    }

    /// Works out `interrupt_at`.
    pub(super) fn find_interrupt(&mut self, shared: &mut Shared) {
        let possible = self.csrs.enabled != 0 && (self.csrs.user || self.csrs.interrupts_on);
        let pending = if possible { self.pending_from(shared, self.arrival) } else { None };
        self.interrupt_at = pending.map_or(u64::MAX, |cycle| cycle.max(self.let_past));
    }

    /// Ends the sleep if an interrupt line does before `until`; says whether it has.
    fn wake(&mut self, shared: &mut Shared, until: u64) -> bool {
        match self.pending_from(shared, self.arrival) {
            Some(cycle) if cycle < until => {
                self.asleep = false;
                self.arrival = cycle + 1;
                self.refetch();
                true
            }
            _ => {
                // Nothing woke it so far, so nothing in the past will.
                self.arrival = self.arrival.max(until);
                false
            }
        }
    }
}
