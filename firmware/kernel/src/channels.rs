//! Channels: the protocol's outputs made real. Events come from the places that the report names (Figures 5 and 6).

use testbed_definitions::event::{self, COMMR, COMMS, DIAG_PROFILE, RX_END, RX_FOCUS, TRAP7, TRAP70, TRAP72};
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::mpc::{self, MSG_HEADER_BYTES};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{in_one_page, READ, WRITE};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::channel::{self, Output, Receiver, Role, Sender, Sink, NOWHERE};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::kernel::{Index, Kernel};
use crate::paging::Access;
use crate::process::Process;
use crate::thread::{State, Tcb};
use crate::{events, memory};

/// What a step did that an event tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Blocked,
    Copied,
    WantsRoom,
    Released,
}

/// Does what the protocol says of a request, but for what concerns both partners if both are here: that is done afterwards.
struct Request<'a> {
    kernel: &'a mut Kernel,
    process: Process,
    channel: u8,
    told: Told,
    bytes: u32,
}

impl Sink for Request<'_> {
    /// Inlined, so that each place in the protocol becomes the few instructions it needs.
    #[inline(always)]
    fn put(&mut self, output: Output) {
        match output {
            Output::Block { .. } => self.told = Told::Blocked,
            Output::Chosen { thread } => {
                let index = self.kernel.thread_index(self.process, thread);
                self.kernel.chosen(index, self.channel);
            }
            Output::Copy { bytes, .. } => (self.told, self.bytes) = (Told::Copied, bytes),
            Output::Transmit { to, mpc } => self.kernel.transmit(self.process, self.channel, to, mpc),
            // Rejected, which `Told::Nothing` says, or released after a copy.
            _ => {}
        }
    }
}

/// Does what the protocol says of a component.
struct Performer<'a> {
    kernel: &'a mut Kernel,
    process: Process,
    channel: u8,
    /// The component that the step serves.
    packet: Option<&'a Packet>,
    told: Told,
}

impl<'a> Performer<'a> {
    fn new(kernel: &'a mut Kernel, process: Process, channel: u8) -> Self {
        Performer { kernel, process, channel, packet: None, told: Told::Nothing }
    }

    /// A thread is ready again.
    #[inline]
    fn release(&mut self, thread: Thread, role: Role, bytes: Option<u32>) {
        let kernel = &mut *self.kernel;
        let index = kernel.thread_index(self.process, thread);
        if kernel.tcbs[index as usize].state == State::Transmitting {
            kernel.transmitting.remove(kernel.tcbs, index);
        }
        kernel.finish_staged(index, bytes.ok_or(Error::ChannelInUse));
        events::emit_with(DIAG_PROFILE, if role == Role::Sender { COMMS } else { COMMR }, thread);
        self.told = Told::Released;
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
            Output::Transmit { to, mpc } => kernel.transmit(self.process, self.channel, to, mpc),
            Output::WantRoom { .. } => self.told = Told::WantsRoom,
            Output::Fragment { to, thread, total, offset, bytes } => {
                kernel.pack_fragment((self.process, self.channel), to, thread, (total, offset, bytes));
            }
            Output::Deliver { thread, offset, bytes } => {
                kernel.unpack_fragment(self.process, thread, offset, bytes, self.packet);
            }
            Output::Release { thread, result, role } => self.release(thread, role, result.ok()),
            // Nothing is to be done, or it is a request's.
            _ => {}
        }
    }
}

impl Kernel {
    /// *FSend*: `send_block(channel, buffer, length)`.
    pub fn send_request(&mut self, index: Index, channel: u32, buffer: u32, length: u32) {
        events::emit(DIAG_PROFILE, TRAP7);
        self.communicate::<true>(index, channel, buffer, length);
    }

    /// *FReceive*: `receive(channel, buffer, length)`.
    pub fn receive_request(&mut self, index: Index, channel: u32, buffer: u32, length: u32) {
        events::emit(DIAG_PROFILE, TRAP7);
        self.communicate::<false>(index, channel, buffer, length);
    }

