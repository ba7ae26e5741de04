//! Groups of processes that exchange at the ends of supersteps: how they form, and how they end.
//! What they exchange is in [`crate::services::extended::exchange`].

use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::limits::GROUP_MEMBERS;
use testbed_definitions::mpc::{self, superstep as layout};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::READ;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::superstep::Rank;

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::state::call::Outcome;
use crate::state::extended::groups::GroupRecord;
use crate::state::kernel::{Index, Kernel};
use crate::state::thread::State;
use crate::state::user::{read_user, user_range};

impl Kernel {
    /// `form(process ids, how many, which group)`. All processors know of the group before any of
    /// them gets what the caller sends afterwards.
    pub fn form(&mut self, index: Index, list: u32, count: u32, which: u32) -> Result<Outcome, Error> {
        let process = self.tcb_of(index).process();
        if count == 0 || count > GROUP_MEMBERS as u32 || which > u8::MAX as u32 {
            return Err(Error::BadLength);
        }
        user_range(process, list, 4 * count, READ)?;
        if self.processors > 1 && self.net.free_buffer().is_none() {
            return Ok(Outcome::Again);
        }
        let address = layout::group(process.id(), which as u8);
        if self.groups.find(address).is_some() {
            return Err(Error::ThreadExists);
        }
        let mut bytes = [0; 4 * GROUP_MEMBERS];
        read_user(process, list, &mut bytes[..4 * count as usize])?;
        let id = |rank: usize| ProcessId::from_bits(u16::from_le_bytes([bytes[4 * rank], bytes[4 * rank + 1]]));
        self.add_group(address, count as usize, id).ok_or(Error::NoMemory)?;
        if self.processors > 1 {
            let length = 4 * (layout::PROCESSES as u32 + count);
            let packet = self.net.queue_buffer(Processor::ALL_OTHERS, mpc::SUPERSTEP, length) as *mut u32;
            // SAFETY: the buffer is the driver's, not issued yet, and has room for a packet.
            unsafe {
                packet.add(layout::ADDRESS).write_volatile((layout::FORM as u32) << 24 | address);
                packet.add(layout::MEMBERS).write_volatile(count);
                let ids = packet.add(layout::PROCESSES) as u32;
                memory::copy(bytes.as_ptr() as u32, ids, 4 * count);
            }
        }
        Ok(Outcome::Done(Ok(0)))
    }

    /// There is a group that is not known here.
    pub fn serve_form(&mut self, address: u32, packet: &Packet) {
        let count = packet.word(layout::MEMBERS) as usize;
        if count > GROUP_MEMBERS || packet.header.payload_words() != layout::PROCESSES + count {
            return;
        }
        let id = |rank| ProcessId::from_bits(packet.word(layout::PROCESSES + rank) as u16);
        if self.add_group(address, count, id).is_none() {
            let words = [(layout::BREAK as u32) << 24 | address];
            self.net.queue_token(Processor::ALL_OTHERS, mpc::SUPERSTEP, words, layout::BREAK_BYTES);
        }
    }

    /// Adds a group, broken if a member has ended before; `None` if there is no memory.
    fn add_group(&mut self, address: u32, count: usize, id: impl Fn(Rank) -> ProcessId) -> Option<()> {
        let mut group = self.groups.add(address, count, &id, &mut self.pages)?;
        if (0..count).any(|rank| self.processes.is_over(id(rank))) {
            group.group().break_up();
        }
        Some(())
    }

    /// A process has ended everywhere: groups that belong to it are no more, others that have it as
    /// a member are broken.
    pub fn ended_for_groups(&mut self, id: ProcessId) {
        if self.groups.is_empty() {
            return;
        }
        for mut group in self.groups.iter() {
            for rank in 0..group.members() {
                if group.group().members[rank].process == id {
                    group.local(rank).index = NONE;
                }
            }
            if group.group().end(id) {
                self.release_all(group);
            }
            if mpc::process_channel(group.address()).0 == id {
                group.group().break_up();
                self.release_all(group);
                self.groups.remove(group, &mut self.pages);
            }
        }
    }

    /// A group is broken: who waits for it goes on with an error.
    pub fn release_all(&mut self, mut group: GroupRecord) {
        for rank in 0..group.members() {
            let index = core::mem::replace(&mut group.local(rank).index, NONE);
            if index != NONE {
                self.stop_timer(index);
                let tcb = self.tcb_of(index);
                if tcb.state() == State::Exchanging {
                    self.transmitting.remove(self.tcbs, index);
                }
                self.finish(index, Err(Error::Killed));
            }
        }
    }
}
