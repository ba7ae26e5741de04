//! What must hold.

use super::*;
use testbed_definitions::page::PTE_WANTED;

impl World {
    fn held<'a>(&self, state: &'a State, page: usize) -> &'a [Held] {
        let processors = self.processors as usize;
        &state.held[page * processors..(page + 1) * processors]
    }

    /// In every page the number of processors whose entry has `bits`.
    fn count(&self, state: &State, page: usize, bits: u32) -> usize {
        self.held(state, page).iter().filter(|held| held.entry & bits == bits).count()
    }

    fn pages(&self) -> std::ops::Range<usize> {
        0..self.owners.len()
    }

    /// Nothing is under way and nobody is about to do anything.
    fn is_quiet(&self, state: &State) -> bool {
        state.messages.is_empty() && !state.threads.iter().any(|thread| matches!(thread.touch, Doing::Ready { .. }))
    }

    /// What the directory says of a page is what the processors have.
    fn agrees(&self, state: &State, page: usize) -> bool {
        let entry = &state.entries[page];
        let held = self.held(state, page);
        match entry.phase() {
            Phase::Absent => *entry == Entry::default() && held.iter().all(|held| held.entry == 0),
            Phase::Quiet => {
                let waiting = entry.reading.or(entry.writing);
                waiting.is_empty()
                    && held.iter().enumerate().all(|(processor, held)| {
                        let (processor, entry) = (Processor::new(processor as u8), held.entry);
                        match (state.entries[page].owner() == processor, state.entries[page].copies.has(processor)) {
                            (true, false) if state.entries[page].copies.is_empty() => entry | PTE_WRITE == WRITABLE,
                            (true, false) => entry == WRITABLE & !PTE_WRITE,
                            (false, true) => entry == PTE_VALID | PTE_READ,
                            (false, false) => entry == 0,
                            (true, true) => false,
                        }
                    })
            }
            _ => false,
        }
    }
}

/// All properties; that everything ends only where a thread whose page has come can't lose it again
/// before it goes on, or has it kept.
pub fn all(world: &World) -> Vec<Property<World>> {
    let mut list = vec![
        Property::always("one can write", |world: &World, state: &State| {
            world.pages().all(|page| world.count(state, page, PTE_WRITE) <= 1)
        }),
        Property::always("nobody reads beside one who can write", |world: &World, state: &State| {
            world
                .pages()
                .all(|page| world.count(state, page, PTE_WRITE) == 0 || world.count(state, page, PTE_VALID) == 1)
        }),
        Property::always("what is read was written last", |_: &World, state: &State| !state.stale),
        Property::always("one owner", |world: &World, state: &State| {
            world.pages().all(|page| world.count(state, page, PTE_OWNED) <= 1)
        }),
        Property::always("a frame wherever a page is or is wanted", |_: &World, state: &State| {
            state.held.iter().all(|held| held.frames == (held.entry & (PTE_VALID | PTE_WANTED) != 0) as i8)
        }),
        Property::always("a call waits at most twice for each page", |world: &World, state: &State| {
            !world.waits_too_often(state)
        }),
        Property::always("what has come stays until all have used it who waited", |world: &World, state: &State| {
            world.finds_what_came(state)
        }),
        Property::always("every request is answered", |world: &World, state: &State| {
            !world.is_quiet(state)
                || !state.threads.iter().any(|thread| matches!(thread.touch, Doing::Blocked { .. }))
                    && state.freeing == 0
        }),
        Property::always("directory and holders agree when all is quiet", |world: &World, state: &State| {
            !world.is_quiet(state) || world.pages().all(|page| world.agrees(state, page))
        }),
        Property::always("pages don't vanish", |world: &World, state: &State| {
            let ended = state.ends_left == 0 && world.ends_at.is_some();
            world.pages().all(|page| state.entries[page].phase() != Phase::Absent || page == 0 && ended)
        }),
        Property::sometimes("a page moves", |world: &World, state: &State| {
            state.entries[0].owner() != world.owners[0] && state.entries[0].phase() == Phase::Quiet
        }),
    ];
    // Calls only write.
    list.push(if world.calls.is_empty() {
        Property::sometimes("a page is copied", |_: &World, state: &State| !state.entries[0].copies.is_empty())
    } else {
        Property::sometimes("two pages are kept at a time", |_: &World, state: &State| {
            state.owed.iter().any(|owed| owed.count_ones() > 1)
        })
    });
    if world.at_once || !world.calls.is_empty() {
        list.push(Property::eventually("all is done", |world: &World, state: &State| {
            world.is_quiet(state) && state.threads.iter().all(|thread| thread.left == 0)
        }));
    }
    list
}