    /// Serves a request to send or to receive: checks it, and takes the protocol's step. What lies in one page, as short messages do,
    /// takes the short way.
    #[inline]
    pub fn communicate<const SEND: bool>(&mut self, index: Index, channel: u32, buffer: u32, length: u32) {
        let access = if SEND { READ } else { WRITE };
        if channel >= CHANNELS as u32 {
            return self.finish(index, Err(Error::BadChannel));
        }
        if length > VIRTUAL_BYTES {
            return self.finish(index, Err(Error::BadLength));
        }
        let channel = channel as u8;
        let process = self.tcbs[index as usize].process;
        let own = in_one_page(process.map(), buffer, length, access);
        if own.is_none() {
            match self.ensure(index, buffer, length, access) {
                Access::Here => {}
                Access::Coming => return,
                Access::Refused(error) => return self.finish(index, Err(error)),
            }
        }
        // The partner, if it waits here: this thread will copy.
        let ccb = process.ccb(channel);
        let partner = match (SEND, ccb.sender, ccb.receiver) {
            (true, _, Receiver::Waiting | Receiver::Alternative) => Some((ccb.receiver_thread, ccb.capacity)),
            (false, Sender::Waiting, _) => Some((ccb.sender_thread, ccb.length)),
            _ => None,
        };
        let mut other = (NONE, None);
        if let Some((thread, room)) = partner {
            let theirs = self.thread_index(process, thread);
            let (bytes, there) = (length.min(room), self.tcbs[theirs as usize].buffer);
            let part = in_one_page(process.map(), there, bytes, if SEND { WRITE } else { READ });
            if part.is_none() && !self.ensure_partner(index, channel, length, access) {
                return;
            }
            other = (theirs, part);
        }
        let tcb = &mut self.tcbs[index as usize];
        (tcb.state, tcb.channel, tcb.buffer) = (State::Communicating, channel, buffer);
        if if SEND { ccb.sender == Sender::Away } else { ccb.receiver == Receiver::Away } {
            tcb.own(channel);
        }
        let (me, number) = (self.me, tcb.number);
        let mut request = Request { kernel: self, process, channel, told: Told::Nothing, bytes: 0 };
        if SEND {
            channel::send(ccb, me, number, length, &mut request);
        } else {
            channel::receive(ccb, me, number, length, &mut request);
        }
        match (request.told, request.bytes) {
            (Told::Copied, bytes) => self.meet::<SEND>((index, own), other, bytes),
            (Told::Blocked, _) => events::emit(DIAG_PROFILE, TRAP70),
            _ => self.finish(index, Err(Error::ChannelInUse)),
        }
    }

    /// Both partners are here: the second one copies, and both are ready, the one that waited first.
    #[inline]
    fn meet<const SEND: bool>(&mut self, own: (Index, Option<u32>), other: (Index, Option<u32>), bytes: u32) {
        let (from, to) = if SEND { (own, other) } else { (other, own) };
        match (from.1, to.1) {
            // SAFETY: the parts lie in pages of the threads'.
            (Some(from), Some(to)) => unsafe { memory::copy_short(from, to, bytes) },
            _ => self.copy_message(from.0, to.0, bytes),
        }
        self.finish(other.0, Ok(bytes));
        self.finish(own.0, Ok(bytes));
        events::emit(DIAG_PROFILE, TRAP72);
    }

    /// The thread is about to communicate with one that waits on this processor, so that it will copy: whether the partner's
    /// buffer is still here. If not, the thread fetches it and calls again.
    pub fn ensure_partner(&mut self, index: Index, channel: u8, bytes: u32, access: u32) -> bool {
        let process = self.tcbs[index as usize].process;
        let ccb = process.ccb(channel);
        let (partner, partner_bytes, partner_access) = match access {
            READ if matches!(ccb.receiver, Receiver::Waiting | Receiver::Alternative) => {
                (ccb.receiver_thread, ccb.capacity, WRITE)
            }
            WRITE if ccb.sender == Sender::Waiting => (ccb.sender_thread, ccb.length, READ),
            _ => return true,
        };
        let buffer = self.buffer(process, partner);
        match self.ensure(index, buffer, bytes.min(partner_bytes), partner_access) {
            Access::Here => true,
            Access::Coming => false,
            Access::Refused(error) => {
                // The partner's buffer was in memory that has been given back.
                self.finish(index, Err(error));
                false
            }
        }
    }

