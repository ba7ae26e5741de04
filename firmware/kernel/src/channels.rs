//! Channels: the protocol's outputs made real. Events come from the places that the report names (Figures 5 and 6).

use testbed_definitions::event::{self, COMMR, COMMS, DIAG_PROFILE, RX_END, RX_FOCUS, TRAP7, TRAP70, TRAP72};
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::mpc::{self, MSG_HEADER_BYTES};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_protocol::channel::{self, Output, Receiver, Role, Sender, Sink, NOWHERE};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::kernel::{Index, Kernel};
use crate::paging::Access;
use crate::process::Process;
use crate::thread::{State, Tcb};
use crate::{events, memory};

/// Does what a step of the protocol says.
struct Performer<'a> {
    kernel: &'a mut Kernel,
    process: Process,
    channel: u8,
    /// The component that the step serves.
    packet: Option<&'a Packet>,
    told: Told,
}

/// What a step did that an event tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Blocked,
    Copied,
    WantsRoom,
    Released,
}

impl<'a> Performer<'a> {
    fn new(kernel: &'a mut Kernel, process: Process, channel: u8) -> Self {
        Performer { kernel, process, channel, packet: None, told: Told::Nothing }
    }

    /// The event that ends the service of a request.
    fn tell_request(&self) {
        match self.told {
            Told::Blocked => events::emit(DIAG_PROFILE, TRAP70),
            Told::Copied => events::emit(DIAG_PROFILE, TRAP72),
            _ => {}
        }
    }

    /// A partner is ready again. Its event is COMMS or COMMR, unless both are here and one event tells of both.
    #[inline]
    fn release(&mut self, thread: Thread, role: Role, bytes: Option<u32>) {
        let kernel = &mut *self.kernel;
        let index = kernel.thread_index(self.process, thread);
        if kernel.tcbs[index as usize].state == State::Transmitting {
            kernel.transmitting.remove(kernel.tcbs, index);
        }
        kernel.finish_staged(index, bytes.ok_or(Error::ChannelInUse));
        if self.told != Told::Copied {
            let code = if role == Role::Sender { COMMS } else { COMMR };
            events::emit_with(DIAG_PROFILE, code, thread);
            self.told = Told::Released;
        }
    }
}

impl Sink for Performer<'_> {
    /// Inlined, so that each place in the protocol becomes the few instructions it needs.
    #[inline(always)]
    fn put(&mut self, output: Output) {
        let kernel = &mut *self.kernel;
        match output {
            Output::Block { .. } => self.told = Told::Blocked,
            Output::Reject { thread, .. } => {
                let index = kernel.thread_index(self.process, thread);
                kernel.finish(index, Err(Error::ChannelInUse));
            }
            Output::Chosen { thread } => {
                let index = kernel.thread_index(self.process, thread);
                kernel.chosen(index, self.channel);
            }
            Output::Copy { sender, receiver, bytes } => {
                kernel.copy_message(self.process, sender, receiver, bytes);
                self.told = Told::Copied;
            }
            Output::Transmit { to, mpc } => kernel.transmit(self.process, self.channel, to, mpc),
            Output::WantRoom { thread } => {
                let index = kernel.thread_index(self.process, thread);
                kernel.tcbs[index as usize].state = State::Transmitting;
                kernel.transmitting.push_back(kernel.tcbs, index);
                self.told = Told::WantsRoom;
            }
            Output::Fragment { to, thread, total, offset, bytes } => {
                kernel.pack_fragment((self.process, self.channel), to, thread, (total, offset, bytes));
            }
            Output::Deliver { thread, offset, bytes } => {
                kernel.unpack_fragment(self.process, thread, offset, bytes, self.packet);
            }
            Output::Release { thread, result, role } => self.release(thread, role, result.ok()),
            Output::Ignored(_) => {}
        }
    }
}

impl Kernel {
    /// *FSend*: `send_block(channel, buffer, length)`.
    pub fn send_request(&mut self, index: u16, channel: u32, buffer: u32, length: u32) {
        events::emit(DIAG_PROFILE, TRAP7);
        let Some((process, number)) = self.accept_request(index, channel, (buffer, length), READ) else { return };
        let ccb = process.ccb(channel as u8);
        if ccb.sender == Sender::Away {
            self.tcbs[index as usize].own(channel as u8);
        }
        let mut performer = Performer::new(self, process, channel as u8);
        channel::send(ccb, performer.kernel.me, number, length, &mut performer);
        performer.tell_request();
    }

    /// *FReceive*: `receive(channel, buffer, length)`.
    pub fn receive_request(&mut self, index: u16, channel: u32, buffer: u32, length: u32) {
        events::emit(DIAG_PROFILE, TRAP7);
        let Some((process, _)) = self.accept_request(index, channel, (buffer, length), WRITE) else { return };
        self.receive_on(process, channel as u8, index, length);
    }

