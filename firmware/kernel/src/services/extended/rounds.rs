//! Exchanges over a network that loses packets: [`testbed_protocol::lossy`] made real. What a member
//! has for others leaves as datagrams, all of it in each round, but for what was acknowledged.

use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::mpc::superstep as layout;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::lossy::{self, Label, Sender, Taken, Turn};
use testbed_protocol::superstep::{Rank, Refusal};
use testbed_protocol::Processor;

use crate::arch::hw;
use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::extended::pieces::{load_segment, pass, PIECES_A_TURN, PIECE_BYTES};
use crate::services::extended::runs::gather;
use crate::state::extended::groups::{GroupRecord, Local, PACKETS_KEPT};
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

/// Passes over what leaves next for one member, as much as a packet has; into a packet's data, if
/// there is one. Gives the bytes.
fn fill(process: Process, local: &mut Local, data: Option<u32>) -> u32 {
    let (to, mut filled) = (local.to, 0);
    while filled < PIECE_BYTES && load_segment(process, local) && local.to == to {
        let bytes = local.left.min(PIECE_BYTES - filled);
        if let Some(data) = data {
            // SAFETY: the buffer is the driver's, free, and has room for so much. What is not here
            // any more, since the process has let others use its memory, leaves as it is.
            unsafe { gather(process.map(), local.at, data + filled, bytes) };
        }
        filled += bytes;
        pass(local, bytes);
    }
    filled
}

impl Kernel {
    /// A member that is here exchanges: its rounds begin, and those of the bytes that come for it.
    /// Where a member lacks room, all leaves as confirmed messages instead: that member may move
    /// before it has more, to here or from here, and what is for it would be a packet in one round
    /// and not in the next.
    pub fn begin_rounds(&mut self, mut group: GroupRecord, rank: Rank, bytes: u32) {
        let Some(rounds) = self.groups.rounds else { return };
        let packets = group.group().packets_sent(rank, PIECE_BYTES);
        let step = group.group().exchanged();
        let (members, has_closed) = (group.members(), group.group().has_closed());
        let (bits, answered) = group.table(rank);
        let places = lossy::places(members, bytes, PIECE_BYTES).min(answered.len());
        answered[..places].fill(0);
        if packets == 0 || packets as usize > PACKETS_KEPT || has_closed {
            return;
        }
        let sender = Sender::begin(bits, step, packets as u16, rounds.whole);
        group.local(rank).rounds = Some(sender);
        self.give_time(group, rank);
    }

    /// A member's round begins, or goes on after a halt that was no fault of the network's.
    pub fn give_time(&mut self, mut group: GroupRecord, rank: Rank) {
        group.local(rank).round_began = hw::now() as u32;
        self.end_round_after(group, rank, group.round_cycles());
    }

    /// A member's round is over after so many cycles from now.
    fn end_round_after(&mut self, mut group: GroupRecord, rank: Rank, cycles: u32) {
        let now = hw::now();
        let local = group.local(rank);
        local.round_given = (now as u32).wrapping_sub(local.round_began).saturating_add(cycles);
        let (index, end) = (local.index, now + cycles as u64);
        self.stop_timer(index);
        self.timers.arm(self.tcbs, index, end);
        self.want_timer(end);
    }

    /// All packets of a round are handed over: half of its time at least is left for what comes
    /// back, however long that has taken.
    fn round_has_left(&mut self, mut group: GroupRecord, rank: Rank, sender: Sender) {
        let half = group.round_cycles() / 2;
        let taken = (hw::now() as u32).wrapping_sub(group.local(rank).round_began);
        if group.local(rank).round_given < taken.saturating_add(half) {
            self.end_round_after(group, rank, half);
        }
        let local = group.local(rank);
        events::emit_with(DIAG_PROFILE, event::ROUND, self.tcb_of(local.index).number().bits());
        events::emit_with(DIAG_PROFILE, event::PACKETS, event::words_argument(sender.sent() as u32));
        let time = local.round_given / event::ROUND_UNIT;
        events::emit_with(DIAG_PROFILE, event::ROUND_TIME, event::words_argument(time));
    }

    /// What is first in the queue of those whose messages leave is a member that exchanges: as much
    /// of it leaves as there is room for. `true`: it is not in the queue any more.
    pub fn pump_exchange(&mut self, tcb: &Tcb) -> bool {
        let index = tcb.index();
        let Some((mut group, rank)) = self.groups.member(index) else {
            self.transmitting.remove(self.tcbs, index);
            return true;
        };
        match group.local(rank).rounds {
            Some(_) => self.pump_round(group, rank, tcb.process()),
            None => self.pump_pieces(group, rank, tcb),
        }
    }

    /// [`Kernel::pump_exchange`] for a member whose packets leave in rounds.
    fn pump_round(&mut self, mut group: GroupRecord, rank: Rank, process: Process) -> bool {
        let index = group.local(rank).index;
        let mut turn = PIECES_A_TURN;
        while load_segment(process, group.local(rank)) {
            let to = group.local(rank).to as Rank;
            match group.group().destination(to) {
                Err(Refusal::Phase) => {
                    // Until it has room.
                    self.leave_queue(self.tcb_of(index));
                    return true;
                }
                Err(_) => group.local(rank).left = 0,
                Ok(at) if at == self.me => {
                    let Some(left) = turn.checked_sub(1) else { return false };
                    turn = left;
                    self.pass_here(group, rank, process);
                }
                Ok(at) => {
                    if !self.send_in_round(group, rank, at, process) {
                        return false;
                    }
                }
            }
        }
        self.leave_queue(self.tcb_of(index));
        if let Some(sender) = group.local(rank).rounds.filter(|sender| sender.sent() != 0) {
            self.round_has_left(group, rank, sender);
        }
        self.look_if_through(group, rank);
        true
    }

