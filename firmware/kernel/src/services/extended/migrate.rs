//! Threads that move (report, section 2.2.2). A thread's packet has its context and the ends of its
//! channels; its pages come when it uses them. Ends that don't fit go ahead of it in packets of
//! their own. While no data buffer is free it waits in the queue of those whose messages leave.
//!
//! A thread that has ended leaves its ends with its process's home; a thread that is created again
//! with its id goes on with them.

use testbed_definitions::event::{self, DIAG_PROFILE, DIAG_READY};
use testbed_definitions::ids::{Channel, ProcessId, Processor, ThreadNumber};
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::mpc::{self, end, ends, migrate, thread as layout};
use testbed_definitions::packet::{Header, PAYLOAD_WORDS_MAX};
use testbed_definitions::syscall::status::counter;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::channel::{Receiver, Sender};
use testbed_protocol::ends::{join, leave, End};

use crate::arch::memory;
use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::components::Performer;
use crate::state::call::Outcome;
use crate::state::effects::PARKED;
use crate::state::family::Birth;
use crate::state::kernel::Kernel;
use crate::state::place::Who;
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

impl Kernel {
    /// `migrate(thread, processor, destination)`. The call waits if the caller itself moves, or for
    /// an answer.
    pub fn migrate(&mut self, index: u16, thread: u32, at: i32, destination: i32) -> Result<Outcome, Error> {
        let tcb = self.tcb_of(index);
        let (process, caller) = (tcb.process(), tcb.number());
        let number = if thread == 0 { caller } else { ThreadNumber::from_bits(thread as u16) };
        if thread > u16::MAX as u32 || number.id() == 0 {
            return Err(Error::NoThread);
        }
        if !number.is_beside(caller) {
            return Err(Error::NoPermission);
        }
        if at >= self.processors as i32 || destination >= self.processors as i32 {
            return Err(Error::BadProcessor);
        }
        let destination = if destination < 0 { migrate::ANY } else { destination as u32 };
        if at >= 0 && at != self.me.number() as i32 {
            if number == caller {
                return Err(Error::NotHere);
            }
            tcb.ask();
            let words =
                [mpc::process_address(process.id()), number.bits() as u32, destination, tcb.who(self.me).word(), 0, 0];
            self.net.queue_token(Processor::new(at as u8), mpc::MIGRATE, words, migrate::BYTES);
            return Ok(Outcome::Waits);
        }
        if number == caller {
            tcb.context().answer(Ok(0));
            let moves = self.move_thread(index, destination, false)?;
            return Ok(if moves { Outcome::Waits } else { Outcome::Done(Ok(0)) });
        }
        let other = self.find(process.id(), number).ok_or(Error::NotHere)?;
        self.move_thread(other, destination, true).map(|_| Outcome::Done(Ok(0)))
    }

    /// A thread elsewhere asks for a thread to be moved.
    pub fn serve_migrate(&mut self, id: ProcessId, packet: &Packet) {
        let number = ThreadNumber::from_bits(packet.word(migrate::THREAD) as u16);
        let destination = packet.word(migrate::DESTINATION);
        let result = match self.find(id, number) {
            _ if destination != migrate::ANY && destination >= self.processors as u32 => Err(Error::BadProcessor),
            Some(index) => self.move_thread(index, destination, true),
            None => Err(Error::NotHere),
        };
        let result = result.map_or_else(|error| error.code() as u32, |_| 0);
        self.reply(Who::unpack(packet.word(migrate::WHO), id), result, 0);
    }

    /// Moves a thread that is in the ready queue, is kept from it because its process is suspended,
    /// or is the caller. `Ok(false)`: it is where it should be.
    pub fn move_thread(&mut self, index: u16, destination: u32, queued: bool) -> Result<bool, Error> {
        let tcb = self.tcb_of(index);
        let (state, number) = (tcb.state(), tcb.number());
        if !matches!(state, State::Ready | State::Held) || tcb.has_children() {
            return Err(Error::NotReady);
        }
        let to = if destination == migrate::ANY { self.another_slave() } else { Processor::new(destination as u8) };
        if to == self.me {
            return Ok(false);
        }
        events::emit_with(DIAG_PROFILE, event::PACK, number.bits());
        if queued && state == State::Ready {
            self.ready.remove(self.tcbs, index);
            events::emit(DIAG_READY, number.bits() & event::THREAD_MASK);
        }
        self.send_away(index, State::Moving, to);
        Ok(true)
    }

