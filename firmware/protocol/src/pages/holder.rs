//! What a processor has of a page: in the page-map entry's permissions and two of the bits that
//! hardware leaves to software.
//!
//! | entry | what is here |
//! |---|---|
//! | 0 | nothing |
//! | valid, read | a copy |
//! | valid, read, owned | the page; others have copies |
//! | valid, read, write, owned | the page, to write |
//! | [`PTE_WANTED`] besides | the home has been asked for the page, and will answer |
//!
//! A frame, whose number the functions here leave alone, belongs to the entry as long as it is
//! valid or the page is wanted.

use super::{Order, Report};
use crate::Processor;
use testbed_definitions::page::{PTE_OWNED, PTE_READ, PTE_VALID, PTE_WANTED, PTE_WRITE};

const PERMISSIONS: u32 = PTE_VALID | PTE_READ | PTE_WRITE;

/// What a thread that touches a page has to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Touch {
    /// Nothing: it may.
    Allowed,
    /// Ask the home, and wait.
    Ask(Report),
    /// Wait: the home has been asked, perhaps for less. It has to touch again then.
    Wait,
}

/// What the processor has to do after a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// Tell the home.
    Report(Report),
    /// Send the page's data to a processor: as [`Order::Copy`], or as [`Order::Move`]; `free`: the
    /// frame is free once the data has left.
    Send { to: Processor, order: Order, free: bool },
    /// Report [`Report::Done`]; those who wait may touch again. `data`: the message's data goes
    /// into the frame first.
    Arrived { data: bool },
    /// Report [`Report::Invalidated`]. `free`: there was something, and its frame is free.
    Invalidated { free: bool },
    /// Those who wait have touched a page that does not exist. `free`: the frame is free.
    Refused { free: bool },
    /// Nobody here wants that.
    Ignored,
}

/// A thread of this processor wants to read or write the page. After [`Touch::Ask`] an entry that
/// is not valid needs a frame.
#[inline]
pub fn touch(entry: &mut u32, write: bool) -> Touch {
    let needed = if write { PTE_VALID | PTE_WRITE } else { PTE_VALID };
    if *entry & needed == needed {
        return Touch::Allowed;
    }
    ask(entry, write)
}

/// As [`touch`], for a page that is asked for even if it is here: what comes then can be kept
/// ([`super::keeping`]).
#[inline]
pub fn ask(entry: &mut u32, write: bool) -> Touch {
    if *entry & PTE_WANTED != 0 {
        return Touch::Wait;
    }
    *entry |= PTE_WANTED;
    Touch::Ask(if write { Report::Write } else { Report::Read })
}

/// The page begins here, and its owner is this processor. An entry that is 0 needs a frame.
pub fn begin(entry: &mut u32) {
    *entry |= PERMISSIONS | PTE_OWNED;
}

/// The page is no longer needed here (the thread whose stack it was has ended, and the home will be
/// told). `true` if the page has been given up: its frame is free. Otherwise the home will ask.
pub fn end(entry: &mut u32) -> bool {
    if *entry & (PTE_OWNED | PTE_WANTED) != PTE_OWNED {
        return false;
    }
    *entry = 0;
    true
}

/// Serves an order. Whenever the entry was valid before, the hardware must not use what it
/// remembers of it.
#[inline]
pub fn step(entry: &mut u32, order: Order) -> Output {
    let before = *entry;
    let wanted = before & PTE_WANTED != 0;
    match order {
        Order::CopyTo(to) if before & PTE_OWNED != 0 => {
            *entry = before & !PTE_WRITE;
            Output::Send { to, order: Order::Copy, free: false }
        }
        Order::MoveTo(to) if before & PTE_OWNED != 0 => {
            give_up(entry);
            Output::Send { to, order: Order::Move, free: !wanted }
        }
        Order::Copy if wanted && before & PTE_VALID == 0 => {
            *entry = before & !PTE_WANTED | PTE_VALID | PTE_READ;
            Output::Arrived { data: true }
        }
        Order::Move if wanted => {
            *entry = before & !PTE_WANTED | PERMISSIONS | PTE_OWNED;
            Output::Arrived { data: true }
        }
        Order::Grant if before & PTE_VALID != 0 => {
            *entry = before & !PTE_WANTED | PERMISSIONS | PTE_OWNED;
            Output::Arrived { data: false }
        }
        Order::Copy if before & PTE_VALID != 0 => {
            *entry = before & !PTE_WANTED;
            Output::Arrived { data: false }
        }
        Order::CopyTo(_) | Order::MoveTo(_) | Order::Grant => Output::Report(Report::Gone),
        Order::Copy | Order::Move => Output::Ignored,
        Order::Invalidate => {
            give_up(entry);
            Output::Invalidated { free: before & PTE_VALID != 0 && !wanted }
        }
        Order::NoPage if wanted => {
            *entry = before & !PTE_WANTED;
            let free = before & PTE_VALID == 0;
            if free {
                *entry = 0;
            }
            Output::Refused { free }
        }
        Order::NoPage => Output::Ignored,
    }
}

/// Takes all permissions away; the frame stays if the page is wanted.
fn give_up(entry: &mut u32) {
    *entry = if *entry & PTE_WANTED != 0 { *entry & !(PERMISSIONS | PTE_OWNED) } else { 0 };
}
