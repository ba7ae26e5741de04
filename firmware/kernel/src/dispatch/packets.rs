//! Packets: which service each is for.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::mpc::{self, create, created, exited, migrate, page, process};
use testbed_definitions::page::PAGE_BYTES;

use crate::drivers::packet::Packet;
use crate::state::kernel::Kernel;
use crate::variant::{apart, hot};

const PAGE_DATA_BYTES: usize = PAGE_BYTES as usize;

impl Kernel {
    hot! {
        /// Serves a packet: a message protocol component, or word of a thread's or a process's birth or
        /// end. In line where packets are received, or each would save registers once more; but only
        /// what comes often, so that a branch of the main loop reaches whatever it may go to.
        pub fn serve_packet(&mut self, packet: &Packet) {
            match (packet.header.kind, packet.header.length as usize) {
                (mpc::MSG, _) => self.serve_msg(packet),
                (mpc::RTR, _) => self.serve_rtr(packet),
                (mpc::FOCUS | mpc::ADVERT, _) => self.serve_token(packet),
                (mpc::PAGE, page::BYTES) => self.serve_page(process_of(packet), packet),
                (mpc::PAGE_DATA, PAGE_DATA_BYTES) => self.serve_page_data(packet),
                // Copies, so that this one's fields stay in registers.
                (mpc::THREAD | mpc::ENDS, _) => self.serve_ends(process_of(packet), &{ *packet }),
                _ => self.serve_rarer(*packet),
            }
        }
    }

    apart! {
        /// Serves a packet of those that come more rarely, or take so long that a call is nothing.
        fn serve_rarer(&mut self, packet: Packet) {
            let packet = &packet;
            match (packet.header.kind, packet.header.length as usize) {
                (mpc::SUPERSTEP, _) => self.serve_superstep(packet),
                (mpc::superstep::DATAGRAM, _) => self.serve_datagram(packet),
                (mpc::CREATE, create::BYTES) => self.serve_create(process_of(packet), packet),
                (mpc::CREATED, created::BYTES) => self.serve_created(process_of(packet), packet),
                (mpc::EXITED, exited::BYTES) => self.serve_exited(process_of(packet), packet),
                (mpc::PROCESS, _) => self.serve_process(process_of(packet), packet),
                (mpc::MIGRATE, migrate::BYTES) => self.serve_migrate(process_of(packet), packet),
                (mpc::FILE, _) => self.serve_file(packet),
                (mpc::REFUSE, _) => self.serve_refuse(packet),
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

/// The process that a packet names in its first word.
#[inline(always)]
fn process_of(packet: &Packet) -> ProcessId {
    mpc::process_channel(packet.word(create::ADDRESS)).0
}