    /// Any slave but this processor, if there is one.
    fn another_slave(&mut self) -> Processor {
        let slave = match (self.me.number(), self.processors) {
            (me, 1) | (me @ 1, 2) => me,
            (0, processors) => 1 + self.random_below(processors as u32 - 1) as u8,
            (me, processors) => {
                let slave = 1 + self.random_below(processors as u32 - 2) as u8;
                slave + (slave >= me) as u8
            }
        };
        Processor::new(slave)
    }

    /// Puts a control block whose ends leave into the queue of those whose messages leave.
    fn send_away(&mut self, index: u16, state: State, to: Processor) {
        self.tcb_of(index).leave(state, to);
        if self.transmitting.is_empty() {
            while let Some(packet) = self.net.free_buffer() {
                if self.pack(index, packet) {
                    return self.gone(index);
                }
            }
        }
        self.transmitting.push_back(self.tcbs, index);
    }

    /// Packs as much as the data buffer `packet`, which is free, takes of a control block whose ends
    /// leave; `true` if that was all: it is to be [`Self::gone`].
    pub fn pack(&mut self, index: u16, packet: u32) -> bool {
        let words = packet as *mut u32;
        let tcb = self.tcb_of(index);
        let mut used = if tcb.has_no_ends() { ends::ENDS } else { self.pack_ends(tcb, words) };
        let (process, number, state) = (tcb.process(), tcb.number(), tcb.state());
        let is_last = tcb.has_no_ends();
        let with_thread = is_last && state == State::Moving && used + layout::WORDS <= PAYLOAD_WORDS_MAX;
        let parent = if with_thread { tcb.parent() } else { ThreadNumber::NOBODY };
        // SAFETY: the buffer is the driver's, free, and has room for a packet.
        unsafe {
            words.add(ends::ADDRESS).write_volatile(mpc::process_address(process.id()));
            words.add(ends::THREAD).write_volatile(number.bits() as u32 | (parent.bits() as u32) << 16);
            if with_thread {
                self.pack_thread(index, words.add(used));
                used += layout::WORDS;
            }
        }
        let kind = if with_thread { mpc::THREAD } else { mpc::ENDS };
        if used != ends::ENDS {
            self.net.queue_buffer(tcb.destination(), kind, 4 * used as u32);
        }
        with_thread || is_last && state != State::Moving
    }

    /// Takes ends of the thread's out of their control blocks and writes them from word
    /// [`ends::ENDS`] on, as many as fit. Returns the words of payload.
    #[inline(never)]
    fn pack_ends(&mut self, tcb: &Tcb, words: *mut u32) -> usize {
        let mut used = ends::ENDS;
        for group in 0..CHANNELS / 32 {
            let word = tcb.ends_word(group);
            let mut left = word.get();
            while left != 0 && used + end::WORDS_MAX <= PAYLOAD_WORDS_MAX {
                let channel = Channel::new((32 * group) as u8 + left.trailing_zeros() as u8);
                left &= left - 1;
                let ccb = tcb.process().ccb(channel);
                let Some(end) = leave(ccb, self.me, tcb.destination(), tcb.number()) else { continue };
                let ([a, b, c, d, e, f], count) = end.pack(channel);
                // SAFETY: in the packet's buffer, which has room for the longest payload. Written
                // out, so that the words stay in registers.
                unsafe {
                    let place = words.add(used);
                    place.write_volatile(a);
                    place.add(1).write_volatile(b);
                    place.add(2).write_volatile(c);
                    if count > end::WORDS {
                        place.add(3).write_volatile(d);
                        place.add(4).write_volatile(e);
                        place.add(5).write_volatile(f);
                    }
                }
                used += count;
            }
            word.set(left);
        }
        used
    }