    /// A component has arrived: *FFocus*, *FRtr* or *FMsg*.
    pub fn serve_mpc(&mut self, packet: &Packet) {
        let header = packet.header;
        let (process, channel) = mpc::process_channel(packet.word(mpc::token::ADDRESS));
        self.tell_packet(packet);
        let process = match header.kind {
            _ if channel as usize >= CHANNELS => None,
            mpc::FOCUS | mpc::ADVERT => self.ensure_process(process).ok(),
            _ => self.process(process),
        };
        let mpc = Mpc::decode(header.kind, header.length as usize, |index| packet.word(index));
        let (Some(process), Some(mpc)) = (process, mpc) else { return events::emit(DIAG_PROFILE, RX_END) };
        let ccb = process.ccb(channel);
        let mut performer = Performer { packet: Some(packet), ..Performer::new(self, process, channel) };
        channel::arrive(ccb, performer.kernel.me, header.source, mpc, &mut performer);
        let mut told = performer.told;
        if told == Told::WantsRoom {
            told = self.begin_message(process, channel);
        }
        let token = matches!(mpc, Mpc::Focus { .. } | Mpc::Advert { .. });
        if token && ccb.receiver != Receiver::Away {
            events::emit(DIAG_PROFILE, RX_FOCUS);
        } else if told != Told::Released {
            events::emit(DIAG_PROFILE, RX_END);
        }
    }

    /// A message can leave: at once if it is one fragment, is here and has a buffer; otherwise when its turn comes.
    #[inline]
    fn begin_message(&mut self, process: Process, channel: u8) -> Told {
        let ccb = process.ccb(channel);
        let index = self.thread_index(process, ccb.sender_thread);
        let buffer = self.tcbs[index as usize].buffer;
        let at_once = self.transmitting.is_empty()
            && self.net.free_buffer().is_some()
            && in_one_page(process.map(), buffer, ccb.length, READ).is_some();
        if at_once {
            let mut performer = Performer::new(self, process, channel);
            channel::room(ccb, &mut performer);
            return performer.told;
        }
        self.tcbs[index as usize].state = State::Transmitting;
        self.transmitting.push_back(self.tcbs, index);
        if self.transmitting.len() == 1 && self.pump_first() {
            return Told::Released;
        }
        Told::WantsRoom
    }

    /// The event that a packet's service begins.
    pub fn tell_packet(&self, packet: &Packet) {
        if events::enabled(DIAG_PROFILE) {
            let header = packet.header;
            let argument = event::message_argument(header.source, header.kind, packet.word(0) as u8);
            events::emit_with(DIAG_PROFILE, event::RX_MPC, argument);
        }
    }

    /// Packs fragments while there are buffers for them, one message after the other.
    pub fn pump_fragments(&mut self) {
        while self.pump_first() {}
    }

    /// Packs what is first in the queue of messages and threads that leave; `true` if all of it has been packed.
    pub fn pump_first(&mut self) -> bool {
        let Some(index) = self.transmitting.front() else { return false };
        while self.net.free_buffer().is_some() {
            let message = self.tcbs[index as usize].state == State::Transmitting;
            if message && !self.fragment_is_here(index) {
                // Others may go on while its page is on its way.
                self.transmitting.remove(self.tcbs, index);
                self.transmitting.push_back(self.tcbs, index);
                return false;
            }
            if if message { self.send_fragment(index) } else { self.pack(index) } {
                return true;
            }
        }
        false
    }

    /// Whether the memory of the next fragment is here; otherwise a page of it has been asked for.
    fn fragment_is_here(&mut self, index: Index) -> bool {
        let Tcb { process, channel, buffer, .. } = self.tcbs[index as usize];
        let ccb = process.ccb(channel);
        let bytes = (ccb.length - ccb.offset).min(mpc::FRAGMENT_BYTES as u32);
        match memory::missing(process.map(), buffer + ccb.offset, bytes, READ) {
            None => true,
            Some(page) => {
                self.ask_for_page(process, page, false);
                false
            }
        }
    }

