//! Components that arrive from other processors; fragments' bytes are copied in
//! [`crate::services::fragments`]. Events as in [`crate::services::channels`].

use testbed_definitions::event::{COMMR, COMMS, DIAG_PROFILE, RX_END, RX_FOCUS};
use testbed_definitions::ids::{Channel, Processor, ThreadNumber};
use testbed_definitions::mpc::{self, msg, token, MSG_HEADER_BYTES};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::WRITE;
use testbed_protocol::channel::{self, Output, Receiver, Role, Sink};
use testbed_protocol::mpc::Mpc;

use crate::arch::memory;
use crate::drivers::events::{self, Classes};
use crate::drivers::packet::Packet;
use crate::services::extended::runs::in_one_run;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::thread::State;
use crate::variant::{self, apart};

/// Does what the protocol says of a component, or of an end of a channel that has come.
pub struct Performer<'a> {
    pub kernel: &'a mut Kernel,
    process: Process,
    channel: Channel,
    wants_room: bool,
    released: bool,
}

impl<'a> Performer<'a> {
    pub fn new(kernel: &'a mut Kernel, (process, channel): (Process, Channel)) -> Self {
        Performer { kernel, process, channel, wants_room: false, released: false }
    }

    /// A thread is ready again.
    #[inline]
    fn release(&mut self, thread: ThreadNumber, role: Role, bytes: Option<u32>) {
        let kernel = &mut *self.kernel;
        let index = kernel.thread_index(self.process, thread);
        if kernel.tcb_of(index).state() == State::Transmitting {
            kernel.transmitting.remove(kernel.tcbs, index);
        }
        kernel.finish_staged(index, bytes.ok_or(Error::ChannelInUse));
        events::emit_with(DIAG_PROFILE, if role == Role::Sender { COMMS } else { COMMR }, thread.bits());
        self.released = true;
    }
}

impl Sink for Performer<'_> {
    #[inline(always)]
    fn put(&mut self, output: Output) {
        let kernel = &mut *self.kernel;
        match output {
            Output::Chosen { thread } => {
                let index = kernel.thread_index(self.process, thread);
                kernel.chosen(index, self.channel);
            }
            Output::Transmit { to, mpc } => kernel.transmit((self.process, self.channel), to, mpc),
            Output::WantRoom { .. } => self.wants_room = true,
            Output::Release { thread, result, role } => self.release(thread, role, result.ok()),
            Output::Ignored(_) => {}
            // Of requests and of fragments only ([`Fragment`]).
            Output::Block { .. }
            | Output::Reject { .. }
            | Output::Copy { .. }
            | Output::Fragment { .. }
            | Output::Deliver { .. } => {}
        }
    }
}

/// Of a fragment that has come: whether its bytes are for the thread, and whether they are its
/// last.
struct Fragment {
    deliver: bool,
    done: bool,
}

impl Sink for Fragment {
    #[inline(always)]
    fn put(&mut self, output: Output) {
        match output {
            Output::Deliver { .. } => self.deliver = true,
            Output::Release { .. } => self.done = true,
            // A fragment that nobody has asked for is dropped.
            Output::Ignored(_) => {}
            // Of requests and of tokens only.
            Output::Block { .. }
            | Output::Reject { .. }
            | Output::Chosen { .. }
            | Output::Copy { .. }
            | Output::Transmit { .. }
            | Output::WantRoom { .. }
            | Output::Fragment { .. } => {}
        }
    }
}

impl Kernel {
    /// *FFocus*: a focus or an advert has arrived.
    #[inline(always)]
    pub fn serve_token(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        if !(variant::IN_LINE && self.take_token(Classes::now(), packet)) {
            self.serve_token_at_length(*packet);
        }
    }

    apart! {
        /// [`Self::serve_token`] if it can't go the short way.
        fn serve_token_at_length(&mut self, packet: Packet) {
            let (header, words) = (packet.header, packet.words::<{ token::WORDS }>());
            let at = match self.channel_at(words[token::ADDRESS]) {
                None => self.channel_made(words[token::ADDRESS]),
                at => at,
            };
            // An advert's words are a focus's, but that its sender knows no epoch.
            let mpc = Mpc::decode(mpc::FOCUS, header.length as usize, |index| words[index]);
            let (Some(at), Some(Mpc::Focus { token, epoch })) = (at, mpc) else {
                return events::emit(DIAG_PROFILE, RX_END);
            };
            let epoch = (header.kind == mpc::FOCUS).then_some(epoch);
            let ccb = at.0.ccb(at.1);
            let mut performer = Performer::new(self, at);
            let me = performer.kernel.me;
            channel::focus(ccb, me, token, epoch, &mut performer);
            if ccb.receiver != Receiver::Away {
                events::emit(DIAG_PROFILE, RX_FOCUS);
            } else if !performer.released {
                events::emit(DIAG_PROFILE, RX_END);
            }
        }
    }

