//! Threads' requests to send and to receive: the protocol's outputs made real. Events come from the
//! places that the report names (Figures 5 and 6). What arrives from other processors is in
//! [`crate::services::components`].

use testbed_definitions::event::{self, DIAG_PROFILE, DIAG_READY, TRAP70, TRAP72};
use testbed_definitions::ids::{Channel, Processor, ThreadNumber};
use testbed_definitions::mpc;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{self, PageMap, READ, WRITE};
use testbed_protocol::channel::{self, Ccb, Output, Receiver, Sender, Sink};
use testbed_protocol::mpc::Mpc;

use crate::arch::memory;
use crate::drivers::events::{self, AWAITING, COUNTING};
use crate::services::extended::runs::in_one_run;
use crate::state::call::Access;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::{Process, CHANNELS};
use crate::state::thread::Tcb;
use crate::variant;

/// What a step did that an event tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    Blocked,
    Copied,
}

/// Does what the protocol says of a request, but for what concerns both partners if both are here:
/// that is done afterwards.
struct Request<'a> {
    kernel: &'a mut Kernel,
    process: Process,
    channel: Channel,
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
            Output::Reject { .. } | Output::Release { .. } => {}
            // Of components only.
            Output::WantRoom { .. } | Output::Fragment { .. } | Output::Deliver { .. } | Output::Ignored(_) => {}
        }
    }
}

/// Whether memory of several pages is all here, found out in line: a call would cost what the look
/// does. The small kernel calls.
#[inline(always)]
fn is_here(map: &PageMap, address: u32, bytes: u32, access: u32) -> bool {
    variant::IN_LINE && page_map::allows(map, address, bytes, access)
}

/// Who waits on this processor for a thread that now sends or receives, and how much it takes or
/// offers. The second of them copies.
#[inline(always)]
pub fn partner<const SEND: bool>(ccb: &Ccb) -> Option<(ThreadNumber, u32)> {
    match (SEND, ccb.sender, ccb.receiver) {
        (true, _, Receiver::Waiting | Receiver::Alternative) => Some((ccb.receiver_thread, ccb.capacity)),
        (false, Sender::Waiting, _) => Some((ccb.sender_thread, ccb.length)),
        _ => None,
    }
}

/// [`partner`] of a thread that sends, or receives.
#[inline(always)]
fn partner_of(send: bool, ccb: &Ccb) -> Option<(ThreadNumber, u32)> {
    if send {
        partner::<true>(ccb)
    } else {
        partner::<false>(ccb)
    }
}

impl Kernel {
    /// *FSend* and *FReceive*: serves a request to send or to receive, of the thread whose control
    /// block is at this address: checks it, and takes the protocol's step. What lies in one page, as short messages
    /// do, takes the short way.
    #[inline(always)]
    pub fn communicate(&mut self, send: bool, thread: u32, channel: u32, buffer: u32, length: u32) {
        let tcb = self.tcb_at(thread);
        let access = if send { READ } else { WRITE };
        if channel >= CHANNELS as u32 {
            return self.finish(tcb.index(), Err(Error::BadChannel));
        }
        if length > VIRTUAL_BYTES {
            return self.finish(tcb.index(), Err(Error::BadLength));
        }
        let channel = Channel::new(channel as u8);
        let process = tcb.process();
        let own = in_one_run(process.map(), buffer, length, access);
        if own.is_none()
            && !is_here(process.map(), buffer, length, access)
            && !(self.ensure_below(send, tcb.index(), (process, channel), buffer, length)
                && self.ensure_or_refuse(tcb.index(), buffer, length, access))
        {
            return;
        }
        let ccb = process.ccb(channel);
        let mut other = None;
        if let Some((thread, room)) = partner_of(send, ccb) {
            let theirs = self.tcb_of(self.thread_index(process, thread));
            let (bytes, access) = (length.min(room), if send { WRITE } else { READ });
            let part = in_one_run(process.map(), theirs.buffer(), bytes, access);
            let is_doubtful =
                part.is_none() && variant::PAGES_GO && !is_here(process.map(), theirs.buffer(), bytes, access);
            if is_doubtful && !self.ensure_or_refuse(tcb.index(), theirs.buffer(), bytes, access) {
                return;
            }
            other = Some((theirs, part));
        }
        if if send { ccb.sender == Sender::Away } else { ccb.receiver == Receiver::Away } {
            tcb.own(channel);
        }
        let (me, number) = (self.me, tcb.number());
        let mut request = Request { kernel: self, process, channel, told: Told::Nothing, bytes: 0 };
        if send {
            channel::send(ccb, me, number, length, &mut request);
        } else {
            channel::receive(ccb, me, number, length, &mut request);
        }
        match (request.told, request.bytes, other) {
            (Told::Copied, bytes, Some((theirs, part))) => {
                let (mine, their) = ((buffer, own), (theirs.buffer(), part));
                copy_message(process.map(), if send { (mine, their) } else { (their, mine) }, bytes);
                self.both_ready(tcb, theirs, bytes);
            }
            (Told::Blocked, _, _) => {
                tcb.communicate(channel, buffer);
                events::emit(DIAG_PROFILE, TRAP70);
            }
            _ => self.finish(tcb.index(), Err(Error::ChannelInUse)),
        }
    }

