//! The Centrenet driver: a queue of packets to transmit, in front of the station's own, and the
//! receive ring.
//!
//! Tokens carry their few words in the queue itself; data has buffers of a packet each, used in
//! turn. A packet's place and buffer are free again once the station has taken it to its own
//! memory, which is known from how many it still holds.

use core::sync::atomic::{compiler_fence, Ordering};
use testbed_definitions::ids::Processor;
use testbed_definitions::map::centrenet as register;
use testbed_definitions::map::CENTRENET_BASE as BASE;
use testbed_definitions::mpc::TOKEN_WORDS;
use testbed_definitions::packet::{Header, PAYLOAD_BYTES_MAX};
use testbed_definitions::page::PAGE_BYTES;

use testbed_kernel_core::pages::Pages;

use super::packet::Packet;
use super::place::{Place, BUFFER, FRAME, FREE_FRAME, HAS_PAGES, KIND, MEMORY, PAGES_TOUCHED};
use crate::arch::{hw, memory};
use crate::variant::{self, hot};

/// Pages of a data buffer.
const BUFFER_PAGES: u32 = (PAYLOAD_BYTES_MAX as u32).div_ceil(PAGE_BYTES);
const BUFFER_BYTES: u32 = BUFFER_PAGES * PAGE_BYTES;

/// Packets without data that may have left before [`Centrenet::retire`] looks.
const TOKENS_HELD: u32 = 4;
/// The same before [`Centrenet::needs_retiring`] looks without another packet.
const TOKENS_LEFT: u32 = 4 * TOKENS_HELD;
/// Packets that are few ([`Centrenet::holds_little`]).
const FEW: u32 = 2 * TOKENS_LEFT;

pub struct Centrenet {
    /// Packets that wait; a power of two, and more than blocked threads can have under way.
    places: &'static mut [Place],
    /// Free-running counts of packets queued here, passed to the station, and known to have left
    /// it.
    queued: u32,
    issued: u32,
    done: u32,
    /// Packets queued and not known to have left whose payload is a buffer or a page.
    large: u32,
    /// Those of them whose payload is memory of a process.
    memory: u32,
    /// Data buffers: where, how many, and free-running counts of those taken and free again.
    buffers: u32,
    buffer_count: u32,
    buffers_taken: u32,
    buffers_done: u32,
    /// The receive ring: where, its size in words less one, and the next word to read.
    ring: u32,
    ring_mask: u32,
    head: u32,
}

/// What the driver takes of a processor's memory.
#[derive(Clone, Copy)]
pub struct Demand {
    /// Pages of the receive ring, a power of two.
    pub ring_pages: u32,
    /// Data buffers, a power of two.
    pub buffers: u32,
    /// Packets that can wait, a power of two.
    pub places: u32,
}

impl Demand {
    pub const fn pages_of_buffers(self) -> u32 {
        self.buffers * BUFFER_PAGES
    }
    pub const fn pages_of_places(self) -> u32 {
        (self.places * size_of::<Place>() as u32).div_ceil(PAGE_BYTES)
    }
}

impl Centrenet {
    pub const fn new() -> Self {
        Centrenet {
            places: &mut [],
            queued: 0,
            issued: 0,
            done: 0,
            large: 0,
            memory: 0,
            buffers: 0,
            buffer_count: 0,
            buffers_taken: 0,
            buffers_done: 0,
            ring: 0,
            ring_mask: 0,
            head: 0,
        }
    }

    /// Starts the station with memory that is the driver's from now on: as much as `demand` says.
    pub fn start(&mut self, demand: Demand, ring: u32, buffers: u32, places: u32) {
        (self.ring, self.buffers, self.buffer_count) = (ring, buffers, demand.buffers);
        self.ring_mask = demand.ring_pages * PAGE_BYTES / 4 - 1;
        // SAFETY: the memory is the driver's and has room for the places, which are words: whatever
        // RAM holds is one.
        self.places = unsafe { core::slice::from_raw_parts_mut(places as *mut Place, demand.places as usize) };
        hw::write(BASE, register::RX_BASE, ring);
        hw::write(BASE, register::RX_MASK, self.ring_mask);
        self.head = hw::read(BASE, register::RX_TAIL);
        hw::write(BASE, register::RX_HEAD, self.head);
        hw::write(BASE, register::CONTROL, register::CONTROL_RECEIVE | register::CONTROL_INTERRUPT);
    }

    /// The station loses and damages packets with these thresholds, and sends again what is no
    /// datagram.
    pub fn lose(&self, drop: u32, corrupt: u32, seed: u32) {
        hw::write(BASE, register::FAULT_SEED, seed);
        hw::write(BASE, register::FAULT_DROP, drop);
        hw::write(BASE, register::FAULT_CORRUPT, corrupt);
        let control = register::CONTROL_RECEIVE | register::CONTROL_INTERRUPT | register::CONTROL_CONFIRM;
        hw::write(BASE, register::CONTROL, control);
    }

    /// Whether tokens can be queued: more than any one step needs.
    pub fn has_room(&self) -> bool {
        (self.queued.wrapping_sub(self.done) as usize) + self.places.len() / 8 + 4 < self.places.len()
    }

