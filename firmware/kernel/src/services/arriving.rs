//! The short way of components that arrive, for those that most are: a token for a receiver that
//! waits for it here, a request for a short message that lies in one page, a short message for
//! memory in one page. All that is asked first, and nothing has changed yet if it is not so: the
//! long way ([`crate::services::components`]) then serves the packet. There is no call on the short
//! way, for which what is known of the packet would have to be stored.

use testbed_definitions::event::{COMMR, COMMS, DIAG_PROFILE, DIAG_READY, RX_FOCUS};
use testbed_definitions::ids::Channel;
use testbed_definitions::mpc::{self, msg, token, MSG_HEADER_BYTES};
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{channel, ordinary, Processor, ThreadNumber};

use crate::drivers::events::{Classes, AWAITING, COUNTING};
use crate::drivers::packet::Packet;
use crate::services::extended::runs::in_one_page;
use crate::services::fragments::{write_header, Noted, SHORT};
use crate::services::short::Tokens;
use crate::state::kernel::Kernel;
use crate::state::process::{Process, CHANNELS};
use crate::state::thread::Tcb;

/// Classes with which more is told of a thread that goes on, or counted, than the short way does.
const MORE: u32 = DIAG_READY | AWAITING | COUNTING;

/// Copies words, at least one.
///
/// # Safety
/// `words` words from `from` and from `to` on are RAM at multiples of four, which don't overlap.
#[inline(always)]
unsafe fn copy_words(from: u32, to: u32, words: u32) {
    let (mut from, mut to) = (from as *const u32, to as *mut u32);
    let end = from.wrapping_add(words as usize);
    // SAFETY: the caller's. Volatile, so that the loop isn't made a call of `memcpy`.
    unsafe {
        loop {
            to.write_volatile(from.read_volatile());
            (from, to) = (from.add(1), to.add(1));
            if from == end {
                break;
            }
        }
    }
}

impl Kernel {
    /// Serves a focus or an advert as [`Self::serve_token`] does; `false` if it has to go the long
    /// way.
    #[inline(always)]
    pub fn take_token(&mut self, classes: Classes, packet: &Packet) -> bool {
        let Some((at, Mpc::Focus { token, epoch })) = self.token_of(mpc::FOCUS, packet) else { return false };
        let (ccb, me) = (at.0.ccb(at.1), self.me);
        if !ordinary::is_awaited(ccb, me, token) {
            return false;
        }
        channel::focus(ccb, me, token, Some(epoch), &mut Tokens { kernel: self, at });
        classes.emit(DIAG_PROFILE, RX_FOCUS);
        true
    }

    /// Serves a request from processor `to` for bytes as [`Self::serve_rtr`] does; `false` if it has
    /// to go the long way.
    #[inline(always)]
    pub fn take_rtr(&mut self, classes: Classes, at: (Process, Channel), to: Processor, mpc: Mpc) -> bool {
        let Mpc::Rtr { thread, length, sequence, .. } = mpc else { return false };
        // Before anything else, so that what is long loses no time here.
        if length == 0 || length > SHORT || length & 3 != 0 {
            return false;
        }
        let ccb = at.0.ccb(at.1);
        if !ordinary::is_offered(ccb, thread, sequence, length) {
            return false;
        }
        let Some(tcb) = self.free_to_go_on(classes, at.0, ccb.sender_thread) else { return false };
        let Some(from) = in_one_page(at.0.map(), tcb.buffer(), length, READ) else { return false };
        if from & 3 != 0 {
            return false;
        }
        channel::rtr(ccb, to, mpc, &mut Noted);
        let words = self.net.queue_words(to, mpc::MSG, MSG_HEADER_BYTES as u32 + length);
        // SAFETY: the place is the driver's, not issued yet, and has room; the bytes are in a page of
        // the thread's.
        unsafe {
            write_header(words, mpc::address(at.0.id(), at.1), length, 0);
            copy_words(from, words.add(msg::DATA) as u32, length / 4);
        }
        channel::room(ccb, &mut Noted);
        self.go_on_after(classes, tcb, length, COMMS);
        true
    }

    /// Serves a fragment as [`Self::serve_msg`] does, if it is a whole message; `false` if it has to
    /// go the long way.
    #[inline(always)]
    pub fn take_message(&mut self, classes: Classes, packet: &Packet) -> bool {
        let bytes = (packet.header.length as u32).wrapping_sub(MSG_HEADER_BYTES as u32);
        if bytes == 0 || bytes > SHORT || bytes & 3 != 0 {
            return false;
        }
        let words = packet.words::<{ msg::DATA }>();
        let Some(at) = self.channel_at(words[msg::ADDRESS]) else { return false };
        let (ccb, from) = (at.0.ccb(at.1), packet.source());
        if !ordinary::is_whole(ccb, from, (words[msg::TOTAL], words[msg::OFFSET], bytes)) {
            return false;
        }
        let Some(tcb) = self.free_to_go_on(classes, at.0, ccb.receiver_thread) else { return false };
        let Some(to) = in_one_page(at.0.map(), tcb.buffer(), bytes, WRITE) else { return false };
        let [(data, part), _] = packet.pieces(msg::DATA, bytes);
        // Nothing of it can be staged: it is the first of its message.
        if part != bytes || to & 3 != 0 {
            return false;
        }
        channel::msg(ccb, from, (bytes, 0, bytes), &mut Noted);
        // SAFETY: the piece is in the receive ring, and the part lies in a page of the thread's.
        unsafe { copy_words(data, to, bytes / 4) };
        self.go_on_after(classes, tcb, bytes, COMMR);
        true
    }

    /// The channel that a component names, of a process that is known here.
    #[inline(always)]
    pub fn channel_at(&self, address: u32) -> Option<(Process, Channel)> {
        let (id, channel) = mpc::process_channel(address);
        if channel.index() < CHANNELS {
            self.process(id).map(|process| (process, channel))
        } else {
            None
        }
    }

    /// The channel of a token that has as many words as it should, and what it says.
    #[inline(always)]
    pub fn token_of(&self, kind: u8, packet: &Packet) -> Option<((Process, Channel), Mpc)> {
        // First, so that nothing is asked of the words before it is known what they are.
        if packet.header.length as usize != mpc::TOKEN_BYTES {
            return None;
        }
        let words = packet.words::<{ token::WORDS }>();
        let at = self.channel_at(words[token::ADDRESS])?;
        Some((at, Mpc::decode(kind, mpc::TOKEN_BYTES, |index| words[index])?))
    }

    /// A thread that waits here for a component, if nothing but its being ready follows from its
    /// end.
    #[inline(always)]
    fn free_to_go_on(&self, classes: Classes, process: Process, thread: ThreadNumber) -> Option<&'static Tcb> {
        if classes.has(MORE) || process.is_suspended() {
            return None;
        }
        Some(self.tcb_of(self.thread_index(process, thread)))
    }

    /// The thread of [`Self::free_to_go_on`] is ready: its communication has ended.
    #[inline(always)]
    fn go_on_after(&mut self, classes: Classes, tcb: &Tcb, bytes: u32, code: u16) {
        tcb.context().answer(Ok(bytes));
        tcb.be_ready();
        self.ready.push_address(self.tcbs, tcb.address());
        if classes.has(DIAG_PROFILE) {
            classes.emit(DIAG_PROFILE, code | testbed_definitions::event::MORE);
            classes.emit(DIAG_PROFILE, tcb.number().bits());
        }
    }
}
