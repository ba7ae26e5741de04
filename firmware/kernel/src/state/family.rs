//! What is told of a thread's birth and of its end.

use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};

/// What a new thread is given.
#[derive(Clone, Copy)]
pub struct Birth {
    pub process: ProcessId,
    pub number: ThreadNumber,
    /// Number and processor of its parent; number 0: none.
    pub parent: (ThreadNumber, Processor),
    pub entry: u32,
    /// Address above its stack, and its pages.
    pub stack: u32,
    pub pages: u32,
}

/// What is left of a thread that has ended.
#[derive(Clone, Copy)]
pub struct Death {
    pub process: ProcessId,
    pub number: ThreadNumber,
    pub parent: (ThreadNumber, Processor),
    pub code: u32,
    /// Address above its stack, and its pages.
    pub stack: u32,
    pub pages: u32,
}
