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

    /// The number of the newest registration of the area that begins there.
    #[inline]
    fn slot(&self, start: usize) -> Option<usize> {
        (0..self.count).rev().find(|&slot| self.areas[slot].start == start)
    }
}

pub struct Registry {
    /// What is registered in this superstep, and what will be in the next one.
    lists: [List; 2],
    /// Which of the two lists is this superstep's.
    now: usize,
    /// The next superstep's list is not this one's.
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
    pub const NEW: Registry = Registry { lists: [List::NEW, List::NEW], now: 0, is_changed: false };

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
        let [first, second] = &mut self.lists;
        let (now, next) = if self.now == 0 { (first, second) } else { (second, first) };
        if !self.is_changed {
            self.is_changed = true;
            next.areas[..now.count].copy_from_slice(&now.areas[..now.count]);
            next.count = now.count;
        }
        next
    }

    /// The number of the newest registration of the area that begins there.
    #[inline]
    pub fn slot(&self, start: usize) -> Option<usize> {
        self.lists[self.now].slot(start)
    }

    /// Whether the area that begins there will be registered in the next superstep.
    pub fn will_be(&self, start: usize) -> bool {
        self.is_changed && self.lists[1 - self.now].slot(start).is_some()
    }

    /// Where the list of areas is, and how many there are.
    pub fn list(&self) -> (usize, usize) {
        let list = &self.lists[self.now];
        (list.areas.as_ptr() as usize, list.count)
    }

    pub fn area(&self, slot: usize) -> Option<Area> {
        let list = &self.lists[self.now];
        list.areas[..list.count].get(slot).copied()
    }

    /// A superstep is over: changes take effect.
    pub fn superstep(&mut self) {
        if core::mem::take(&mut self.is_changed) {
            self.now = 1 - self.now;
        }
    }
}
