//! Packets that concern a process as a whole, and that only this kernel has.

use testbed_definitions::ids::{ProcessId, ThreadNumber};
use testbed_definitions::mpc::process as layout;

use crate::drivers::packet::Packet;
use crate::state::kernel::Kernel;
use crate::state::place::Who;

impl Kernel {
    pub fn serve_request_packet(&mut self, id: ProcessId, operation: u8, bytes: usize, packet: &Packet) {
        let value = packet.word(layout::VALUE);
        let who = || Who::unpack(packet.word(layout::WHO), ProcessId::from_bits(packet.word(layout::WHOSE) as u16));
        match (operation, bytes) {
            (layout::SUSPEND, layout::SUSPEND_BYTES) => self.suspend(id, value != 0),
            (layout::KILL | layout::CONTROL | layout::AWAIT, layout::REQUEST_BYTES) => {
                self.serve_request(operation, id, value, who());
            }
            (layout::CLASSES | layout::COMMAND | layout::SAMPLE_PERIOD, layout::REQUEST_BYTES) => {
                self.serve_control(operation, value, who())
            }
            (layout::CLASSES, layout::CLASSES_BYTES) => self.set_classes(value),
            (layout::COMMANDED, layout::CLASSES_BYTES) => self.commanded(value),
            (layout::SAMPLE_PERIOD, layout::CLASSES_BYTES) => self.period_told(value),
            (layout::MOVE, layout::REQUEST_BYTES) => self.serve_move(id, packet),
            (layout::MOVED, layout::MOVED_BYTES) => self.serve_moved(id, packet),
            (layout::WANT_INPUT, layout::WANT_INPUT_BYTES) => self.serve_want_input(packet),
            (layout::INPUT, layout::INPUT_PACKET_BYTES) => self.serve_input_piece(packet),
            (layout::INVOKE, _) => self.serve_invocation(id, packet),
            (layout::REPLY, layout::REPLY_BYTES) => {
                let thread = ThreadNumber::from_bits(packet.word(layout::REPLY_WHO) as u16);
                self.answered(id, thread, packet.word(layout::RESULT), packet.word(layout::RESULT_2));
            }
            // A kernel sends no other.
            _ => {}
        }
    }
}
