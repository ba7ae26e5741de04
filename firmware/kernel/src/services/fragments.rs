//! Messages that leave and arrive in fragments: between threads' pages and packets. Each page is
//! translated once, pages that lie side by side in memory are copied as one run, and a page that
//! has gone is found by the copy itself: what was copied until then is copied again.

use testbed_definitions::event::COMMS;
use testbed_definitions::ids::Channel;
use testbed_definitions::mpc::{self, msg, FRAGMENT_BYTES, MSG_HEADER_BYTES};
use testbed_definitions::page::PAGE_SHIFT;
use testbed_kernel_core::page_map::READ;
use testbed_protocol::channel::{self, Ccb, Output, Sender, Sink};

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::services::extended::runs::{gather, in_one_run, scatter};
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};
use crate::variant;

/// What became of a message that was to be packed.
enum Packed {
    All,
    /// It needs another buffer.
    Waits,
    /// This page of it is not here.
    Missing(u32),
}

/// What the protocol says of a fragment is known before: which one it is, and whether it is the last.
pub struct Noted;

impl Sink for Noted {
    #[inline(always)]
    fn put(&mut self, output: Output) {
        match output {
            Output::Fragment { .. } | Output::Release { .. } => {}
            // Of those that go the short way.
            Output::WantRoom { .. } | Output::Deliver { .. } => {}
            // Of requests and of components only.
            Output::Block { .. }
            | Output::Reject { .. }
            | Output::Chosen { .. }
            | Output::Copy { .. }
            | Output::Transmit { .. }
            | Output::Ignored(_) => {}
        }
    }
}

/// Bytes of a message that fits into the queue of packets itself.
pub const SHORT: u32 = (4 * mpc::TOKEN_WORDS - MSG_HEADER_BYTES) as u32;

/// Writes the words that stand ahead of a fragment's bytes.
///
/// # Safety
/// There is room for them, in memory that is the driver's.
#[inline(always)]
pub unsafe fn write_header(words: *mut u32, address: u32, total: u32, offset: u32) {
    // SAFETY: the caller's.
    unsafe {
        words.add(msg::ADDRESS).write_volatile(address);
        words.add(msg::TOTAL).write_volatile(total);
        words.add(msg::OFFSET).write_volatile(offset);
    }
}

impl Kernel {
    /// Packs all of a message that the receiver has asked for, if it can be packed at once: it is
    /// in one page that is here and short, or nobody else transmits, its pages are here and buffers
    /// are free. Otherwise it leaves when its turn comes. `true`: it has been packed.
    #[inline(always)]
    pub fn pack_or_queue(&mut self, at: (Process, Channel), ccb: &mut Ccb, tcb: &Tcb) -> bool {
        if let Some(start) = in_one_run(at.0.map(), tcb.buffer(), ccb.length, READ) {
            if self.queue_run(at, ccb, start) {
                return true;
            }
        }
        self.pack_or_wait(at, ccb, tcb)
    }

    /// [`Self::pack_or_queue`] for a message that is not in one run, or for which there are no
    /// buffers.
    #[inline(never)]
    fn pack_or_wait(&mut self, at: (Process, Channel), ccb: &mut Ccb, tcb: &Tcb) -> bool {
        let first = self.transmitting.is_empty();
        let packed = if first { self.pack_message(at, ccb, tcb.buffer()) } else { Packed::Waits };
        if matches!(packed, Packed::All) {
            return true;
        }
        tcb.transmit();
        self.transmitting.push_back(self.tcbs, tcb.index());
        if let Packed::Missing(page) = packed {
            self.ask_for_message(at.0, page);
        }
        false
    }

    /// Packs a message from a run of pages: a short one into the queue itself, others into buffers.
    /// `false` if it has to wait for that.
    #[inline(always)]
    fn queue_run(&mut self, at: (Process, Channel), ccb: &mut Ccb, start: u32) -> bool {
        let (to, length, address) = (ccb.to, ccb.length, mpc::address(at.0.id(), at.1));
        if length <= SHORT {
            let words = self.net.queue_words(to, mpc::MSG, MSG_HEADER_BYTES as u32 + length);
            // SAFETY: the place is the driver's, not issued yet, and has room; the bytes are in a
            // page of the thread's.
            unsafe {
                write_header(words, address, length, 0);
                memory::copy_short(start, words.add(msg::DATA) as u32, length);
            }
            channel::room(ccb, &mut Noted);
            return true;
        }
        if !self.transmitting.is_empty() {
            return false;
        }
        const FULL: u32 = FRAGMENT_BYTES as u32;
        let (first, kind) = (ccb.offset, (to, mpc::MSG, MSG_HEADER_BYTES as u32));
        let mut offset = first;
        let left = self.net.queue_buffers(kind, (FULL, length - first), |packet, bytes| {
            // SAFETY: the buffer is the driver's, not issued yet, and has room for a packet; the
            // bytes are in pages of the thread's.
            unsafe {
                write_header(packet as *mut u32, address, length, offset);
                let (from, to) = (start + offset, packet + MSG_HEADER_BYTES as u32);
                match bytes == FULL {
                    // Of so many bytes the compiler knows how often to go through which row.
                    true => memory::copy_long(from, to, FULL),
                    false => memory::copy_long(from, to, bytes),
                }
            }
            offset += bytes;
        });
        channel::room_for(ccb, offset - first, &mut Noted);
        left == 0
    }

