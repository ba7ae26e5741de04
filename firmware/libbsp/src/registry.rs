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

    /// A superstep is over: registrations begin and end, in the order in which that was asked for.
    pub fn superstep(&mut self) -> Result<(), Failure> {
        for index in 0..core::mem::take(&mut self.changed) {
            if let Change::Push(area) = self.changes[index] {
                *self.areas.get_mut(self.count).ok_or(Failure::TooMany)? = area;
                self.count += 1;
            }
            if let Change::Pop(start) = self.changes[index] {
                let slot = self.slot(start).ok_or(Failure::Unknown)?;
                self.areas.copy_within(slot + 1..self.count, slot);
                self.count -= 1;
            }
        }
        Ok(())
    }
}
