//! The protocol of pages: data that threads of a process share, wherever they are.
//!
//! Every data page of a process has one *owner*. The home of the process keeps an
//! [`directory::Entry`] for each page: who owns it, who has copies, who waits for it. A processor
//! keeps in its page map what it has of the page ([`holder`]).
//!
//! ```text
//! read    q -- READ --> home -- COPY_TO q --> owner -- COPY, data --> q -- DONE --> home
//! write   q -- WRITE -> home -- INVALIDATE -> all with copies -- INVALIDATED --> home
//!                       home -- MOVE_TO q --> owner -- MOVE, data --> q -- DONE --> home
//! write, q has the page or a copy
//!         q -- WRITE -> home -- INVALIDATE -> all others -- INVALIDATED --> home -- GRANT --> q -- DONE --> home
//! free                  home -- INVALIDATE -> all -- INVALIDATED --> home (waiting requests:
//! NO_PAGE)
//! ```
//!
//! The home does one thing at a time for each page, up to DONE: messages of different pairs of
//! processors overtake each other, and without DONE the home's next INVALIDATE could overtake the
//! owner's COPY. A step has at most one output, and it is the last thing the step does, so a
//! processor that is home, owner and requester at once can serve itself without a queue. Each pair
//! of processors is assumed to deliver messages once and in order.

use crate::Processor;
use testbed_definitions::mpc::page;

pub mod directory;
pub mod holder;
pub mod keeping;

/// What a processor tells the home of a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Report {
    /// It wants to read the page.
    Read = page::READ,
    /// It wants to write the page.
    Write = page::WRITE,
    /// It has given up what it had.
    Invalidated = page::INVALIDATED,
    /// What was asked for has arrived.
    Done = page::DONE,
    /// It does not have the page that it should own.
    Gone = page::GONE,
}

/// What a processor is told about a page: by the home, or ([`Order::Copy`], [`Order::Move`]) by its
/// owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Send a copy.
    CopyTo(Processor),
    /// Send the page and give it up.
    MoveTo(Processor),
    /// The page's data has come: a copy.
    Copy,
    /// The page's data has come: the page itself.
    Move,
    /// What is here, page or copy, is now the page itself, to write.
    Grant,
    /// Give up what is here.
    Invalidate,
    /// There is no such page.
    NoPage,
}

impl Report {
    /// The report with this operation (`definitions::mpc::page`).
    pub const fn decode(operation: u8) -> Option<Report> {
        Some(match operation {
            page::READ => Report::Read,
            page::WRITE => Report::Write,
            page::INVALIDATED => Report::Invalidated,
            page::DONE => Report::Done,
            page::GONE => Report::Gone,
            _ => return None,
        })
    }
}

impl Order {
    /// Operation in `definitions::mpc::page`.
    pub const fn operation(self) -> u8 {
        match self {
            Order::CopyTo(_) => page::COPY_TO,
            Order::MoveTo(_) => page::MOVE_TO,
            Order::Copy => page::COPY,
            Order::Move => page::MOVE,
            Order::Grant => page::GRANT,
            Order::Invalidate => page::INVALIDATE,
            Order::NoPage => page::NO_PAGE,
        }
    }
    /// The third word of the message: to which processor, if the order says so, else 0.
    pub const fn word(self) -> u32 {
        match self {
            Order::CopyTo(to) | Order::MoveTo(to) => to.number() as u32,
            _ => 0,
        }
    }
    /// The order with this operation and third word.
    #[inline]
    pub const fn decode(operation: u8, word: u32) -> Option<Order> {
        let to = Processor::new(word as u8 & 0xf);
        Some(match operation {
            page::COPY_TO => Order::CopyTo(to),
            page::MOVE_TO => Order::MoveTo(to),
            page::COPY => Order::Copy,
            page::MOVE => Order::Move,
            page::GRANT => Order::Grant,
            page::INVALIDATE => Order::Invalidate,
            page::NO_PAGE => Order::NoPage,
            _ => return None,
        })
    }
}