    /// Writes the last words of a thread's packet.
    ///
    /// # Safety
    /// There is room for them in a buffer that is the driver's.
    unsafe fn pack_thread(&self, index: u16, words: *mut u32) {
        let tcb = self.tcb_of(index);
        let ((parent_processor, failed), (stack, pages)) = (tcb.family(), tcb.stack());
        // SAFETY: the caller's; a context begins with the words that move.
        unsafe {
            words
                .add(layout::PARENT_PROCESSOR_FAILED)
                .write_volatile(parent_processor.number() as u32 | (failed as u32) << 16);
            words.add(layout::STACK).write_volatile(stack);
            words.add(layout::STACK_PAGES).write_volatile(pages);
            let (from, bytes) = (tcb.context().address(), 4 * layout::CONTEXT_WORDS as u32);
            memory::copy_long(from, words.add(layout::CONTEXT) as u32, bytes);
        }
    }

    /// All that had to leave has been packed.
    pub fn gone(&mut self, index: u16) {
        let tcb = self.tcb_of(index);
        let state = tcb.state();
        if state == State::Returning {
            // It ends now, without ends of channels.
            return self.leave_end(index);
        }
        let (birth, to, error) = (tcb.birth(), tcb.destination(), tcb.exit_code());
        tcb.process().set_thread(birth.number, NONE);
        self.free_tcb(index);
        if state == State::Moving {
            self.counters[counter::LEFT] += 1;
            events::emit(DIAG_PROFILE, event::PACKED);
            if self.has_requests() {
                self.gone_for_request(birth.number);
            }
        } else if error == 0 {
            self.send_birth(to, birth, to);
        } else {
            self.send_created(to, birth, error);
        }
    }

    /// Ends of channels have come, with the thread that has them or for one that comes later.
    pub fn serve_ends(&mut self, id: ProcessId, packet: &Packet) {
        self.tell_packet(packet);
        let words = packet.header.payload_words();
        let with_thread = packet.header.kind == mpc::THREAD;
        let tail = if with_thread { layout::WORDS } else { 0 };
        let number = ThreadNumber::from_bits(packet.word(ends::THREAD) as u16);
        let belongs = number.belongs_to(id);
        if words < ends::ENDS + tail || !belongs {
            return events::emit(DIAG_PROFILE, event::RX_END);
        }
        let process = match self.ensure_process(id) {
            Ok(process) => process,
            Err(error) => {
                // The process has ended before, or ends now that a part of it has nowhere to be.
                if error != Error::NoProcess {
                    self.end_for_memory(id);
                }
                return events::emit(DIAG_PROFILE, event::RX_END);
            }
        };
        let owned = self.join_all(process, number, packet, words - tail);
        if with_thread && process.thread(number) == NONE {
            match self.free.pop_front(self.tcbs) {
                Some(index) => return self.unpack_thread(index, process, owned, packet),
                None => self.park(process, packet),
            }
        }
        process.set_resting(number, true);
        events::emit(DIAG_PROFILE, event::RX_END);
    }

    /// Keeps a thread, whose ends have been put where they belong, until a control block is free.
    #[cold]
    fn park(&mut self, process: Process, packet: &Packet) {
        let tail = packet.header.payload_words() - layout::WORDS;
        let words = (0..ends::ENDS).chain(tail..tail + layout::WORDS).map(|index| packet.word(index));
        if self.parked.put(words, &mut self.pages) {
            self.effects.note(PARKED);
        } else {
            self.out_of_memory(process);
        }
    }

    /// Unpacks threads that have waited for a control block, the last one first.
    #[cold]
    pub fn unpark(&mut self) {
        let length = 4 * (ends::ENDS + layout::WORDS) as u16;
        let header = Header { destination: self.me.number(), kind: mpc::THREAD, length, source: self.me.number() };
        while !self.free.is_empty() {
            let Some((page, packet)) = self.parked.take(header) else { break };
            let id = mpc::process_channel(packet.word(ends::ADDRESS)).0;
            // What is left of a process that has ended makes none.
            if self.process(id).is_some() {
                self.serve_ends(id, &packet);
            }
            self.pages.release(page, page + 1);
        }
        if self.parked.is_empty() {
            self.effects.done(PARKED);
        }
    }