    /// Whether so few packets are held that there is room ([`Self::has_room`]) however few places
    /// there are. Those that [`Self::needs_retiring`] lets be are few: they may have left long ago.
    #[inline(always)]
    pub fn holds_little(&self) -> bool {
        self.queued.wrapping_sub(self.done) <= FEW
    }

    hot! {
        /// Queues a packet of at most [`TOKEN_WORDS`] words; the caller has asked
        /// [`Self::has_room`].
        pub fn queue_token<const N: usize>(&mut self, destination: Processor, kind: u8, words: [u32; N], bytes: usize) {
            const { assert!(N <= TOKEN_WORDS, "a place has fewer words") };
            let place = self.queue(header(destination, kind, bytes as u32), 0);
            place.words[..N].copy_from_slice(&words);
        }
    }

    /// As [`Self::queue_token`], with the words still to be written.
    #[inline]
    pub fn queue_words(&mut self, destination: Processor, kind: u8, bytes: u32) -> *mut u32 {
        self.queue(header(destination, kind, bytes), 0).words.as_mut_ptr()
    }

    /// How many packets can be queued in data buffers.
    #[inline(always)]
    fn free_buffers(&self) -> u32 {
        if self.has_room() {
            self.buffer_count - self.buffers_taken.wrapping_sub(self.buffers_done)
        } else {
            0
        }
    }

    /// The address of a free data buffer.
    pub fn free_buffer(&self) -> Option<u32> {
        (self.free_buffers() != 0).then(|| self.next_buffer())
    }

    /// Queues the packet that is in [`Self::free_buffer`], or is still to be written there; returns
    /// its address.
    pub fn queue_buffer(&mut self, destination: Processor, kind: u8, bytes: u32) -> u32 {
        let buffer = self.next_buffer();
        self.buffers_taken = self.buffers_taken.wrapping_add(1);
        self.large += 1;
        self.queue(header(destination, kind, bytes), buffer);
        buffer
    }

    /// Queues packets in data buffers for what is `left`, while there are free ones; returns what is
    /// left then. `head` and `most`: bytes of a packet ahead of its part of that, and of the part.
    /// `fill` is given a buffer's address and its part. It copies, so it may change any memory: what
    /// is counted stays in registers until the end.
    #[inline(always)]
    pub fn queue_buffers(
        &mut self,
        (destination, kind, head): (Processor, u8, u32),
        (most, mut left): (u32, u32),
        mut fill: impl FnMut(u32, u32),
    ) -> u32 {
        let (mut queued, mut taken) = (self.queued, self.buffers_taken);
        let end = taken.wrapping_add(self.free_buffers());
        while left != 0 && taken != end {
            // They begin pages, which the compiler can't know.
            let buffer = (self.buffers & !(PAGE_BYTES - 1)) + (taken & (self.buffer_count - 1)) * BUFFER_BYTES;
            let bytes = left.min(most);
            let place = &mut self.places[queued as usize & (self.places.len() - 1)];
            (place.header, place.buffer) = (header(destination, kind, head + bytes), buffer);
            (left, queued, taken) = (left - bytes, queued.wrapping_add(1), taken.wrapping_add(1));
            fill(buffer, bytes);
        }
        self.large += queued.wrapping_sub(self.queued);
        (self.queued, self.buffers_taken) = (queued, taken);
        left
    }

    /// Queues a page as a packet; it must not change until it has left. `free`: it is free then.
    pub fn queue_frame(&mut self, destination: Processor, kind: u8, frame: u32, free: bool) {
        let what = if free { FREE_FRAME } else { FRAME };
        self.large += 1;
        self.queue(header(destination, kind, PAGE_BYTES), frame | what);
    }

    /// Queues memory of a process, at a multiple of four, as a packet: it must not change until it
    /// has left.
    pub fn queue_memory(&mut self, destination: Processor, kind: u8, address: u32, bytes: u32) {
        self.large += 1;
        self.memory += 1;
        let place = self.queue(header(destination, kind, bytes), address | MEMORY);
        place.words[..=HAS_PAGES].fill(0);
    }

    /// Packets queued and not known to have left whose payload is memory of a process.
    #[inline(always)]
    fn memory(&self) -> u32 {
        if variant::PAGES_GO {
            self.memory
        } else {
            0
        }
    }

    /// Whether memory of processes is not known to have left ([`Self::retire`]).
    pub fn holds_memory(&self) -> bool {
        self.memory() != 0
    }

    /// Frees a page: now, or, if it waits to be sent, when it has left.
    pub fn release_frame(&mut self, frame: u32, pages: &mut Pages) {
        let waits = memory::page_address(frame);
        let mut count = self.queued;
        while count != self.done {
            count = count.wrapping_sub(1);
            let index = self.index(count);
            let place = &mut self.places[index];
            if place.buffer == waits | FRAME {
                place.buffer = waits | FREE_FRAME;
                return;
            }
            if variant::PAGES_GO && place.buffer & KIND == MEMORY {
                let first = memory::page_of(place.payload());
                let last = memory::page_of(place.payload() + Header::unpack(place.header).length as u32 - 1);
                if (first..=last).contains(&frame) {
                    place.words[(frame - first) as usize] = frame + 1;
                    place.words[HAS_PAGES] = 1;
                    return;
                }
            }
        }
        pages.release(frame, frame + 1);
    }

