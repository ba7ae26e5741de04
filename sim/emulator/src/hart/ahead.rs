//! A processor ahead of the others, and its way back.
//!
//! It may run past the look-ahead as long as nothing comes from the others, which is known only
//! when they have come there too. So it notes how it stood, what its stores and DMA overwrite and
//! the events that it stores, and does nothing that others could see at once; the network keeps its
//! station. If one of them does or sends something, it goes back and comes again only as far as
//! that is certain.

use super::memory::Memory;
use super::state::{Hart, Mark, REGISTERS};

impl Hart {
    /// Notes how the processor stands, before it runs ahead.
    pub(super) fn set_out(&mut self) {
        // All fields by name: who adds one has to say what becomes of it.
        let Hart {
            number: _,
            times: _,
            registers,
            pc,
            arrival,
            retired,
            complete,
            csrs,
            tlb,
            memory,
            clint,
            // Others may see what a UART does: nobody touches one while running ahead.
            uart: _,
            system,
            stretch,
            fetch_fault,
            mode,
            asleep,
            interrupt_at,
            let_past,
            ahead,
            second,
            overwrites,
            user_part,
            events,
            mark,
            installations: _,
            // Who records retirements does not run ahead.
            record: _,
        } = self;
        let Memory {
            words: _,
            // What is known of words goes when they are put back.
            decoded: _,
            has_code: _,
            translated: _,
            stale: _,
            fetched,
            latched,
            noting,
            overwritten,
        } = memory;
        let mut first = [0; REGISTERS];
        first.copy_from_slice(&registers[..REGISTERS]);
        *mark = Some(Mark {
            registers: first,
            pc: *pc,
            arrival: *arrival,
            retired: *retired,
            complete: *complete,
            csrs: csrs.clone(),
            tlb: tlb.clone(),
            clint: clint.clone(),
            system: system.clone(),
            stretch: *stretch,
            fetch_fault: *fetch_fault,
            mode: *mode,
            asleep: *asleep,
            interrupt_at: *interrupt_at,
            let_past: *let_past,
            ahead: *ahead,
            second: *second,
            overwrites: *overwrites,
            fetched: *fetched,
            latched: *latched,
            user_part: *user_part,
            events: events.len(),
        });
        *noting = true;
        overwritten.clear();
    }

    /// Undoes everything since [`Hart::set_out`].
    pub(super) fn go_back(&mut self) {
        while let Some((index, word)) = self.memory.overwritten.pop() {
            self.memory.words[index as usize] = word;
            self.memory.forget(index as usize);
        }
        self.memory.noting = false;
        let Some(mark) = self.mark.take() else { return };
        // By name again: a field that is not put back is one that is not used.
        let Mark {
            registers,
            pc,
            arrival,
            retired,
            complete,
            csrs,
            tlb,
            clint,
            system,
            stretch,
            fetch_fault,
            mode,
            asleep,
            interrupt_at,
            let_past,
            ahead,
            second,
            overwrites,
            fetched,
            latched,
            user_part,
            events,
        } = mark;
        self.registers[..REGISTERS].copy_from_slice(&registers);
        (self.pc, self.arrival, self.retired, self.complete) = (pc, arrival, retired, complete);
        (self.csrs, self.tlb, self.clint, self.system) = (csrs, tlb, clint, system);
        (self.stretch, self.fetch_fault, self.mode) = (stretch, fetch_fault, mode);
        (self.asleep, self.interrupt_at, self.let_past) = (asleep, interrupt_at, let_past);
        (self.ahead, self.second, self.overwrites, self.user_part) = (ahead, second, overwrites, user_part);
        (self.memory.fetched, self.memory.latched) = (fetched, latched);
        self.events.truncate(events);
    }
}