    /// An end of a thread's has come to its channel's control block.
    fn join_end(&mut self, process: Process, channel: Channel, thread: ThreadNumber, end: End) {
        let mut performer = Performer::new(self, (process, channel));
        join(process.ccb(channel), performer.kernel.me, thread, end, &mut performer);
    }

    /// Puts the ends of a packet into their control blocks; returns their channels.
    fn join_all(
        &mut self,
        process: Process,
        number: ThreadNumber,
        packet: &Packet,
        limit: usize,
    ) -> [u32; CHANNELS / 32] {
        let mut owned = [0; CHANNELS / 32];
        let mut at = ends::ENDS;
        while let Some((channel, end, words)) = End::unpack(limit - at, |index| packet.word(at + index)) {
            owned[channel.index() / 32 % (CHANNELS / 32)] |= 1 << (channel.number() % 32);
            self.join_end(process, channel, number, end);
            at += words;
        }
        owned
    }

    fn unpack_thread(&mut self, index: u16, process: Process, owned: [u32; CHANNELS / 32], packet: &Packet) {
        let number = ThreadNumber::from_bits(packet.word(ends::THREAD) as u16);
        process.set_thread(number, index);
        let tail = packet.header.payload_words() - layout::WORDS;
        let places = packet.word(tail + layout::PARENT_PROCESSOR_FAILED);
        let tcb = self.tcb_of(index);
        let parent = (ThreadNumber::from_bits((packet.word(ends::THREAD) >> 16) as u16), Processor::new(places as u8));
        tcb.arrive(process, number, parent, (places >> 16) as u16, owned);
        tcb.set_stack(packet.word(tail + layout::STACK), packet.word(tail + layout::STACK_PAGES));
        // SAFETY: the packet has as many words as a context begins with, which are cells.
        unsafe { packet.copy::<{ 4 * layout::CONTEXT_WORDS as u32 }>(tail + layout::CONTEXT, tcb.context().address()) };
        self.adopt_ends(index);
        self.counters[counter::COME] += 1;
        self.make_ready(index);
        events::emit_with(DIAG_PROFILE, event::UNPACKED, number.bits());
    }

    /// A thread that is new here has the ends that have waited here for it.
    pub fn adopt_ends(&mut self, index: u16) {
        let tcb = self.tcb_of(index);
        let (process, number) = (tcb.process(), tcb.number());
        if !process.is_resting(number) {
            return;
        }
        process.set_resting(number, false);
        for channel in (0..CHANNELS as u8).map(Channel::new) {
            let ccb = process.ccb(channel);
            let sends = ccb.sender != Sender::Away && ccb.sender_thread == number;
            if sends || ccb.receiver != Receiver::Away && ccb.receiver_thread == number {
                tcb.own(channel);
            }
        }
    }

    /// A thread has ended: its ends go to its process's home. `false` if it has to wait until they
    /// have left; its end goes on then.
    pub fn return_ends(&mut self, index: u16) -> bool {
        let tcb = self.tcb_of(index);
        if tcb.has_no_ends() {
            return true;
        }
        let home = tcb.process().id().home();
        if home == self.me {
            tcb.set_ends([0; CHANNELS / 32]);
            let number = tcb.number();
            tcb.process().set_resting(number, true);
            return true;
        }
        self.send_away(index, State::Returning, home);
        false
    }

    /// Ends that wait here for a thread that is to be created elsewhere go there ahead of the order
    /// to create it. With `error` they go back to the home ahead of that answer. `Ok(false)` if
    /// there are none.
    pub fn send_ends(&mut self, birth: Birth, to: Processor, error: Option<Error>) -> Result<bool, Error> {
        let Some(process) = self.process(birth.process).filter(|process| process.is_resting(birth.number)) else {
            return Ok(false);
        };
        let index = self.free.pop_front(self.tcbs).ok_or(Error::NoThread)?;
        process.set_thread(birth.number, index);
        let tcb = self.tcb_of(index);
        tcb.be_born(process, &birth);
        tcb.carry(error);
        self.adopt_ends(index);
        self.send_away(index, State::Courier, to);
        Ok(true)
    }
}
