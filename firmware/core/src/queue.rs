//! Doubly-linked queues whose links live in a table's entries, so that an entry is unlinked in
//! constant time and nothing is ever allocated. An entry is in at most one queue at a time.

use core::cell::Cell;

/// The link that leads nowhere.
pub const NONE: u16 = 0xffff;

/// The links of one entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Links {
    next: Cell<u16>,
    previous: Cell<u16>,
}

impl Links {
    /// Links of an entry in no queue.
    pub const fn new() -> Self {
        Links { next: Cell::new(NONE), previous: Cell::new(NONE) }
    }
}

impl Default for Links {
    fn default() -> Self {
        Links::new()
    }
}

/// A table entry that can be queued.
pub trait Linked {
    fn links(&self) -> &Links;
}

/// A queue of entries of one table, by index (below [`NONE`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Queue {
    length: u16,
    head: u16,
    tail: u16,
}

impl Default for Queue {
    fn default() -> Self {
        Queue::new()
    }
}

impl Queue {
    /// Bytes from its start to its length, 16 bits, for owners that look at more in the same word.
    pub const LENGTH: usize = core::mem::offset_of!(Queue, length);

    pub const fn new() -> Self {
        Queue { head: NONE, tail: NONE, length: 0 }
    }
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }
    pub const fn len(&self) -> usize {
        self.length as usize
    }
    /// The first entry's index.
    pub const fn front(&self) -> Option<u16> {
        if self.head == NONE {
            None
        } else {
            Some(self.head)
        }
    }

    /// Appends entry `index`, which is in no queue.
    pub fn push_back<T: Linked>(&mut self, table: &[T], index: u16) {
        let links = table[index as usize].links();
        links.next.set(NONE);
        links.previous.set(self.tail);
        match self.tail {
            NONE => self.head = index,
            tail => table[tail as usize].links().next.set(index),
        }
        self.tail = index;
        self.length += 1;
    }

    /// Takes the first entry.
    pub fn pop_front<T: Linked>(&mut self, table: &[T]) -> Option<u16> {
        let index = self.front()?;
        self.remove(table, index);
        Some(index)
    }

    /// Unlinks entry `index`, which is in this queue.
    pub fn remove<T: Linked>(&mut self, table: &[T], index: u16) {
        let links = table[index as usize].links();
        let (next, previous) = (links.next.get(), links.previous.get());
        match previous {
            NONE => self.head = next,
            previous => table[previous as usize].links().next.set(next),
        }
        match next {
            NONE => self.tail = previous,
            next => table[next as usize].links().previous.set(previous),
        }
        self.length -= 1;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[derive(Default)]
    struct Entry(Links);
    impl Linked for Entry {
        fn links(&self) -> &Links {
            &self.0
        }
    }
    fn table() -> Vec<Entry> {
        (0..8).map(|_| Entry::default()).collect()
    }

    #[test]
    fn first_in_first_out() {
        let (table, mut queue) = (table(), Queue::new());
        for index in [3, 1, 7] {
            queue.push_back(&table, index);
        }
        assert_eq!(queue.len(), 3);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop_front(&table)).collect();
        assert_eq!(order, [3, 1, 7]);
        assert_eq!(queue, Queue::new());
    }

    #[test]
    fn removal_anywhere() {
        for removed in [0, 1, 2] {
            let (table, mut queue) = (table(), Queue::new());
            (0..3).for_each(|index| queue.push_back(&table, index));
            queue.remove(&table, removed);
            queue.push_back(&table, 5);
            let order: Vec<_> = std::iter::from_fn(|| queue.pop_front(&table)).collect();
            let expected: Vec<_> = (0..3).filter(|&i| i != removed).chain([5]).collect();
            assert_eq!(order, expected);
        }
    }
}
