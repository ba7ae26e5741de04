//! Registrations: which areas of memory of different processes belong together. Each process
//! registers an area of its own, and all registrations of all processes come in the same order, so
//! a number names one everywhere.

use testbed_definitions::exchange::AREAS_MAX;

/// Registrations at a time.
pub const REGISTRATIONS: usize = AREAS_MAX;

/// An area of this process, as the kernel reads it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Area {
    pub start: usize,
    pub bytes: usize,
}

/// Areas in the order of their numbers.
struct List {
    areas: [Area; REGISTRATIONS],
    count: usize,
}

impl List {
    const NEW: List = List { areas: [Area { start: 0, bytes: 0 }; REGISTRATIONS], count: 0 };

    fn set_to(&mut self, other: &List) {
        self.areas[..other.count].copy_from_slice(&other.areas[..other.count]);
        self.count = other.count;
    }

    /// The number of the newest registration of the area that begins there.
    #[inline]
    fn slot(&self, start: usize) -> Option<usize> {
        (0..self.count).rev().find(|&slot| self.areas[slot].start == start)
    }
}

pub struct Registry {
    /// What is registered in this superstep.
    now: List,
    /// What will be in the next one, if that has been changed.
    next: List,
    is_changed: bool,
}

/// Why a change can't be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    TooMany,
    /// No such area is registered.
    Unknown,
}

impl Registry {
    pub const NEW: Registry = Registry { now: List::NEW, next: List::NEW, is_changed: false };

    /// Registers an area, from the next superstep on.
    pub fn push(&mut self, area: Area) -> Result<(), Failure> {
        let list = self.next();
        *list.areas.get_mut(list.count).ok_or(Failure::TooMany)? = area;
        list.count += 1;
        Ok(())
    }

    /// Ends the newest registration of the area that begins there, from the next superstep on. The
    /// result is its number.
    pub fn pop(&mut self, start: usize) -> Result<usize, Failure> {
        let list = self.next();
        let slot = list.slot(start).ok_or(Failure::Unknown)?;
        list.areas.copy_within(slot + 1..list.count, slot);
        list.count -= 1;
        Ok(slot)
    }

    /// The list of the next superstep, which begins as this one's.
    fn next(&mut self) -> &mut List {
        if !self.is_changed {
            self.is_changed = true;
            self.next.set_to(&self.now);
        }
        &mut self.next
    }

    /// The number of the newest registration of the area that begins there.
    #[inline]
    pub fn slot(&self, start: usize) -> Option<usize> {
        self.now.slot(start)
    }

    /// Whether the area that begins there will be registered in the next superstep.
    pub fn will_be(&self, start: usize) -> bool {
        self.is_changed && self.next.slot(start).is_some()
    }

    /// Where the list of areas is, and how many there are.
    pub fn list(&self) -> (usize, usize) {
        (self.now.areas.as_ptr() as usize, self.now.count)
    }

    pub fn area(&self, slot: usize) -> Option<Area> {
        self.now.areas[..self.now.count].get(slot).copied()
    }

    /// A superstep is over: changes take effect.
    pub fn superstep(&mut self) {
        if core::mem::take(&mut self.is_changed) {
            self.now.set_to(&self.next);
        }
    }
}
