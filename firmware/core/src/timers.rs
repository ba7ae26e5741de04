//! Deadlines of a table's entries, earliest first: a binary heap of their indices. An entry knows
//! its place in it, so that it can be taken out before its time.

use crate::queue::NONE;
use core::cell::Cell;

/// When an entry is due, and where it is in the heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alarm {
    deadline: Cell<u64>,
    place: Cell<u16>,
}

impl Alarm {
    /// An alarm that waits for no time.
    pub const fn new() -> Self {
        Alarm { deadline: Cell::new(u64::MAX), place: Cell::new(NONE) }
    }
    /// Where the deadline is, in bytes.
    pub const DEADLINE: usize = core::mem::offset_of!(Alarm, deadline);
}

impl Default for Alarm {
    fn default() -> Self {
        Alarm::new()
    }
}

/// A table entry that can have a deadline.
pub trait Timed {
    fn alarm(&self) -> &Alarm;
}

/// The heap, with room for every entry of the table.
pub struct Timers<'a> {
    heap: &'a mut [u16],
    count: usize,
    /// The earliest deadline; the end of time if there is none.
    first: u64,
}

impl<'a> Timers<'a> {
    /// `heap` has as many places as the table has entries.
    pub const fn new(heap: &'a mut [u16]) -> Self {
        Timers { heap, count: 0, first: u64::MAX }
    }

    /// The earliest deadline; `u64::MAX` if there is none.
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// Whether there is no deadline.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Gives entry `index`, which has none, a deadline.
    pub fn arm<T: Timed>(&mut self, table: &[T], index: u16, deadline: u64) {
        if self.count < self.heap.len() {
            table[index as usize].alarm().deadline.set(deadline);
            self.count += 1;
            self.rise(table, self.count - 1, index);
            self.first = deadline.min(self.first);
        }
    }

    /// Takes entry `index`'s deadline away, if it has one. Most have none.
    #[inline]
    pub fn disarm<T: Timed>(&mut self, table: &[T], index: u16) {
        let place = table[index as usize].alarm().place.get() as usize;
        if place < self.count && self.heap[place] == index {
            self.take_out(table, place, index);
        }
    }

    /// Takes entry `index`, which is at `place`, out.
    #[inline(never)]
    fn take_out<T: Timed>(&mut self, table: &[T], place: usize, index: u16) {
        let alarm = table[index as usize].alarm();
        alarm.deadline.set(u64::MAX);
        alarm.place.set(NONE);
        self.count -= 1;
        let last = self.heap[self.count];
        if last != index {
            let hole = self.sink(table, place, last);
            self.rise(table, hole, last);
        }
        self.first = if self.count == 0 { u64::MAX } else { table[self.heap[0] as usize].alarm().deadline.get() };
    }

    /// Takes an entry out that is due at `now`.
    pub fn expired<T: Timed>(&mut self, table: &[T], now: u64) -> Option<u16> {
        if self.first > now || self.count == 0 {
            return None;
        }
        let index = self.heap[0];
        self.disarm(table, index);
        Some(index)
    }

    fn put<T: Timed>(&mut self, table: &[T], place: usize, index: u16) {
        self.heap[place] = index;
        table[index as usize].alarm().place.set(place as u16);
    }

    /// Puts `index` at `place` or above, where nothing above it is due later.
    fn rise<T: Timed>(&mut self, table: &[T], mut place: usize, index: u16) {
        let deadline = table[index as usize].alarm().deadline.get();
        while place != 0 {
            let above = self.heap[(place - 1) / 2];
            if table[above as usize].alarm().deadline.get() <= deadline {
                break;
            }
            self.put(table, place, above);
            place = (place - 1) / 2;
        }
        self.put(table, place, index);
    }

    /// Moves entries that are due before `index` up from below `place`; returns the place that
    /// becomes free.
    fn sink<T: Timed>(&mut self, table: &[T], mut place: usize, index: u16) -> usize {
        let deadline = table[index as usize].alarm().deadline.get();
        loop {
            let mut below = 2 * place + 1;
            if below >= self.count {
                return place;
            }
            let due = |place: usize| table[self.heap[place] as usize].alarm().deadline.get();
            if below + 1 < self.count && due(below + 1) < due(below) {
                below += 1;
            }
            if due(below) >= deadline {
                return place;
            }
            self.put(table, place, self.heap[below]);
            place = below;
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[derive(Clone)]
    struct Entry(Alarm);
    impl Timed for Entry {
        fn alarm(&self) -> &Alarm {
            &self.0
        }
    }

    /// Random deadlines come, go and expire, beside a plain list.
    #[test]
    fn equals_a_list() {
        const ENTRIES: usize = 40;
        let table = std::vec![Entry(Alarm::new()); ENTRIES];
        let mut heap = [0; ENTRIES];
        let mut timers = Timers::new(&mut heap);
        let mut list: Vec<(u64, u16)> = Vec::new();
        let (mut random, mut now) = (1u32, 0u64);
        let mut expired = 0;
        for _ in 0..20_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (index, value) = ((random >> 16) as u16 % ENTRIES as u16, u64::from(random >> 8 & 0xff));
            let armed = list.iter().any(|&(_, other)| other == index);
            match random >> 30 {
                0 | 1 if !armed => {
                    timers.arm(&table, index, now + value);
                    list.push((now + value, index));
                }
                2 => {
                    timers.disarm(&table, index);
                    list.retain(|&(_, other)| other != index);
                }
                _ => {
                    now += value / 16;
                    while let Some(due) = timers.expired(&table, now) {
                        let earliest = list.iter().map(|&(deadline, _)| deadline).min().unwrap();
                        let place = list.iter().position(|&(_, other)| other == due).unwrap();
                        assert_eq!(list.remove(place).0, earliest);
                        expired += 1;
                    }
                }
            }
            let first = list.iter().map(|&(deadline, _)| deadline).min();
            assert_eq!(timers.first(), first.unwrap_or(u64::MAX));
            assert!(first.is_none_or(|first| first > now || random >> 30 != 3));
        }
        assert!(expired > 1_000);
    }
}
