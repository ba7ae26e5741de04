//! Packets: which service each is for.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::mpc::{self, create, created, exited, migrate, page, process};
use testbed_definitions::page::PAGE_BYTES;

use crate::drivers::packet::Packet;
use crate::state::kernel::Kernel;
use crate::variant::hot;

const PAGE_DATA_BYTES: usize = PAGE_BYTES as usize;

impl Kernel {
    hot! {
        /// Serves a packet: a message protocol component, or word of a thread's or a process's birth or
        /// end. In line where packets are received, or each would save registers once more.
        pub fn serve_packet(&mut self, packet: &Packet) {
            let id = || mpc::process_channel(packet.word(create::ADDRESS)).0;
            match (packet.header.kind, packet.header.length as usize) {
                (mpc::CREATE, create::BYTES) => self.serve_create(id(), packet),
                (mpc::CREATED, created::BYTES) => self.serve_created(id(), packet),
                (mpc::EXITED, exited::BYTES) => self.serve_exited(id(), packet),
                (mpc::PROCESS, _) => self.serve_process(id(), packet),
                (mpc::MIGRATE, migrate::BYTES) => self.serve_migrate(id(), packet),
                (mpc::THREAD | mpc::ENDS, _) => self.serve_ends(id(), packet),
                (mpc::FILE, _) => self.serve_file(packet),
                (mpc::SUPERSTEP, _) => self.serve_superstep(packet),
                (mpc::PAGE, page::BYTES) => self.serve_page(id(), packet),
                (mpc::PAGE_DATA, PAGE_DATA_BYTES) => self.serve_page_data(packet),
                (mpc::MSG, _) => self.serve_msg(packet),
                (mpc::RTR, _) => self.serve_rtr(packet),
                (mpc::FOCUS | mpc::ADVERT, _) => self.serve_token(packet),
                (mpc::REFUSE, _) => self.serve_refuse(packet),
                (mpc::superstep::DATAGRAM, _) => self.serve_datagram(packet),
                // A kernel sends no other.
                _ => {}
            }
        }
    }

    /// A packet that concerns the process as a whole.
    fn serve_process(&mut self, id: ProcessId, packet: &Packet) {
        match (mpc::operation(packet.word(process::ADDRESS)), packet.header.length as usize) {
            (process::END, process::END_BYTES) => self.serve_end(id, packet.source()),
            (process::ENDED, process::END_BYTES) => self.one_has_ended(id),
            (operation, bytes) => self.serve_request_packet(id, operation, bytes, packet),
        }
    }
}
