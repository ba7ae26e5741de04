//! Components that arrive from other processors, and messages that leave in fragments. Events as in [`crate::channels`].

use testbed_definitions::event::{self, COMMR, COMMS, DIAG_PROFILE, RX_END, RX_FOCUS};
use testbed_definitions::mpc::{self, msg, token, MSG_HEADER_BYTES};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_protocol::channel::{self, Output, Receiver, Role, Sink};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::channels::{in_one_page, PAGES_GO};
use crate::kernel::{Index, Kernel};
use crate::process::{Process, CHANNELS};
use crate::thread::{State, Tcb, A0};
use crate::{events, memory};

/// Does what the protocol says of a component, or of an end of a channel that has come.
pub struct Performer<'a> {
    pub kernel: &'a mut Kernel,
    process: Process,
    channel: u8,
    wants_room: bool,
    released: bool,
}

impl<'a> Performer<'a> {
    pub fn new(kernel: &'a mut Kernel, (process, channel): (Process, u8)) -> Self {
        Performer { kernel, process, channel, wants_room: false, released: false }
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
            Output::Fragment { to, thread, total, offset, bytes } => {
                kernel.pack_fragment((self.process, self.channel), to, thread, (total, offset, bytes));
            }
            Output::Release { thread, result, role } => self.release(thread, role, result.ok()),
            // Nothing is to be done, or it is a request's or a fragment's.
            _ => {}
        }
    }
}

/// Of a fragment that has come: whether its bytes are for the thread, and whether they are its last.
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
            _ => {}
        }
    }
}

/// What the protocol says is known before.
struct Noted;

impl Sink for Noted {
    #[inline(always)]
    fn put(&mut self, _: Output) {}
}

/// Writes the words that stand ahead of a fragment's bytes.
///
/// # Safety
/// There is room for them, in memory that is the driver's.
#[inline(always)]
unsafe fn write_header(words: *mut u32, (process, channel): (Process, u8), total: u32, offset: u32) {
    // SAFETY: the caller's.
    unsafe {
        words.add(msg::ADDRESS).write_volatile(mpc::address(process.id, channel));
        words.add(msg::TOTAL).write_volatile(total);
        words.add(msg::OFFSET).write_volatile(offset);
    }
}

impl Kernel {
    /// A component has ended a thread's request: it is ready.
    #[inline]
    fn released(&mut self, tcb: &mut Tcb, bytes: u32, code: u16) {
        tcb.context.set(A0, bytes);
        self.make_tcb_ready(tcb);
        events::emit_with(DIAG_PROFILE, code, tcb.number);
    }

    /// The channel that a component names, of a process that is known here.
    #[inline(always)]
    fn channel_at(&self, address: u32) -> Option<(Process, u8)> {
        let (id, channel) = mpc::process_channel(address);
        if (channel as usize) < CHANNELS {
            self.process(id).map(|process| (process, channel))
        } else {
            None
        }
    }

