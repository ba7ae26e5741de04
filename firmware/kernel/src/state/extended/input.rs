//! Console input, and on the master its line.

use testbed_definitions::map::uart;
use testbed_kernel_core::input::{Inbox, Seats, Switch, ALL_SEATS};
use testbed_kernel_core::queue::Queue;

/// Cycles until the next look where bytes come: some time before the FIFO is full. Each look
/// without any doubles them, up to the second.
pub const SOON: u32 = uart::CYCLES_PER_CHARACTER * (uart::RX_FIFO as u32 - 4);

pub struct Input {
    pub inbox: Inbox,
    /// Threads that wait, and the seats for which the master has been asked.
    pub readers: Queue,
    pub asked: Seats,
    /// For whom the inbox has something, and whether a thread has been made ready to read it.
    pub seats: Seats,
    pub is_promised: bool,
    /// On the master: who wants some, when to look at the UART next, and after how many cycles
    /// again.
    pub switch: Switch,
    pub look_at: u64,
    pub pause: u32,
}

impl Input {
    pub const fn new() -> Self {
        Input {
            inbox: Inbox::new(),
            readers: Queue::new(),
            asked: 0,
            seats: ALL_SEATS,
            is_promised: false,
            switch: Switch::new(),
            look_at: 0,
            pause: SOON,
        }
    }

    /// Whether there is something to read for a thread that has these seats.
    pub fn is_for(&self, seats: Seats) -> bool {
        self.inbox.is_ready() && self.seats & seats != 0
    }

    /// Whether the UART has to be looked at.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.switch.is_wanted()
    }

    /// When, if it has.
    #[inline]
    pub fn due(&self) -> Option<u64> {
        self.is_wanted().then_some(self.look_at)
    }
}
