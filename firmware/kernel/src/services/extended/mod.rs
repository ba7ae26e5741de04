//! Services that the small kernel lacks.

pub mod alternatives;
pub mod collect;
pub mod control;
pub mod ends;
pub mod estate;
pub mod exchange;
pub mod faults;
pub mod files;
pub mod groups;
pub mod input;
pub mod invoke;
pub mod keeping;
pub mod leaving;
pub mod lists;
pub mod memory;
pub mod migrate;
pub mod mount;
pub mod moves;
pub mod pages;
pub mod paging;
pub mod pieces;
pub mod releasing;
pub mod replies;
pub mod requests;
pub mod rounds;
pub mod runs;
pub mod said;
pub mod sampling;
pub mod seats;
pub mod stacks;
pub mod staged;
pub mod staging;
pub mod status;
pub mod streams;
pub mod suspend;
pub mod through;

/// Most bytes that a call reads or writes which may do less than it was asked for, so that it
/// doesn't take long.
pub const BYTES_A_CALL: u32 = 4096;
