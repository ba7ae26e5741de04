//! Channels: the protocol's outputs made real. Events come from the places that the report names (Figures 5 and 6).

use testbed_definitions::event::{self, COMMR, COMMS, DIAG_PROFILE, DIAG_READY, RX_END, RX_FOCUS, TRAP70, TRAP72};
use testbed_definitions::mpc::{self, msg, token, MSG_HEADER_BYTES};
use testbed_definitions::packet::BROADCAST;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{self, PageMap, READ, WRITE};
use testbed_protocol::channel::{self, Output, Receiver, Role, Sender, Sink, NOWHERE};
use testbed_protocol::ends::{self, End};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, Thread};

use crate::centrenet::Packet;
use crate::kernel::{Index, Kernel};
use crate::paging::Access;
use crate::process::{Process, CHANNELS};
use crate::thread::{State, Tcb, A0};
use crate::{events, memory};

/// What a step did that an event tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Blocked,
    Copied,
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
            Output::Transmit { to, mpc } => self.kernel.transmit((self.process, self.channel), to, mpc),
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
    wants_room: bool,
    released: bool,
}

impl<'a> Performer<'a> {
    fn new(kernel: &'a mut Kernel, (process, channel): (Process, u8)) -> Self {
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

/// A page that was here when a call was accepted may be elsewhere later.
const PAGES_GO: bool = !cfg!(feature = "small");

/// The physical address of memory that lies in one page which is here. The small kernel has no short ways that need it.
#[inline(always)]
fn in_one_page(map: &PageMap, address: u32, bytes: u32, access: u32) -> Option<u32> {
    if cfg!(feature = "small") {
        return None;
    }
    page_map::in_one_page(map, address, bytes, access)
}

impl Kernel {
    /// *FSend*: `send_block(channel, buffer, length)`.
    pub fn send_request(&mut self, index: Index, channel: u32, buffer: u32, length: u32) {
        events::request(false, channel as u8);
        self.communicate::<true>(index, channel, buffer, length);
    }

    /// *FReceive*: `receive(channel, buffer, length)`.
    pub fn receive_request(&mut self, index: Index, channel: u32, buffer: u32, length: u32) {
        events::request(true, channel as u8);
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
        let tcb = self.tcb_of(index);
        let process = tcb.process;
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
        let mut other = None;
        if let Some((thread, room)) = partner {
            let theirs = self.tcb_of(self.thread_index(process, thread));
            let part = in_one_page(process.map(), theirs.buffer, length.min(room), if SEND { WRITE } else { READ });
            if part.is_none() && PAGES_GO && !self.ensure_partner(index, channel, length, access) {
                return;
            }
            other = Some((theirs, part));
        }
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
        match (request.told, request.bytes, other) {
            (Told::Copied, bytes, Some(other)) => self.meet::<SEND>((tcb, own), other, bytes),
            (Told::Blocked, _, _) => events::emit(DIAG_PROFILE, TRAP70),
            _ => self.finish(index, Err(Error::ChannelInUse)),
        }
    }

    /// Both partners are here: the second one copies, and both are ready, the one that waited first.
    #[inline]
    fn meet<const SEND: bool>(&mut self, own: (&mut Tcb, Option<u32>), other: (&mut Tcb, Option<u32>), bytes: u32) {
        let process = own.0.process;
        let (own_part, other_part) = (own.1, other.1);
        let (own, other) = (own.0, other.0);
        let (from, to) = if SEND { (own_part, other_part) } else { (other_part, own_part) };
        match (from, to) {
            // SAFETY: the parts lie in pages of the threads'.
            (Some(from), Some(to)) => unsafe { memory::copy_short(from, to, bytes) },
            _ => {
                let (from, to) = if SEND { (own.buffer, other.buffer) } else { (other.buffer, own.buffer) };
                let map = process.map();
                memory::copy_between((map, from), (map, to), bytes).expect("a message's buffer has gone");
            }
        }
        own.context.set(A0, bytes);
        other.context.set(A0, bytes);
        if process.suspended {
            (own.state, other.state) = (State::Held, State::Held);
        } else {
            (own.state, other.state) = (State::Ready, State::Ready);
            if events::enabled(DIAG_READY) {
                events::emit(DIAG_READY, other.number | event::SCHEDULE);
                events::emit(DIAG_READY, own.number | event::SCHEDULE);
            }
            self.ready.push_pair(self.tcbs, other, own);
        }
        events::emit(DIAG_PROFILE, TRAP72);
    }

    /// A component has ended a thread's request: it is ready.
    #[inline]
    fn released(&mut self, tcb: &mut Tcb, bytes: u32, code: u16) {
        tcb.context.set(A0, bytes);
        self.make_tcb_ready(tcb);
        events::emit_with(DIAG_PROFILE, code, tcb.number);
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
            words.add(msg::ADDRESS).write_volatile(mpc::address(at.0.id, at.1));
            words.add(msg::TOTAL).write_volatile(length);
            words.add(msg::OFFSET).write_volatile(0);
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

    /// An end of a thread's has come to its channel's control block.
    pub fn join_end(&mut self, process: Process, channel: u8, thread: Thread, end: End) {
        let mut performer = Performer::new(self, (process, channel));
        ends::join(process.ccb(channel), performer.kernel.me, thread, end, &mut performer);
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

    /// Transmits a component without data. Inlined, so that what is known of it where it is made needs no choice here.
    #[inline(always)]
    fn transmit(&mut self, (process, channel): (Process, u8), to: Processor, mpc: Mpc) {
        let [length, sequence, epoch, thread] = mpc.words();
        self.transmit_words(to, mpc.kind(), mpc::address(process.id, channel), length, sequence, epoch, thread);
    }

    /// With its words in registers.
    #[allow(clippy::too_many_arguments)]
    #[inline(never)]
    fn transmit_words(&mut self, to: Processor, kind: u8, address: u32, a: u32, b: u32, c: u32, d: u32) {
        if to == NOWHERE && self.processors == 1 {
            return;
        }
        // Nowhere in particular is everywhere.
        let to = if to == NOWHERE { BROADCAST } else { to };
        self.net.queue_token(to, kind, [address, a, b, c, d], mpc::TOKEN_BYTES);
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

    fn pack_fragment(&mut self, at: (Process, u8), to: Processor, thread: Thread, part: (u32, u32, u32)) {
        let (total, offset, bytes) = part;
        let packet = self.net.free_buffer().expect("a fragment without a buffer");
        let words = packet as *mut u32;
        // SAFETY: the buffer is the driver's, free, and has room for a packet.
        unsafe {
            words.add(msg::ADDRESS).write_volatile(mpc::address(at.0.id, at.1));
            words.add(msg::TOTAL).write_volatile(total);
            words.add(msg::OFFSET).write_volatile(offset);
        }
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
