//! What packets have in common: passing them to the station, and the events that tell of them and of
//! the threads that they release.

use testbed_definitions::event::{self, DIAG_PROFILE};

use crate::drivers::events::{self, AWAITING, COUNTING};
use crate::drivers::packet::Packet;
use crate::state::kernel::Kernel;
use crate::state::thread::Tcb;

impl Kernel {
    /// Passes to the station what it takes.
    #[inline]
    pub fn issue(&mut self) {
        while let Some(place) = self.net.issue() {
            if events::enabled(DIAG_PROFILE) {
                let (header, first) = place.header_and_first_word();
                let argument = event::message_argument(header.destination, header.kind, first as u8);
                events::emit_word(event::TX_MPC | event::MORE);
                events::emit_word(argument);
            }
        }
    }

    /// Sees to it that another token can be queued: for a step that needs more of them than
    /// [`Centrenet::has_room`](crate::drivers::centrenet::Centrenet::has_room) promises. The others
    /// go on receiving meanwhile, since a processor has at most one such token for each page.
    #[inline]
    pub fn make_room(&mut self) {
        if !self.net.has_room() {
            self.await_room();
        }
    }

    /// Waits until the station has taken enough.
    #[cold]
    #[inline(never)]
    fn await_room(&mut self) {
        while !self.net.has_room() {
            self.issue();
            self.net.retire(&mut self.pages);
        }
    }

    /// The event that a packet's service begins.
    pub fn tell_packet(&self, packet: &Packet) {
        if events::enabled(DIAG_PROFILE) {
            let header = packet.header;
            let argument = event::message_argument(header.source, header.kind, packet.word(0) as u8);
            events::emit_with(DIAG_PROFILE, event::RX_MPC, argument);
        }
    }

    /// A component has ended a thread's request: it is ready.
    #[inline]
    pub fn released(&mut self, tcb: &Tcb, bytes: u32, code: u16) {
        tcb.context().answer(Ok(bytes));
        self.make_tcb_ready(tcb);
        self.tell_released(tcb, bytes, code);
    }

    /// Tells of the end of a communication with another processor: `code` says whether the thread
    /// has sent or received.
    #[inline(always)]
    pub fn tell_released(&mut self, tcb: &Tcb, bytes: u32, code: u16) {
        if events::enabled(DIAG_PROFILE | COUNTING | AWAITING) {
            events::emit_with(DIAG_PROFILE, code, tcb.number().bits());
            if events::enabled(COUNTING | AWAITING) {
                self.count_remote(tcb, bytes, code == event::COMMS);
            }
        }
    }
}