    /// After a copy both partners are ready, the one that waited first.
    #[inline]
    fn both_ready(&mut self, own: &Tcb, other: &Tcb, bytes: u32) {
        own.context().answer(Ok(bytes));
        other.context().answer(Ok(bytes));
        if own.process().is_suspended() {
            own.hold();
            other.hold();
        } else {
            own.be_ready();
            other.be_ready();
            // Whatever is looked at here: without a call, for which registers would have to be saved.
            if events::enabled(DIAG_READY | AWAITING | COUNTING) {
                events::emit(DIAG_READY, other.number().bits() | event::SCHEDULE);
                events::emit(DIAG_READY, own.number().bits() | event::SCHEDULE);
                self.leave_for_load(own, other, bytes);
            }
            self.ready.push_pair(self.tcbs, other, own);
        }
        events::emit(DIAG_PROFILE, TRAP72);
    }

    /// [`Self::ensure_or_refuse`] for a partner's buffer that lies below the thread's own: while it
    /// waits for a page, a call keeps only those before it, so it fetches them in ascending order.
    #[cold]
    fn ensure_below(&mut self, send: bool, index: Index, at: (Process, Channel), buffer: u32, length: u32) -> bool {
        if !variant::PAGES_GO {
            return true;
        }
        let Some((thread, room)) = partner_of(send, at.0.ccb(at.1)) else { return true };
        let theirs = self.tcb_of(self.thread_index(at.0, thread)).buffer();
        theirs >= buffer || self.ensure_or_refuse(index, theirs, length.min(room), if send { WRITE } else { READ })
    }

    /// Whether memory that a request needs is here, its own or its partner's. If not, the thread
    /// fetches it and calls again; or its call is refused: a partner's memory may have been given
    /// back.
    #[inline(never)]
    pub fn ensure_or_refuse(&mut self, index: Index, buffer: u32, bytes: u32, access: u32) -> bool {
        match self.ensure(index, buffer, bytes, access) {
            Access::Here => true,
            Access::Coming => false,
            Access::Refused(error) => {
                self.finish(index, Err(error));
                false
            }
        }
    }

    /// Transmits a component without data. Inlined, so that what is known of it where it is made
    /// needs no choice here.
    #[inline(always)]
    pub fn transmit(&mut self, (process, channel): (Process, Channel), to: Processor, mpc: Mpc) {
        let [length, sequence, epoch, thread] = mpc.words();
        self.transmit_words(to, mpc.kind(), mpc::address(process.id(), channel), length, sequence, epoch, thread);
    }

    /// With its words in registers.
    #[allow(clippy::too_many_arguments)]
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn transmit_words(&mut self, to: Processor, kind: u8, address: u32, a: u32, b: u32, c: u32, d: u32) {
        if to == Processor::NOWHERE && self.processors == 1 {
            return;
        }
        // Nowhere in particular is everywhere.
        let to = if to == Processor::NOWHERE { Processor::ALL_OTHERS } else { to };
        self.net.queue_token(to, kind, [address, a, b, c, d], mpc::TOKEN_BYTES);
    }
}

/// Copies a message between two buffers, whose physical addresses are known if they lie in one run
/// of pages each.
#[inline(always)]
fn copy_message(map: &PageMap, (from, to): ((u32, Option<u32>), (u32, Option<u32>)), bytes: u32) {
    match (from.1, to.1) {
        // SAFETY: the runs are of pages of the threads'.
        (Some(from), Some(to)) => unsafe { memory::copy_short(from, to, bytes) },
        _ => memory::copy_pieces((map, from.0), (map, to.0), bytes).expect("a message's buffer has gone"),
    }
}