    /// The place of packet number `count`.
    fn index(&self, count: u32) -> usize {
        count as usize & (self.places.len() - 1)
    }

    fn next_buffer(&self) -> u32 {
        self.buffers + (self.buffers_taken & (self.buffer_count - 1)) * BUFFER_BYTES
    }

    /// Takes the next place; what it must hold besides is the caller's to write.
    #[inline]
    fn queue(&mut self, header: u32, buffer: u32) -> &mut Place {
        let index = self.index(self.queued);
        self.queued = self.queued.wrapping_add(1);
        let place = &mut self.places[index];
        (place.header, place.buffer) = (header, buffer);
        place
    }

    /// Whether it is time to [`Self::retire`]: tokens hold nothing but their places, so that some
    /// of them may wait, and so may memory of processes.
    #[inline]
    pub fn wants_retiring(&self) -> bool {
        let held = self.issued.wrapping_sub(self.done);
        self.large != self.memory() && held != 0 || held >= self.memory() + TOKENS_HELD
    }

    /// Whether it must not wait until another packet has come: most buffers are taken, many places,
    /// or pages are held that may be free.
    #[inline]
    pub fn needs_retiring(&self) -> bool {
        if !variant::IN_LINE {
            return self.wants_retiring();
        }
        let buffers = self.buffers_taken.wrapping_sub(self.buffers_done);
        let places = self.issued.wrapping_sub(self.done);
        places != 0 && (self.large != buffers || 2 * buffers > self.buffer_count) || places >= TOKENS_LEFT
    }

    /// Finds out which packets have left, so that their places and buffers are free again.
    pub fn retire(&mut self, pages: &mut Pages) {
        if self.done == self.issued {
            return;
        }
        let status = hw::read(BASE, register::STATUS);
        let waiting = register::TX_QUEUE as u32 - (status & register::STATUS_TX_FREE_MASK);
        let held = waiting + (status & register::STATUS_TX_IDLE == 0) as u32;
        while self.issued.wrapping_sub(self.done) > held {
            let place = &self.places[self.index(self.done)];
            if place.buffer != 0 {
                self.large -= 1;
                match place.buffer & KIND {
                    BUFFER => self.buffers_done = self.buffers_done.wrapping_add(1),
                    FRAME => {}
                    MEMORY if variant::PAGES_GO => {
                        self.memory -= 1;
                        if place.words[HAS_PAGES] != 0 {
                            free_pages(&place.words[..PAGES_TOUCHED], pages);
                        }
                    }
                    _ => free_pages(&[memory::page_of(place.payload()) + 1], pages),
                }
            }
            self.done = self.done.wrapping_add(1);
        }
    }

    /// Passes the next packet to the station if the station takes it.
    #[inline]
    pub fn issue(&mut self) -> Option<&Place> {
        if !self.can_issue() {
            return None;
        }
        let index = self.index(self.issued);
        self.issued = self.issued.wrapping_add(1);
        let place = &self.places[index];
        // The station reads memory: everything must have been stored.
        compiler_fence(Ordering::SeqCst);
        hw::write(BASE, register::TX_ADDRESS, place.payload());
        hw::write(BASE, register::TX_COMMAND, place.header);
        Some(place)
    }

    /// Whether a packet waits and the station takes it.
    pub fn can_issue(&self) -> bool {
        self.issued != self.queued && hw::read(BASE, register::STATUS) & register::STATUS_TX_FREE_MASK != 0
    }

    /// Whether packets wait here that the station does not take yet.
    pub fn is_waiting(&self) -> bool {
        self.issued != self.queued
    }

    /// Whether everything has left this processor.
    pub fn is_quiet(&self) -> bool {
        !self.is_waiting() && hw::read(BASE, register::STATUS) & register::STATUS_TX_IDLE != 0
    }

    /// The oldest packet received, if any. [`Self::release`] it when it has been served.
    pub fn receive(&self) -> Option<Packet> {
        if hw::read(BASE, register::RX_TAIL) == self.head {
            return None;
        }
        Some(Packet::received(self.ring, self.ring_mask, self.head))
    }

    /// Gives the packet's words in the ring back.
    pub fn release(&mut self, packet: &Packet) {
        self.head = (self.head + 1 + packet.header.payload_words() as u32) & 0xffff;
        hw::write(BASE, register::RX_HEAD, self.head);
    }
}

/// Pages of a packet that has left are nobody's: the number behind each, or 0.
#[inline(never)]
fn free_pages(behind: &[u32], pages: &mut Pages) {
    for after in behind.iter().copied().filter(|after| *after != 0) {
        pages.release(after - 1, after);
    }
}

fn header(destination: Processor, kind: u8, bytes: u32) -> u32 {
    Header { destination: destination.number(), kind, length: bytes as u16, source: 0 }.pack()
}