    /// The thread, whose buffer is known, receives.
    pub fn receive_on(&mut self, process: Process, channel: u8, index: u16, capacity: u32) {
        let ccb = process.ccb(channel);
        let tcb = &mut self.tcbs[index as usize];
        if ccb.receiver == Receiver::Away {
            tcb.own(channel);
        }
        let number = tcb.number;
        let mut performer = Performer::new(self, process, channel);
        channel::receive(ccb, performer.kernel.me, number, capacity, &mut performer);
        performer.tell_request();
    }

    /// Checks a request and notes its buffer; `None` if it has been answered with an error.
    #[inline]
    fn accept_request(
        &mut self,
        index: u16,
        channel: u32,
        buffer: (u32, u32),
        access: u32,
    ) -> Option<(Process, Thread)> {
        let error = if channel >= CHANNELS as u32 {
            Error::BadChannel
        } else if buffer.1 > VIRTUAL_BYTES {
            Error::BadLength
        } else {
            match self.ensure(index, buffer.0, buffer.1, access) {
                Access::Here if self.ensure_partner(index, channel as u8, buffer.1, access) => {
                    let tcb = &mut self.tcbs[index as usize];
                    tcb.state = State::Communicating;
                    tcb.channel = channel as u8;
                    tcb.buffer = buffer.0;
                    return Some((tcb.process, tcb.number));
                }
                Access::Here | Access::Coming => return None,
                Access::Refused(error) => error,
            }
        };
        self.finish(index, Err(error));
        None
    }

    /// The thread is about to communicate with one that waits on this processor, so that it will copy: whether the partner's
    /// buffer is still here. If not, the thread fetches it and calls again.
    #[inline]
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
        let mut told = Told::Nothing;
        let mut for_receiver = false;
        let process = match header.kind {
            _ if channel as usize >= CHANNELS => None,
            mpc::FOCUS | mpc::ADVERT => self.ensure_process(process).ok(),
            _ => self.process(process),
        };
        let mpc = Mpc::decode(header.kind, header.length as usize, |index| packet.word(index));
        if let (Some(process), Some(mpc)) = (process, mpc) {
            let ccb = process.ccb(channel);
            let mut performer = Performer { packet: Some(packet), ..Performer::new(self, process, channel) };
            channel::arrive(ccb, performer.kernel.me, header.source, mpc, &mut performer);
            told = performer.told;
            let token = matches!(mpc, Mpc::Focus { .. } | Mpc::Advert { .. });
            for_receiver = token && ccb.receiver != Receiver::Away;
        }
        if told == Told::WantsRoom && self.transmitting.len() == 1 && self.pump_first() {
            told = Told::Released;
        }
        if for_receiver {
            events::emit(DIAG_PROFILE, RX_FOCUS);
        } else if told != Told::Released {
            events::emit(DIAG_PROFILE, RX_END);
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

    /// The second partner's copy. Buffers were checked when they were named, and pages don't go.
    fn copy_message(&mut self, process: Process, sender: Thread, receiver: Thread, bytes: u32) {
        let map = process.map();
        let (from, to) = (self.buffer(process, sender), self.buffer(process, receiver));
        memory::copy_between((map, from), (map, to), bytes).expect("a message's buffer has gone");
    }

    fn pack_fragment(&mut self, at: (Process, u8), to: Processor, thread: Thread, part: (u32, u32, u32)) {
        let (total, offset, bytes) = part;
        let packet = self.net.free_buffer().expect("a fragment without a buffer");
        let words = packet as *mut u32;
        // SAFETY: the buffer is the driver's, free, and has room for a packet.
        unsafe {
            words.add(mpc::msg::ADDRESS).write_volatile(mpc::address(at.0.id, at.1));
            words.add(mpc::msg::TOTAL).write_volatile(total);
            words.add(mpc::msg::OFFSET).write_volatile(offset);
        }
        let (map, from) = (at.0.map(), self.buffer(at.0, thread) + offset);
        // SAFETY: as above; a fragment fits.
        unsafe { memory::copy_from_user(map, from, packet + MSG_HEADER_BYTES as u32, bytes) }
            .expect("a message's buffer has gone");
        self.net.queue_buffer(to, mpc::MSG, MSG_HEADER_BYTES as u32 + bytes);
    }

    fn unpack_fragment(&mut self, process: Process, thread: Thread, offset: u32, bytes: u32, packet: Option<&Packet>) {
        let packet = packet.expect("data comes in packets");
        let map = process.map();
        let mut to = self.buffer(process, thread) + offset;
        let index = self.thread_index(process, thread);
        if self.tcbs[index as usize].staged != 0 || memory::missing(map, to, bytes, WRITE).is_some() {
            if !self.stage(index, to, bytes, packet, mpc::msg::DATA) {
                self.out_of_memory(process);
            }
            return;
        }
        for (from, part) in packet.pieces(mpc::msg::DATA, bytes) {
            // SAFETY: the piece is in the receive ring.
            unsafe { memory::copy_to_user(from, map, to, part) }.expect("a message's buffer has gone");
            to += part;
        }
    }
}
