//! A random program as both sides know it: its threads, and everything that happens in one global
//! order.
//!
//! Each thread does its part of the list in the list's order, so nothing can wait in a circle: all
//! that comes before the earliest unfinished item is done, and so all its partners are there or on
//! their way. What is random in time (who is first at an ALT, where a thread is, who has a page)
//! changes no result, so results are known. Any part of the list is a program too, which is what
//! [`super::shrink`] lives on.

use std::ops::Range;

use testbed_definitions::limits::FIRST_STACK_PAGES;
use testbed_definitions::page::{PAGE_BYTES, VIRTUAL_BYTES};
use testbed_definitions::syscall::FOREVER;
use testbed_machine::Machine;
use testbed_trace::capture::KernelKind;

/// As in `firmware/programs/src/trial`: bytes that threads share, cells that they add to.
pub const ARENA_BYTES: u32 = 128 * 1024;
pub const CELLS: usize = 16;
/// Pages that a thread's code takes of its stack.
pub const STACK_PAGES: u32 = 5;
/// The address above the second thread's stack; one page below the first one's stays free.
const SECOND_STACK: u32 = VIRTUAL_BYTES - (FIRST_STACK_PAGES + 1) * PAGE_BYTES;

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// A script that `firmware/programs/src/bin/trial.rs` obeys.
    Rust,
    /// A source file of its own.
    C,
}

/// What a program runs on, how much of everything it may have, and what of the kernel it uses.
#[derive(Clone, Debug)]
pub struct Setting {
    pub machine: Machine,
    pub kernel: KernelKind,
    pub dgl: u32,
    /// The kernel for little RAM: messages and threads, nothing else.
    pub is_small: bool,
}

/// Where a message lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// So many bytes into the thread's own part of what all share.
    Arena(u32),
    /// So many bytes into the thread's stack, from its lowest address on.
    Stack(u32),
    /// In a block of the heap, so many bytes behind its beginning. C has one.
    Heap(u32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Who creates it; the first thread is its own parent.
    pub parent: usize,
    pub processor: u32,
    /// The address above its stack, and the stack's pages.
    pub top: u32,
    pub pages: u32,
    /// Its part of what all share.
    pub arena: Range<u32>,
    /// Bytes of its stack, from the lowest address on, in which messages may lie; and pages that
    /// calls may take.
    pub in_stack: u32,
    pub deep: u32,
}

/// What a thread does for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    Migrate {
        to: u32,
    },
    /// Another thread is moved, if it happens to be there.
    Push {
        other: usize,
        from: u32,
        to: u32,
    },
    Delay {
        microseconds: u32,
    },
    Compute {
        microseconds: u32,
    },
    Yield {
        times: u32,
    },
    Deep {
        pages: u32,
    },
    File {
        key: u32,
        bytes: u32,
    },
    Add {
        cell: usize,
        amount: u32,
        times: u32,
    },
    Invoke {
        processor: u32,
        seed: u32,
    },
    Kill {
        processor: u32,
        microseconds: u32,
    },
    /// Blocks of so many bytes, taken, filled, checked and freed in another order.
    Heap {
        blocks: Vec<u32>,
    },
}

/// One end of a message: whose, and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    pub thread: usize,
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    Message {
        channel: u8,
        from: End,
        to: End,
        key: u32,
        bytes: u32,
        room: u32,
    },
    /// The receiver takes all of these, in whatever order they come.
    Alternative {
        to: End,
        room: u32,
        timeout: u32,
        messages: Vec<(u8, End, u32, u32)>,
    },
    /// A message into (or, if `sends`, out of) pages of the shared memory at `area`, to the last of
    /// which others write until it has come.
    Fight {
        channel: u8,
        from: End,
        to: End,
        key: u32,
        bytes: u32,
        area: u32,
        sends: bool,
        writers: Vec<usize>,
        yields: bool,
    },
    Local {
        thread: usize,
        act: Act,
    },
}

impl Op {
    /// Threads that have a part in it.
    pub fn threads(&self) -> Vec<usize> {
        match self {
            Op::Message { from, to, .. } => vec![from.thread, to.thread],
            Op::Alternative { to, messages, .. } => {
                std::iter::once(to.thread).chain(messages.iter().map(|(_, from, _, _)| from.thread)).collect()
            }
            Op::Fight { from, to, writers, .. } => {
                [from.thread, to.thread].into_iter().chain(writers.clone()).collect()
            }
            Op::Local { thread, .. } => vec![*thread],
        }
    }
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub language: Language,
    pub setting: Setting,
    pub threads: Vec<Thread>,
    pub ops: Vec<Op>,
}

impl Plan {
    /// Threads that do something, or whose children do; the others are not created.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.threads.len()];
        used[0] = true;
        for thread in self.ops.iter().flat_map(Op::threads) {
            let mut thread = thread;
            while !used[thread] {
                used[thread] = true;
                thread = self.threads[thread].parent;
            }
        }
        used
    }

    pub fn has_children(&self, thread: usize) -> bool {
        let used = self.used();
        (1..self.threads.len()).any(|child| used[child] && self.threads[child].parent == thread)
    }

    /// Bytes that it uses of what threads share.
    pub fn arena_bytes(&self) -> u32 {
        let threads = self.threads.iter().map(|thread| thread.arena.end);
        let fights = self.ops.iter().map(|op| match op {
            Op::Fight { area, bytes, .. } => (area + bytes + 1).next_multiple_of(PAGE_BYTES),
            _ => 0,
        });
        // Never none, which C has no arrays of.
        threads.chain(fights).max().unwrap_or(0).next_multiple_of(8) + 8
    }

    /// Whether it starts other processes.
    pub fn invokes(&self) -> bool {
        let starts = |act: &Act| matches!(act, Act::Invoke { .. } | Act::Kill { .. });
        self.ops.iter().any(|op| matches!(op, Op::Local { act, .. } if starts(act)))
    }

    /// The threads that do something, and the list.
    pub fn text(&self) -> String {
        let used = self.used();
        let threads = self.threads.iter().enumerate().filter(|(index, _)| used[*index]);
        let threads: Vec<String> = threads.map(|(index, thread)| format!("thread {index}: {thread:?}\n")).collect();
        let ops: Vec<String> = self.ops.iter().map(|op| format!("{op:?}\n")).collect();
        threads.concat() + &ops.concat()
    }

    /// Milliseconds of machine time without progress that are too many: a few time-slices of all
    /// threads where some spin, and a long message otherwise. The report's kernel serves packets
    /// only between two time-slices.
    pub fn patience_ms(&self) -> u64 {
        let slow = if self.setting.kernel == KernelKind::Tos94 { 4 } else { 1 };
        let spins = |op: &Op| {
            matches!(op, Op::Fight { .. }) || matches!(op, Op::Alternative { timeout, .. } if *timeout != FOREVER)
        };
        if self.ops.iter().any(spins) || self.language == Language::C {
            slow * (100 * self.threads.len() as u64 + 2_000)
        } else {
            400
        }
    }
}

/// Places for stacks, downwards, with an unmapped page between two.
pub struct Stacks(u32);

impl Stacks {
    pub fn new() -> Self {
        Stacks(SECOND_STACK)
    }
    pub fn take(&mut self, pages: u32) -> u32 {
        let top = self.0;
        self.0 -= (pages + 1) * PAGE_BYTES;
        top
    }
}