    /// A piece for a member that is here too: it is there after the first round.
    fn pass_here(&mut self, mut group: GroupRecord, rank: Rank, process: Process) {
        let local = group.local(rank);
        if local.rounds.is_none_or(|sender| sender.is_first_round()) {
            self.copy_here(group, rank, process);
        } else {
            pass(local, local.left);
        }
    }

    /// The next copy leaves, or a packet is passed over. `false`: there is no buffer.
    fn send_in_round(&mut self, mut group: GroupRecord, rank: Rank, at: Processor, process: Process) -> bool {
        let (address, copies) = (group.address(), self.groups.rounds.map_or(1, |rounds| rounds.copies));
        let turn = match group.local(rank).rounds {
            Some(sender) => sender.turn(group.table(rank).0),
            None => return false,
        };
        let local = group.local(rank);
        let before = *local;
        match turn {
            Turn::Skip => {
                fill(process, local, None);
            }
            Turn::Send(label) => {
                let Some(packet) = self.net.free_buffer() else { return false };
                let head = [
                    (layout::PART_OF_ROUND as u32) << 24 | address,
                    local.to as u32 | (rank as u32) << 8,
                    local.offset,
                    label.bits(),
                ];
                for (place, word) in head.into_iter().enumerate() {
                    // SAFETY: the buffer is the driver's, free, and has room for so much.
                    unsafe { (packet as *mut u32).add(place).write_volatile(word) };
                }
                let bytes = fill(process, local, Some(packet + 4 * layout::DATA_WORD as u32));
                self.net.queue_buffer(at, layout::DATAGRAM, 4 * layout::DATA_WORD as u32 + bytes);
            }
        }
        if !local.rounds.as_mut().is_some_and(|sender| sender.pass(turn, copies)) {
            // The same once more.
            let rounds = local.rounds;
            *local = before;
            local.rounds = rounds;
        }
        true
    }

    /// The time of a thread's round is over.
    pub fn round_over(&mut self, index: Index) {
        let Some((mut group, rank)) = self.groups.member(index) else { return };
        let local = group.local(rank);
        if !local.has_left() {
            // Others have kept the station busy, or a member has no room yet.
            return self.give_time(group, rank);
        }
        if !local.rounds.as_mut().is_some_and(Sender::next_round) {
            return self.look_if_through(group, rank);
        }
        local.start_again();
        self.give_time(group, rank);
        self.tcb_of(index).exchange();
        self.transmitting.push_back(self.tcbs, index);
    }

    /// A datagram of a group.
    pub fn serve_datagram(&mut self, packet: &Packet) {
        let first = packet.word(layout::ADDRESS);
        let Some(group) = self.groups.find(first & 0x00ff_ffff) else { return };
        match first >> 24 {
            kind if kind == layout::PART_OF_ROUND as u32 => self.serve_part(group, packet),
            kind if kind == layout::ACKNOWLEDGMENT as u32 => self.serve_acknowledgment(group, packet),
            // A kernel sends no other.
            _ => {}
        }
    }

    /// Bytes have come for a member that waits here, or has waited.
    fn serve_part(&mut self, mut group: GroupRecord, packet: &Packet) {
        let [first, ranks, offset, label] = packet.words();
        let (rank, source, label) = (ranks as u8 as Rank, (ranks >> 8) as u8 as Rank, Label::from_bits(label));
        if !label.is_of(group.group().exchanged()) {
            return;
        }
        let Ok(start) = group.group().place((rank, source), 0) else { return };
        let place = lossy::place(source, start, offset, PIECE_BYTES);
        let Some(answered) = group.table(rank).1.get_mut(place) else { return };
        let taken = lossy::take(answered, label);
        if taken == Taken::Known {
            return;
        }
        let words = [(layout::ACKNOWLEDGMENT as u32) << 24 | first & 0x00ff_ffff, ranks, label.bits()];
        for _ in 0..self.groups.rounds.map_or(0, |rounds| rounds.copies) {
            self.net.queue_token(packet.source(), layout::DATAGRAM, words, layout::ACKNOWLEDGMENT_BYTES);
        }
        if taken == Taken::New {
            let bytes = (packet.header.length as u32).saturating_sub(4 * layout::DATA_WORD as u32);
            self.unpack_piece(group, ranks, (offset, bytes), (packet, layout::DATA_WORD), None);
        }
    }

    fn serve_acknowledgment(&mut self, mut group: GroupRecord, packet: &Packet) {
        let [_, ranks, label] = packet.words();
        let rank = (ranks >> 8) as u8 as Rank;
        if rank >= group.members() || group.local(rank).index == NONE {
            return;
        }
        let Some(mut sender) = group.local(rank).rounds else { return };
        sender.acknowledge(group.table(rank).0, Label::from_bits(label));
        group.local(rank).rounds = Some(sender);
        if self.tcb_of(group.local(rank).index).state() == State::Synchronizing {
            self.look_if_through(group, rank);
        }
    }
}