    /// *FFocus*: a focus or an advert has arrived.
    pub fn serve_token(&mut self, packet: &Packet) {
        self.tell_packet(packet);
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

    /// The request of a thread here has been refused.
    pub fn serve_refuse(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ token::WORDS }>();
        let mpc = Mpc::decode(mpc::REFUSE, packet.header.length as usize, |index| words[index]);
        if let (Some(at), Some(mpc)) = (self.channel_at(words[token::ADDRESS]), mpc) {
            let mut performer = Performer::new(self, at);
            if let Mpc::Refuse { thread, sequence } = mpc {
                channel::refused(at.0.ccb(at.1), thread, sequence, &mut performer);
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
    fn channel_made(&mut self, address: u32) -> Option<(Process, u8)> {
        self.ensure_process(mpc::process_channel(address).0).ok()?;
        self.channel_at(address)
    }

    /// *FRtr*: the receiver asks for bytes.
    pub fn serve_rtr(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ token::WORDS }>();
        let mpc = Mpc::decode(mpc::RTR, packet.header.length as usize, |index| words[index]);
        let packed = match (self.channel_at(words[token::ADDRESS]), mpc) {
            (Some(at), Some(mpc)) => self.answer_rtr(at, packet.header.source, mpc),
            _ => false,
        };
        if !packed {
            events::emit(DIAG_PROFILE, RX_END);
        }
    }

    /// `true` if all bytes that the receiver asks for have been packed. They are at once if they are in one page that is here, and are few
    /// or a buffer is free; otherwise when their turn comes.
    #[inline(always)]
    fn answer_rtr(&mut self, at: (Process, u8), from: Processor, mpc: Mpc) -> bool {
        let ccb = at.0.ccb(at.1);
        let mut performer = Performer::new(self, at);
        channel::rtr(ccb, from, mpc, &mut performer);
        if !performer.wants_room {
            return false;
        }
        let length = ccb.length;
        let index = self.thread_index(at.0, ccb.sender_thread);
        let tcb = self.tcb_of(index);
        if let Some(bytes) = in_one_page(at.0.map(), tcb.buffer, length, READ) {
            if self.queue_message(at, (from, length), bytes) {
                channel::room(ccb, &mut Noted);
                self.released(tcb, length, COMMS);
                return true;
            }
        }
        tcb.state = State::Transmitting;
        self.transmitting.push_back(self.tcbs, index);
        self.transmitting.len() == 1 && self.pump_first()
    }

    /// *FMsg*: a fragment has arrived.
    pub fn serve_msg(&mut self, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.words::<{ msg::DATA }>();
        let done = match self.channel_at(words[msg::ADDRESS]) {
            Some(at) => self.take_fragment(at, packet, (words[msg::TOTAL], words[msg::OFFSET])),
            None => false,
        };
        if !done {
            events::emit(DIAG_PROFILE, RX_END);
        }
    }

    /// Packs a message that is one fragment, from physical memory: a short one into the queue itself, others into a buffer. `false` if it has to
    /// wait for that.
    #[inline(always)]
    fn queue_message(&mut self, at: (Process, u8), (to, length): (Processor, u32), from: u32) -> bool {
        const SHORT: u32 = (4 * mpc::TOKEN_WORDS - MSG_HEADER_BYTES) as u32;
        let bytes = MSG_HEADER_BYTES as u32 + length;
        let words = if length <= SHORT {
            self.net.queue_words(to, mpc::MSG, bytes)
        } else if let (Some(buffer), true) = (self.net.free_buffer(), self.transmitting.is_empty()) {
            self.net.queue_buffer(to, mpc::MSG, bytes);
            buffer as *mut u32
        } else {
            return false;
        };
        // SAFETY: the buffer or place is the driver's, not issued yet, and has room; the bytes are in a page of the thread's.
        unsafe {
            write_header(words, at, length, 0);
            memory::copy_short(from, words.add(msg::DATA) as u32, length);
        }
        true
    }

    /// `true` if the fragment was the last one of its message.
    #[inline(always)]
    fn take_fragment(&mut self, at: (Process, u8), packet: &Packet, (total, offset): (u32, u32)) -> bool {
        let header = packet.header;
        let Some(bytes) = (header.length as u32).checked_sub(MSG_HEADER_BYTES as u32) else { return false };
        let ccb = at.0.ccb(at.1);
        let mut fragment = Fragment { deliver: false, done: false };
        channel::msg(ccb, header.source, (total, offset, bytes), &mut fragment);
        if !fragment.deliver {
            return false;
        }
        let thread = ccb.receiver_thread;
        let index = self.thread_index(at.0, thread);
        let tcb = self.tcb_of(index);
        let to = in_one_page(at.0.map(), tcb.buffer.wrapping_add(offset), bytes, WRITE);
        let [(from, part), _] = packet.pieces(msg::DATA, bytes);
        match to {
            // SAFETY: the piece is in the receive ring, and the part lies in a page of the thread's.
            Some(to) if tcb.staged == 0 && part == bytes => unsafe { memory::copy_short(from, to, bytes) },
            _ => self.unpack_fragment(index, offset, bytes, packet),
        }
        if !fragment.done {
            return false;
        }
        if tcb.staged == 0 {
            self.released(tcb, total, COMMR);
        } else {
            self.finish_staged(index, Ok(total));
            events::emit_with(DIAG_PROFILE, COMMR, thread);
        }
        true
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
            if message && PAGES_GO && !self.fragment_is_here(index) {
                // Others may go on while its page is on its way.
                self.transmitting.remove(self.tcbs, index);
                self.transmitting.push_back(self.tcbs, index);
                return false;
            }
            if message {
                if self.send_fragment(index) {
                    return true;
                }
            } else if self.pack(index) {
                self.transmitting.remove(self.tcbs, index);
                self.gone(index);
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
        let mut performer = Performer::new(self, (process, channel));
        channel::room(ccb, &mut performer);
        performer.released
    }

    fn pack_fragment(&mut self, at: (Process, u8), to: Processor, thread: Thread, part: (u32, u32, u32)) {
        let (total, offset, bytes) = part;
        let packet = self.net.free_buffer().expect("a fragment without a buffer");
        // SAFETY: the buffer is the driver's, free, and has room for a packet.
        unsafe { write_header(packet as *mut u32, at, total, offset) };
        let (map, from) = (at.0.map(), self.buffer(at.0, thread) + offset);
        // SAFETY: as above; a fragment fits.
        unsafe { memory::copy_from_user(map, from, packet + MSG_HEADER_BYTES as u32, bytes) }
            .expect("a message's buffer has gone");
        self.net.queue_buffer(to, mpc::MSG, MSG_HEADER_BYTES as u32 + bytes);
    }

    /// A fragment in several pages, or whose pages are not all here.
    fn unpack_fragment(&mut self, index: Index, offset: u32, bytes: u32, packet: &Packet) {
        let Tcb { process, buffer, staged, .. } = self.tcbs[index as usize];
        let map = process.map();
        let mut to = buffer + offset;
        if PAGES_GO && (staged != 0 || memory::missing(map, to, bytes, WRITE).is_some()) {
            if !self.stage(index, to, bytes, packet, msg::DATA) {
                self.out_of_memory(process);
            }
            return;
        }
        for (from, part) in packet.pieces(msg::DATA, bytes) {
            // SAFETY: the piece is in the receive ring.
            unsafe { memory::copy_to_user(from, map, to, part) }.expect("a message's buffer has gone");
            to += part;
        }
    }
}