    /// The request of a thread here has been refused.
    pub fn serve_refuse(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ token::WORDS }>();
        let mpc = Mpc::decode(mpc::REFUSE, packet.header.length as usize, |index| words[index]);
        if let (Some(at), Some(mpc)) = (self.channel_at(words[token::ADDRESS]), mpc) {
            let mut performer = Performer::new(self, at);
            if let Mpc::Refuse { thread, sequence, owner } = mpc {
                channel::refused(at.0.ccb(at.1), thread, sequence, owner, &mut performer);
            }
            if performer.released {
                return;
            }
        }
        events::emit(DIAG_PROFILE, RX_END);
    }

    /// The channel that a token names; its process is made if it is new here.
    #[cold]
    #[inline(never)]
    fn channel_made(&mut self, address: u32) -> Option<(Process, Channel)> {
        let id = mpc::process_channel(address).0;
        // The small kernel has one process, and where it has been started more was needed than
        // here: it has room.
        if self.ensure_process(id) == Err(Error::NoMemory) {
            // Rather than lose the token, and leave its sender waiting. Nothing of the process is
            // here, so its home ends it.
            self.end_for_memory(id);
        }
        self.channel_at(address)
    }

    /// *FRtr*: the receiver asks for bytes.
    #[inline(always)]
    pub fn serve_rtr(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let from = packet.source();
        match self.token_of(mpc::RTR, packet) {
            Some((at, mpc)) if variant::IN_LINE && self.take_rtr(Classes::now(), at, from, mpc) => {}
            Some((at, Mpc::Rtr { thread, length, sequence, epoch })) => {
                self.serve_rtr_at_length(at.0, at.1, from, thread, length, sequence, epoch);
            }
            _ => events::emit(DIAG_PROFILE, RX_END),
        }
    }

    apart! {
        /// [`Self::serve_rtr`] if it can't go the short way. With its words in registers.
        #[allow(clippy::too_many_arguments)]
        fn serve_rtr_at_length(
            &mut self,
            process: Process,
            channel: Channel,
            from: Processor,
            thread: ThreadNumber,
            length: u32,
            sequence: u32,
            epoch: u32,
        ) {
            if !self.answer_rtr((process, channel), from, Mpc::Rtr { thread, length, sequence, epoch }) {
                events::emit(DIAG_PROFILE, RX_END);
            }
        }
    }

    /// `true` if all bytes that the receiver asks for have been packed.
    #[inline(always)]
    fn answer_rtr(&mut self, at: (Process, Channel), from: Processor, mpc: Mpc) -> bool {
        let ccb = at.0.ccb(at.1);
        let mut performer = Performer::new(self, at);
        channel::rtr(ccb, from, mpc, &mut performer);
        if !performer.wants_room {
            return false;
        }
        let index = self.thread_index(at.0, ccb.sender_thread);
        let tcb = self.tcb_of(index);
        let packed = self.pack_or_queue(at, ccb, tcb);
        if packed {
            self.released(tcb, ccb.length, COMMS);
        }
        packed
    }

    /// *FMsg*: a fragment has arrived.
    #[inline(always)]
    pub fn serve_msg(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        if !(variant::IN_LINE && self.take_message(Classes::now(), packet)) {
            self.serve_msg_at_length(*packet);
        }
    }

    apart! {
        /// [`Self::serve_msg`] if it can't go the short way.
        fn serve_msg_at_length(&mut self, packet: Packet) {
            let words = packet.words::<{ msg::DATA }>();
            let done = match self.channel_at(words[msg::ADDRESS]) {
                Some(at) => self.take_fragment(at, &packet, (words[msg::TOTAL], words[msg::OFFSET])),
                None => false,
            };
            if !done {
                events::emit(DIAG_PROFILE, RX_END);
            }
        }
    }

    /// `true` if the fragment was the last one of its message.
    #[inline(always)]
    fn take_fragment(&mut self, at: (Process, Channel), packet: &Packet, (total, offset): (u32, u32)) -> bool {
        let header = packet.header;
        let Some(bytes) = (header.length as u32).checked_sub(MSG_HEADER_BYTES as u32) else { return false };
        let ccb = at.0.ccb(at.1);
        let mut fragment = Fragment { deliver: false, done: false };
        channel::msg(ccb, packet.source(), (total, offset, bytes), &mut fragment);
        if !fragment.deliver {
            return false;
        }
        let thread = ccb.receiver_thread;
        let index = self.thread_index(at.0, thread);
        let tcb = self.tcb_of(index);
        let to = in_one_run(at.0.map(), tcb.buffer().wrapping_add(offset), bytes, WRITE);
        let [(from, part), _] = packet.pieces(msg::DATA, bytes);
        match to {
            // SAFETY: the piece is in the receive ring, and the part lies in a page of the
            // thread's.
            Some(to) if !tcb.has_staged() && part == bytes => unsafe { memory::copy_short(from, to, bytes) },
            _ => self.unpack_fragment(tcb, offset, bytes, packet),
        }
        if !fragment.done {
            return false;
        }
        if tcb.has_staged() {
            self.finish_staged(index, Ok(total));
            self.tell_released(tcb, total, COMMR);
        } else {
            self.released(tcb, total, COMMR);
        }
        true
    }
}
