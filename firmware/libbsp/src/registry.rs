//! Registrations: which areas of memory of different processes belong together. Each process
//! registers an area of its own, and all registrations of all processes come in the same order, so
//! a number names one everywhere.

use testbed_definitions::exchange::AREAS_MAX;

/// Registrations at a time, and changes in a superstep.
pub const REGISTRATIONS: usize = AREAS_MAX;

/// An area of this process, as the kernel reads it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Area {
    pub start: usize,
    pub bytes: usize,
}

/// A change that takes effect when the superstep ends.
#[derive(Clone, Copy)]
enum Change {
    Push(Area),
    Pop(usize),
}

pub struct Registry {
    areas: [Area; REGISTRATIONS],
    count: usize,
    changes: [Change; REGISTRATIONS],
    changed: usize,
    next: [Area; REGISTRATIONS],
    next_count: usize,
}

/// Why a change can't be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    TooMany,
    /// No such area is registered.
    Unknown,
}

impl Registry {
    pub const NEW: Registry = Registry {
        areas: [Area { start: 0, bytes: 0 }; REGISTRATIONS],
        count: 0,
        changes: [Change::Pop(0); REGISTRATIONS],
        changed: 0,
        next: [Area { start: 0, bytes: 0 }; REGISTRATIONS],
        next_count: 0,
    };

    /// Registers an area, from the next superstep on.
    pub fn push(&mut self, area: Area) -> Result<(), Failure> {
        self.note(Change::Push(area))
    }

    /// Ends the newest registration of the area that begins there, from the next superstep on.
    pub fn pop(&mut self, start: usize) -> Result<(), Failure> {
        self.note(Change::Pop(start))
    }

    fn note(&mut self, change: Change) -> Result<(), Failure> {
        *self.changes.get_mut(self.changed).ok_or(Failure::TooMany)? = change;
        self.changed += 1;
        Ok(())
    }

    /// The number of the newest registration of the area that begins there.
    #[inline]
    pub fn slot(&self, start: usize) -> Option<usize> {
        (0..self.count).rev().find(|&slot| self.areas[slot].start == start)
    }

    /// Where the list of areas is, and how many there are.
    pub fn list(&self) -> (usize, usize) {
        (self.areas.as_ptr() as usize, self.count)
    }

    pub fn area(&self, slot: usize) -> Option<Area> {
        self.areas[..self.count].get(slot).copied()
    }

    /// Whether registrations begin or end with this superstep.
    pub fn changes(&self) -> bool {
        self.changed != 0
    }

    /// The registrations that there will be when the superstep is over, in the order in which that was
    /// asked for, and a number that all processes have alike if they have asked for the same: which
    /// registrations begin and end, whatever the areas are.
    pub fn prepare(&mut self) -> Result<u32, Failure> {
        self.next[..self.count].copy_from_slice(&self.areas[..self.count]);
        self.next_count = self.count;
        let mut all_alike = !(self.changed as u32);
        for index in 0..core::mem::take(&mut self.changed) {
            let number = match self.changes[index] {
                Change::Push(area) => {
                    *self.next.get_mut(self.next_count).ok_or(Failure::TooMany)? = area;
                    self.next_count += 1;
                    0
                }
                Change::Pop(start) => {
                    let all = &self.next[..self.next_count];
                    let slot = all.iter().rposition(|area| area.start == start).ok_or(Failure::Unknown)?;
                    self.next.copy_within(slot + 1..self.next_count, slot);
                    self.next_count -= 1;
                    1 + slot as u32
                }
            };
            all_alike = (all_alike ^ number).wrapping_mul(0x9e37_79b1).rotate_left(5);
        }
        Ok(all_alike)
    }

    /// The superstep is over, for which [`Self::prepare`] was called.
    pub fn superstep(&mut self) {
        self.count = self.next_count;
        self.areas[..self.count].copy_from_slice(&self.next[..self.count]);
    }
}
