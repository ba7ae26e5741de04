//! Threads that wait for pages, and pages that come.

use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::packet::STATIONS_MAX;
use testbed_protocol::pages::Order;

/// How a thread that waits for a page goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Repeats its instruction, which has trapped with this cause.
    Instruction(u8),
    /// Repeats its call.
    Call,
    /// Takes the message that is staged for it.
    Staged,
}

/// What a processor sends that is a page, and what it is: the order and the page of the
/// [`PAGE`](testbed_definitions::mpc::PAGE) before it.
#[derive(Clone, Copy)]
pub struct Announced {
    pub process: ProcessId,
    pub page: u32,
    pub order: Order,
}

/// The page that comes next from each processor.
pub struct Announcements([Option<Announced>; STATIONS_MAX]);

impl Announcements {
    pub const NONE: Announcements = Announcements([None; STATIONS_MAX]);

    /// A processor says what its next page is.
    pub fn put(&mut self, from: Processor, announced: Announced) {
        self.0[from.index() % STATIONS_MAX] = Some(announced);
    }

    /// What has been said of the page that comes from a processor now.
    pub fn take(&mut self, from: Processor) -> Option<Announced> {
        self.0[from.index() % STATIONS_MAX].take()
    }
}