    /// Packs what is left of a message while buffers are free.
    #[inline(never)]
    fn pack_message(&mut self, at: (Process, Channel), ccb: &mut Ccb, buffer: u32) -> Packed {
        while let Some(packet) = self.net.free_buffer() {
            let (offset, bytes) = channel::next_fragment(ccb);
            // SAFETY: the buffer is the driver's, free, and has room for a packet.
            let here = unsafe {
                write_header(packet as *mut u32, mpc::address(at.0.id(), at.1), ccb.length, offset);
                gather(at.0.map(), buffer + offset, packet + MSG_HEADER_BYTES as u32, bytes)
            };
            // A page that has come leaves at once, with whatever is before it: no two pages have to
            // be here at the same time.
            if here == 0 && bytes != 0 {
                return Packed::Missing((buffer + offset) >> PAGE_SHIFT);
            }
            self.net.queue_buffer(ccb.to, mpc::MSG, MSG_HEADER_BYTES as u32 + here);
            channel::room_for(ccb, here, &mut Noted);
            if ccb.sender != Sender::Transmitting {
                return Packed::All;
            }
        }
        Packed::Waits
    }

    /// Asks for a page of a message that is to leave.
    #[cold]
    #[inline(never)]
    fn ask_for_message(&mut self, process: Process, page: u32) {
        if !variant::PAGES_GO {
            panic!("a message's buffer has gone");
        }
        self.ask_for_page(process, page, false);
    }

    /// Packs fragments while there are buffers for them, one message after the other.
    pub fn pump_fragments(&mut self) {
        while self.pump_first() {}
    }

    /// Packs what is first in the queue of messages and threads that leave; `true` if all of it has
    /// been packed.
    fn pump_first(&mut self) -> bool {
        let Some(index) = self.transmitting.front() else { return false };
        let tcb = self.tcb_of(index);
        match tcb.state() {
            State::Transmitting => return self.pump_message(tcb),
            State::Exchanging => return self.pump_exchange(tcb),
            _ => {}
        }
        while let Some(packet) = self.net.free_buffer() {
            if self.pack(index, packet) {
                self.transmitting.remove(self.tcbs, index);
                self.gone(index);
                return true;
            }
        }
        false
    }

    /// [`Self::pump_first`] where that is a message.
    #[inline(never)]
    fn pump_message(&mut self, tcb: &Tcb) -> bool {
        let at = (tcb.process(), tcb.channel());
        let ccb = at.0.ccb(at.1);
        match self.pack_message(at, ccb, tcb.buffer()) {
            Packed::All => {
                self.transmitting.remove(self.tcbs, tcb.index());
                self.released(tcb, ccb.length, COMMS);
                return true;
            }
            Packed::Waits => {}
            Packed::Missing(page) => {
                self.ask_for_message(at.0, page);
                // Others may go on while it is on its way.
                self.transmitting.remove(self.tcbs, tcb.index());
                self.transmitting.push_back(self.tcbs, tcb.index());
            }
        }
        false
    }

    /// Unpacks a fragment that is in several pages or pieces, or has to be staged.
    #[inline(never)]
    pub fn unpack_fragment(&mut self, tcb: &Tcb, offset: u32, bytes: u32, packet: &Packet) {
        let to = tcb.buffer() + offset;
        let mut done = 0;
        let here = (!variant::PAGES_GO || !tcb.has_staged())
            && packet.pieces(msg::DATA, bytes).into_iter().all(|(from, part)| {
                // SAFETY: the piece is in the receive ring.
                let here = unsafe { scatter(from, tcb.process().map(), to + done, part) } == part;
                done += part;
                here
            });
        if here {
            return;
        }
        if !variant::PAGES_GO {
            panic!("a message's buffer has gone");
        }
        if !self.stage(tcb.index(), to, bytes, packet, msg::DATA) {
            self.out_of_memory(tcb.process());
        }
    }
}