    /// Packs one fragment of the thread's message; `true` if it was the last.
    fn send_fragment(&mut self, index: u16) -> bool {
        let (process, channel) = (self.tcbs[index as usize].process, self.tcbs[index as usize].channel);
        let ccb = process.ccb(channel);
        let mut performer = Performer::new(self, process, channel);
        channel::room(ccb, &mut performer);
        performer.told == Told::Released
    }

    fn transmit(&mut self, process: Process, channel: u8, to: Processor, mpc: Mpc) {
        if to == NOWHERE && self.processors == 1 {
            return;
        }
        let [length, sequence, epoch, thread] = mpc.words();
        let words = [mpc::address(process.id, channel), length, sequence, epoch, thread, 0];
        // Nowhere in particular is everywhere.
        self.net.queue_token(if to == NOWHERE { BROADCAST } else { to }, mpc.kind(), words, mpc::TOKEN_BYTES);
    }

    /// Control block of a thread of this processor that the protocol names.
    #[inline]
    pub fn thread_index(&self, process: Process, thread: Thread) -> u16 {
        let index = process.threads[(thread & 0x3f) as usize];
        assert!((index as usize) < self.tcbs.len(), "a blocked thread has gone");
        index
    }

    fn buffer(&self, process: Process, thread: Thread) -> u32 {
        self.tcbs[self.thread_index(process, thread) as usize].buffer
    }

    /// The second partner's copy. Both buffers are here.
    fn copy_message(&mut self, from: Index, to: Index, bytes: u32) {
        let (from, to) = (&self.tcbs[from as usize], &self.tcbs[to as usize]);
        let map = from.process.map();
        memory::copy_between((map, from.buffer), (map, to.buffer), bytes).expect("a message's buffer has gone");
    }

    #[inline]
    fn pack_fragment(&mut self, at: (Process, u8), to: Processor, thread: Thread, part: (u32, u32, u32)) {
        let (total, offset, bytes) = part;
        let packet = self.net.free_buffer().expect("a fragment without a buffer");
        let words = packet as *mut u32;
        let data = packet + MSG_HEADER_BYTES as u32;
        // SAFETY: the buffer is the driver's, free, and has room for a packet.
        unsafe {
            words.add(mpc::msg::ADDRESS).write_volatile(mpc::address(at.0.id, at.1));
            words.add(mpc::msg::TOTAL).write_volatile(total);
            words.add(mpc::msg::OFFSET).write_volatile(offset);
        }
        let (map, from) = (at.0.map(), self.buffer(at.0, thread) + offset);
        match in_one_page(map, from, bytes, READ) {
            // SAFETY: as above, and the part lies in a page of the thread's.
            Some(from) => unsafe { memory::copy_short(from, data, bytes) },
            // SAFETY: as above; a fragment fits.
            None => unsafe { memory::copy_from_user(map, from, data, bytes) }.expect("a message's buffer has gone"),
        }
        self.net.queue_buffer(to, mpc::MSG, MSG_HEADER_BYTES as u32 + bytes);
    }

    #[inline]
    fn unpack_fragment(&mut self, process: Process, thread: Thread, offset: u32, bytes: u32, packet: Option<&Packet>) {
        let packet = packet.expect("data comes in packets");
        let map = process.map();
        let index = self.thread_index(process, thread);
        let mut to = self.tcbs[index as usize].buffer + offset;
        let nothing_staged = self.tcbs[index as usize].staged == 0;
        let pieces = packet.pieces(mpc::msg::DATA, bytes);
        if let (Some(to), true, 0) = (in_one_page(map, to, bytes, WRITE), nothing_staged, pieces[1].1) {
            // SAFETY: the piece is in the receive ring, and the part lies in a page of the thread's.
            return unsafe { memory::copy_short(pieces[0].0, to, bytes) };
        }
        if !nothing_staged || memory::missing(map, to, bytes, WRITE).is_some() {
            if !self.stage(index, to, bytes, packet, mpc::msg::DATA) {
                self.out_of_memory(process);
            }
            return;
        }
        for (from, part) in pieces {
            // SAFETY: the piece is in the receive ring.
            unsafe { memory::copy_to_user(from, map, to, part) }.expect("a message's buffer has gone");
            to += part;
        }
    }
}
